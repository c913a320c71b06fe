//! A table whose cells are coloured by their numbers.

use plotters::prelude::*;

use crate::palette;

use super::axis::Axis;
use super::legend::Legend;
use super::mark::{Mark, Position};
use super::{INK, Picture, Titles};
use crate::statistics::extremes;

/// One figure over two parameters.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a> {
    /// Title of the columns, and their names from the left.
    pub columns: (&'a str, &'a [String]),
    /// Title of the rows, and their names from the top.
    pub rows: (&'a str, &'a [String]),
    /// Figures, row after row from the top; cells whose figure is not finite stay white.
    pub cells: &'a [f64],
}

/// Ratio between greatest and least figure from which on colours follow the logarithm.
const LOG_RATIO: f64 = 20.0;
/// Lightness, of at most 255, from which on dark numbers are easier to read than white ones.
const PALE: f64 = 140.0;

/// A scale that maps figures to colours.
#[derive(Clone, Copy, Debug)]
struct Scale {
    least: f64,
    most: f64,
    is_logarithmic: bool,
}

impl Scale {
    /// Returns the scale of these numbers, logarithmic where they are positive and differ much.
    fn of(cells: &[f64]) -> Self {
        let (least, most) = extremes(cells.iter().copied()).unwrap_or_default();
        Self { least, most, is_logarithmic: least > 0.0 && most / least > LOG_RATIO }
    }

    /// Returns the share of a figure, from 0 for the least to 1 for the greatest; one half where
    /// both are equal.
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

    /// Returns the colour of a cell, and that of its number.
    fn colours(self, value: f64) -> (RGBColor, RGBColor) {
        let [r, g, b] = palette::scale(self.share(value));
        // ITU-R BT.601.
        let lightness = 0.299 * f64::from(r) + 0.587 * f64::from(g) + 0.114 * f64::from(b);
        (RGBColor(r, g, b), if lightness >= PALE { INK } else { WHITE })
    }
}

/// Plots the number of each cell on a colour from dark for the least to pale for the greatest.
/// Figures that differ much are coloured by their logarithm.
pub fn matrix(figures: &Matrix<'_>, title: &str) -> Picture {
    let Matrix { columns: (x, columns), rows: (y, rows), cells } = *figures;
    let scale = Scale::of(cells);
    let width = columns.len().max(1);
    let cells = cells.iter().copied().enumerate().take(width * rows.len());
    let numbered: Vec<(Position, f64)> = cells
        .filter(|(_, value)| value.is_finite())
        .map(|(place, value)| (((place % width) as f64, (place / width) as f64), value))
        .collect();
    let block = |&((column, row), value): &(Position, f64)| {
        let corners = [(column - 0.5, row - 0.5), (column + 0.5, row + 0.5)];
        Mark::Block(corners, scale.colours(value).0.filled())
    };
    let number =
        |&(place, value): &(Position, f64)| Mark::Number(place, value, scale.colours(value).1);
    let marks = numbered.iter().map(block).chain(numbered.iter().map(number)).collect();
    let names = |names: &[String]| Axis::names(names.iter().map(String::as_str));
    let axes = [names(columns).reversed(), names(rows)];
    Titles { title, x, y }.picture(axes, Legend::default(), marks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_go_from_least_to_greatest() {
        let scale = Scale::of(&[10.0, 30.0, f64::NAN]);
        assert!(!scale.is_logarithmic);
        let shares = [10.0, 20.0, 30.0].map(|value| scale.share(value));
        assert!(shares.iter().zip([0.0, 0.5, 1.0]).all(|(a, b)| (a - b).abs() < 1e-12));
        let wide = Scale::of(&[1.0, 10_000.0]);
        assert!((wide.share(100.0) - 0.5).abs() < 1e-12);
        assert!((Scale::of(&[7.0]).share(7.0) - 0.5).abs() < 1e-12);
        assert_eq!(wide.colours(1.0).1, WHITE);
        assert_eq!(wide.colours(10_000.0).1, INK);
    }
}
