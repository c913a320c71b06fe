//! Plots figures over a parameter: a line for each of a few methods, balancers or runs.

use plotters::prelude::*;

use super::axis::Axis;
use super::legend::{Key, Legend};
use super::mark::{Mark, Position};
use super::palette::{self, Look};
use super::{INK, Picture, Titles};
use crate::statistics::Quartiles;

/// Greatest number of names in the legend.
const MOST_NAMES: usize = 20;
/// Greatest number of points of a line with markers.
const MOST_MARKERS: usize = 60;

/// The middle of a figure of some runs, and its range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Position on the x axis.
    pub x: f64,
    /// The 25th percentile, or the least figure.
    pub low: f64,
    /// The median.
    pub middle: f64,
    /// The 75th percentile, or the greatest figure.
    pub high: f64,
}

/// One line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Name in the legend.
    pub name: String,
    /// Points from left to right.
    pub points: Vec<Point>,
    /// Published figures, each with its position on the x axis.
    pub published: Vec<(f64, f64)>,
}

impl Curve {
    /// Returns the curve through the medians of samples, with their quartiles; places without
    /// samples have no point.
    pub fn of_samples(
        name: impl Into<String>,
        samples: impl IntoIterator<Item = (f64, Vec<f64>)>,
    ) -> Self {
        let point = |(x, samples): (f64, Vec<f64>)| {
            let Quartiles { low, median: middle, high } = Quartiles::of(&samples)?;
            Some(Point { x, low, middle, high })
        };
        let points = samples.into_iter().filter_map(point).collect();
        Self { name: name.into(), points, published: Vec::new() }
    }

    /// Returns the points of the medians.
    fn middles(&self) -> impl Iterator<Item = Position> {
        self.points.iter().map(|point| (point.x, point.middle))
    }
}

/// Returns all figures of the curves, from which the upright axis follows.
fn figures(curves: &[Curve]) -> impl Iterator<Item = f64> {
    let points = curves.iter().flat_map(|curve| &curve.points);
    points.flat_map(|point| [point.low, point.middle, point.high])
}

/// Returns all places of the curves' points, from which the other axis follows.
fn places(curves: &[Curve]) -> Vec<f64> {
    curves.iter().flat_map(|curve| &curve.points).map(|point| point.x).collect()
}

/// Plots medians with bars over their quartiles; the axes of the figures, none of which is
/// negative, and of the places are logarithmic where the values differ much.
pub fn trends(curves: &[Curve], titles: Titles<'_>) -> Picture {
    let figures: Vec<f64> = figures(curves).collect();
    let entries = curves.iter().enumerate();
    let entries = entries.map(|(index, curve)| (Key::Marker(Look::of(index)), curve.name.clone()));
    let mut points = curves.iter().flat_map(|curve| &curve.points);
    let has_bars = points.any(|point| point.low < point.high);
    let remarks: &[&str] = if has_bars { &["", "bars: quartiles"] } else { &[] };
    let legend = Legend::of(entries).with_remarks(remarks.iter().copied());
    let mut marks = Vec::new();
    for (index, curve) in curves.iter().enumerate() {
        let style = palette::category(index).stroke_width(4);
        let bar =
            |point: &Point| Mark::Line(vec![(point.x, point.low), (point.x, point.high)], style);
        marks.extend(curve.points.iter().map(bar));
        marks.push(Mark::Line(curve.middles().collect(), style));
    }
    // Markers lie over all lines.
    for (index, curve) in curves.iter().enumerate() {
        marks.extend(curve.middles().map(|place| Mark::Marker(place, Look::of(index))));
    }
    let axes = [Axis::along(&places(curves)), Axis::logarithmic_if_wide(&figures)];
    titles.picture(axes, legend, marks)
}

