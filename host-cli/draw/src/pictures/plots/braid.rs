//! Figure 2 of Zarins & Weiland 2017: the braid of update counts.

use plotters::prelude::*;

use super::axis::Axis;
use super::legend::{Key, Legend};
use super::mark::{Mark, Position};
use super::{Picture, Titles, palette};
use crate::history::History;

/// Greatest number of lines; more would only hide each other.
const MOST_LINES: usize = 64;
/// Greatest number of names in the legend.
const MOST_NAMES: usize = 12;
/// Greatest number of colours; more cannot be told apart.
const MOST_COLOURS: usize = 8;
/// Greatest number of points of a line; more than there are columns of pixels would only make the
/// file large.
const MOST_POINTS: usize = 1200;

/// Plots update counts minus their mean over time, one line for each subdomain.
pub fn braid(history: &History, title: &str) -> Picture {
    let columns: Vec<usize> = columns(history).collect();
    let groups = Groups::of_lines(history);
    let has_names = columns.len() <= MOST_NAMES;
    let colours = columns.iter().enumerate().map(|(place, &column)| {
        let of_group = || palette::category(groups.of(column));
        if has_names { palette::colour(place, columns.len()) } else { of_group() }
    });
    let lines: Vec<(usize, RGBColor)> = columns.iter().copied().zip(colours).collect();
    let legend = if has_names {
        let subdomain = |column| history.subdomains.get(column).copied().unwrap_or_default();
        Legend::of(lines.iter().map(|&(column, colour)| {
            (Key::Line(colour), format!("subdomain {}", subdomain(column)))
        }))
    } else {
        groups.legend()
    };
    let (drawn, all) = (lines.len(), history.subdomains.len());
    let remark = format!("{drawn} of {all} lines");
    let legend = legend.with_remarks((drawn < all).then_some(remark.as_str()));
    let width = if has_names { 5 } else { 3 };
    let mark = |(column, colour): (usize, RGBColor)| {
        Mark::Line(line(history, column).collect(), colour.stroke_width(width))
    };
    let points = || columns.iter().flat_map(|&column| line(history, column));
    let axes = [Axis::from_zero(points().map(|(x, _)| x)), Axis::linear(points().map(|(_, y)| y))];
    let titles = Titles { title, x: "time (s)", y: "updates ahead of the mean" };
    titles.picture(axes, legend, lines.into_iter().map(mark).collect())
}

/// Returns the columns of the counts that are drawn: all, or some in equal steps.
fn columns(history: &History) -> impl Iterator<Item = usize> {
    let all = history.subdomains.len();
    let drawn = all.min(MOST_LINES);
    (0..drawn).map(move |line| line * all / drawn)
}

/// Returns the points of the line for one column of the counts: seconds, and the count minus the
/// mean of all subdomains.
fn line(history: &History, column: usize) -> impl Iterator<Item = Position> {
    let samples = history.samples.iter().zip(&history.counts);
    let every = samples.len().div_ceil(MOST_POINTS).max(1);
    let points = samples.step_by(every).filter_map(move |(sample, counts)| {
        counts.get(column).map(|&count| (sample.seconds, count as f64 - sample.mean))
    });
    points.filter(|(x, y)| x.is_finite() && y.is_finite())
}

const WORKER: &str = "worker";

/// Groups of lines with a colour each, where the lines are too many to have names of their own.
struct Groups<'a> {
    /// Kind of the numbers: subdomain or worker.
    what: &'static str,
    /// Number of the subdomain or of the worker of each line.
    numbers: &'a [u32],
    /// Number of successive numbers that share a colour.
    each: usize,
    last: usize,
}

impl<'a> Groups<'a> {
    /// Groups lines by their first worker, or by subdomain where there is only one worker.
    fn of_lines(history: &'a History) -> Self {
        let most = |numbers: &[u32]| numbers.iter().max().map_or(0, |&most| most as usize);
        let (what, numbers) = match most(&history.first_workers) {
            0 => ("subdomain", history.subdomains.as_slice()),
            _ => (WORKER, history.first_workers.as_slice()),
        };
        let last = most(numbers);
        Self { what, numbers, each: (last + 1).div_ceil(MOST_COLOURS), last }
    }

    /// Returns the index of the colour of the line for a column.
    fn of(&self, column: usize) -> usize {
        self.numbers.get(column).map_or(0, |&number| number as usize / self.each)
    }

    /// Returns a legend with a key for each colour.
    fn legend(&self) -> Legend {
        let names = (0..=self.last).step_by(self.each).enumerate().map(|(colour, first)| {
            let last = (first + self.each - 1).min(self.last);
            let name = match last {
                _ if first == last => format!("{} {first}", self.what),
                _ => format!("{}s {first}–{last}", self.what),
            };
            (Key::Line(palette::category(colour)), name)
        });
        let remark = (self.what == WORKER).then_some("colours: first worker");
        Legend::of(names).with_remarks(remark)
    }
}
