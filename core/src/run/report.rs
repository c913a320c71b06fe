//! The report of a run.

use core::fmt;

use serde::Serialize;

use super::balance::{Balance, Chosen, Switched};
use super::config::RunConfig;
use super::end::End;
use crate::base::time::Instant;

/// The result of one run, as it was measured; every host fills it in the same way.
///
/// Rates are absent where the result did not validate. A host that has other solvers beside the
/// engine names them in place of the mode.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunReport<'a, M = super::Mode> {
    /// Rule by which workers waited for each other.
    pub mode: M,
    /// Balancer between workers.
    pub balance: Balance,
    /// Workers.
    pub workers: u32,
    /// Sockets that the workers were on.
    pub sockets: u32,
    /// Nodes that the workers were on.
    pub nodes: u32,
    /// Subdomains in all.
    pub subdomains: u64,
    /// Interior cells.
    pub grid: super::GridSize,
    /// Boundary, start and source term in a few words.
    pub problem: &'a str,
    /// The type of a cell.
    pub precision: super::Precision,
    /// Seed of every random choice.
    pub seed: u64,
    /// Reason why the run ended.
    pub end: End,
    /// Advice where the end is not the one that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<&'static str>,
    /// Mean iterations of a subdomain: updates ÷ subdomains (rule 11).
    pub iterations: f64,
    /// Sweeps of subdomains in all.
    pub updates: u64,
    /// Seconds from the first sweep to the last, verification included.
    pub seconds: f64,
    /// Whether all times and rates are virtual ones.
    #[serde(rename = "virtual")]
    pub is_virtual: bool,
    /// Iterations per second.
    pub iteration_rate: Option<f64>,
    /// Cells swept per second, over all workers.
    pub cell_updates_per_second: Option<f64>,
    /// Highest minus lowest update count.
    pub spread: SpreadReport,
    /// Version gaps met when halos were read.
    pub staleness: StalenessReport,
    /// Subdomains that changed hands.
    pub moves: u64,
    /// Share of the sweeps that were made by another worker than that with which the subdomain is
    /// at home; absent where a worker keeps its subdomains until they move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub away: Option<f64>,
    /// Share of the sweeps that another worker was stuck in, and which the one that helped was done
    /// with first; absent where workers do not help each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub helped: Option<f64>,
    /// Most sweeps for which a worker has claimed a subdomain, where it claims them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sweeps_a_claim: Option<u32>,
    /// Subdomains that moved to another node.
    pub transfers: u64,
    /// Balancing rounds.
    pub rounds: u64,
    /// Parameters that the balancer `auto` has arrived at, on the first node; absent for other
    /// balancers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto: Option<AutoReport>,
    /// Norms of the residual.
    pub residual: ResidualReport,
    /// How far the field is from the solution; absent where that was not estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_estimate: Option<ErrorEstimate>,
    /// Whether the verified residual is within the tolerance; absent where none was asked.
    pub converged: Option<bool>,
    /// Share of their cores' time that the workers had, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_share: Option<f64>,
    /// Share of a core that each source of noise really took.
    pub noise: &'a [NoiseReport],
    /// The machine.
    pub machine: MachineReport<'a>,
    /// The effective configuration. Its mode is the engine's, also where another solver ran: rayon
    /// is synchronous.
    pub config: RunConfig,
}

/// The parameters of the balancer `auto` ([`Chosen`]).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AutoReport {
    /// Seconds from one round to the next.
    pub period: f64,
    /// Updates by which a subdomain is behind before it is borrowed.
    pub lag: u64,
    /// Where the run has turned to pulling: since when, and why.
    pub turned: Option<TurnedReport>,
}

/// The turn of a run to pulling ([`Switched`]).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TurnedReport {
    /// Balancer that is in use since then.
    pub to: Balance,
    /// Seconds since the start of the run.
    pub at: f64,
    /// Highest minus lowest count of a subdomain before.
    pub spread: u64,
}

impl From<Switched> for TurnedReport {
    fn from(Switched { at, spread }: Switched) -> Self {
        Self { to: Balance::Pull(Balance::LAG), at: at.since(Instant::ZERO).seconds(), spread }
    }
}

impl From<Chosen> for AutoReport {
    fn from(Chosen { period, lag, switched }: Chosen) -> Self {
        Self { period: period.seconds(), lag, turned: switched.map(Into::into) }
    }
}

/// Highest minus lowest update count of a subdomain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SpreadReport {
    /// Spread when the run ended.
    pub end: u64,
    /// Largest spread that was seen.
    pub max: u64,
    /// Spread that 99 % of the samples of the run do not exceed; absent where there is no sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p99: Option<u64>,
}

/// Versions by which halos were behind the subdomains that read them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct StalenessReport {
    /// Mean over all halos read.
    pub mean: f64,
    /// The largest.
    pub max: u64,
}

/// What residuals are relative to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RelativeTo {
    /// The residual before the first sweep.
    #[default]
    Start,
    /// The residual of a field of zeros: source and boundary.
    Problem,
}

impl RelativeTo {
    /// Returns what residuals are relative to, in words that follow "of".
    pub const fn words(self) -> &'static str {
        match self {
            Self::Start => "the initial one",
            Self::Problem => "the problem's",
        }
    }
}

/// l2 norms of the residual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ResidualReport {
    /// Norm before the first sweep.
    pub initial: f64,
    /// The sum of the workers' own figures when the run was stopped for the check, in the exact
    /// mode in one process that of the version for which it was; absent where none was taken.
    pub detected: Option<f64>,
    /// Norm on the consistent state at the end.
    pub verified: f64,
    /// Verified ÷ reference; 0 where both are 0.
    pub relative: f64,
    /// What the reference is.
    pub relative_to: RelativeTo,
    /// The norm that the relative one is relative to.
    pub reference: f64,
    /// Relative norm that was asked for.
    pub tolerance: Option<f64>,
    /// Norm that was asked for.
    pub absolute_tolerance: Option<f64>,
}

/// An estimate of a field's error, in its unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ErrorEstimate {
    /// The largest error of a cell, by its magnitude.
    pub largest: f64,
    /// The l2 norm of the errors of all cells.
    pub l2: f64,
    /// Highest minus lowest value of the field and its boundary.
    pub range: f64,
}

impl ErrorEstimate {
    /// Share of the range from which on an error shows.
    const LARGE: f64 = 0.01;

    /// Whether the largest error exceeds 1 % of the field's range.
    pub fn is_large(&self) -> bool {
        self.largest > Self::LARGE * self.range
    }
}

/// Share of a core that a source of noise really took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NoiseReport {
    /// The source, as it was asked for.
    pub source: crate::run::noise::Noise,
    /// The core, by the operating system's number.
    pub core: u32,
    /// The share of the core's time that it used, 0 to 1.
    pub share: f64,
}

/// The machine that a run ran on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MachineReport<'a> {
    /// The processor's name.
    pub cpu: &'a str,
    /// Cores that the process may use.
    pub cores: u32,
    /// Cores that a CPU quota is worth; absent where none bounds the process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_quota: Option<f64>,
}

/// Writes the processor, its cores, and the quota that bounds them.
impl fmt::Display for MachineReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cpu, cores, cpu_quota } = self;
        write!(f, "{cpu}, {cores} cores")?;
        cpu_quota.map_or(Ok(()), |quota| write!(f, ", bounded by a CPU quota of {quota:.2} cores"))
    }
}
