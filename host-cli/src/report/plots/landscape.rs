//! Figure 3 of Zarins & Weiland 2017: the landscape of methods.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::axis::Axis;
use super::legend::{Key, Legend, arrow, marker};
use super::{Chart, Failure, Frame, Plot, palette};
use crate::report::statistics::Quartiles;

/// Repeated runs of one method, each with its rate and its spread.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// Iterations per second of each run.
    pub iteration_rate: Vec<f64>,
    /// Highest minus lowest update count of each run.
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

/// Iteration rate against spread: medians with quartiles, and an arrow from quiet to noisy.
///
/// The best methods are in the lower right corner, and noise moves them little.
#[derive(Clone, Copy, Debug)]
pub struct Landscape<'a> {
    /// The methods, in the order of the legend.
    pub points: &'a [LandscapePoint],
    /// What is written above the plot.
    pub title: &'a str,
}

/// Quartiles in both directions.
#[derive(Clone, Copy, Debug)]
struct Cross {
    rate: Quartiles,
    spread: Quartiles,
}

impl Cross {
    fn of(samples: &Samples) -> Option<Self> {
        let rate = Quartiles::of(&samples.iteration_rate)?;
        Some(Self { rate, spread: Quartiles::of(&samples.spread)? })
    }

    const fn centre(&self) -> (f64, f64) {
        (self.rate.median, self.spread.median)
    }

    /// Draws the bars from the 25th to the 75th percentile.
    fn draw<B: DrawingBackend>(
        &self,
        chart: &mut Chart<'_, B>,
        colour: RGBColor,
    ) -> Result<(), Failure<B>> {
        let (x, y) = self.centre();
        let across = [(self.rate.low, y), (self.rate.high, y)];
        let along = [(x, self.spread.low), (x, self.spread.high)];
        let style = colour.stroke_width(4);
        chart.draw_series([across, along].map(|bar| PathElement::new(bar, style)))?;
        Ok(())
    }
}

impl Landscape<'_> {
    fn legend(&self) -> Legend {
        let mut legend = Legend::default();
        for (index, point) in self.points.iter().enumerate() {
            let key = Key::Marker(palette::shape(index), palette::category(index), true);
            legend.entries.push((key, point.method.clone()));
        }
        for remark in ["", "filled: quiet", "open: noisy", "bars: quartiles"] {
            legend.entries.push((Key::Remark, remark.to_owned()));
        }
        legend
    }
}

impl Plot for Landscape<'_> {
    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let crosses: Vec<[Option<Cross>; 2]> =
            self.points.iter().map(|p| [&p.quiet, &p.noisy].map(Cross::of)).collect();
        let all = || crosses.iter().flatten().flatten();
        let ends = |q: Quartiles| [q.low, q.median, q.high];
        let spreads: Vec<f64> = all().flat_map(|cross| ends(cross.spread)).collect();
        let y = Axis::logarithmic_if_wide(&spreads);
        let frame = Frame {
            title: self.title,
            x: (
                Axis::linear(all().flat_map(|cross| ends(cross.rate))),
                "iteration rate (iterations/s)",
            ),
            y: (y, "spread (updates)"),
            legend: self.legend(),
        };
        let mut chart = frame.draw(area)?;
        let coloured = || crosses.iter().enumerate().map(|(i, c)| (i, palette::category(i), c));
        for (_, colour, crosses) in coloured() {
            for cross in crosses.iter().flatten() {
                cross.draw(&mut chart, colour)?;
            }
        }
        // Markers and arrows lie over all bars.
        for (index, colour, crosses) in coloured() {
            let places = crosses.map(|cross| cross.map(|c| chart.backend_coord(&c.centre())));
            if let [Some(quiet), Some(noisy)] = places {
                arrow(area, quiet, noisy)?;
            }
            for (place, filled) in places.into_iter().zip([true, false]) {
                if let Some(place) = place {
                    marker(area, palette::shape(index), place, colour, filled)?;
                }
            }
        }
        Ok(())
    }
}
