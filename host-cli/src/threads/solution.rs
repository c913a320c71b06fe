//! What the engine hands back.

use ndarray::Array2;
use tresse_core::progress::{Progress, Staleness};
use tresse_core::run::NoiseReport;
use tresse_core::time::Duration;

use crate::report::history::History;

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The verified residual is within the tolerance.
    Converged,
    /// The iterations that were asked for are made.
    Iterations,
    /// The residual stopped falling above the tolerance.
    Stagnated,
    /// The residual is infinite or not a number.
    NotFinite,
    /// Somebody asked it to.
    Interrupted,
}

/// The field, and what was measured on the way.
#[derive(Clone, Debug)]
pub struct Solution<F> {
    /// Why the run ended.
    pub end: End,
    /// The cells, rows × columns.
    pub field: Array2<F>,
    /// From the first sweep to the last, verifications included.
    pub elapsed: Duration,
    /// The update counts at the end.
    pub progress: Progress,
    /// The largest spread that was seen.
    pub spread_max: u64,
    /// The halos that were read.
    pub staleness: Staleness,
    /// Subdomains that changed hands.
    pub moves: u64,
    /// Balancing rounds.
    pub rounds: u64,
    /// l2 norm of the residual before the first sweep.
    pub residual_initial: f64,
    /// As published when a check was last asked for.
    pub residual_detected: Option<f64>,
    /// On the consistent state at the end.
    pub residual_verified: f64,
    /// Samples over time.
    pub history: History,
    /// What the noise took.
    pub noise: Vec<NoiseReport>,
    /// Workers that could not be pinned, with their cores.
    pub unpinned: Vec<u32>,
}
