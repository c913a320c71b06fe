//! Figure 2 of Zarins & Weiland 2017: the braid of update counts.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::axis::Axis;
use super::legend::{Key, Legend};
use super::{Frame, Plot, palette};
use crate::report::history::History;

/// More lines than these would only hide each other.
const MOST_LINES: usize = 64;
/// More names than these would be a list, not a legend.
const MOST_NAMES: usize = 12;
/// More points than the picture has columns would only make it large.
const MOST_POINTS: usize = 1200;

/// Update counts minus their mean over time, one line a subdomain.
#[derive(Clone, Copy, Debug)]
pub struct Braid<'a> {
    /// The run.
    pub history: &'a History,
    /// What is written above the plot.
    pub title: &'a str,
}

impl Braid<'_> {
    /// Seconds and the count minus the mean of all subdomains, for one column of the counts.
    fn line(&self, column: usize) -> impl Iterator<Item = (f64, f64)> {
        let samples = self.history.samples.iter().zip(&self.history.counts);
        let every = samples.len().div_ceil(MOST_POINTS).max(1);
        let points = samples.step_by(every).filter_map(move |(sample, counts)| {
            counts.get(column).map(|&count| (sample.seconds, count as f64 - sample.mean))
        });
        points.filter(|(x, y)| x.is_finite() && y.is_finite())
    }

    /// The columns that are drawn: all, or some in equal steps.
    fn columns(&self) -> impl Iterator<Item = usize> + Clone {
        let all = self.history.subdomains.len();
        let drawn = all.min(MOST_LINES);
        (0..drawn).map(move |line| line * all / drawn)
    }

    fn legend(&self) -> Legend {
        let drawn = self.columns().count();
        let mut legend = Legend::default();
        if drawn <= MOST_NAMES {
            for (line, column) in self.columns().enumerate() {
                let name = self.history.subdomains.get(column).copied().unwrap_or_default();
                let key = Key::Line(palette::colour(line, drawn));
                legend.entries.push((key, format!("subdomain {name}")));
            }
        }
        legend
    }
}

impl Plot for Braid<'_> {
    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let points = || self.columns().flat_map(|column| self.line(column));
        let y = Axis::linear(points().map(|(_, y)| y));
        let frame = Frame {
            title: self.title,
            x: (Axis::from_zero(points().map(|(x, _)| x)), "time (s)"),
            y: (y, "updates ahead of the mean"),
            legend: self.legend(),
        };
        let mut chart = frame.draw(area)?;
        let drawn = self.columns().count();
        let width = if drawn <= MOST_NAMES { 5 } else { 3 };
        for (line, column) in self.columns().enumerate() {
            let style = palette::colour(line, drawn).stroke_width(width);
            chart.draw_series(LineSeries::new(self.line(column), style))?;
        }
        Ok(())
    }
}
