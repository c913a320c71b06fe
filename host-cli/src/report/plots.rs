//! The paper's figures from our own measurements (Zarins & Weiland 2017, figures 2 to 5).
//!
//! Each plot is drawn once, for any backend of plotters, and written as SVG and as PNG. No font of
//! the system is needed.

mod axis;
pub mod braid;
pub mod landscape;
mod legend;
pub(super) mod numbers;
mod palette;
pub(super) mod text;
pub mod time_box;

use std::io::{self, Write};

use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::prelude::*;

use self::axis::Axis;
use self::legend::Legend;
use super::output::{OutputDir, OutputError};
use super::pixels::Pixels;

/// Everything is drawn at twice the size of the PNG, which is then halved: smooth lines.
const CANVAS: (u32, u32) = (2400, 1600);
const TITLE: u32 = 60;
const DESCRIPTION: u32 = 50;
const LABEL: u32 = 44;
const INK: RGBColor = RGBColor(40, 40, 40);
const GRID: RGBColor = RGBColor(222, 222, 222);

type Area<B> = DrawingArea<B, Shift>;
type Failure<B> = DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>;
type Chart<'a, B> = ChartContext<'a, B, Cartesian2d<Axis, Axis>>;

/// A picture that can be drawn on any backend.
pub trait Plot {
    /// Draws onto an area of 2400 × 1600 units.
    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>>;
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
    draw_on(plot, BitMapBackend::with_buffer(&mut pixels.rgb, CANVAS))?;
    pixels.halved().write_png(w)
}

/// Leaves the plot as `{stem}.svg` and `{stem}.png`.
pub fn write_pair(plot: &impl Plot, out: &OutputDir, stem: &str) -> Result<(), OutputError> {
    out.write(&format!("{stem}.svg"), |w| write_svg(plot, w))?;
    out.write(&format!("{stem}.png"), |w| write_png(plot, w))
}

fn draw_on<B: DrawingBackend>(plot: &impl Plot, backend: B) -> io::Result<()>
where
    B::ErrorType: 'static,
{
    text::register_font()?;
    let area = backend.into_drawing_area();
    area.fill(&WHITE).and_then(|()| plot.draw(&area)).map_err(io::Error::other)?;
    area.present().map_err(io::Error::other)
}

/// What surrounds the data of every plot.
struct Frame<'a> {
    title: &'a str,
    x: (Axis, &'a str),
    y: (Axis, &'a str),
    /// Units to the left of the y axis for its numbers or names.
    y_label_width: u32,
    legend: Legend,
}

impl Frame<'_> {
    /// Draws title, axes, grid and legend, and returns the chart for the data.
    fn draw<'a, B: DrawingBackend + 'a>(
        self,
        area: &'a Area<B>,
    ) -> Result<Chart<'a, B>, Failure<B>> {
        let width = area.dim_in_pixel().0;
        let style = text::fitted(area, self.title, TITLE, width.saturating_sub(80))?;
        let below = area.titled(self.title, style)?;
        let (left, right) = below.split_horizontally(width - self.legend.width(area)?);
        self.legend.draw(&right)?;
        let mut chart = ChartBuilder::on(&left)
            .margin(24)
            .margin_right(50)
            .set_label_area_size(LabelAreaPosition::Left, self.y_label_width)
            .set_label_area_size(LabelAreaPosition::Bottom, 130)
            .build_cartesian_2d(self.x.0, self.y.0)?;
        chart
            .configure_mesh()
            .x_desc(self.x.1)
            .y_desc(self.y.1)
            .axis_desc_style(text::style(DESCRIPTION))
            .label_style(text::style(LABEL))
            .axis_style(INK.stroke_width(2))
            .bold_line_style(GRID.stroke_width(2))
            .light_line_style(TRANSPARENT)
            .draw()?;
        Ok(chart)
    }
}
