//! The one font, embedded, and text that fits its place.

use std::io;

use ab_glyph::{Font as _, FontRef, GlyphId, InvalidFont, PxScale, ScaleFont as _, point};
use epaint_default_fonts::UBUNTU_LIGHT;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font as register};

/// The colour of letters.
pub(super) const INK: RGBColor = RGBColor(40, 40, 40);

/// An area that is drawn on.
pub(super) type Area<B> = DrawingArea<B, Shift>;
/// The error of a drawing that failed.
pub(super) type Failure<B> = DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>;

/// Height of a line of text in plotters' view, relative to its size.
pub(super) const HEIGHT: f64 = 0.806;
/// Distance from a line's top to the baseline of its letters, relative to its size: digits are in
/// the middle.
pub(super) const BASELINE: f64 = 0.7;

/// Name of the font's family, which an SVG names as well; every viewer has a font for it.
const FAMILY: &str = "sans-serif";

/// Makes the embedded font known to plotters; calling this repeatedly does no harm.
pub(super) fn register_font() -> io::Result<()> {
    register(FAMILY, FontStyle::Normal, UBUNTU_LIGHT)
        .map_err(|_| io::Error::other("the embedded font cannot be read"))
}

/// Returns the style of text of a size in canvas units.
pub(super) fn style(size: u32) -> TextStyle<'static> {
    (FAMILY, size).into_font().color(&INK)
}

/// Returns the style of text of at most `size`, smaller where the text would be wider than `width`.
pub(super) fn fitted<B: DrawingBackend>(
    area: &Area<B>,
    text: &str,
    size: u32,
    width: u32,
) -> Result<TextStyle<'static>, Failure<B>> {
    let (needed, _) = area.estimate_text_size(text, &style(size))?;
    let needed = with_slack(needed);
    let size = if needed > width { size * width / needed } else { size };
    Ok(style(size.max(8)))
}

/// Returns the width of the widest of some texts, in canvas units.
pub(super) fn widest<'a, B: DrawingBackend>(
    area: &Area<B>,
    texts: impl IntoIterator<Item = &'a str>,
    size: u32,
) -> Result<u32, Failure<B>> {
    texts.into_iter().try_fold(0, |widest, text| {
        let (width, _) = area.estimate_text_size(text, &style(size))?;
        Ok(with_slack(width).max(widest))
    })
}

/// Adds slack to a width, as the viewer of an SVG may have a wider font than ours.
const fn with_slack(width: u32) -> u32 {
    width + width / 6
}

/// A line of text with the position of each letter.
pub(super) struct Line {
    font: FontRef<'static>,
    size: PxScale,
    /// Letters, each with the place where its advance begins.
    letters: Vec<(GlyphId, f32)>,
    /// Width from the first letter's advance to the end of the last one's.
    pub width: f64,
}

/// Sets a line of text; the size is in pixels.
pub(super) fn set(text: &str, size: f64) -> Result<Line, InvalidFont> {
    let font = FontRef::try_from_slice(UBUNTU_LIGHT)?;
    #[expect(clippy::cast_possible_truncation, reason = "the size of a font is small")]
    let size = PxScale::from(size as f32);
    let scaled = font.as_scaled(size);
    let (mut letters, mut width) = (Vec::new(), 0.0);
    for letter in text.chars().map(|letter| font.glyph_id(letter)) {
        let before = letters.last().map_or(0.0, |&(before, _)| scaled.kern(before, letter));
        width += before;
        letters.push((letter, width));
        width += scaled.h_advance(letter);
    }
    Ok(Line { font, size, letters, width: f64::from(width) })
}

impl Line {
    /// Calls `draw` with every pixel that has ink, and with the ink's share of the pixel; the line
    /// begins at `left` and stands on `baseline`.
    pub fn ink(&self, (left, baseline): (f64, f64), mut draw: impl FnMut(i32, i32, f32)) {
        #[expect(clippy::cast_possible_truncation, reason = "a place on the canvas")]
        let (left, baseline) = (left as f32, baseline.round() as f32);
        for &(letter, x) in &self.letters {
            let letter = letter.with_scale_and_position(self.size, point(left + x, baseline));
            let Some(outline) = self.font.outline_glyph(letter) else { continue };
            let corner = outline.px_bounds().min;
            #[expect(clippy::cast_possible_truncation, reason = "a place on the canvas")]
            let (x, y) = (corner.x as i32, corner.y as i32);
            outline.draw(|across, down, ink| {
                draw(x.saturating_add_unsigned(across), y.saturating_add_unsigned(down), ink);
            });
        }
    }
}
