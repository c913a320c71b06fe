//! The load of each processor, before and after balancing.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::axis::Axis;
use super::legend::{Key, Legend, marker};
use super::{Chart, Failure, Frame, INK, Plot, palette};
use crate::report::statistics::extremes;

/// Up to this number of processors have a marker each.
const MOST_MARKERS: usize = 100;
/// More columns than these would only hide each other.
const MOST_COLUMNS: usize = 480;
/// Half the size of the mark of a single load, in canvas units: the mean's line, which lies over the
/// marks, is seen to be within them, and a mark that is the only one far and wide is seen.
const HALF: i32 = 10;
/// Half the width of a bar.
const HALF_BAR: i32 = 3;

/// Seconds of each processor before and after, and their mean.
#[derive(Clone, Copy, Debug)]
pub struct ProcessorLoads<'a> {
    /// In the order of the processors.
    pub before: &'a [f64],
    /// As many.
    pub after: &'a [f64],
    /// What is written above the plot.
    pub title: &'a str,
}

impl ProcessorLoads<'_> {
    /// Whether each processor has a marker.
    const fn is_small(&self) -> bool {
        self.before.len() <= MOST_MARKERS
    }

    fn legend(&self) -> Legend {
        let key = |kind| {
            let colour = palette::category(kind);
            if self.is_small() {
                Key::Marker(palette::shape(kind), colour, kind == 0)
            } else {
                Key::Line(colour)
            }
        };
        let mut entries = vec![
            (key(1), "before".to_owned()),
            (key(0), "after".to_owned()),
            (Key::Line(INK), "mean".to_owned()),
        ];
        let shared = self.before.len().div_ceil(MOST_COLUMNS);
        if shared > 1 {
            let remarks = ["bars: least to most".to_owned(), format!("of {shared} processors")];
            entries.extend(remarks.map(|remark| (Key::Remark, remark)));
        }
        Legend { entries }
    }

    /// Draws the loads of one kind: 1 before, 0 after.
    fn draw_loads<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        chart: &Chart<'_, B>,
        loads: &[f64],
        kind: usize,
    ) -> Result<(), Failure<B>> {
        let colour = palette::category(kind);
        let place = |x: f64, y: f64| chart.backend_coord(&(x, y));
        for (x, least, most) in columns(loads) {
            let ((x, low), (_, high)) = (place(x, least), place(x, most));
            if self.is_small() {
                marker(area, palette::shape(kind), (x, low), colour, kind == 0)?;
            } else {
                let half = if low == high { HALF } else { HALF_BAR };
                let corners = [(x - half, high - HALF), (x + half, low + HALF)];
                area.draw(&Rectangle::new(corners, colour.filled()))?;
            }
        }
        Ok(())
    }
}

impl Plot for ProcessorLoads<'_> {
    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let all: Vec<f64> = self.before.iter().chain(self.after).copied().collect();
        let last = self.before.len().max(1) as f64 - 0.5;
        let frame = Frame {
            title: self.title,
            x: (Axis::whole(-0.5..last), "processor"),
            y: (Axis::logarithmic_if_wide(&all).with_foot(), "load (s)"),
            legend: self.legend(),
        };
        let mut chart = frame.draw(area)?;
        self.draw_loads(area, &chart, self.before, 1)?;
        self.draw_loads(area, &chart, self.after, 0)?;
        // Over everything: where balancing did well, all bars are there.
        let mean = self.before.iter().sum::<f64>() / self.before.len().max(1) as f64;
        let line = [(-0.5, mean), (last, mean)];
        let lines = [WHITE.stroke_width(10), INK.stroke_width(5)];
        chart.draw_series(lines.map(|style| PathElement::new(line, style)))?;
        Ok(())
    }
}

/// The place of each column, and the least and the greatest load of the processors that share it.
fn columns(loads: &[f64]) -> impl Iterator<Item = (f64, f64, f64)> {
    let each = loads.len().div_ceil(MOST_COLUMNS).max(1);
    loads.chunks(each).enumerate().filter_map(move |(column, loads)| {
        let (least, most) = extremes(loads.iter().copied())?;
        let middle = (column * each) as f64 + (loads.len() - 1) as f64 / 2.0;
        Some((middle, least, most))
    })
}
