//! Colours ([`palette`]) and markers that colour-blind people can tell apart.

use std::f64::consts::TAU;

use crate::palette::{self, Rgb};
use plotters::style::RGBColor;

/// Returns the colour of the `index`-th of `count` things: from the palette where it has enough
/// colours, or else from a scale.
pub(super) fn colour(index: usize, count: usize) -> RGBColor {
    rgb(palette::colour(index, count))
}

/// Returns the colour of the `index`-th of `count` things in order, from dark to pale.
pub(super) fn scale(index: usize, count: usize) -> RGBColor {
    // The scale's end is yellow, too pale on white.
    rgb(palette::scale(0.9 * index as f64 / count.saturating_sub(1).max(1) as f64))
}

/// Returns the colour of the `index`-th of a few categories; after eight the colours come again.
pub(super) fn category(index: usize) -> RGBColor {
    rgb(palette::category(index))
}

const fn rgb([red, green, blue]: Rgb) -> RGBColor {
    RGBColor(red, green, blue)
}

/// A marker: a regular polygon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shape {
    corners: u32,
    /// Position of the first corner, in turns clockwise from the right.
    turn: f64,
    /// Radius relative to that of the circle, so that all look equally large.
    size: f64,
}

/// The shape and the colour of a marker.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub shape: Shape,
    pub colour: RGBColor,
    /// Whether the marker is filled; otherwise it is open.
    pub is_filled: bool,
}

impl Look {
    /// Returns the filled marker of the `index`-th category; forty are different.
    pub fn of(index: usize) -> Self {
        Self { shape: shape(index), colour: category(index), is_filled: true }
    }

    /// Returns the `index`-th shape as an open marker.
    pub fn open(index: usize, colour: RGBColor) -> Self {
        Self { shape: shape(index), colour, is_filled: false }
    }
}

const SHAPES: [Shape; 5] = [
    Shape { corners: 32, turn: 0.0, size: 1.0 },
    Shape { corners: 4, turn: 0.125, size: 1.25 },
    Shape { corners: 3, turn: -0.25, size: 1.4 },
    Shape { corners: 4, turn: 0.0, size: 1.3 },
    Shape { corners: 3, turn: 0.25, size: 1.4 },
];

/// Returns the shape of the `index`-th category's marker.
fn shape(index: usize) -> Shape {
    SHAPES.iter().cycle().nth(index % SHAPES.len()).copied().unwrap_or(SHAPES[0])
}

impl Shape {
    /// Returns the corners around a centre, the first one again at the end; `radius` is in canvas
    /// units.
    pub fn outline(self, centre: (i32, i32), radius: f64) -> Vec<(i32, i32)> {
        (0..=self.corners)
            .map(|corner| {
                let angle = TAU * (self.turn + f64::from(corner) / f64::from(self.corners));
                offset(centre, angle, radius * self.size)
            })
            .collect()
    }
}

/// Returns the point at a distance from another; the angle is clockwise from the right.
pub(super) fn offset(from: (i32, i32), angle: f64, distance: f64) -> (i32, i32) {
    #[expect(clippy::cast_possible_truncation, reason = "distances on a canvas are small")]
    let moved = |from: i32, by: f64| from.saturating_add(by.round() as i32);
    (moved(from.0, distance * angle.cos()), moved(from.1, distance * angle.sin()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn categories_differ() {
        let pairs: HashSet<_> = (0..40)
            .map(|i| (category(i), shape(i).outline((0, 0), 100.0)))
            .map(|(c, outline)| (c.0, c.1, c.2, outline))
            .collect();
        assert_eq!(pairs.len(), 40);
    }
}
