//! A table whose cells are coloured by their numbers.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::axis::Axis;
use super::legend::Legend;
use super::{Area, Failure, Frame, INK, LABEL, Plot, numbers, text};
use crate::report::statistics::extremes;

/// One figure over two parameters: the number of each cell, on a colour from dark for the least to
/// pale for the greatest. Figures that differ much are coloured by their logarithm.
#[derive(Clone, Copy, Debug)]
pub struct HeatTable<'a> {
    /// What is written above the plot.
    pub title: &'a str,
    /// What the columns are, and their names from the left.
    pub columns: (&'a str, &'a [String]),
    /// What the rows are, and their names from the top.
    pub rows: (&'a str, &'a [String]),
    /// Row after row from the top; what is missing or not finite stays white.
    pub cells: &'a [Option<f64>],
}

/// From this ratio between greatest and least on, colours go by the logarithm.
const LOG_RATIO: f64 = 20.0;
/// From this lightness of 255 on dark numbers are easier to read than white ones.
const PALE: f64 = 140.0;

/// From numbers to colours.
#[derive(Clone, Copy, Debug)]
struct Scale {
    least: f64,
    most: f64,
    is_logarithmic: bool,
}

impl Scale {
    fn of(cells: &[Option<f64>]) -> Self {
        let (least, most) = extremes(cells.iter().copied().flatten()).unwrap_or_default();
        Self { least, most, is_logarithmic: least > 0.0 && most / least > LOG_RATIO }
    }

    /// From 0 for the least to 1 for the greatest; in the middle where those are equal.
    fn share(self, value: f64) -> f64 {
        let Self { least, most, is_logarithmic } = self;
        let share = if is_logarithmic {
            (value / least).ln() / (most / least).ln()
        } else {
            // Halves, because the whole difference may not be a number.
            (value / 2.0 - least / 2.0) / (most / 2.0 - least / 2.0)
        };
        if share.is_finite() { share } else { 0.5 }
    }

    /// The colour of a cell, and that of the number on it.
    fn colours(self, value: f64) -> (RGBColor, RGBColor) {
        let colorous::Color { r, g, b } = colorous::VIRIDIS.eval_continuous(self.share(value));
        // ITU-R BT.601.
        let lightness = 0.299 * f64::from(r) + 0.587 * f64::from(g) + 0.114 * f64::from(b);
        (RGBColor(r, g, b), if lightness >= PALE { INK } else { WHITE })
    }
}

impl HeatTable<'_> {
    /// Column, row and number of each cell that has one.
    fn numbered(&self) -> impl Iterator<Item = (f64, f64, f64)> {
        let width = self.columns.1.len().max(1);
        let cells = self.cells.iter().enumerate().take(width * self.rows.1.len());
        cells.filter_map(move |(place, cell)| {
            let value = cell.filter(|value| value.is_finite())?;
            Some(((place % width) as f64, (place / width) as f64, value))
        })
    }
}

impl Plot for HeatTable<'_> {
    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let (columns, rows) = (self.columns.1.iter(), self.rows.1.iter());
        let frame = Frame {
            title: self.title,
            x: (Axis::names(columns.map(String::as_str)).reversed(), self.columns.0),
            y: (Axis::names(rows.map(String::as_str)), self.rows.0),
            legend: Legend::default(),
        };
        let mut chart = frame.draw(area)?;
        let scale = Scale::of(self.cells);
        let cells = self.numbered().map(|(column, row, value)| {
            let corners = [(column - 0.5, row - 0.5), (column + 0.5, row + 0.5)];
            Rectangle::new(corners, scale.colours(value).0.filled())
        });
        chart.draw_series(cells)?;
        for (column, row, value) in self.numbered() {
            let place = chart.backend_coord(&(column, row));
            let left = chart.backend_coord(&(column - 0.5, row)).0;
            number(area, place, place.0.abs_diff(left) * 2, value, scale.colours(value).1)?;
        }
        Ok(())
    }
}

/// Writes a number into the middle of its cell.
fn number<B: DrawingBackend>(
    area: &Area<B>,
    middle: (i32, i32),
    width: u32,
    value: f64,
    colour: RGBColor,
) -> Result<(), Failure<B>> {
    let label = numbers::short(value);
    let style = text::fitted(area, &label, LABEL, width)?.color(&colour);
    area.draw_text(&label, &style.pos(Pos::new(HPos::Center, VPos::Center)), middle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_go_from_least_to_greatest() {
        let scale = Scale::of(&[Some(10.0), None, Some(30.0), Some(f64::NAN)]);
        assert!(!scale.is_logarithmic);
        let shares = [10.0, 20.0, 30.0].map(|value| scale.share(value));
        assert!(shares.iter().zip([0.0, 0.5, 1.0]).all(|(a, b)| (a - b).abs() < 1e-12));
        let wide = Scale::of(&[Some(1.0), Some(10_000.0)]);
        assert!((wide.share(100.0) - 0.5).abs() < 1e-12);
        assert!((Scale::of(&[Some(7.0)]).share(7.0) - 0.5).abs() < 1e-12);
        assert_eq!(wide.colours(1.0).1, WHITE);
        assert_eq!(wide.colours(10_000.0).1, INK);
    }
}
