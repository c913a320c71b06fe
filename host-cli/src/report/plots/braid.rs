//! Figure 2 of Zarins & Weiland 2017: the braid of update counts.

use plotters::prelude::*;

use super::axis::Axis;
use super::legend::{Key, Legend};
use super::mark::Mark;
use super::{Picture, Titles, palette};
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
pub fn braid(history: &History, title: &str) -> Picture {
    let braid = Braid { history };
    let points = || braid.columns().flat_map(|column| braid.line(column));
    let groups = Groups::of_lines(history);
    let width = if braid.columns().count() <= MOST_NAMES { 5 } else { 3 };
    let line = |(column, colour): (usize, RGBColor)| {
        Mark::Line(braid.line(column).collect(), colour.stroke_width(width))
    };
    let axes = [Axis::from_zero(points().map(|(x, _)| x)), Axis::linear(points().map(|(_, y)| y))];
    let marks = braid.lines(&groups).map(line).collect();
    let titles = Titles { title, x: "time (s)", y: "updates ahead of the mean" };
    titles.picture(axes, braid.legend(&groups), marks)
}

#[derive(Clone, Copy)]
struct Braid<'a> {
    history: &'a History,
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
        let mut remarks = Vec::new();
        let legend = if drawn <= MOST_NAMES {
            Legend::of(self.lines(groups).map(|(column, colour)| {
                (Key::Line(colour), format!("subdomain {}", self.subdomain(column)))
            }))
        } else {
            if groups.what == WORKER {
                remarks.push("colours: first worker".to_owned());
            }
            Legend::of(groups.names())
        };
        if drawn < all {
            remarks.push(format!("{drawn} of {all} lines"));
        }
        legend.with_remarks(remarks.iter().map(String::as_str))
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
