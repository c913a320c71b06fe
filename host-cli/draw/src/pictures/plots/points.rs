//! Plots figure 3 of Zarins & Weiland 2017: the landscape of methods.

use plotters::prelude::*;

use super::axis::Axis;
use super::legend::{Key, Legend};
use super::mark::{Mark, Position};
use super::palette::Look;
use super::{Picture, Titles};
use crate::statistics::Quartiles;

/// Repeated runs of one method, each with its rate and its spread.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// Iterations per second in each run.
    pub iteration_rate: Vec<f64>,
    /// Highest minus lowest update count in each run.
    pub spread: Vec<f64>,
}

/// One method, with and without noise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LandscapePoint {
    /// The method's name.
    pub method: String,
    /// Runs on a quiet machine.
    pub quiet: Samples,
    /// Runs with noise; empty where there were none.
    pub noisy: Samples,
}

/// Quartiles in both directions.
#[derive(Clone, Copy, Debug)]
struct Cross {
    rate: Quartiles,
    spread: Quartiles,
}

impl Cross {
    /// Returns the quartiles of rate and spread, if there are samples of both.
    fn of(samples: &Samples) -> Option<Self> {
        let rate = Quartiles::of(&samples.iteration_rate)?;
        Some(Self { rate, spread: Quartiles::of(&samples.spread)? })
    }

    const fn centre(&self) -> Position {
        (self.rate.median, self.spread.median)
    }

    /// Returns bars from the 25th to the 75th percentile.
    fn bars(&self, colour: RGBColor) -> [Mark; 2] {
        let (x, y) = self.centre();
        let across = vec![(self.rate.low, y), (self.rate.high, y)];
        let along = vec![(x, self.spread.low), (x, self.spread.high)];
        [across, along].map(|bar| Mark::Line(bar, colour.stroke_width(4)))
    }
}

/// Plots iteration rate against spread: medians with quartiles, and an arrow from quiet to noisy.
///
/// The best methods are in the lower right corner, and noise moves them little.
pub fn landscape(points: &[LandscapePoint], title: &str) -> Picture {
    let crosses: Vec<[Option<Cross>; 2]> =
        points.iter().map(|point| [&point.quiet, &point.noisy].map(Cross::of)).collect();
    let entries = points.iter().enumerate();
    let entries =
        entries.map(|(index, point)| (Key::Marker(Look::of(index)), point.method.clone()));
    let remarks = ["", "filled: quiet", "open: noisy", "bars: quartiles"];
    let mut marks = Vec::new();
    for (index, pair) in crosses.iter().enumerate() {
        marks.extend(pair.iter().flatten().flat_map(|cross| cross.bars(Look::of(index).colour)));
    }
    // Markers and arrows lie over all bars.
    for (index, pair) in crosses.iter().enumerate() {
        let centres = pair.map(|cross| cross.map(|cross| cross.centre()));
        if let [Some(quiet), Some(noisy)] = centres {
            marks.push(Mark::Arrow([quiet, noisy]));
        }
        let looks = [Look::of(index), Look { is_filled: false, ..Look::of(index) }];
        let markers = centres.into_iter().zip(looks);
        marks.extend(markers.filter_map(|(place, look)| Some(Mark::Marker(place?, look))));
    }
    let all = || crosses.iter().flatten().flatten();
    let spreads: Vec<f64> = all().flat_map(|cross| cross.spread.figures()).collect();
    let rates = Axis::linear(all().flat_map(|cross| cross.rate.figures()));
    let titles = Titles { title, x: "iteration rate (iterations/s)", y: "spread (updates)" };
    let axes = [rates, Axis::logarithmic_if_wide(&spreads)];
    titles.picture(axes, Legend::of(entries).with_remarks(remarks), marks)
}
