//! The result of a run, on real threads or in virtual time.

use ndarray::Array2;
use serde::{Deserialize, Serialize};
use tresse_core::base::time::Duration;
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

/// What workers have made that claim subdomains for one sweep at a time, or a few.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visited {
    /// Sweeps of subdomains by another worker than that with which they are at home.
    pub away: u64,
    /// Sweeps that another worker was stuck in, which whoever helped was done with first.
    pub helped: u64,
    /// Most sweeps for which a worker has claimed a subdomain.
    pub sweeps_a_claim: u32,
}

impl Visited {
    /// Returns what two workers have made.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            away: self.away + other.away,
            helped: self.helped + other.helped,
            sweeps_a_claim: self.sweeps_a_claim.max(other.sweeps_a_claim),
        }
    }
}

impl RunRecord {
    /// Reports whether the figures are those of a real approximation: the residual is a number, and
    /// is no larger than it was at the start.
    pub fn is_valid(&self) -> bool {
        self.end != End::NotFinite && self.residual.verified <= self.residual.initial
    }
}

/// Returns the norms of three sums of squares.
pub(crate) fn residual_report(
    initial: f64,
    detected: Option<f64>,
    verified: f64,
    stop: &Stop,
) -> ResidualReport {
    let reference = stop.reference_or(initial);
    let relative = if verified > 0.0 { norm(verified / reference) } else { 0.0 };
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
