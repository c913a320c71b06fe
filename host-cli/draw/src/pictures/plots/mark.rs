//! Marks: the elements of pictures.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::legend::{arrow, marker};
use super::palette::Look;
use crate::numbers;

use super::{Area, Chart, Failure, LABEL, text};

/// A place in the units of the axes.
pub(super) type Position = (f64, f64);

/// An element of a picture, at places in the units of the axes.
#[derive(Clone, Debug)]
pub(super) enum Mark {
    /// A line through places.
    Line(Vec<Position>, ShapeStyle),
    /// A polygon.
    Area(Vec<Position>, ShapeStyle),
    /// A rectangle between two corners.
    Block([Position; 2], ShapeStyle),
    /// An upright bar between two places, drawn as a square where both are the same.
    Bar([Position; 2], RGBColor),
    /// A marker around a place.
    Marker(Position, Look),
    /// An arrow between two markers.
    Arrow([Position; 2]),
    /// A number in the middle of a cell that is one unit wide.
    Number(Position, f64, RGBColor),
}

/// Half the side of a square, in canvas units: large enough that a line over a square is seen to be
/// within it, and that a square by itself is seen.
const HALF: i32 = 10;
/// Half the width of a bar.
const HALF_BAR: i32 = 3;

impl Mark {
    /// Draws the mark at its place in the chart.
    pub fn draw<B: DrawingBackend>(
        &self,
        area: &Area<B>,
        chart: &mut Chart<'_, B>,
    ) -> Result<(), Failure<B>> {
        match self {
            Self::Line(places, _) | Self::Area(places, _) if places.is_empty() => {}
            Self::Line(places, style) => {
                chart.draw_series([PathElement::new(places.as_slice(), *style)])?;
            }
            Self::Area(corners, style) => {
                chart.draw_series([Polygon::new(corners.as_slice(), *style)])?;
            }
            Self::Block(corners, style) => {
                chart.draw_series([Rectangle::new(*corners, *style)])?;
            }
            Self::Bar(ends, colour) => {
                let [(x, low), (_, high)] = ends.map(|end| chart.backend_coord(&end));
                let half = if low == high { HALF } else { HALF_BAR };
                let corners = [(x - half, high - HALF), (x + half, low + HALF)];
                area.draw(&Rectangle::new(corners, colour.filled()))?;
            }
            Self::Marker(place, look) => marker(area, chart.backend_coord(place), *look)?,
            Self::Arrow(ends) => {
                let [from, to] = ends.map(|end| chart.backend_coord(&end));
                arrow(area, from, to)?;
            }
            Self::Number(place @ (column, row), value, colour) => {
                let middle = chart.backend_coord(place);
                let left = chart.backend_coord(&(column - 0.5, *row)).0;
                number(area, middle, middle.0.abs_diff(left) * 2, *value, *colour)?;
            }
        }
        Ok(())
    }
}

/// Draws a number around a middle, small enough for the width in pixels.
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
