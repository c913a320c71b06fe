//! Puts the report of a run together.

use tresse_core::run::progress::Progress;
use tresse_core::run::{End, MachineReport, RunConfig, SpreadReport, StalenessReport};

use super::RunReport;
use crate::solution::RunRecord;
use crate::solvers::Solver;
use crate::wording::advice;

impl RunRecord {
    /// Returns the report of this run of a problem; without rates where it is not valid, and
    /// without a mode by multigrid.
    pub fn report<'a>(
        &'a self,
        mode: impl Into<Option<Solver>>,
        config: &RunConfig,
        problem: &'a str,
        sockets: u32,
        machine: MachineReport<'a>,
    ) -> RunReport<'a> {
        let seconds = self.elapsed.seconds();
        let cells = config.grid.cells() as f64;
        let has_rate = self.is_valid() && seconds > 0.0;
        // Without those of an earlier run that this one went on from.
        let progress = Progress { updates: self.sweeps, ..self.progress };
        RunReport {
            mode: mode.into(),
            balance: config.balance,
            workers: config.workers,
            sockets,
            nodes: config.nodes.number,
            subdomains: config.subdomains(),
            grid: config.grid,
            problem,
            precision: config.precision,
            seed: config.seed,
            end: self.end,
            advice: advice(self.end, &config.stop, config.precision),
            iterations: self.progress.mean(),
            updates: self.progress.updates,
            seconds,
            is_virtual: self.is_virtual,
            iteration_rate: has_rate.then(|| progress.iteration_rate(self.elapsed)),
            // Subdomains are nearly equal, so that a mean iteration sweeps the grid once.
            cell_updates_per_second: has_rate.then(|| progress.mean() * cells / seconds),
            spread: SpreadReport {
                end: self.progress.spread(),
                max: self.spread_max,
                p99: self.spread_p99,
            },
            staleness: StalenessReport { mean: self.staleness.mean(), max: self.staleness.max },
            moves: self.moves,
            away: self.visits.map(|visits| visits.away as f64 / self.sweeps.max(1) as f64),
            helped: self
                .visits
                .filter(|_| config.helps())
                .map(|visits| visits.helped as f64 / self.sweeps.max(1) as f64),
            sweeps_a_claim: self.visits.map(|visits| visits.sweeps_a_claim),
            transfers: self.transfers,
            rounds: self.rounds,
            auto: self.auto.map(Into::into),
            residual: self.residual,
            error_estimate: self.error_estimate,
            converged: config.stop.has_tolerance().then_some(self.end == End::Converged),
            cpu_share: self.cpu_share,
            noise: &self.noise,
            machine,
            config: config.clone(),
        }
    }
}
