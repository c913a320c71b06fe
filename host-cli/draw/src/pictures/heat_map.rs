//! Draws a field as a heat map, with a bar that explains the colours.

use std::io::{self, Write};

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use tresse_core::run::GridSize;

use super::pixels::Pixels;
use super::raster::Raster;
use super::scaled::Scaled;
use super::text;
use crate::numbers;
use crate::palette::heat;

const MARGIN: usize = 24;
const TITLE: usize = 64;
const FOOT: usize = 52;
/// Width of the colour bar, and of the numbers to its right.
const BAR: usize = 30;
const NUMBERS: usize = 120;
/// The least room for the title and for the numbers of the bar.
const LEAST_WIDTH: usize = 480;
const LEAST_HEIGHT: usize = 240;

/// Writes a field as PNG: row 0 is on top, the lowest value is black, the highest pale yellow,
/// values that are not finite are grey, and a colour bar has numbers.
///
/// Fields of more than 1600 cells a side are averaged down, smaller ones enlarged by a whole
/// factor to at least 600 pixels on the longer side.
pub fn write(scaled: &Scaled, title: &str, w: impl Write) -> io::Result<()> {
    text::register_font()?;
    let layout = Layout::of(scaled);
    let mut pixels = Pixels::new(layout.canvas.0, layout.canvas.1);
    {
        let area = Raster::on(&mut pixels).into_drawing_area();
        layout.letter(&area, scaled, title).map_err(io::Error::other)?;
        area.present().map_err(io::Error::other)?;
    }
    Layout::paint_field(scaled, &mut pixels);
    layout.paint_bar(&mut pixels);
    pixels.write_png(w)
}

/// Returns the share of the way from the lowest to the highest value at which a value lies; one
/// half where both are equal.
fn share(value: f64, (least, most): (f64, f64)) -> f64 {
    if value.is_finite() && least >= most {
        return 0.5;
    }
    // Halves, because the whole difference may not be a number.
    (value / 2.0 - least / 2.0) / (most / 2.0 - least / 2.0)
}

/// Positions of the parts of the picture, in pixels.
struct Layout {
    canvas: (u32, u32),
    bar_left: usize,
    bar_height: usize,
}

impl Layout {
    /// Lays out field and bar, in pixels.
    fn of(scaled: &Scaled) -> Self {
        let width = (scaled.columns * scaled.column_zoom).max(LEAST_WIDTH);
        let bar_height = (scaled.rows * scaled.row_zoom).max(LEAST_HEIGHT);
        let bar_left = MARGIN + width + MARGIN;
        let side = |pixels: usize| u32::try_from(pixels).unwrap_or(u32::MAX);
        let canvas = (side(bar_left + BAR + NUMBERS), side(TITLE + bar_height + FOOT));
        Self { canvas, bar_left, bar_height }
    }

    /// Paints each mean as a block of the zoom's pixels.
    fn paint_field(scaled: &Scaled, pixels: &mut Pixels) {
        let range = scaled.range.unwrap_or_default();
        for (row, means) in scaled.means.chunks(scaled.columns).enumerate() {
            let colours: Vec<_> = means.iter().map(|&mean| heat(share(mean, range))).collect();
            for line in 0..scaled.row_zoom {
                let pixels = pixels.row_mut(TITLE + row * scaled.row_zoom + line).skip(MARGIN);
                let enlarged =
                    colours.iter().flat_map(|&c| std::iter::repeat_n(c, scaled.column_zoom));
                pixels.zip(enlarged).for_each(|(pixel, colour)| *pixel = colour);
            }
        }
    }

    /// Paints the bar of colours, from the highest value at its top to the lowest.
    fn paint_bar(&self, pixels: &mut Pixels) {
        for line in 0..self.bar_height {
            let colour = heat(1.0 - line as f64 / (self.bar_height - 1) as f64);
            let pixels = pixels.row_mut(TITLE + line).skip(self.bar_left).take(BAR);
            pixels.for_each(|pixel| *pixel = colour);
        }
    }

    /// Draws the title, the numbers beside the bar and the line at the foot.
    fn letter<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        scaled: &Scaled,
        title: &str,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        area.fill(&WHITE)?;
        let room = self.canvas.0.saturating_sub(2 * place(MARGIN).unsigned_abs());
        let left = Pos::new(HPos::Left, VPos::Center);
        let line = |text: &str, size, y| {
            let style = text::fitted(area, text, size, room)?.pos(left);
            area.draw_text(text, &style, (place(MARGIN), y))
        };
        line(title, 32, place(TITLE / 2))?;
        line(&foot(scaled), 24, place(TITLE + self.bar_height + FOOT / 2))?;

        let Some((least, most)) = scaled.range else { return Ok(()) };
        let shares = [0.0, 0.25, 0.5, 0.75, 1.0];
        let values = shares.map(|down| most * (1.0 - down) + least * down);
        for (down, number) in shares.into_iter().zip(numbers::labels(&values)) {
            #[expect(clippy::cast_possible_truncation, reason = "a place on the canvas")]
            let y = place(TITLE) + (self.bar_height as f64 * down) as i32;
            let x = place(self.bar_left + BAR + 10);
            area.draw_text(&number, &text::style(24).pos(left), (x, y))?;
        }
        Ok(())
    }
}

/// Returns the line of text below the picture.
fn foot(scaled: &Scaled) -> String {
    let averaged = match scaled.block {
        0 | 1 => String::new(),
        block => format!(", averaged over {block} x {block}"),
    };
    let values = match scaled.range {
        Some((least, most)) => {
            let ends = numbers::labels_exact_to(&[least, most], 1e-3);
            format!("values from {}", ends.join(" to "))
        }
        None => "no finite value".to_owned(),
    };
    let GridSize { rows, columns } = scaled.grid;
    format!("{values}; {rows} x {columns} cells, row 0 on top{averaged}")
}

/// Returns a place on the canvas, which is never large, as a signed number.
fn place(pixels: usize) -> i32 {
    i32::try_from(pixels).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::NOT_FINITE;
    use crate::pictures::pixels::tests::decode;
    use crate::pictures::scaled::Scaling;

    fn picture(rows: usize, columns: usize, cells: &[f64]) -> Pixels {
        let mut scaling = Scaling::new(GridSize { rows, columns });
        cells.chunks(columns).for_each(|row| scaling.add_row(row));
        let mut bytes = Vec::new();
        write(&scaling.finish(), "a field", &mut bytes).unwrap();
        decode(&bytes)
    }

    #[test]
    fn every_cell_has_its_colour_and_place() {
        let mut pixels = picture(2, 2, &[0.0, 1.0, f64::NAN, 0.5]);
        let (width, height) = (MARGIN + 600 + MARGIN + BAR + NUMBERS, TITLE + 600 + FOOT);
        assert_eq!((pixels.width as usize, pixels.height as usize), (width, height));
        let mut at = |row, column| *pixels.row_mut(TITLE + row).nth(MARGIN + column).unwrap();
        assert_eq!([at(0, 0), at(299, 300)], [heat(0.0), heat(1.0)]);
        assert_eq!([at(300, 299), at(599, 599)], [NOT_FINITE, heat(0.5)]);
        assert_eq!([at(0, 600), at(600, 0)], [[255; 3]; 2]);
    }

    #[test]
    fn strange_fields_are_drawn_too() {
        picture(1, 3, &[f64::NAN; 3]);
        picture(1, 1, &[7.0]);
        picture(2, 1, &[f64::MAX, f64::MIN]);
        picture(1, 5000, &vec![f64::INFINITY; 5000]);
    }
}
