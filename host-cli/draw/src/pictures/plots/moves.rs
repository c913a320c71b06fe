//! The arc diagram of objects that move between processors.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::legend::{Key, Legend};
use super::{Area, Failure, INK, LABEL, Plot, draw_around, palette, text};

/// Greatest number of places on the line; more would only hide each other.
const MOST_PLACES: u32 = 64;
/// Half the height of the band between the upper and the lower arcs, which holds the numbers.
const BAND: i32 = 44;
/// Margin beside and below the arcs.
const MARGIN: i32 = 60;
/// Number of corners of an arc.
const CORNERS: u32 = 40;
/// Width of the widest arc.
const WIDEST: f64 = 16.0;

/// Two places on the line, from and to, and the number of objects that moved.
type Arc = ((u32, u32), u64);

/// A diagram of objects that moved between processors: arcs above the line lead to a higher number,
/// arcs below to a lower one.
#[derive(Clone, Copy, Debug)]
pub struct Moves<'a> {
    /// Number of processors.
    pub processors: u32,
    /// Number of objects that moved, by the processors that they moved from and to.
    pub moves: &'a BTreeMap<(u32, u32), u64>,
    /// Title above the plot.
    pub title: &'a str,
}

impl Moves<'_> {
    /// Returns the number of neighbouring processors that share a place on the line.
    fn share(&self) -> u32 {
        self.processors.div_ceil(MOST_PLACES).max(1)
    }

    /// Returns the arcs between places, those of the fewest objects first, and the number of
    /// objects that stay at their place.
    fn arcs(&self) -> (Vec<Arc>, u64) {
        let share = self.share();
        let mut sums = BTreeMap::new();
        for (&(from, to), &count) in self.moves {
            *sums.entry((from / share, to / share)).or_insert(0) += count;
        }
        let within = sums.iter().filter(|((from, to), _)| from == to).map(|(_, count)| count).sum();
        let mut arcs: Vec<_> = sums.into_iter().filter(|((from, to), _)| from != to).collect();
        arcs.sort_by_key(|&(_, count)| count);
        (arcs, within)
    }

    /// Returns the legend: both directions, the widest arc, and the objects that move within a
    /// place, which have no arc.
    fn legend(&self, arcs: &[Arc], within: u64) -> Legend {
        let texts = ["to a higher number", "to a lower number"].into_iter().enumerate();
        let is_there = |index| arcs.iter().any(|((from, to), _)| usize::from(from > to) == index);
        let shown = texts.filter(|&(index, _)| is_there(index));
        let keys =
            shown.map(|(index, text)| (Key::Line(palette::category(index)), text.to_owned()));
        let mut remarks = Vec::new();
        if let Some((_, most)) = arcs.last() {
            let objects = if *most == 1 { "object" } else { "objects" };
            remarks.push(format!("widest: {most} {objects}"));
        }
        if self.share() > 1 {
            remarks.push(format!("a place: {} processors", self.share()));
            remarks.push(format!("within places: {within}"));
        }
        Legend::of(keys).with_remarks(remarks.iter().map(String::as_str))
    }
}

impl Plot for Moves<'_> {
    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> Result<(), Failure<B>> {
        let (arcs, within) = self.arcs();
        let most = arcs.last().map_or(0, |(_, count)| *count);
        let left = draw_around(area, self.title, &self.legend(&arcs, within))?;
        let line = Line::of(&left, self.processors.div_ceil(self.share()), &arcs);
        for (ends, count) in arcs {
            line.draw_arc(&left, ends, count as f64 / most as f64)?;
        }
        line.draw_places(&left, self.share())
    }
}

/// Positions of the places and measures of the arcs, in canvas units.
struct Line {
    places: u32,
    left: f64,
    step: f64,
    middle: i32,
    /// Height that an arc gains for each place that it is longer.
    rise: f64,
    widest: f64,
    /// Opacity of the faintest arc.
    faintest: f64,
}

impl Line {
    /// Lays out the line of processors, so that the longest arcs above and below it have room.
    fn of<B: DrawingBackend>(area: &Area<B>, places: u32, arcs: &[Arc]) -> Self {
        let (width, height) = area.dim_in_pixel();
        let inner = f64::from(width.cast_signed() - 2 * MARGIN);
        let step = inner / f64::from(places.max(1));
        let longest = |up: bool| {
            let arcs = arcs.iter().filter(|((from, to), _)| (from < to) == up);
            f64::from(arcs.map(|((from, to), _)| from.abs_diff(*to)).max().unwrap_or(0))
        };
        let (up, down) = (longest(true), longest(false));
        let room = f64::from(height.cast_signed() - 2 * BAND - MARGIN);
        // Not much higher than a circle.
        let rise = (room / (up + down).max(1.0)).min(step * 0.6);
        let above = (room - (up + down) * rise) / 2.0 + up * rise;
        Self {
            places,
            left: f64::from(MARGIN) + step / 2.0,
            step,
            middle: rounded(above) + MARGIN / 2 + BAND,
            rise,
            widest: WIDEST.min(step * 0.4),
            faintest: (60.0 / arcs.len().max(1) as f64).clamp(0.06, 0.3),
        }
    }

    fn x(&self, place: f64) -> i32 {
        rounded(self.left + self.step * place)
    }

    /// Draws an arc as half an ellipse; its width and darkness follow `share`, its share of the
    /// most objects.
    fn draw_arc<B: DrawingBackend>(
        &self,
        area: &Area<B>,
        (from, to): (u32, u32),
        share: f64,
    ) -> Result<(), Failure<B>> {
        let up = from < to;
        let distance = f64::from(from.abs_diff(to));
        let (centre, radius) = (f64::from(from + to) / 2.0, distance / 2.0);
        let point = |corner: u32| {
            let angle = PI * f64::from(corner) / f64::from(CORNERS);
            let y = rounded(self.rise * distance * angle.sin()) + BAND;
            let y = if up { self.middle - y } else { self.middle + y };
            (self.x(centre - radius * angle.cos()), y)
        };
        let opacity = self.faintest + (0.9 - self.faintest) * share;
        let colour = palette::category(usize::from(!up)).mix(opacity);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 16")]
        let width = (self.widest * share.sqrt()).round().max(2.0) as u32;
        let points: Vec<_> = (0..=CORNERS).map(point).collect();
        area.draw(&PathElement::new(points, colour.stroke_width(width)))
    }

    /// Draws two dots for each place, and between them the number of its first processor.
    fn draw_places<B: DrawingBackend>(&self, area: &Area<B>, share: u32) -> Result<(), Failure<B>> {
        let last = self.places.saturating_sub(1).saturating_mul(share).to_string();
        let needed = f64::from(text::widest(area, [last.as_str()], LABEL)?);
        // Such places have numbers that do not run into each other.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "few places")]
        let every = (needed * 1.2 / self.step).ceil().max(1.0) as u32;
        let style = text::style(LABEL).pos(Pos::new(HPos::Center, VPos::Center));
        for place in 0..self.places {
            let x = self.x(f64::from(place));
            for y in [self.middle - BAND, self.middle + BAND] {
                area.draw(&Circle::new((x, y), 6, INK.filled()))?;
            }
            if place % every == 0 {
                let number = place.saturating_mul(share).to_string();
                area.draw_text(&number, &style, (x, self.middle))?;
            }
        }
        Ok(())
    }
}

/// Rounds to a whole pixel.
fn rounded(number: f64) -> i32 {
    #[expect(clippy::cast_possible_truncation, reason = "a place on the canvas")]
    let whole = number.round() as i32;
    whole
}
