//! Imbalance over the iterations of a balancer.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::axis::Axis;
use super::legend::{Key, Legend, marker};
use super::{Failure, Frame, Plot, palette};

/// More names than these would be a list, not a legend.
const MOST_NAMES: usize = 20;
/// More points of a line than these have no markers.
const MOST_MARKERS: usize = 60;

/// One run: the imbalance at its start, and after each iteration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imbalance {
    /// What it is a run of.
    pub name: String,
    /// None negative.
    pub after: Vec<f64>,
}

/// A line a run, on a logarithm.
#[derive(Clone, Copy, Debug)]
pub struct Imbalances<'a> {
    /// In the order of the legend.
    pub runs: &'a [Imbalance],
    /// What is written above the plot.
    pub title: &'a str,
}

impl Plot for Imbalances<'_> {
    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let all: Vec<f64> = self.runs.iter().flat_map(|run| run.after.iter().copied()).collect();
        let longest = self.runs.iter().map(|run| run.after.len()).max().unwrap_or(0);
        let last = longest.saturating_sub(1).max(1) as f64;
        let count = self.runs.len();
        let mut legend = Legend::default();
        if (2..=MOST_NAMES).contains(&count) {
            let entry = |(index, run): (usize, &Imbalance)| {
                let colour = palette::colour(index, count);
                (Key::Marker(palette::shape(index), colour, true), run.name.clone())
            };
            legend.entries.extend(self.runs.iter().enumerate().map(entry));
        }
        let frame = Frame {
            title: self.title,
            x: (Axis::whole(-0.02 * last..last * 1.02), "iteration"),
            y: (Axis::logarithmic(&all), "imbalance (most ÷ mean − 1)"),
            legend,
        };
        let mut chart = frame.draw(area)?;
        for (index, run) in self.runs.iter().enumerate() {
            let colour = palette::colour(index, count);
            let points: Vec<_> = (0_u32..).map(f64::from).zip(run.after.iter().copied()).collect();
            chart.draw_series(LineSeries::new(points.clone(), colour.stroke_width(4)))?;
            for point in points.iter().filter(|_| points.len() <= MOST_MARKERS) {
                let place = chart.backend_coord(point);
                marker(area, palette::shape(index), place, colour, true)?;
            }
        }
        Ok::<(), Failure<B>>(())
    }
}
