//! The history of a run: samples over time, and the update counts behind the braid.

use serde::{Deserialize, Serialize};

/// The state of a run at one moment. The field names are the header of `history.csv`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HistorySample {
    /// Seconds since the first sweep.
    pub seconds: f64,
    /// The residual's l2 norm relative to the initial one, where it was known.
    pub residual: Option<f64>,
    /// The update count at which all subdomains had this residual, where it is that of one count:
    /// in the mode exact, in one process. Elsewhere it is the sum of what each of them last
    /// published.
    pub residual_at: Option<u64>,
    /// Iterations per second so far (rule 11).
    pub iteration_rate: f64,
    /// Highest minus lowest update count.
    pub spread: u64,
    /// The lowest update count of a subdomain.
    pub least: u64,
    /// The highest update count of a subdomain.
    pub most: u64,
    /// The mean update count over all subdomains.
    pub mean: f64,
    /// Subdomains that changed hands so far.
    pub moves: u64,
    /// Balancing rounds so far.
    pub rounds: u64,
}

/// All samples of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// Samples in the order of time.
    pub samples: Vec<HistorySample>,
    /// Update counts of the subdomains in [`History::subdomains`] at each sample.
    pub counts: Vec<Vec<u64>>,
    /// The ids of the subdomains that have a column in [`History::counts`]: all, or, where those
    /// would be too many, some.
    pub subdomains: Vec<u32>,
    /// First worker of each subdomain in [`History::subdomains`].
    pub first_workers: Vec<u32>,
}
