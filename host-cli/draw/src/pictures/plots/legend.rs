//! Draws the legend: a column beside the chart, where it can hide no data.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::palette::{Look, offset};
use super::{Area, Failure, INK, LABEL, text};

/// Space for a key, in canvas units.
const KEY: i32 = 90;
const ROW: u32 = 62;
const MARGIN: i32 = 20;
/// Radius of a marker, in canvas units.
const RADIUS: f64 = 15.0;

/// The symbol before a name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Key {
    /// A line.
    Line(RGBColor),
    /// A marker.
    Marker(Look),
    /// A block of colour, paler than its edges.
    Block(RGBColor),
    /// A block of one colour.
    Filled(RGBColor),
    /// No symbol: the text is a remark.
    Remark,
}

/// Keys with their names, from the top.
#[derive(Clone, Debug, Default)]
pub(super) struct Legend {
    entries: Vec<(Key, String)>,
}

impl Legend {
    pub fn of(entries: impl IntoIterator<Item = (Key, String)>) -> Self {
        Self { entries: entries.into_iter().collect() }
    }

    /// Returns the legend with remarks below its keys.
    pub fn with_remarks<'a>(mut self, remarks: impl IntoIterator<Item = &'a str>) -> Self {
        let remarks = remarks.into_iter().map(|remark| (Key::Remark, remark.to_owned()));
        self.entries.extend(remarks);
        self
    }

    /// Returns the width of the legend in canvas units: 0 if it is empty, and at most two fifths of
    /// the area.
    pub fn width<B: DrawingBackend>(&self, area: &Area<B>) -> Result<u32, Failure<B>> {
        if self.entries.is_empty() {
            return Ok(0);
        }
        let names = self.entries.iter().map(|(_, name)| name.as_str());
        let text = text::widest(area, names, LABEL)?;
        let most = area.dim_in_pixel().0 * 2 / 5;
        Ok((text + KEY.unsigned_abs() + 2 * MARGIN.unsigned_abs()).min(most))
    }

    /// Draws the entries into an area of [`Legend::width`].
    pub fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> Result<(), Failure<B>> {
        let (width, height) = area.dim_in_pixel();
        let count = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        let row = ROW.min((height.saturating_sub(60)) / count.max(1)).max(2);
        let room = width.saturating_sub((KEY + MARGIN).unsigned_abs());
        let mut y = 60;
        for (key, name) in &self.entries {
            key.draw(area, (KEY / 2, y))?;
            let x = if matches!(key, Key::Remark) { MARGIN } else { KEY };
            let style = text::fitted(area, name, LABEL.min(row), room)?;
            let style = style.pos(Pos::new(HPos::Left, VPos::Center));
            area.draw_text(name, &style, (x, y))?;
            y = y.saturating_add_unsigned(row);
        }
        Ok(())
    }
}

impl Key {
    /// Draws the key around a middle, in pixels.
    fn draw<B: DrawingBackend>(
        &self,
        area: &Area<B>,
        (x, y): (i32, i32),
    ) -> Result<(), Failure<B>> {
        match *self {
            Self::Line(colour) => {
                area.draw(&PathElement::new([(x - 25, y), (x + 25, y)], colour.stroke_width(6)))
            }
            Self::Marker(look) => marker(area, (x, y), look),
            Self::Block(colour) => {
                let corners = [(x - 25, y - 15), (x + 25, y + 15)];
                area.draw(&Rectangle::new(corners, colour.mix(0.45).filled()))?;
                area.draw(&Rectangle::new(corners, colour.stroke_width(3)))
            }
            Self::Filled(colour) => {
                area.draw(&Rectangle::new([(x - 25, y - 15), (x + 25, y + 15)], colour.filled()))
            }
            Self::Remark => Ok(()),
        }
    }
}

/// Draws a marker at a place of the canvas.
pub(super) fn marker<B: DrawingBackend>(
    area: &Area<B>,
    centre: (i32, i32),
    Look { shape, colour, is_filled }: Look,
) -> Result<(), Failure<B>> {
    let outline = shape.outline(centre, RADIUS);
    let inside = if is_filled { colour } else { WHITE };
    area.draw(&Polygon::new(outline.clone(), inside.filled()))?;
    area.draw(&PathElement::new(outline, colour.stroke_width(5)))
}

/// Draws an arrow from one marker to another, if there is room between them.
pub(super) fn arrow<B: DrawingBackend>(
    area: &Area<B>,
    from: (i32, i32),
    to: (i32, i32),
) -> Result<(), Failure<B>> {
    let (dx, dy) = (f64::from(to.0) - f64::from(from.0), f64::from(to.1) - f64::from(from.1));
    let (distance, angle) = (dx.hypot(dy), dy.atan2(dx));
    let gap = 1.8 * RADIUS;
    if distance < 2.0 * gap + 24.0 {
        return Ok(());
    }
    let tip = offset(from, angle, distance - gap);
    let neck = offset(from, angle, distance - gap - 20.0);
    let wing = |side: f64| offset(tip, angle + side * 2.75, 28.0);
    let shaft = [offset(from, angle, gap), neck];
    area.draw(&PathElement::new(shaft, INK.mix(0.6).stroke_width(3)))?;
    area.draw(&Polygon::new([tip, wing(1.0), wing(-1.0)], INK.filled()))
}
