//! Lines over time, on a canvas: many of them, smooth, and quick to draw.

use std::ops::Range;

use tresse_draw::numbers::{decade_ticks, round_ticks};
use tresse_draw::palette::Rgb;

use super::canvas::{Canvas, pixels};
use super::theme::Theme;

/// Room for the numbers at the left, above, at the right, and for those below.
const MARGINS: [f64; 4] = [50.0, 6.0, 8.0, 20.0];

/// Where numbers lie on an axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Scale {
    /// In equal steps.
    Linear(Range<f64>),
    /// The same, in seconds.
    Seconds(Range<f64>),
    /// By their logarithm; both ends are above zero.
    Logarithmic(Range<f64>),
}

impl Scale {
    /// From one number to another, which may be the same.
    pub fn linear(least: f64, most: f64) -> Self {
        Self::Linear(if most > least { least..most } else { least - 0.5..least + 0.5 })
    }

    /// From the start to a time in nanoseconds, which is not zero.
    pub fn seconds(end: u64) -> Self {
        Self::Seconds(0.0..end as f64 * 1e-9)
    }

    /// From one number to another by logarithm; what is not above zero is left out.
    pub fn logarithmic(least: f64, most: f64) -> Self {
        let most = if most > 0.0 { most } else { 1.0 };
        let least = if least > 0.0 && least < most { least } else { most / 10.0 };
        Self::Logarithmic(least..most)
    }

    /// Returns where a value lies on the scale, from 0 at its start to 1 at its end.
    fn share(&self, value: f64) -> f64 {
        match self {
            Self::Linear(range) | Self::Seconds(range) => {
                (value - range.start) / (range.end - range.start)
            }
            Self::Logarithmic(range) => (value / range.start).ln() / (range.end / range.start).ln(),
        }
    }

    /// Returns the number at a share of the axis, from 0 at its start to 1 at its end.
    fn at(&self, share: f64) -> f64 {
        match self {
            Self::Linear(range) | Self::Seconds(range) => {
                range.start + share * (range.end - range.start)
            }
            Self::Logarithmic(range) => range.start * (range.end / range.start).powf(share),
        }
    }

    /// Returns the ticks of the scale: the value of each, and its label.
    fn ticks(&self) -> Vec<(f64, String)> {
        match self {
            Self::Linear(range) => round_ticks(range),
            Self::Seconds(range) => round_ticks(range)
                .into_iter()
                .map(|(tick, label)| {
                    // Of 200µ it makes 200 µs.
                    let number = label.trim_end_matches(char::is_alphabetic);
                    let (_, prefix) = label.split_at(number.len());
                    (tick, format!("{number} {prefix}s"))
                })
                .collect(),
            Self::Logarithmic(range) => decade_ticks(range),
        }
    }
}

/// A line to be drawn.
#[derive(Clone, Debug)]
pub struct Line<P> {
    /// Its colour.
    pub colour: Rgb,
    /// How wide it is, in pixels of the style sheet.
    pub width: f64,
    /// Its points; the first number never falls.
    pub points: P,
}

/// A chart with two axes.
#[derive(Clone, Debug)]
pub struct Plot {
    canvas: Canvas,
    x: Scale,
    y: Scale,
}

impl Plot {
    /// An empty chart on the canvas of a name; none where that is not shown.
    pub fn on(id: &str, x: Scale, y: Scale) -> Option<Self> {
        Some(Self { canvas: Canvas::clear(id)?, x, y })
    }

    /// A chart on a canvas.
    pub fn over(canvas: &Canvas, x: Scale, y: Scale) -> Self {
        Self { canvas: canvas.clone(), x, y }
    }

    /// The chart as it was drawn, to be asked for its numbers.
    pub fn again(id: &str, x: Scale, y: Scale) -> Option<Self> {
        Some(Self { canvas: Canvas::again(id)?, x, y })
    }

