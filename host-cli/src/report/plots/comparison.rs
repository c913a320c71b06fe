//! Figures beside the published ones: one row each.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::axis::Axis;
use super::legend::{Key, Legend, marker};
use super::{Frame, INK, Plot, palette};
use crate::report::statistics::Quartiles;
use crate::reproduce::outcome::Row;

/// One figure, ours and the published one.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// What it is of.
    pub label: String,
    /// As it was published.
    pub published: Option<f64>,
    /// Median and quartiles of ours.
    pub ours: Option<Quartiles>,
}

impl From<&Row> for Compared {
    fn from(row: &Row) -> Self {
        let quartiles = row.ours.zip(row.low).zip(row.high);
        Self {
            label: row.label.clone(),
            published: row.published,
            ours: quartiles.map(|((median, low), high)| Quartiles { low, median, high }),
        }
    }
}

/// A row for each figure: the published one open, ours filled with a bar over its quartiles.
#[derive(Clone, Copy, Debug)]
pub struct Comparison<'a> {
    /// From the top.
    pub rows: &'a [Compared],
    /// What is written above the plot.
    pub title: &'a str,
    /// What is written below the figures.
    pub unit: &'a str,
}

/// How far a figure is from the middle of its row, where 1 is the distance of two rows.
const BESIDE: f64 = 0.17;

impl Plot for Comparison<'_> {
    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let ends = |q: Quartiles| [q.low, q.median, q.high];
        let ours = self.rows.iter().filter_map(|row| row.ours).flat_map(ends);
        let all = ours.chain(self.rows.iter().filter_map(|row| row.published)).chain([0.0]);
        let (filled, open) = (palette::category(0), palette::category(1));
        let entry = |colour, shape, is_filled, name: &str| {
            (Key::Marker(palette::shape(shape), colour, is_filled), name.to_owned())
        };
        let frame = Frame {
            title: self.title,
            x: (Axis::linear(all), self.unit),
            y: (Axis::names(self.rows.iter().map(|row| row.label.as_str())), ""),
            legend: Legend {
                entries: vec![
                    entry(filled, 0, true, "ours"),
                    entry(open, 3, false, "published"),
                    (Key::Remark, "bars: quartiles".to_owned()),
                ],
            },
        };
        let mut chart = frame.draw(area)?;
        let last = self.rows.len() as f64 - 0.5;
        let zero = PathElement::new(vec![(0.0, -0.5), (0.0, last)], INK.stroke_width(3));
        chart.draw_series([zero])?;
        // Beside each other, so that neither hides the other where they agree.
        let placed = || (0..self.rows.len()).map(|place| place as f64).zip(self.rows);
        for (y, row) in placed() {
            if let Some(Quartiles { low, high, .. }) = row.ours {
                let y = y + BESIDE;
                let bar = PathElement::new(vec![(low, y), (high, y)], filled.stroke_width(6));
                chart.draw_series([bar])?;
            }
        }
        for (y, row) in placed() {
            if let Some(ours) = row.ours {
                let place = chart.backend_coord(&(ours.median, y + BESIDE));
                marker(area, palette::shape(0), place, filled, true)?;
            }
            if let Some(published) = row.published {
                let place = chart.backend_coord(&(published, y - BESIDE));
                marker(area, palette::shape(3), place, open, false)?;
            }
        }
        Ok(())
    }
}
