//! Plots rows of figures with their ranges: boxes with whiskers, and figures beside the published
//! ones.

use plotters::prelude::*;

use super::axis::Axis;
use super::legend::{Key, Legend};
use super::mark::Mark;
use super::palette::{self, Look};
use super::{INK, Picture, Titles};
use crate::statistics::{Quartiles, Whiskers};

/// Seconds to solution of two kinds of runs that are compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times {
    /// Name of what both kinds are runs of.
    pub name: String,
    /// Seconds of all runs of each kind.
    pub seconds: [Vec<f64>; 2],
}

/// Two kinds of runs that are compared, and the reach of their whiskers.
#[derive(Clone, Copy, Debug)]
pub struct Kinds {
    /// Names of the two kinds.
    pub names: [&'static str; 2],
    /// Function that returns the reach of the whiskers; runs beyond it are drawn one by one.
    pub whiskers: fn(&[f64]) -> Option<Whiskers>,
}

impl Kinds {
    /// Quiet and noisy runs, with whiskers to the fastest and the slowest one.
    pub const OF_NOISE: Self = Self { names: ["quiet", "noisy"], whiskers: Whiskers::to_extremes };
}

/// Half the height of a box; the distance of two rows is 1.
const HALF: f64 = 0.16;
/// Distances of the two boxes from the middle between them.
const SHIFTS: [f64; 2] = [-0.2, 0.2];

/// Plots boxes of time to solution, two kinds side by side, from the top: figures 4 and 5 of Zarins
/// & Weiland 2017, figures 1 to 3 of their paper of 2020.
///
/// Boxes reach from the 25th to the 75th percentile. They lie, so that names of any length can be
/// read.
pub fn boxes(rows: &[Times], kinds: Kinds, title: &str) -> Picture {
    let colours = [palette::category(0), palette::category(1)];
    let keys = colours.into_iter().zip(kinds.names);
    let legend = Legend::of(keys.map(|(colour, name)| (Key::Block(colour), name.to_owned())));
    let mut marks = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        for ((shift, samples), colour) in SHIFTS.iter().zip(&row.seconds).zip(colours) {
            let Some(whiskers) = (kinds.whiskers)(samples) else { continue };
            let y = index as f64 + shift;
            marks.extend(one_box(y, samples, whiskers, colour));
            let outliers = samples.iter().filter(|&&sample| whiskers.leave_out(sample));
            marks.extend(outliers.map(|&x| Mark::Marker((x, y), Look::open(0, colour))));
        }
    }
    let seconds = rows.iter().flat_map(|row| row.seconds.iter().flatten());
    let names = Axis::names(rows.iter().map(|row| row.name.as_str()));
    let titles = Titles { title, x: "time to solution (s)", y: "" };
    titles.picture([Axis::from_zero(seconds.copied()), names], legend, marks)
}

/// Returns one box with its whiskers at the height `y`, if there are samples.
fn one_box(y: f64, samples: &[f64], whiskers: Whiskers, colour: RGBColor) -> Vec<Mark> {
    let Some(Quartiles { low, median, high }) = Quartiles::of(samples) else { return Vec::new() };
    let Whiskers { low: least, high: most } = whiskers;
    let corners = [(low, y - HALF), (high, y + HALF)];
    let upright = |x, half| [(x, y - half), (x, y + half)];
    let lines = [
        [(least, y), (low, y)],
        [(high, y), (most, y)],
        upright(least, HALF / 2.0),
        upright(most, HALF / 2.0),
        upright(low, HALF),
        upright(high, HALF),
        [corners[0], (high, y - HALF)],
        [(low, y + HALF), corners[1]],
    ];
    let lines = lines.map(|line| Mark::Line(line.to_vec(), colour.stroke_width(4)));
    let middle = Mark::Line(upright(median, HALF).to_vec(), colour.stroke_width(9));
    let inside = Mark::Block(corners, colour.mix(0.45).filled());
    [inside].into_iter().chain(lines).chain([middle]).collect()
}

/// One figure: our own and the published one.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// Name of the figure.
    pub label: String,
    /// Published figure.
    pub published: Option<f64>,
    /// Median and quartiles of our own figures.
    pub ours: Option<Quartiles>,
}

/// Distance of a figure from the middle of its row.
const BESIDE: f64 = 0.17;

/// Plots a row for each figure from the top: the published one open, ours filled with a bar over
/// its quartiles.
pub fn comparison(rows: &[Compared], title: &str, unit: &str) -> Picture {
    let (ours, published) = (Look::of(0), Look::open(3, palette::category(1)));
    let entries = [(ours, "ours"), (published, "published")];
    let entries = entries.map(|(look, name)| (Key::Marker(look), name.to_owned()));
    let legend = Legend::of(entries).with_remarks(["bars: quartiles"]);
    let last = rows.len() as f64 - 0.5;
    let mut marks = vec![Mark::Line(vec![(0.0, -0.5), (0.0, last)], INK.stroke_width(3))];
    // Beside each other, so that neither hides the other where they agree.
    let placed = || (0..rows.len()).map(|place| place as f64).zip(rows);
    for (y, row) in placed() {
        let y = y + BESIDE;
        let bar = |all: Quartiles| {
            Mark::Line(vec![(all.low, y), (all.high, y)], ours.colour.stroke_width(6))
        };
        marks.extend(row.ours.map(bar));
    }
    for (y, row) in placed() {
        marks.extend(row.ours.map(|all| Mark::Marker((all.median, y + BESIDE), ours)));
        marks.extend(row.published.map(|x| Mark::Marker((x, y - BESIDE), published)));
    }
    let figures = rows.iter().filter_map(|row| row.ours).flat_map(Quartiles::figures);
    let all = figures.chain(rows.iter().filter_map(|row| row.published)).chain([0.0]);
    let names = Axis::names(rows.iter().map(|row| row.label.as_str()));
    Titles { title, x: unit, y: "" }.picture([Axis::linear(all), names], legend, marks)
}
