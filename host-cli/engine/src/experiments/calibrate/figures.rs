//! The measured figures, each with several measurements.

use std::collections::BTreeMap;
use std::fmt;

use tresse_draw::statistics::Quartiles;

/// A measured figure; in nanoseconds, where nothing else is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Figure {
    /// Cost of every sweep, besides its cells.
    Sweep,
    /// Cost of a cell in a sweep, where a worker has this number of cells.
    Cell(u64),
    /// Additional cost of a cell where the residual is computed.
    Residual,
    /// Cost of the first cell of a halo from the same core.
    CoreHalo,
    /// Cost of each cell of a halo from the same core.
    CoreHaloCell,
    /// Cost of the first cell of a halo that another core of the socket has just written.
    SocketHalo,
    /// Cost of each cell of a halo that another core of the socket has just written.
    SocketHaloCell,
    /// Cost of the first cell of a halo from another socket.
    NodeHalo,
    /// Cost of each cell of a halo from another socket.
    NodeHaloCell,
    /// Cost of taking over a subdomain.
    HandOver,
    /// Additional cost of each cell in a subdomain's first sweep after a hand-over.
    HandOverCell,
    /// Cost of a barrier for each doubling of the workers.
    Barrier,
    /// Cost of a balancing round.
    Round,
    /// Cost of a balancing round for each subdomain.
    RoundSubdomain,
    /// Cost of one iteration of the parasite's loop.
    ParasiteIteration,
    /// Time by which a parasite sleeps longer than asked for.
    WakeUp,
    /// Time that one burst of a parasite takes from the core besides its work.
    Switch,
    /// Rate of a worker's iterations, all costs included, as a multiple of the mean over all
    /// workers.
    Pace(u32),
    /// Share of a core's time that others take at rest.
    Rest,
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Cell(cells) => {
                return f.pad(&format!("cell of a sweep, {cells} cells a worker"));
            }
            Self::Pace(worker) => return f.pad(&format!("time of worker {worker}'s iterations")),
            Self::Sweep => "sweep, besides its cells",
            Self::Residual => "cell's residual",
            Self::CoreHalo => "halo on the core",
            Self::CoreHaloCell => "cell of it",
            Self::SocketHalo => "halo across cores",
            Self::SocketHaloCell => "cell of that",
            Self::NodeHalo => "halo across sockets",
            Self::NodeHaloCell => "cell of that one",
            Self::HandOver => "hand-over",
            Self::HandOverCell => "cell in the first sweep after",
            Self::Barrier => "barrier, each doubling",
            Self::Round => "balancing round",
            Self::RoundSubdomain => "subdomain in a round",
            Self::ParasiteIteration => "iteration of a parasite",
            Self::WakeUp => "a parasite oversleeps",
            Self::Switch => "a burst besides its work",
            Self::Rest => "share of a core taken at rest",
        };
        f.pad(text)
    }
}

impl Figure {
    /// Returns the figure's unit, as in `0.3 ns`.
    pub const fn unit(&self) -> &'static str {
        match self {
            Self::Pace(_) | Self::Rest => "",
            _ => "ns",
        }
    }
}

/// All measurements of every figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CalibrationFigures(BTreeMap<Figure, Vec<f64>>);

impl CalibrationFigures {
    /// Adds a measurement, if there is one.
    pub fn add(&mut self, figure: Figure, measured: Option<f64>) {
        if let Some(measured) = measured.filter(|measured| measured.is_finite()) {
            self.0.entry(figure).or_default().push(measured);
        }
    }

    /// Returns the median of a figure's measurements, or `None` where there are none.
    pub fn of(&self, figure: Figure) -> Option<Quartiles> {
        Quartiles::of(self.0.get(&figure)?)
    }

    /// Returns the median of a figure that cannot be below zero; zero where it was not measured.
    pub fn median(&self, figure: Figure) -> f64 {
        self.of(figure).map_or(0.0, |quartiles| quartiles.median.max(0.0))
    }

    /// Returns all figures that were measured, with their quartiles.
    pub fn iter(&self) -> impl Iterator<Item = (Figure, Quartiles)> + '_ {
        self.0.iter().filter_map(|(&figure, samples)| Some((figure, Quartiles::of(samples)?)))
    }

    /// Returns the cost of a cell by the number of a worker's cells, ascending.
    pub fn cells(&self) -> Vec<(u64, f64)> {
        let of_cell = |(figure, quartiles): (Figure, Quartiles)| match figure {
            Figure::Cell(cells) => Some((cells, quartiles.median)),
            _ => None,
        };
        self.iter().filter_map(of_cell).collect()
    }

    /// Returns the range around 1 from which the paces of a run look drawn, each as likely as any
    /// other: twice their usual distance from their mean, which follows few workers, so that it is
    /// nearer to them than 1 is.
    pub fn pace_range(&self) -> f64 {
        let (mut distances, mut number, mut workers) = (0.0, 0.0, 0.0);
        for (figure, paces) in &self.0 {
            if let Figure::Pace(_) = figure {
                distances += paces.iter().map(|pace| (pace - 1.0).abs()).sum::<f64>();
                number += paces.len() as f64;
                workers += 1.0;
            }
        }
        let nearer = (1.0 - 1.0 / f64::max(workers, 2.0)).sqrt();
        2.0 * distances / f64::max(number, 1.0) / nearer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paces_are_drawn_from_a_range_that_makes_them_as_different_as_they_were() {
        let mut figures = CalibrationFigures::default();
        assert!(figures.pace_range().abs() < 1e-12);
        // Two workers whose paces are drawn from 1 ± 0.03: their distance from their own mean.
        let mut rng = tresse_core::base::rng::Rng::new(1, 1);
        for _ in 0..4_000 {
            let mut draw = || f64::from(rng.below(60_001)) / 1e6 - 0.03;
            let (one, other) = (draw(), draw());
            figures.add(Figure::Pace(0), Some(1.0 + (one - other) / 2.0));
            figures.add(Figure::Pace(1), Some(1.0 + (other - one) / 2.0));
        }
        let range = figures.pace_range();
        assert!((range - 0.03).abs() < 0.003, "{range}");
    }
}
