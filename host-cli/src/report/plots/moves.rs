//! The arc diagram of objects that move between processors.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::legend::{Key, Legend};
use super::{Area, Failure, HEAD, INK, LABEL, Plot, TITLE, palette, text};

/// More places on the line than these would only hide each other.
const MOST_PLACES: u32 = 64;
/// More numbers than these would run into each other.
const MOST_LABELS: u32 = 32;
/// Half the height of the band between the upper and the lower arcs, where the numbers are.
const BAND: i32 = 44;
/// Beside and below the arcs.
const MARGIN: i32 = 60;
/// Corners of an arc.
const CORNERS: u32 = 40;
/// The widest arc.
const WIDEST: f64 = 16.0;

/// Objects that moved between processors: an arc above the line for those that went to a higher
/// number, one below for those that went to a lower one.
#[derive(Clone, Copy, Debug)]
pub struct Moves<'a> {
    /// How many processors there are.
    pub processors: u32,
    /// From which processor to which other one, and how many objects.
    pub moves: &'a BTreeMap<(u32, u32), u64>,
    /// What is written above the plot.
    pub title: &'a str,
}

impl Moves<'_> {
    /// How many neighbours share a place on the line.
    fn share(&self) -> u32 {
        self.processors.div_ceil(MOST_PLACES).max(1)
    }

    /// Objects from place to place, the fewest first; and those that stay at their place.
    fn arcs(&self) -> (Vec<((u32, u32), u64)>, u64) {
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

    fn legend(&self, most: u64, within: u64) -> Legend {
        let line = |index, text: &str| (Key::Line(palette::category(index)), text.to_owned());
        let remark = |text: String| (Key::Remark, text);
        let mut entries = vec![line(0, "to a higher number"), line(1, "to a lower number")];
        let objects = if most == 1 { "object" } else { "objects" };
        entries.push(remark(format!("widest: {most} {objects}")));
        if self.share() > 1 {
            entries.push(remark(format!("a place: {} processors", self.share())));
            entries.push(remark(format!("within places: {within}")));
        }
        Legend { entries }
    }
}

impl Plot for Moves<'_> {
    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let (arcs, within) = self.arcs();
        let most = arcs.last().map_or(0, |(_, count)| *count);
        let width = area.dim_in_pixel().0;
        let style = text::fitted(area, self.title, TITLE, width.saturating_sub(80))?;
        let (above, below) = area.split_vertically(HEAD);
        let middle = Pos::new(HPos::Center, VPos::Center);
        above.draw_text(self.title, &style.pos(middle), ((width / 2).cast_signed(), HEAD / 2))?;
        let legend = self.legend(most, within);
        let (left, right) = below.split_horizontally(width - legend.width(area)?);
        legend.draw(&right)?;
        let line = Line::of(&left, self.processors.div_ceil(self.share()));
        for ((from, to), count) in arcs {
            line.draw_arc(&left, (from, to), count as f64 / most as f64)?;
        }
        line.draw_places(&left, self.share())
    }
}

/// Where the places are, in canvas units.
struct Line {
    places: u32,
    left: f64,
    step: f64,
    middle: i32,
    height: f64,
}

impl Line {
    fn of<B: DrawingBackend>(area: &Area<B>, places: u32) -> Self {
        let (width, height) = area.dim_in_pixel();
        let (width, height) = (width.cast_signed(), height.cast_signed());
        let inner = f64::from(width - 2 * MARGIN);
        let step = inner / f64::from(places.max(1));
        Self {
            places,
            left: f64::from(MARGIN) + step / 2.0,
            step,
            middle: height / 2,
            height: f64::from(height / 2 - BAND - MARGIN / 2),
        }
    }

    fn x(&self, place: f64) -> i32 {
        rounded(self.left + self.step * place)
    }

    /// Half an ellipse, as high as it is long compared to the longest; `share` of the widest.
    fn draw_arc<B: DrawingBackend>(
        &self,
        area: &Area<B>,
        (from, to): (u32, u32),
        share: f64,
    ) -> Result<(), Failure<B>> {
        let up = from < to;
        let distance = f64::from(from.abs_diff(to));
        let height = self.height * distance / f64::from(self.places.saturating_sub(1).max(1));
        let (centre, radius) = (f64::from(from + to) / 2.0, distance / 2.0);
        let point = |corner: u32| {
            let angle = PI * f64::from(corner) / f64::from(CORNERS);
            let y = rounded(height * angle.sin()) + BAND;
            let y = if up { self.middle - y } else { self.middle + y };
            (self.x(centre - radius * angle.cos()), y)
        };
        let colour = palette::category(usize::from(!up)).mix(0.3 + 0.6 * share);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 16")]
        let width = (WIDEST * share.sqrt()).round().max(2.0) as u32;
        let points: Vec<_> = (0..=CORNERS).map(point).collect();
        area.draw(&PathElement::new(points, colour.stroke_width(width)))
    }

    /// Two dots for each place, and between them the number of its first processor.
    fn draw_places<B: DrawingBackend>(&self, area: &Area<B>, share: u32) -> Result<(), Failure<B>> {
        let every = self.places.div_ceil(MOST_LABELS).max(1);
        let last = (self.places.saturating_sub(1)).saturating_mul(share).to_string();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "on the canvas"
        )]
        let room = (self.step * f64::from(every) * 0.9) as u32;
        let style = text::fitted(area, &last, LABEL, room)?;
        let style = style.pos(Pos::new(HPos::Center, VPos::Center));
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

fn rounded(number: f64) -> i32 {
    #[expect(clippy::cast_possible_truncation, reason = "a place on the canvas")]
    let whole = number.round() as i32;
    whole
}