    /// The numbers of both axes at a place of the canvas.
    pub fn numbers_at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let (left, top, width, height) = self.area();
        (self.x.at((x - left) / width), self.y.at(1.0 - (y - top) / height))
    }

    /// Left, top, width and height of where the lines are.
    fn area(&self) -> (f64, f64, f64, f64) {
        let [left, top, right, bottom] = MARGINS;
        let Canvas { width, height, .. } = self.canvas;
        (left, top, (width - left - right).max(1.0), (height - top - bottom).max(1.0))
    }

    /// Where two numbers are on the canvas.
    fn place(&self, x: f64, y: f64) -> (f64, f64) {
        let (left, top, width, height) = self.area();
        (left + self.x.share(x) * width, top + (1.0 - self.y.share(y)) * height)
    }

    /// Draws all lines, and then what lies under them.
    pub fn draw<P: Iterator<Item = (f64, f64)>>(
        &self,
        lines: impl Iterator<Item = Line<P>>,
        theme: &Theme,
    ) {
        let (left, top, width, height) = self.area();
        let ratio = self.canvas.ratio;
        let mut raster = Raster::new(width * ratio, height * ratio);
        for Line { colour, width, points } in lines {
            let place = |(x, y)| {
                let (x, y) = self.place(x, y);
                ((x - left) * ratio, (y - top) * ratio)
            };
            raster.add(points.map(place), colour, width * ratio);
        }
        self.canvas.put(&raster.rgba, raster.width, (left, top));
        self.axes(theme);
    }

    /// A mark at a number of the horizontal axis.
    pub fn mark(&self, x: f64, colour: &str) {
        let (_, top, _, height) = self.area();
        let (x, _) = self.place(x, 0.0);
        self.canvas.line((x, top), (x, top + height), colour);
    }

    /// Draws a horizontal line at a number of the vertical axis, with its name.
    pub fn level(&self, y: f64, name: &str, theme: &Theme) {
        let (left, top, width, height) = self.area();
        let (_, y) = self.place(0.0, y);
        if (top..top + height).contains(&y) {
            self.canvas.line((left, y), (left + width, y), &theme.quiet);
            self.canvas.text(name, (left + width - 3.0, y - 3.0), "right", &theme.quiet);
        }
    }

    /// Writes the names of lines beside their colours, row by row from the top right, where lines
    /// that fall leave room.
    pub fn legend<'a>(
        &self,
        names: impl DoubleEndedIterator<Item = (&'a str, Rgb)>,
        theme: &Theme,
    ) {
        let (left, top, width, _) = self.area();
        let (mut x, mut y) = (left + width, top + 12.0);
        for (name, [red, green, blue]) in names.rev() {
            let wide = self.canvas.width_of(name) + 17.0;
            if x - wide < left {
                (x, y) = (left + width, y + 16.0);
            }
            self.canvas.fill(
                (x - wide, y - 5.0),
                (12.0, 3.0),
                &format!("rgb({red} {green} {blue})"),
            );
            self.canvas.text(name, (x, y), "right", &theme.ink);
            x -= wide + 18.0;
        }
    }

    /// Draws grid lines and labels behind the lines that are drawn already. Where labels would
    /// touch, only every other one or fewer are drawn.
    fn axes(&self, theme: &Theme) {
        let (left, top, width, height) = self.area();
        let canvas = &self.canvas;
        // Behind what is there. There is such an operation.
        let _ = canvas.context.set_global_composite_operation("destination-over");
        let fewer = |ticks: Vec<(f64, String)>, room: f64, each: f64| {
            let every = (ticks.len() as f64 * each / room).ceil().max(1.0);
            ticks.into_iter().step_by(pixels(every) as usize)
        };
        for (tick, label) in fewer(self.x.ticks(), width, 56.0) {
            let (x, _) = self.place(tick, 0.0);
            let most = canvas.width - canvas.width_of(&label) / 2.0;
            canvas.text(&label, (x.min(most), top + height + 15.0), "center", &theme.quiet);
            canvas.line((x, top), (x, top + height), &theme.grid);
        }
        for (tick, label) in fewer(self.y.ticks(), height, 20.0) {
            let (_, y) = self.place(0.0, tick);
            if (top - 1.0..=top + height + 1.0).contains(&y) {
                canvas.text(&label, (left - 6.0, y + 4.0), "right", &theme.quiet);
                canvas.line((left, y), (left + width, y), &theme.grid);
            }
        }
        let _ = canvas.context.set_global_composite_operation("source-over");
    }
}

