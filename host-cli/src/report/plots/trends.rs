//! One figure against a parameter, a line a method.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::axis::Axis;
use super::legend::{Key, Legend, marker};
use super::{Failure, Frame, Plot, palette};
use crate::report::statistics::{Quartiles, extremes};

/// One method: the samples of its runs at each value of the parameter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trend {
    /// The method's name.
    pub method: String,
    /// The parameter, and one figure of each run.
    pub points: Vec<(f64, Vec<f64>)>,
}

/// Medians with quartiles over a parameter; the figures are on a logarithm where they differ much.
#[derive(Clone, Copy, Debug)]
pub struct Trends<'a> {
    /// The methods, in the order of the legend.
    pub trends: &'a [Trend],
    /// What is written above the plot.
    pub title: &'a str,
    /// What the parameter is.
    pub x: &'a str,
    /// What the figure is, which is never negative.
    pub y: &'a str,
}

impl Trend {
    /// The places where anything was measured.
    fn quartiles(&self) -> impl Iterator<Item = (f64, Quartiles)> {
        self.points.iter().filter_map(|(x, samples)| Some((*x, Quartiles::of(samples)?)))
    }
}

impl Plot for Trends<'_> {
    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let all = || self.trends.iter().flat_map(Trend::quartiles);
        let figures: Vec<f64> = all().flat_map(|(_, q)| [q.low, q.median, q.high]).collect();
        // Room before the first markers, so that they do not hide the numbers of the other axis.
        let places = || all().map(|(x, _)| x);
        let before = extremes(places()).map(|(least, most)| least - (most - least) * 0.03);
        let key = |index| Key::Marker(palette::shape(index), palette::category(index), true);
        let methods = self.trends.iter().enumerate();
        let mut entries: Vec<_> =
            methods.map(|(index, trend)| (key(index), trend.method.clone())).collect();
        entries.extend(["", "bars: quartiles"].map(|remark| (Key::Remark, remark.to_owned())));
        let frame = Frame {
            title: self.title,
            x: (Axis::linear(places().chain(before)), self.x),
            y: (Axis::logarithmic_if_wide(&figures), self.y),
            legend: Legend { entries },
        };
        let mut chart = frame.draw(area)?;
        for (index, trend) in self.trends.iter().enumerate() {
            let style = palette::category(index).stroke_width(4);
            let bars = trend.quartiles().map(|(x, q)| [(x, q.low), (x, q.high)]);
            chart.draw_series(bars.map(|bar| PathElement::new(bar, style)))?;
            let line = trend.quartiles().map(|(x, q)| (x, q.median));
            chart.draw_series(LineSeries::new(line, style))?;
        }
        // Markers lie over all lines.
        for (index, trend) in self.trends.iter().enumerate() {
            for (x, quartiles) in trend.quartiles() {
                let place = chart.backend_coord(&(x, quartiles.median));
                marker(area, palette::shape(index), place, palette::category(index), true)?;
            }
        }
        Ok::<(), Failure<B>>(())
    }
}
