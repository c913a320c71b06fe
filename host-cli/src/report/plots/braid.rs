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
/// More colours than these cannot be told apart.
const MOST_COLOURS: usize = 8;
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

    fn subdomain(&self, column: usize) -> u32 {
        self.history.subdomains.get(column).copied().unwrap_or_default()
    }

    /// The lines: each with its column and its colour.
    fn lines(&self, groups: &Groups<'_>) -> impl Iterator<Item = (usize, RGBColor)> {
        let drawn = self.columns().count();
        self.columns().enumerate().map(move |(line, column)| {
            let is_named = drawn <= MOST_NAMES;
            let colour = || palette::category(groups.of(column));
            (column, if is_named { palette::colour(line, drawn) } else { colour() })
        })
    }

    fn legend(&self, groups: &Groups<'_>) -> Legend {
        let drawn = self.columns().count();
        let all = self.history.subdomains.len();
        let remark = |text: String| (Key::Remark, text);
        let mut entries = Vec::new();
        if drawn <= MOST_NAMES {
            entries.extend(self.lines(groups).map(|(column, colour)| {
                (Key::Line(colour), format!("subdomain {}", self.subdomain(column)))
            }));
        } else {
            entries.extend(groups.names());
            if groups.what == WORKER {
                entries.push(remark("colours: first worker".into()));
            }
        }
        if drawn < all {
            entries.push(remark(format!("{drawn} of {all} lines")));
        }
        Legend { entries }
    }
}

impl Plot for Braid<'_> {
    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let points = || self.columns().flat_map(|column| self.line(column));
        let y = Axis::linear(points().map(|(_, y)| y));
        let groups = Groups::of_lines(self.history);
        let frame = Frame {
            title: self.title,
            x: (Axis::from_zero(points().map(|(x, _)| x)), "time (s)"),
            y: (y, "updates ahead of the mean"),
            legend: self.legend(&groups),
        };
        let mut chart = frame.draw(area)?;
        let drawn = self.columns().count();
        let width = if drawn <= MOST_NAMES { 5 } else { 3 };
        for (column, colour) in self.lines(&groups) {
            let style = colour.stroke_width(width);
            chart.draw_series(LineSeries::new(self.line(column), style))?;
        }
        Ok(())
    }
}

const WORKER: &str = "worker";

/// Lines that are too many to be named one by one: neighbours have a colour in common.
struct Groups<'a> {
    /// What a line is counted by.
    what: &'static str,
    /// The number of each line.
    numbers: &'a [u32],
    /// How many numbers share a colour.
    each: usize,
    last: usize,
}

impl<'a> Groups<'a> {
    /// By the worker that a line began with; by subdomain where there is only one worker.
    fn of_lines(history: &'a History) -> Self {
        let most = |numbers: &[u32]| numbers.iter().max().map_or(0, |&most| most as usize);
        let (what, numbers) = match most(&history.first_workers) {
            0 => ("subdomain", history.subdomains.as_slice()),
            _ => (WORKER, history.first_workers.as_slice()),
        };
        let last = most(numbers);
        Self { what, numbers, each: (last + 1).div_ceil(MOST_COLOURS), last }
    }

    /// The colour of the line in a column.
    fn of(&self, column: usize) -> usize {
        self.numbers.get(column).map_or(0, |&number| number as usize / self.each)
    }

    /// A key for each colour.
    fn names(&self) -> impl Iterator<Item = (Key, String)> {
        (0..=self.last).step_by(self.each).enumerate().map(|(colour, first)| {
            let last = (first + self.each - 1).min(self.last);
            let name = match last {
                _ if first == last => format!("{} {first}", self.what),
                _ => format!("{}s {first}–{last}", self.what),
            };
            (Key::Line(palette::category(colour)), name)
        })
    }
}
