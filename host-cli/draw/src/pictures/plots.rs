//! Plots the papers' figures from our own measurements.
//!
//! A [`Picture`] is data: what surrounds it, and marks in the order in which they are drawn. It is
//! drawn once, for any backend of plotters, and written as SVG and as PNG. No font of the system is
//! needed.

mod axis;
mod bars;
mod braid;
mod legend;
mod lines;
mod mark;
mod matrix;
mod moves;
mod palette;
mod points;
#[cfg(test)]
mod tests;
mod timeline;
mod whiskers;

use std::io::{self, Write};

use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::cartesian::Cartesian2d;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use self::axis::Axis;
use self::legend::Legend;
use self::mark::Mark;
use super::pixels::Pixels;
use super::raster::Raster;
use super::text::{self, Area, Failure, INK};

pub use bars::processor_loads;
pub use braid::braid;
pub use lines::{Curve, Point, bands, family, imbalances, trends};
pub use matrix::{Matrix, matrix};
pub use moves::Moves;
pub use points::{LandscapePoint, Samples, landscape};
pub use timeline::timeline;
pub use whiskers::{Compared, Kinds, Times, boxes, comparison};

/// Size of the canvas, twice that of the PNG; the drawing is halved, which smooths lines.
const CANVAS: (u32, u32) = (2400, 1600);
/// Height of the title's line.
const HEAD: i32 = 110;
const TITLE: u32 = 60;
const DESCRIPTION: u32 = 50;
const LABEL: u32 = 44;
/// Greatest width of the numbers or names left of the y axis.
const MOST_LABEL: u32 = 800;
const GRID: RGBColor = RGBColor(222, 222, 222);

type Chart<'a, B> = ChartContext<'a, B, Cartesian2d<Axis, Axis>>;

/// A plot, which can be drawn on any backend.
pub trait Plot {
    /// Draws the plot onto an area of 2400 × 1600 units.
    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> Result<(), Failure<B>>;
}

/// Marks over two axes.
#[derive(Clone, Debug)]
pub struct Picture {
    title: String,
    x: (Axis, String),
    y: (Axis, String),
    legend: Legend,
    /// Marks of the picture; later ones are drawn over earlier ones.
    marks: Vec<Mark>,
}

/// The titles of a picture and of its axes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Titles<'a> {
    /// Title above the picture.
    pub title: &'a str,
    /// Title of the x axis, below the picture.
    pub x: &'a str,
    /// Title of the y axis, on the left.
    pub y: &'a str,
}

impl Titles<'_> {
    /// Returns a picture with these titles.
    fn picture(self, [x, y]: [Axis; 2], legend: Legend, marks: Vec<Mark>) -> Picture {
        let Self { title, x: below, y: left } = self;
        let (x, y) = ((x, below.to_owned()), (y, left.to_owned()));
        Picture { title: title.to_owned(), x, y, legend, marks }
    }
}

/// Writes the plot as SVG of 1200 × 800 pixels.
pub fn write_svg(plot: &impl Plot, mut w: impl Write) -> io::Result<()> {
    let mut text = String::new();
    draw_on(plot, SVGBackend::with_string(&mut text, CANVAS))?;
    // The view box keeps the canvas's units; only the size at which it is shown changes.
    let text = text.replacen(r#"width="2400" height="1600""#, r#"width="1200" height="800""#, 1);
    w.write_all(text.as_bytes())
}

/// Writes the plot as PNG of 1200 × 800 pixels.
pub fn write_png(plot: &impl Plot, w: impl Write) -> io::Result<()> {
    let mut pixels = Pixels::new(CANVAS.0, CANVAS.1);
    draw_on(plot, Raster::on(&mut pixels))?;
    pixels.halved().write_png(w)
}

/// Draws a plot on a backend, from a white ground to the finished picture.
fn draw_on<B: DrawingBackend>(plot: &impl Plot, backend: B) -> io::Result<()>
where
    B::ErrorType: 'static,
{
    text::register_font()?;
    let area = backend.into_drawing_area();
    area.fill(&WHITE).and_then(|()| plot.draw(&area)).map_err(io::Error::other)?;
    area.present().map_err(io::Error::other)
}

/// Draws title and legend, and returns the area that is left.
fn draw_around<B: DrawingBackend>(
    area: &Area<B>,
    title: &str,
    legend: &Legend,
) -> Result<Area<B>, Failure<B>> {
    let width = area.dim_in_pixel().0;
    let style = text::fitted(area, title, TITLE, width.saturating_sub(80))?;
    let (above, below) = area.split_vertically(HEAD);
    let middle = Pos::new(HPos::Center, VPos::Center);
    above.draw_text(title, &style.pos(middle), ((width / 2).cast_signed(), HEAD / 2))?;
    let (left, right) = below.split_horizontally(width - legend.width(area)?);
    legend.draw(&right)?;
    Ok(left)
}

impl Plot for Picture {
    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> Result<(), Failure<B>> {
        let left = draw_around(area, &self.title, &self.legend)?;
        let mut chart = self.draw_axes(area, &left)?;
        self.marks.iter().try_for_each(|mark| mark.draw(area, &mut chart))
    }
}

impl Picture {
    /// Draws axes and grid, and returns the chart for the marks.
    fn draw_axes<'a, B: DrawingBackend + 'a>(
        &self,
        area: &Area<B>,
        left: &'a Area<B>,
    ) -> Result<Chart<'a, B>, Failure<B>> {
        let Self { x: (x, below), y: (y, beside), .. } = self;
        let longest = y.labels().max_by_key(|label| label.chars().count()).unwrap_or("");
        let y_style = text::fitted(area, longest, LABEL, MOST_LABEL)?;
        let y_width = text::widest(area, y.labels(), LABEL)?.min(MOST_LABEL);
        let y_width = y_width + if beside.is_empty() { 40 } else { 100 };
        let mut chart = ChartBuilder::on(left)
            .margin(24)
            .margin_right(50)
            .set_label_area_size(LabelAreaPosition::Left, y_width)
            .set_label_area_size(LabelAreaPosition::Bottom, 130)
            .build_cartesian_2d(x.clone(), y.clone())?;
        chart
            .configure_mesh()
            .x_desc(below)
            .y_desc(beside)
            .axis_desc_style(text::style(DESCRIPTION))
            .x_label_style(text::style(LABEL))
            .y_label_style(y_style)
            .axis_style(INK.stroke_width(2))
            .bold_line_style(GRID.stroke_width(2))
            .light_line_style(TRANSPARENT)
            .draw()?;
        Ok(chart)
    }
}
