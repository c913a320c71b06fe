//! An axis that knows its own ticks: linear, logarithmic, or with names.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;

use crate::report::statistics::extremes;

/// From a ratio of so much between greatest and least, a logarithm shows more.
const LOG_RATIO: f64 = 50.0;

/// A vertical or horizontal axis.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    range: Range<f64>,
    /// Where the ticks are, and what is written there.
    ticks: Vec<(f64, String)>,
    logarithmic: bool,
}

impl Axis {
    /// Covers the values with a little space around; ticks at round numbers.
    pub fn linear(values: impl IntoIterator<Item = f64>) -> Self {
        let (least, most) = extremes(values).unwrap_or((0.0, 1.0));
        let width = most - least;
        let enough = (most.abs().max(least.abs()) * 1e-6).max(f64::MIN_POSITIVE * 1e10);
        let space = if width > enough { width * 0.05 } else { (most.abs() * 0.1).max(0.5) };
        let low = if least >= 0.0 { (least - space).max(0.0) } else { least - space };
        Self::from_range(low..most + space)
    }

    /// Begins at zero, ends a little after the greatest value.
    pub fn from_zero(values: impl IntoIterator<Item = f64>) -> Self {
        let most = extremes(values).map_or(1.0, |(_, most)| most);
        Self::from_range(0.0..if most > 0.0 { most * 1.05 } else { 1.0 })
    }

    /// Ends where the values end.
    pub fn tight(values: impl IntoIterator<Item = f64>) -> Self {
        match extremes(values) {
            Some((least, most)) if most - least > 0.0 => Self::from_range(least..most),
            other => Self::linear(other.map(|(least, _)| least)),
        }
    }

    fn from_range(range: Range<f64>) -> Self {
        let ticks = RangedCoordf64::from(range.clone()).key_points(9);
        let label = number_format(&ticks);
        let ticks = ticks.into_iter().map(|tick| (tick, label(tick))).collect();
        Self { range, ticks, logarithmic: false }
    }

    /// Linear, or logarithmic where the values (none negative) differ by more than fifty times.
    ///
    /// A logarithm has no zero: zeros stand at the lower end, under a tick of their own.
    pub fn logarithmic_if_wide(values: &[f64]) -> Self {
        let above = values.iter().copied().filter(|&value| value > 0.0);
        let Some((least, most)) = extremes(above) else {
            return Self::linear(values.iter().copied());
        };
        let has_zero = values.contains(&0.0);
        let floor = if has_zero { least.min(1.0) } else { least };
        if most / floor <= LOG_RATIO {
            return Self::linear(values.iter().copied());
        }
        let low = if has_zero { floor / 4.0 } else { floor / 1.5 };
        let range = low..most * 1.5;
        let mut ticks = decades(range.start.max(floor / 1.5), range.end);
        if has_zero {
            ticks.insert(0, (0.0, "0".to_owned()));
        }
        Self { range: low / 1.2..range.end, ticks, logarithmic: true }
    }

    /// One unit a name, the first at the top of a vertical axis; the centre of the `i`-th name is
    /// at [`Axis::place`].
    pub fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let ticks: Vec<_> = names
            .into_iter()
            .enumerate()
            .map(|(index, name)| (Self::place(index), name.to_owned()))
            .collect();
        let end = Self::place(ticks.len().max(1)) + 0.5;
        Self { range: end..-0.5, ticks, logarithmic: false }
    }
}