/// Plots medians within the bands of all runs, published figures as open markers, and figures
/// without an x as levels across the plot; the axis of the figures, none of which is negative, is
/// logarithmic where they differ much.
pub fn bands(curves: &[Curve], levels: &[(String, f64)], titles: Titles<'_>) -> Picture {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let published = || curves.iter().flat_map(|curve| curve.published.iter().copied());
    let others = levels.iter().map(|(_, figure)| *figure).chain(published().map(|(_, y)| y));
    let figures: Vec<f64> = figures(curves).chain(others).collect();
    let places = || points().map(|point| point.x).chain(published().map(|(x, _)| x)).chain([0.0]);
    let mut marks = Vec::new();
    for (index, Curve { points, .. }) in curves.iter().enumerate() {
        let upper = points.iter().map(|point| (point.x, point.high));
        let lower = points.iter().rev().map(|point| (point.x, point.low));
        let shade = palette::category(index).mix(0.25).filled();
        marks.push(Mark::Area(upper.chain(lower).collect(), shade));
    }
    let last = places().fold(0.0, f64::max);
    for (index, &(_, figure)) in levels.iter().enumerate() {
        // The later ones are thinner, so that each is seen where two are alike.
        let width = if index == 0 { 9 } else { 4 };
        let across = vec![(0.0, figure), (last, figure)];
        marks.push(Mark::Line(across, level(index).stroke_width(width)));
    }
    for (index, curve) in curves.iter().enumerate() {
        let style = palette::category(index).stroke_width(6);
        marks.push(Mark::Line(curve.middles().collect(), style));
    }
    // Markers lie over all lines.
    for (index, curve) in curves.iter().enumerate() {
        let look = Look::open(3, palette::category(index));
        marks.extend(curve.published.iter().map(|&place| Mark::Marker(place, look)));
    }
    let axes = [Axis::linear(places()), Axis::logarithmic_if_wide(&figures)];
    titles.picture(axes, legend_of_bands(curves, levels), marks)
}

/// Returns the legend of bands over seeds, of horizontal levels, and of published figures where
/// there are any.
fn legend_of_bands(curves: &[Curve], levels: &[(String, f64)]) -> Legend {
    let block = |(index, curve): (usize, &Curve)| {
        (Key::Block(palette::category(index)), curve.name.clone())
    };
    let line =
        |(index, (name, _)): (usize, &(String, f64))| (Key::Line(level(index)), name.clone());
    let is_published = curves.iter().any(|curve| !curve.published.is_empty());
    let published = (Key::Marker(Look::open(3, INK)), "published".to_owned());
    let entries = curves.iter().enumerate().map(block).chain(levels.iter().enumerate().map(line));
    Legend::of(entries.chain(is_published.then_some(published))).with_remarks([
        "",
        "line: median",
        "band: all seeds",
    ])
}

/// Plots lines through medians for the values of one parameter from the least to the greatest, in
/// colours from dark to pale. The upright axis goes from zero to the greatest of `all`, so that
/// several pictures with the same `all` have the same axis.
pub fn family(curves: &[Curve], all: &[f64], titles: Titles<'_>) -> Picture {
    let look = |index| Look { colour: palette::scale(index, curves.len()), ..Look::of(index) };
    let entries = curves.iter().enumerate();
    let entries = entries.map(|(index, curve)| (Key::Marker(look(index)), curve.name.clone()));
    let mut marks = Vec::new();
    for (index, curve) in curves.iter().enumerate() {
        marks.push(Mark::Line(curve.middles().collect(), look(index).colour.stroke_width(4)));
        marks.extend(curve.middles().map(|place| Mark::Marker(place, look(index))));
    }
    let axes = [Axis::along(&places(curves)), Axis::from_zero(all.iter().copied())];
    titles.picture(axes, Legend::of(entries), marks)
}

/// Returns the colour of the `index`-th level: black and grey, after the colours of the lines.
fn level(index: usize) -> RGBColor {
    palette::category(6 + index % 2)
}

/// Plots the imbalance of some runs of a balancer on a logarithmic axis: at the start, and after
/// each iteration.
pub fn imbalances(runs: &[(String, Vec<f64>)], title: &str) -> Picture {
    let all: Vec<f64> = runs.iter().flat_map(|(_, after)| after).copied().collect();
    let longest = runs.iter().map(|(_, after)| after.len()).max().unwrap_or(0);
    let last = longest.saturating_sub(1).max(1) as f64;
    let count = runs.len();
    let look = |index| Look { colour: palette::colour(index, count), ..Look::of(index) };
    let has_names = (2..=MOST_NAMES).contains(&count);
    let entries = runs.iter().enumerate().filter(|_| has_names);
    let entries = entries.map(|(index, (name, _))| (Key::Marker(look(index)), name.clone()));
    let legend = Legend::of(entries);
    let mut marks = Vec::new();
    for (index, (_, after)) in runs.iter().enumerate() {
        let points: Vec<Position> = (0_u32..).map(f64::from).zip(after.iter().copied()).collect();
        let markers = points.iter().filter(|_| points.len() <= MOST_MARKERS);
        let markers: Vec<Mark> = markers.map(|&place| Mark::Marker(place, look(index))).collect();
        marks.push(Mark::Line(points, look(index).colour.stroke_width(4)));
        marks.extend(markers);
    }
    let axes = [Axis::whole(-0.02 * last..last * 1.02), Axis::logarithmic(&all)];
    Titles { title, x: "iteration", y: "imbalance (most ÷ mean − 1)" }.picture(axes, legend, marks)
}