/// Pixels of lines that lie over each other.
struct Raster {
    width: usize,
    height: usize,
    rgba: Vec<u8>,
    /// For each column how high and how low the line goes that is being added.
    spans: Vec<(f64, f64)>,
}

const NOTHING: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

impl Raster {
    /// Returns a transparent raster of this size in pixels of the screen.
    fn new(width: f64, height: f64) -> Self {
        let [width, height] = [width, height].map(|length| pixels(length).max(1) as usize);
        Self { width, height, rgba: vec![0; width * height * 4], spans: vec![NOTHING; width] }
    }

    /// Adds a line of this width in pixels. Of each column of pixels, what the line passes through
    /// is covered, its ends in part.
    fn add(&mut self, points: impl Iterator<Item = (f64, f64)>, colour: Rgb, width: f64) {
        self.spans.fill(NOTHING);
        let mut last: Option<(f64, f64)> = None;
        for (x, y) in points {
            if !x.is_finite() || !y.is_finite() {
                last = None;
                continue;
            }
            let (from_x, from_y) = last.unwrap_or((x, y));
            last = Some((x, y));
            self.span((from_x, from_y), (x, y));
        }
        for column in 0..self.width {
            if let Some(&(high, low)) = self.spans.get(column).filter(|span| span.0 <= span.1) {
                self.cover(column, high - width / 2.0, low + width / 2.0, colour);
            }
        }
    }

    /// Widens the spans of the columns between two points.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    fn span(&mut self, (x, y): (f64, f64), (to_x, to_y): (f64, f64)) {
        let last = self.width as f64 - 1.0;
        if to_x < 0.0 || x > last + 1.0 {
            return;
        }
        let [first, end] = [x, to_x].map(|x| x.clamp(0.0, last) as usize);
        let Some(spans) = self.spans.get_mut(first..=end) else { return };
        // Most points are in the column of the one before.
        if let [span] = spans
            && x >= 0.0
            && to_x <= last + 1.0
        {
            *span = (span.0.min(y).min(to_y), span.1.max(y).max(to_y));
            return;
        }
        let slope = (to_y - y) / (to_x - x);
        for (column, span) in (first..).zip(spans) {
            let column = column as f64;
            let [y, to_y] = [x.max(column), to_x.min(column + 1.0)].map(|at| y + slope * (at - x));
            *span = (span.0.min(y).min(to_y), span.1.max(y).max(to_y));
        }
    }

    /// Blends a colour over a column of pixels from `high` down to `low`, in pixels from the top. A
    /// pixel that is covered in part takes that share of the colour.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    fn cover(&mut self, column: usize, high: f64, low: f64, colour: Rgb) {
        let most = self.height as f64;
        let (high, low) = (high.clamp(0.0, most), low.clamp(0.0, most));
        let (first, end) = (high as usize, low.ceil() as usize);
        let (pixels, _) = self.rgba.as_chunks_mut::<4>();
        let pixels = pixels.iter_mut().skip(first * self.width + column).step_by(self.width);
        for (row, pixel) in (first..end).zip(pixels) {
            let top = row as f64;
            let covered = low.min(top + 1.0) - high.max(top);
            blend(pixel, colour, (covered * 256.0) as u32);
        }
    }
}

/// Lays a colour over a pixel, with an opacity out of 256.
fn blend(pixel: &mut [u8; 4], [new_red, new_green, new_blue]: Rgb, opacity: u32) {
    let [red, green, blue, alpha] = *pixel;
    // What is seen of what lies under it.
    let under = u32::from(alpha) * (256 - opacity.min(256)) / 255;
    let Some(all) = opacity.checked_add(under).filter(|&all| all > 0) else { return };
    let mix = |old: u8, new: u8| {
        let mixed = (u32::from(new) * opacity + u32::from(old) * under + all / 2) / all;
        u8::try_from(mixed).unwrap_or(u8::MAX)
    };
    let opaque = u8::try_from(all * 255 / 256).unwrap_or(u8::MAX);
    *pixel = [mix(red, new_red), mix(green, new_green), mix(blue, new_blue), opaque];
}
