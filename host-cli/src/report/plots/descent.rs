//! A figure over the iterations of balancers, beside published ones.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::axis::Axis;
use super::legend::{Key, Legend, marker};
use super::{Frame, INK, Plot, palette};

/// The least, the middle and the greatest of some runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Envelope {
    /// The least.
    pub low: f64,
    /// The median.
    pub median: f64,
    /// The greatest.
    pub high: f64,
}

/// One balancer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Descent {
    /// Its name.
    pub name: String,
    /// The iteration, and the figure of all runs.
    pub points: Vec<(f64, Envelope)>,
    /// The iteration, and the published figure.
    pub published: Vec<(f64, f64)>,
}

/// Medians as lines in the bands of all runs, published figures as open markers, and levels across;
/// the figures are on a logarithm where they differ much.
#[derive(Clone, Copy, Debug)]
pub struct Descents<'a> {
    /// The balancers, in the order of the legend.
    pub lines: &'a [Descent],
    /// Names and figures of what has no iterations.
    pub levels: &'a [(String, f64)],
    /// What is written above the plot.
    pub title: &'a str,
    /// What the iterations are.
    pub x: &'a str,
    /// What the figure is, which is never negative.
    pub y: &'a str,
}

impl Descents<'_> {
    fn legend(&self) -> Legend {
        let mut entries: Vec<_> = self
            .lines
            .iter()
            .enumerate()
            .map(|(index, line)| (Key::Block(palette::category(index)), line.name.clone()))
            .collect();
        let levels = self.levels.iter().enumerate();
        entries.extend(levels.map(|(index, (name, _))| (Key::Line(level(index)), name.clone())));
        if self.lines.iter().any(|line| !line.published.is_empty()) {
            let key = Key::Marker(palette::shape(3), INK, false);
            entries.push((key, "published".to_owned()));
        }
        entries.extend(["", "line: median", "band: all seeds"].map(remark));
        Legend { entries }
    }
}

fn remark(text: &str) -> (Key, String) {
    (Key::Remark, text.to_owned())
}

/// The colour of the `index`-th level: after those of the lines, black and grey.
fn level(index: usize) -> RGBColor {
    palette::category(6 + index % 2)
}

impl Plot for Descents<'_> {
    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let published = || self.lines.iter().flat_map(|line| &line.published);
        let ours = points().flat_map(|(_, band)| [band.low, band.median, band.high]);
        let levels = self.levels.iter().map(|(_, figure)| *figure);
        let figures: Vec<f64> =
            ours.chain(levels).chain(published().map(|(_, figure)| *figure)).collect();
        let iterations =
            || points().map(|(x, _)| *x).chain(published().map(|(x, _)| *x)).chain([0.0]);
        let last = iterations().fold(0.0, f64::max);
        let frame = Frame {
            title: self.title,
            x: (Axis::linear(iterations()), self.x),
            y: (Axis::logarithmic_if_wide(&figures), self.y),
            legend: self.legend(),
        };
        let mut chart = frame.draw(area)?;
        for (index, line) in self.lines.iter().enumerate() {
            let upper = line.points.iter().map(|(x, band)| (*x, band.high));
            let lower = line.points.iter().rev().map(|(x, band)| (*x, band.low));
            let outline: Vec<(f64, f64)> = upper.chain(lower).collect();
            let shade = palette::category(index).mix(0.25).filled();
            chart.draw_series([Polygon::new(outline, shade)])?;
        }
        for (index, (_, figure)) in self.levels.iter().enumerate() {
            let across = vec![(0.0, *figure), (last, *figure)];
            // The later ones are thinner, so that each is seen where two are alike.
            let width = if index == 0 { 9 } else { 4 };
            chart.draw_series([PathElement::new(across, level(index).stroke_width(width))])?;
        }
        for (index, line) in self.lines.iter().enumerate() {
            let median = line.points.iter().map(|(x, band)| (*x, band.median));
            let style = palette::category(index).stroke_width(6);
            chart.draw_series(LineSeries::new(median, style))?;
        }
        // Markers lie over all lines.
        for (index, line) in self.lines.iter().enumerate() {
            for place in &line.published {
                let place = chart.backend_coord(place);
                marker(area, palette::shape(3), place, palette::category(index), false)?;
            }
        }
        Ok(())
    }
}
