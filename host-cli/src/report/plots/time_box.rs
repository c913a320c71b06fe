//! Figures 4 and 5 of Zarins & Weiland 2017: time to solution.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::axis::Axis;
use super::legend::{Key, Legend};
use super::{Chart, Failure, Frame, Plot, palette};
use crate::report::statistics::{Quartiles, extremes};

/// Seconds to solution of one method's runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times {
    /// The method's name.
    pub method: String,
    /// Runs on a quiet machine.
    pub quiet: Vec<f64>,
    /// Runs with noise.
    pub noisy: Vec<f64>,
}

/// Box plots of time to solution, quiet and noisy side by side.
///
/// Boxes reach from the 25th to the 75th percentile, whiskers to the fastest and slowest run. The
/// boxes lie, so that names of any length can be read.
#[derive(Clone, Copy, Debug)]
pub struct TimeBox<'a> {
    /// The methods, from the top.
    pub times: &'a [Times],
    /// What is written above the plot.
    pub title: &'a str,
}

/// Half the height of a box, where 1 is the distance of two methods.
const HALF: f64 = 0.16;
/// Distance of a box from its method's middle.
const SHIFT: f64 = 0.2;

impl Plot for TimeBox<'_> {
    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let seconds = self.times.iter().flat_map(|times| times.quiet.iter().chain(&times.noisy));
        let y = Axis::names(self.times.iter().map(|times| times.method.as_str()));
        let [quiet, noisy] = [palette::category(0), palette::category(1)];
        let entry = |colour, name: &str| (Key::Block(colour), name.to_owned());
        let frame = Frame {
            title: self.title,
            x: (Axis::from_zero(seconds.copied()), "time to solution (s)"),
            y: (y, ""),
            legend: Legend { entries: vec![entry(quiet, "quiet"), entry(noisy, "noisy")] },
        };
        let mut chart = frame.draw(area)?;
        for (index, times) in self.times.iter().enumerate() {
            let middle = index as f64;
            draw_box(&mut chart, middle - SHIFT, &times.quiet, quiet)?;
            draw_box(&mut chart, middle + SHIFT, &times.noisy, noisy)?;
        }
        Ok(())
    }
}

/// Draws one box with its whiskers around the height `y`, if there are samples.
fn draw_box<B: DrawingBackend>(
    chart: &mut Chart<'_, B>,
    y: f64,
    samples: &[f64],
    colour: RGBColor,
) -> Result<(), Failure<B>> {
    let Some((quartiles, (least, most))) =
        Quartiles::of(samples).zip(extremes(samples.iter().copied()))
    else {
        return Ok(());
    };
    let Quartiles { low, median, high } = quartiles;
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
