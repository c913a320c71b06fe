//! Drawing onto pixels, with text that stands where it should.

use plotters::prelude::{BitMapBackend, DrawingBackend};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingErrorKind,
};

use crate::report::pixels::Pixels;

/// By how much of its size plotters 0.3 draws text of `ab_glyph` too high: it puts the baseline
/// at half the size, in the middle of a box that is 0.8 of the size high.
const TOO_HIGH: f64 = 0.18;

/// The bitmap backend of plotters, but for the height of text.
pub(in crate::report) struct Raster<'a> {
    bitmap: BitMapBackend<'a>,
}

impl<'a> Raster<'a> {
    pub fn on(pixels: &'a mut Pixels) -> Self {
        let size = (pixels.width, pixels.height);
        Self { bitmap: BitMapBackend::with_buffer(&mut pixels.rgb, size) }
    }
}

type Outcome<'a> = Result<(), DrawingErrorKind<<BitMapBackend<'a> as DrawingBackend>::ErrorType>>;

impl<'a> DrawingBackend for Raster<'a> {
    type ErrorType = <BitMapBackend<'a> as DrawingBackend>::ErrorType;

    fn get_size(&self) -> (u32, u32) {
        self.bitmap.get_size()
    }

    fn ensure_prepared(&mut self) -> Outcome<'a> {
        self.bitmap.ensure_prepared()
    }

    fn present(&mut self) -> Outcome<'a> {
        self.bitmap.present()
    }

    fn draw_pixel(&mut self, place: BackendCoord, colour: BackendColor) -> Outcome<'a> {
        self.bitmap.draw_pixel(place, colour)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        lower_right: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Outcome<'a> {
        self.bitmap.draw_rect(upper_left, lower_right, style, fill)
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        (x, y): BackendCoord,
    ) -> Outcome<'a> {
        #[expect(clippy::cast_possible_truncation, reason = "a font's size is small")]
        let down = (style.size() * TOO_HIGH).round() as i32;
        let (dx, dy) = style.transform().transform(0, down);
        self.bitmap.draw_text(text, style, (x + dx, y + dy))
    }
}
