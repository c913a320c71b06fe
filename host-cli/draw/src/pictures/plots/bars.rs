//! The load of each processor, before and after balancing.

use plotters::prelude::*;

use super::axis::Axis;
use super::legend::{Key, Legend};
use super::mark::Mark;
use super::palette::{self, Look};
use super::{INK, Picture, Titles};
use crate::statistics::extremes;

/// Greatest number of processors that each have a marker.
const MOST_MARKERS: usize = 100;
/// Greatest number of columns; more would only hide each other.
const MOST_COLUMNS: usize = 480;

/// Plots the seconds of each processor before and after, and their mean.
pub fn processor_loads([before, after]: [&[f64]; 2], title: &str) -> Picture {
    let processors = before.len();
    let is_small = processors <= MOST_MARKERS;
    let looks = [Look::open(1, palette::category(1)), Look::of(0)];
    let key = |look: Look| if is_small { Key::Marker(look) } else { Key::Line(look.colour) };
    let entries = looks.map(key).into_iter().chain([Key::Line(INK)]);
    let entries = entries.zip(["before", "after", "mean"].map(str::to_owned));
    let mut legend = Legend::of(entries);
    let shared = processors.div_ceil(MOST_COLUMNS);
    if shared > 1 {
        legend = legend.with_remarks(["bars: least to most", &format!("of {shared} processors")]);
    }
    let mut marks = Vec::new();
    for (loads, look) in [before, after].into_iter().zip(looks) {
        marks.extend(columns(loads).map(|(x, least, most)| {
            let bar = || Mark::Bar([(x, least), (x, most)], look.colour);
            if is_small { Mark::Marker((x, least), look) } else { bar() }
        }));
    }
    // Over everything: where balancing did well, all bars are there.
    let mean = before.iter().sum::<f64>() / processors.max(1) as f64;
    let last = processors.max(1) as f64 - 0.5;
    let line = || vec![(-0.5, mean), (last, mean)];
    let styles = [WHITE.stroke_width(10), INK.stroke_width(5)];
    marks.extend(styles.map(|style| Mark::Line(line(), style)));
    let all: Vec<f64> = before.iter().chain(after).copied().collect();
    let axes = [Axis::whole(-0.5..last), Axis::logarithmic_if_wide(&all).with_foot()];
    Titles { title, x: "processor", y: "load (s)" }.picture(axes, legend, marks)
}

/// Returns the place of each column, and the least and the greatest load of the processors that
/// share the column.
fn columns(loads: &[f64]) -> impl Iterator<Item = (f64, f64, f64)> {
    let each = loads.len().div_ceil(MOST_COLUMNS).max(1);
    loads.chunks(each).enumerate().filter_map(move |(column, loads)| {
        let (least, most) = extremes(loads.iter().copied())?;
        let middle = (column * each) as f64 + (loads.len() - 1) as f64 / 2.0;
        Some((middle, least, most))
    })
}
