//! One run of one method, as one record.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use tresse_core::run::{MachineReport, NoiseReport, RunConfig};

use super::order::Turn;
use crate::machine::Placement;
use crate::methods::Method;
use crate::threads::Record;

/// What one run came to. The field names are the header of `samples.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Sample {
    pub(super) method: String,
    pub(super) noisy: bool,
    pub(super) repetition: u32,
    /// Whether the verified residual is within the tolerance; only then do the figures count.
    pub(super) converged: bool,
    /// Time to solution.
    pub(super) seconds: f64,
    pub(super) iterations: f64,
    pub(super) iteration_rate: Option<f64>,
    pub(super) cell_updates_per_second: Option<f64>,
    pub(super) spread_end: u64,
    pub(super) spread_max: u64,
    pub(super) staleness_mean: f64,
    pub(super) staleness_max: u64,
    pub(super) moves: u64,
    pub(super) rounds: u64,
    pub(super) residual_verified: f64,
    pub(super) residual_relative: f64,
    /// The part of a noisy core's time that the noise took, on average over the noisy cores.
    pub(super) noise_share: Option<f64>,
    /// The part of the time of all workers' cores that the noise took.
    pub(super) lost_capacity: f64,
    /// Whether every worker was kept on its core.
    pub(super) pinned: bool,
}

impl Sample {
    pub(super) fn of(
        method: &Method,
        turn: Turn,
        config: &RunConfig,
        record: &Record,
        placement: &Placement,
        machine: MachineReport<'_>,
    ) -> Self {
        let report = record.report(config, placement.socket_count(), machine);
        Self {
            method: method.name.to_owned(),
            noisy: turn.noisy,
            repetition: turn.repetition,
            converged: report.converged == Some(true) && record.is_valid(),
            seconds: record.elapsed.seconds(),
            iterations: report.iterations,
            iteration_rate: report.iteration_rate,
            cell_updates_per_second: report.cell_updates_per_second,
            spread_end: report.spread.end,
            spread_max: report.spread.max,
            staleness_mean: report.staleness.mean,
            staleness_max: report.staleness.max,
            moves: report.moves,
            rounds: report.rounds,
            residual_verified: report.residual.verified,
            residual_relative: report.residual.relative,
            noise_share: mean_share(report.noise),
            lost_capacity: lost_capacity(report.noise, placement),
            pinned: record.unpinned.is_empty(),
        }
    }
}

fn mean_share(noise: &[NoiseReport]) -> Option<f64> {
    let sum: f64 = noise.iter().map(|noise| noise.share).sum();
    (!noise.is_empty()).then(|| sum / noise.len() as f64)
}

fn lost_capacity(noise: &[NoiseReport], placement: &Placement) -> f64 {
    let cores: BTreeSet<u32> = placement.seats.iter().map(|seat| seat.core).collect();
    let on_workers = noise.iter().filter(|noise| cores.contains(&noise.core));
    // Not `sum`, which is −0 of nothing.
    on_workers.fold(0.0, |sum, noise| sum + noise.share) / cores.len().max(1) as f64
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::report::table::write_records;

    pub fn sample(method: &str, noisy: bool, seconds: f64) -> Sample {
        Sample {
            method: method.into(),
            noisy,
            repetition: 0,
            converged: true,
            seconds,
            iterations: 100.0,
            iteration_rate: Some(100.0 / seconds),
            cell_updates_per_second: None,
            spread_end: 2,
            spread_max: 3,
            staleness_mean: 0.5,
            staleness_max: 4,
            moves: 5,
            rounds: 6,
            residual_verified: 1e-300,
            residual_relative: 1e-5,
            noise_share: noisy.then_some(0.2),
            lost_capacity: if noisy { 0.1 } else { 0.0 },
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
        let read: Vec<Sample> = reader.deserialize().map(Result::unwrap).collect();
        assert_eq!(read, samples);
    }
}
