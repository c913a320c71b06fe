//! Time to solution: figures 4 and 5 of Zarins & Weiland 2017, figures 1 to 3 of the same 2020.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::axis::Axis;
use super::legend::{Key, Legend, marker};
use super::{Chart, Failure, Frame, Plot, palette};
use crate::report::statistics::{Quartiles, Whiskers};

/// Seconds to solution of two kinds of runs that are compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times {
    /// What both are runs of.
    pub name: String,
    /// Of each kind.
    pub seconds: [Vec<f64>; 2],
}

/// Box plots of time to solution, two kinds side by side.
///
/// Boxes reach from the 25th to the 75th percentile. They lie, so that names of any length can be
/// read.
#[derive(Clone, Copy, Debug)]
pub struct TimeBox<'a> {
    /// From the top.
    pub times: &'a [Times],
    /// What the two kinds are called.
    pub kinds: [&'a str; 2],
    /// How far the whiskers reach; what lies beyond is drawn run by run.
    pub whiskers: fn(&[f64]) -> Option<Whiskers>,
    /// What is written above the plot.
    pub title: &'a str,
}

impl<'a> TimeBox<'a> {
    /// Quiet and noisy runs, with whiskers to the fastest and the slowest one.
    pub fn of_noise(times: &'a [Times], title: &'a str) -> Self {
        Self { times, kinds: ["quiet", "noisy"], whiskers: Whiskers::to_extremes, title }
    }
}

/// Half the height of a box, where 1 is the distance of two methods.
const HALF: f64 = 0.16;
/// Distances of the two boxes from the middle between them.
const SHIFTS: [f64; 2] = [-0.2, 0.2];

impl Plot for TimeBox<'_> {
    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let seconds = self.times.iter().flat_map(|times| times.seconds.iter().flatten());
        let y = Axis::names(self.times.iter().map(|times| times.name.as_str()));
        let colours = [palette::category(0), palette::category(1)];
        let entries = colours.iter().zip(self.kinds);
        let entries = entries.map(|(&colour, name)| (Key::Block(colour), name.to_owned()));
        let frame = Frame {
            title: self.title,
            x: (Axis::from_zero(seconds.copied()), "time to solution (s)"),
            y: (y, ""),
            legend: Legend { entries: entries.collect() },
        };
        let mut chart = frame.draw(area)?;
        for (index, times) in self.times.iter().enumerate() {
            let middle = index as f64;
            for ((shift, samples), colour) in SHIFTS.iter().zip(&times.seconds).zip(colours) {
                let Some(whiskers) = (self.whiskers)(samples) else { continue };
                draw_box(&mut chart, middle + shift, samples, whiskers, colour)?;
                for &outlier in samples.iter().filter(|&&sample| whiskers.leave_out(sample)) {
                    let place = chart.backend_coord(&(outlier, middle + shift));
                    marker(area, palette::shape(0), place, colour, false)?;
                }
            }
        }
        Ok(())
    }
}

/// Draws one box with its whiskers around the height `y`, if there are samples.
fn draw_box<B: DrawingBackend>(
    chart: &mut Chart<'_, B>,
    y: f64,
    samples: &[f64],
    whiskers: Whiskers,
    colour: RGBColor,
) -> Result<(), Failure<B>> {
    let Some(Quartiles { low, median, high }) = Quartiles::of(samples) else { return Ok(()) };
    let Whiskers { low: least, high: most } = whiskers;
    let corners = [(low, y - HALF), (high, y + HALF)];
    let upright = |x, half| [(x, y - half), (x, y + half)];
    let lines = [
        [(least, y), (low, y)],
        [(high, y), (most, y)],
        upright(least, HALF / 2.0),
        upright(most, HALF / 2.0),
        upright(low, HALF),
        upright(high, HALF),
        [corners[0], (high, y - HALF)],
        [(low, y + HALF), corners[1]],
    ];
    chart.draw_series([Rectangle::new(corners, colour.mix(0.45).filled())])?;
    chart.draw_series(lines.map(|line| PathElement::new(line, colour.stroke_width(4))))?;
    chart.draw_series([PathElement::new(upright(median, HALF), colour.stroke_width(9))])?;
    Ok(())
}
