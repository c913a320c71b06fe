//! The result of a run, on real threads or in virtual time.

use ndarray::Array2;
use tresse_core::base::time::Duration;
pub use tresse_core::node::executor::Visited;
use tresse_core::run::convergence::norm;
use tresse_core::run::progress::{Progress, Staleness};
use tresse_core::run::{Chosen, End, ErrorEstimate, NoiseReport, ResidualReport, Stop};

use tresse_draw::history::History;

/// The field, and the record of the run.
#[derive(Clone, Debug)]
pub struct Solution<F> {
    /// The cells, rows × columns.
    pub field: Array2<F>,
    /// Record of the run.
    pub record: RunRecord,
}

/// The measured figures of a run.
#[derive(Clone, Debug)]
pub struct RunRecord {
    /// Reason for which the run ended.
    pub end: End,
    /// Time from the first sweep to the last, verifications included.
    pub elapsed: Duration,
    /// Whether that time is virtual.
    pub is_virtual: bool,
    /// The update counts at the end.
    pub progress: Progress,
    /// Largest spread of update counts that was seen.
    pub spread_max: u64,
    /// Spread that 99 % of the samples do not exceed; `None` where nobody took one.
    pub spread_p99: Option<u64>,
    /// Sweeps of this run's workers: those that [`RunRecord::progress`] has more are of an earlier
    /// run, or of another process.
    pub sweeps: u64,
    /// The halos that were read.
    pub staleness: Staleness,
    /// Subdomains that changed hands.
    pub moves: u64,
    /// Claims of subdomains; `None` where each is kept by one worker until it moves.
    pub visits: Option<Visited>,
    /// Subdomains that moved to another node.
    pub transfers: u64,
    /// Balancing rounds.
    pub rounds: u64,
    /// Parameters that the balancer `auto` has arrived at, on the first node.
    pub auto: Option<Chosen>,
    /// Norms of the residual.
    pub residual: ResidualReport,
    /// How far the field is from the solution; `None` where nobody asked, or it is not known.
    pub error_estimate: Option<ErrorEstimate>,
    /// Samples over time.
    pub history: History,
    /// Time that noise took, for each source.
    pub noise: Vec<NoiseReport>,
    /// Share of their cores' time that the workers had: of the time in which they were ready to
    /// run, that in which they ran. `None` where the system does not count it, and in virtual time.
    pub cpu_share: Option<f64>,
    /// Cores that a worker could not be pinned to.
    pub unpinned: Vec<u32>,
}

impl RunRecord {
    /// Reports whether the figures are those of a real approximation: the residual is a number, and
    /// is no larger than it was at the start.
    pub fn is_valid(&self) -> bool {
        self.end != End::NotFinite && self.residual.verified <= self.residual.initial
    }
}

/// Returns the report of the residual at the start, at detection and at the end, which are given as
/// sums of squares.
pub(crate) fn residual_report(
    initial: f64,
    detected: Option<f64>,
    verified: f64,
    stop: &Stop,
) -> ResidualReport {
    let reference = stop.reference_or(initial);
    let relative = if verified == 0.0 { 0.0 } else { norm(verified / reference) };
    ResidualReport {
        initial: norm(initial),
        detected: detected.map(norm),
        verified: norm(verified),
        relative,
        relative_to: stop.relative_to(),
        reference: norm(reference),
        tolerance: stop.tolerance,
        absolute_tolerance: stop.absolute_tolerance,
    }
}
