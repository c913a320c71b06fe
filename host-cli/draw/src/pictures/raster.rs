//! Drawing onto pixels, with text that stands where it should.

use plotters::prelude::{BitMapBackend, DrawingBackend};
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingErrorKind,
};

use super::text;
use crate::pictures::pixels::Pixels;

/// The bitmap backend of plotters, but for text and thick lines: plotters 0.3 puts the ink of each
/// letter where its advance begins, without the space that belongs before it, and every line of
/// text too high; and where a thick line turns back, it draws a spike far beyond the point, or
/// leaves a gap.
pub(super) struct Raster<'a> {
    bitmap: BitMapBackend<'a>,
}

impl<'a> Raster<'a> {
    pub fn on(pixels: &'a mut Pixels) -> Self {
        let size = (pixels.width, pixels.height);
        Self { bitmap: BitMapBackend::with_buffer(&mut pixels.rgb, size) }
    }
}

type DrawResult<'a> =
    Result<(), DrawingErrorKind<<BitMapBackend<'a> as DrawingBackend>::ErrorType>>;

impl<'a> DrawingBackend for Raster<'a> {
    type ErrorType = <BitMapBackend<'a> as DrawingBackend>::ErrorType;

    fn get_size(&self) -> (u32, u32) {
        self.bitmap.get_size()
    }

    fn ensure_prepared(&mut self) -> DrawResult<'a> {
        self.bitmap.ensure_prepared()
    }

    fn present(&mut self) -> DrawResult<'a> {
        self.bitmap.present()
    }

    fn draw_pixel(&mut self, place: BackendCoord, colour: BackendColor) -> DrawResult<'a> {
        self.bitmap.draw_pixel(place, colour)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        lower_right: BackendCoord,
        style: &S,
        fill: bool,
    ) -> DrawResult<'a> {
        self.bitmap.draw_rect(upper_left, lower_right, style, fill)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> DrawResult<'a> {
        let round = style.stroke_width() / 2;
        let mut points = path.into_iter();
        let Some(mut from) = points.next() else { return Ok(()) };
        for to in points {
            self.bitmap.draw_path([from, to], style)?;
            if round > 0 {
                self.bitmap.draw_circle(to, round, style, true)?;
            }
            from = to;
        }
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        (x, y): BackendCoord,
    ) -> DrawResult<'a> {
        let colour = style.color();
        let size = style.size();
        let line =
            text::set(text, size).map_err(|error| DrawingErrorKind::FontError(error.into()))?;
        let left = match style.anchor().h_pos {
            HPos::Left => 0.0,
            HPos::Center => -line.width / 2.0,
            HPos::Right => -line.width,
        };
        let top = match style.anchor().v_pos {
            VPos::Top => 0.0,
            VPos::Center => -text::HEIGHT / 2.0,
            VPos::Bottom => -text::HEIGHT,
        };
        let transform = style.transform();
        let mut outcome = Ok(());
        line.ink((left, (top + text::BASELINE) * size), |along, down, coverage| {
            let (dx, dy) = transform.transform(along, down);
            let place = (x.saturating_add(dx), y.saturating_add(dy));
            // What lies outside is left out by the bitmap.
            let drawn = self.bitmap.draw_pixel(place, colour.mix(f64::from(coverage)));
            if drawn.is_err() {
                outcome = drawn;
            }
        });
        outcome
    }
}

#[cfg(test)]
mod tests {
    use plotters::prelude::*;
    use plotters::style::text_anchor::Pos;

    use super::*;

    const SIDE: u32 = 400;

    /// Returns the first and the last column with ink of a text at the middle of a white square.
    fn ink(text: &str, h: HPos) -> (i32, i32) {
        let mut pixels = Pixels::new(SIDE, SIDE);
        text::register_font().unwrap();
        let area = Raster::on(&mut pixels).into_drawing_area();
        area.fill(&WHITE).unwrap();
        let style = text::style(100).pos(Pos::new(h, VPos::Center));
        area.draw_text(text, &style, (200, 200)).unwrap();
        drop(area);
        let dark = |column: &i32| {
            let column = usize::try_from(*column).unwrap();
            (0..SIDE as usize).any(|row| pixels.row_mut(row).nth(column).unwrap()[0] < 128)
        };
        let columns: Vec<i32> = (0..SIDE.cast_signed()).filter(dark).collect();
        (columns[0], *columns.last().unwrap())
    }

    #[test]
    fn letters_keep_the_space_around_them() {
        // The ink of a letter with equal space on both sides is in the middle.
        let (first, last) = ink("H", HPos::Center);
        assert!((200 - first - (last + 1 - 200)).abs() <= 2, "{first} to {last}");
        let (first, _) = ink("H", HPos::Left);
        let (_, last) = ink("H", HPos::Right);
        assert!((205..220).contains(&first) && (180..195).contains(&last), "{first}, {last}");
    }
    #[test]
    fn thick_lines_turn_back_at_their_points() {
        // Steep up, and back down on nearly the same way.
        for across in 0..8 {
            for back in 1..8 {
                let mut pixels = Pixels::new(SIDE, SIDE);
                let area = Raster::on(&mut pixels).into_drawing_area();
                area.fill(&WHITE).unwrap();
                let path = [(100, 300), (100 + across, 200), (100 + across + back, 280)];
                let style = ShapeStyle { color: BLACK.into(), filled: false, stroke_width: 6 };
                area.draw(&PathElement::new(path, style)).unwrap();
                drop(area);
                let dark = |row: &usize| pixels.row_mut(*row).any(|pixel| pixel[0] < 128);
                let rows: Vec<usize> = (0..SIDE as usize).filter(dark).collect();
                let (first, last) = (rows[0], *rows.last().unwrap());
                assert!((196..=200).contains(&first), "{path:?} begins at {first}");
                assert!((299..=304).contains(&last), "{path:?} ends at {last}");
                assert_eq!(rows.len(), last + 1 - first, "there is a gap in {path:?}");
            }
        }
    }
}
