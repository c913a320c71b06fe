//! What a run answers.

use serde::Serialize;

use super::config::RunConfig;
use super::end::End;

/// The result of one run, as it was measured; every host fills it in the same way.
///
/// Rates are absent where the result did not validate. A host that has other solvers beside the engine
/// names them in place of the mode.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunReport<'a, M = super::Mode> {
    /// Who waited for whom.
    pub mode: M,
    /// Which balancer.
    pub balance: super::Balance,
    /// Workers.
    pub workers: u32,
    /// Sockets that the workers were on.
    pub sockets: u32,
    /// Nodes that they were on.
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
    /// Why the run ended.
    pub end: End,
    /// What to do where that is not what was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<&'static str>,
    /// Mean iterations of a subdomain: updates ÷ subdomains (rule 11).
    pub iterations: f64,
    /// Sweeps of subdomains in all.
    pub updates: u64,
    /// Seconds from the first sweep to the last, verification included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// The same in virtual time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub virtual_seconds: Option<f64>,
    /// Whether all times and rates are virtual ones.
    #[serde(rename = "virtual", skip_serializing_if = "is_false")]
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
    /// Subdomains that moved to another node.
    pub transfers: u64,
    /// Balancing rounds.
    pub rounds: u64,
    /// Norms of the residual.
    pub residual: ResidualReport,
    /// Whether the verified residual is within the tolerance; absent where none was asked.
    pub converged: Option<bool>,
    /// What each source of noise really took.
    pub noise: &'a [NoiseReport],
    /// The machine.
    pub machine: MachineReport<'a>,
    /// The program's version.
    pub version: &'a str,
    /// The effective configuration. Its mode is the engine's, also where another solver ran: rayon is
    /// synchronous.
    pub config: RunConfig,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde asks for")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// Highest minus lowest update count of a subdomain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SpreadReport {
    /// When the run ended.
    pub end: u64,
    /// The largest that was seen.
    pub max: u64,
}

/// By how many versions a halo was behind the subdomain that read it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct StalenessReport {
    /// Over all halos read.
    pub mean: f64,
    /// The largest.
    pub max: u64,
}

/// l2 norms of the residual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ResidualReport {
    /// Before the first sweep.
    pub initial: f64,
    /// The sum of the workers' own figures when the run was stopped for the check; absent where
    /// none was taken.
    pub detected: Option<f64>,
    /// On the consistent state at the end.
    pub verified: f64,
    /// Verified ÷ initial; 0 where both are 0.
    pub relative: f64,
    /// What was asked.
    pub tolerance: Option<f64>,
}

/// What a source of noise really took from its core.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NoiseReport {
    /// The source, as it was asked for.
    pub source: crate::noise::Noise,
    /// The core, by the operating system's number.
    pub core: u32,
    /// The share of the core's time that it used, 0 to 1.
    pub share: f64,
}

/// The machine that a run ran on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MachineReport<'a> {
    /// The processor's name.
    pub cpu: &'a str,
    /// Cores that the process may use.
    pub cores: u32,
}
