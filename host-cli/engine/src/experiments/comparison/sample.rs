//! One run of one method, as one record.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use tresse_core::run::{End, NoiseReport};

use super::order::{Slowed, Trial};
use crate::report::RunReport;
use crate::solution::RunRecord;

/// Share of the workers' time from which on a run is disturbed by others.
pub const BUSY: f64 = 0.05;

/// A run that was made.
#[derive(Clone, Copy, Debug)]
pub struct Made<'a> {
    /// Name of the method.
    pub method: &'a str,
    /// Trial of the run.
    pub trial: Trial,
    /// Record of the run.
    pub record: &'a RunRecord,
    /// Report of the run.
    pub report: &'a RunReport<'a>,
    /// Share of the time of all workers' cores that noise took.
    pub lost_capacity: f64,
    /// Whether every worker was kept on its core.
    pub pinned: bool,
}

/// The result of one run. The field names are the header of `samples.csv`.
#[expect(clippy::struct_excessive_bools, reason = "a row of a table")]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparisonSample {
    /// Name of the method.
    pub method: String,
    /// Whether cores were slowed down.
    pub noisy: bool,
    /// Whether that was a core at the other end of the grid.
    pub elsewhere: bool,
    /// Number of the round.
    pub repetition: u32,
    /// Whether the verified residual is within the tolerance; only then do the figures count.
    pub converged: bool,
    /// Reason for which the run ended.
    pub end: End,
    /// Time to solution in seconds.
    pub seconds: f64,
    /// Mean iterations of a worker.
    pub iterations: f64,
    /// Iterations per second.
    pub iteration_rate: Option<f64>,
    /// Cells swept per second, over all workers.
    pub cell_updates_per_second: Option<f64>,
    /// Highest minus lowest update count when the run ended.
    pub spread_end: u64,
    /// Largest spread of update counts that was seen.
    pub spread_max: u64,
    /// Mean version gap of all halos when they were read.
    pub staleness_mean: f64,
    /// Largest version gap of a halo when it was read.
    pub staleness_max: u64,
    /// Number of subdomains that moved between workers.
    pub moves: u64,
    /// Number of subdomains that moved between nodes.
    pub transfers: u64,
    /// Number of balancing rounds.
    pub rounds: u64,
    /// L2 norm of the residual of the consistent state at the end.
    pub residual_verified: f64,
    /// Norm of that residual relative to the initial one.
    pub residual_relative: f64,
    /// Share of a noisy core's time that noise took, on average over the noisy cores.
    pub noise_share: Option<f64>,
    /// Share of the time of all workers' cores that noise took.
    pub lost_capacity: f64,
    /// Share of their cores' time that the workers had.
    pub cpu_share: Option<f64>,
    /// Whether every worker was kept on its core.
    pub pinned: bool,
}

impl ComparisonSample {
    /// Returns the sample of a run.
    pub fn of(made: Made<'_>) -> Self {
        let Made { method, trial, record, report, lost_capacity, pinned } = made;
        Self {
            method: method.to_owned(),
            noisy: trial.slowed != Slowed::Nowhere,
            elsewhere: trial.slowed == Slowed::Elsewhere,
            repetition: trial.repetition,
            converged: report.converged == Some(true) && record.is_valid(),
            end: report.end,
            seconds: record.elapsed.seconds(),
            iterations: report.iterations,
            iteration_rate: report.iteration_rate,
            cell_updates_per_second: report.cell_updates_per_second,
            spread_end: report.spread.end,
            spread_max: report.spread.max,
            staleness_mean: report.staleness.mean,
            staleness_max: report.staleness.max,
            moves: report.moves,
            transfers: report.transfers,
            rounds: report.rounds,
            residual_verified: report.residual.verified,
            residual_relative: report.residual.relative,
            noise_share: mean_share(report.noise),
            lost_capacity,
            cpu_share: record.cpu_share,
            pinned,
        }
    }

    /// Returns which cores were slowed down, if any.
    pub fn slowed(&self) -> Slowed {
        match (self.noisy, self.elsewhere) {
            (false, _) => Slowed::Nowhere,
            (true, false) => Slowed::There,
            (true, true) => Slowed::Elsewhere,
        }
    }

    /// Returns the share of the workers' time that others than the noise had; none where that is
    /// not known.
    pub fn others(&self) -> Option<f64> {
        Some((1.0 - self.cpu_share? - self.lost_capacity).max(0.0))
    }

    /// Whether others than the noise had so much that the run says little.
    pub fn is_disturbed(&self) -> bool {
        self.others().is_some_and(|others| others > BUSY)
    }
}

/// Returns the mean share of their cores that the sources of noise took, if there are any.
fn mean_share(noise: &[NoiseReport]) -> Option<f64> {
    let sum: f64 = noise.iter().map(|noise| noise.share).sum();
    (!noise.is_empty()).then(|| sum / noise.len() as f64)
}

/// Returns the share of the time of all workers' cores that noise took, where it took these shares
/// of the cores that it was on.
pub fn lost_capacity<C: Ord>(
    workers: impl IntoIterator<Item = C>,
    noise: impl IntoIterator<Item = (C, f64)>,
) -> f64 {
    let cores: BTreeSet<C> = workers.into_iter().collect();
    let on_workers = noise.into_iter().filter(|(core, _)| cores.contains(core));
    // Not `sum`, which is −0 of nothing.
    on_workers.fold(0.0, |sum, (_, share)| sum + share) / cores.len().max(1) as f64
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::report::table::write_records;

    /// Returns a plausible sample for tests.
    pub fn sample(method: &str, noisy: bool, seconds: f64) -> ComparisonSample {
        ComparisonSample {
            method: method.into(),
            noisy,
            elsewhere: false,
            repetition: 0,
            converged: true,
            end: End::Converged,
            seconds,
            iterations: 100.0,
            iteration_rate: Some(100.0 / seconds),
            cell_updates_per_second: None,
            spread_end: 2,
            spread_max: 3,
            staleness_mean: 0.5,
            staleness_max: 4,
            moves: 5,
            transfers: 7,
            rounds: 6,
            residual_verified: 1e-300,
            residual_relative: 1e-5,
            noise_share: noisy.then_some(0.2),
            lost_capacity: if noisy { 0.1 } else { 0.0 },
            cpu_share: Some(if noisy { 0.88 } else { 0.98 }),
            pinned: true,
        }
    }

    #[test]
    fn samples_read_back_equal() {
        let samples =
            [sample("async(4) + hybrid(0.001, 500)", false, 1.0 / 3.0), sample("sync", true, 2.0)];
        let mut bytes = Vec::new();
        write_records(&samples, &mut bytes).unwrap();
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        let read: Vec<ComparisonSample> = reader.deserialize().map(Result::unwrap).collect();
        assert_eq!(read, samples);
    }

    #[test]
    fn noise_beside_the_workers_takes_nothing_from_them() {
        assert!((lost_capacity([0, 1, 1], [(1, 0.2), (7, 0.9)]) - 0.1).abs() < 1e-12);
        assert_eq!(lost_capacity([0], []).to_bits(), 0.0_f64.to_bits());
        assert_eq!(lost_capacity(None, [(1, 0.2)]).to_bits(), 0.0_f64.to_bits());
    }
}
