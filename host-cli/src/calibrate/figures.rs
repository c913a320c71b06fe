//! What is measured, each several times.

use std::collections::BTreeMap;
use std::fmt;

use crate::report::statistics::Quartiles;

/// A measured figure; nanoseconds, but for those that say otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Figure {
    /// Every sweep, besides its cells.
    Sweep,
    /// A cell of a sweep, where a worker has so many cells.
    Cell(u64),
    /// What a cell costs besides where the residual is taken.
    Residual,
    /// A halo from the same core: the first cell.
    CoreHalo,
    /// Each of its cells.
    CoreHaloCell,
    /// A halo that another core of the socket has just written: the first cell.
    SocketHalo,
    /// Each of its cells.
    SocketHaloCell,
    /// A halo from another socket: the first cell.
    NodeHalo,
    /// Each of its cells.
    NodeHaloCell,
    /// Taking over a subdomain.
    HandOver,
    /// Each cell of its first sweep, besides those of any sweep.
    HandOverCell,
    /// A barrier, for each doubling of the workers.
    Barrier,
    /// A balancing round.
    Round,
    /// The same for each subdomain.
    RoundSubdomain,
    /// One iteration of the parasite's loop.
    ParasiteIteration,
    /// How much longer than asked for a parasite sleeps.
    WakeUp,
    /// What one of its bursts takes from the core besides its work.
    Switch,
    /// A worker's sweeps, as a multiple of the mean over all workers.
    Pace(u32),
    /// The share of a core's time that others take at rest.
    Rest,
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Cell(cells) => {
                return f.pad(&format!("cell of a sweep, {cells} cells a worker"));
            }
            Self::Pace(worker) => return f.pad(&format!("time of worker {worker}'s sweeps")),
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
    /// As in `0.3 ns`.
    pub const fn unit(&self) -> &'static str {
        match self {
            Self::Pace(_) | Self::Rest => "",
            _ => "ns",
        }
    }
}

/// All measurements of every figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures(BTreeMap<Figure, Vec<f64>>);

impl Figures {
    /// Adds a measurement, where there is one.
    pub fn add(&mut self, figure: Figure, measured: Option<f64>) {
        if let Some(measured) = measured.filter(|measured| measured.is_finite()) {
            self.0.entry(figure).or_default().push(measured);
        }
    }

    /// The middle of a figure's measurements; none where there are none.
    pub fn of(&self, figure: Figure) -> Option<Quartiles> {
        Quartiles::of(self.0.get(&figure)?)
    }

    /// The median of something that cannot be below zero; zero where it was not measured.
    pub fn median(&self, figure: Figure) -> f64 {
        self.of(figure).map_or(0.0, |quartiles| quartiles.median.max(0.0))
    }

    /// All figures that were measured.
    pub fn iter(&self) -> impl Iterator<Item = (Figure, Quartiles)> + '_ {
        self.0.iter().filter_map(|(&figure, samples)| Some((figure, Quartiles::of(samples)?)))
    }

    /// The cost of a cell by the cells of a worker, ascending.
    pub fn cells(&self) -> Vec<(u64, f64)> {
        let of_cell = |(figure, quartiles): (Figure, Quartiles)| match figure {
            Figure::Cell(cells) => Some((cells, quartiles.median)),
            _ => None,
        };
        self.iter().filter_map(of_cell).collect()
    }

    /// The workers' paces, in their order.
    pub fn paces(&self) -> Vec<f64> {
        let of_worker = |(figure, quartiles): (Figure, Quartiles)| match figure {
            Figure::Pace(_) => Some(quartiles.median),
            _ => None,
        };
        self.iter().filter_map(of_worker).collect()
    }
}
