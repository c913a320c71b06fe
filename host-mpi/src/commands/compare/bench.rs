//! Prepares all runs of a comparison, and makes them.

use std::sync::atomic::Ordering;

use serde::Serialize;
use tresse::commands::runs_progress::Progress;
use tresse::commands::{printed, warn};
use tresse::engine::threads::End;
use tresse::experiments::comparison::{ComparisonSample, Made, Slowed, Trial, interleaved};
use tresse::interrupt;
use tresse::report::lines::filled;
use tresse_core::base::id::RankId;
use tresse_core::run::noise::Noise;
use tresse_core::run::{
    Balance, GridSize, MachineReport, Mode, NodeBalance, Nodes, PlbParams, Precision, RunConfig,
};

use super::method::{Method, methods};
use crate::commands::args::CompareRanksArgs;
use crate::commands::error::SolveError;
use crate::commands::map;
use crate::commands::measure::Measured;
use crate::commands::reach::Reach;
use crate::commands::ready::{Ready, prepare};
use crate::commands::recording::Told;
use crate::commands::report::RankReport;
use crate::mpi::Entry;
use crate::mpi::agreement::{Refused, together};

/// The settings that all runs have in common.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Common {
    ranks: u32,
    /// Number of sets of ranks that share memory.
    nodes: u32,
    /// Number of workers of all ranks together.
    workers: u32,
    grid: GridSize,
    /// Boundary and start of the problem in a few words.
    problem: String,
    /// Number of subdomains for each worker.
    split: u32,
    precision: Precision,
    tolerance: Option<f64>,
    /// Method that balances the workers within a rank.
    balance: Balance,
    plb: PlbParams,
    /// Method that balances ranks, in runs that have one.
    node_balance: Nodes,
    seed: u64,
    repetitions: u32,
    /// Parasites of the noisy setting.
    pub(super) noise: Vec<Noise>,
}

impl Common {
    /// Returns a description of the runs' problem and size, for a title.
    pub(super) fn size(&self) -> String {
        let Self { problem, grid, ranks, workers, .. } = self;
        format!("{problem}, {grid} cells, {ranks} ranks, {workers} workers")
    }
}

/// The methods and settings to compare.
pub(super) struct Bench {
    pub(super) common: Common,
    pub(super) methods: Vec<Method>,
    /// Quiet and noisy setting of each method.
    settings: Vec<[Ready; 2]>,
    /// Setting that has everything: noise, and a balancer between ranks.
    full: Ready,
    trials: Vec<Trial>,
    reach: Reach,
}

impl Bench {
    /// Prepares all settings, and refuses those that cannot be run before any run is made.
    /// Collective.
    pub(super) fn prepare(entry: &mut Entry, args: &CompareRanksArgs) -> Result<Self, Refused> {
        let balance = args.node_balance();
        let is_balanced = balance != NodeBalance::None;
        together(entry, if is_balanced { Ok(()) } else { Err(SolveError::Unbalanced) })?;
        let methods = methods(balance);
        let noise = args.noise();
        let settings = methods.iter().map(|method| {
            let mut ready =
                |noise| prepare(entry, &args.solve(method.mode, method.is_balanced, noise));
            Ok([ready(&[])?, ready(&noise)?])
        });
        let settings = settings.collect::<Result<Vec<_>, Refused>>()?;
        let full = prepare(entry, &args.solve(Mode::Async, true, &noise))?;
        let config = &full.resolved.config;
        let common = Common {
            ranks: entry.ranks(),
            nodes: entry.nodes().number(),
            workers: config.workers,
            grid: config.grid,
            problem: full.about.clone(),
            split: config.split,
            precision: config.precision,
            tolerance: config.stop.tolerance,
            balance: config.balance,
            plb: config.plb,
            node_balance: config.nodes,
            seed: args.seed(),
            repetitions: args.repetitions(),
            noise: config.noise.to_vec(),
        };
        let reach = Reach::find(entry, args.reach, !full.resolved.is_bulk_synchronous())?;
        let trials = interleaved(methods.len(), &Slowed::OR_NOT, args.repetitions(), args.seed());
        Ok(Self { common, methods, settings, full, trials, reach })
    }

    /// Returns the number of runs to make.
    pub(super) fn runs(&self) -> usize {
        self.trials.len()
    }

    /// Returns the machine of all ranks.
    pub(super) fn machine(&self) -> MachineReport<'_> {
        self.full.machine_report()
    }

    /// Announces the runs to make, on the first rank.
    pub(super) fn announce(
        &self,
        entry: &Entry,
        args: &CompareRanksArgs,
    ) -> Result<(), SolveError> {
        let Ready { resolved, binding, .. } = &self.full;
        for warning in resolved.warnings.iter().cloned().chain(self.full.warning(entry)) {
            warn(&warning);
        }
        if args.compare.json {
            return Ok(());
        }
        let text = self.text(&resolved.config);
        let reach = self.reach;
        let map = map::describe(entry, binding, resolved, reach.only_gets);
        let because = if args.compare.quick && args.nodes.node_balance.is_none() {
            "\nquick    these runs take seconds, not minutes: ranks look at each other that much oftener \
             than in the paper (0.5 s)"
        } else {
            ""
        };
        printed(|out| writeln!(out, "{text}\n{map}\nreach    {reach}{because}\n"))?;
        Ok(())
    }

    /// Returns the announcement of the comparison: problem, ranks, methods, repetitions and
    /// balancing.
    fn text(&self, config: &RunConfig) -> String {
        let Common { problem, ranks, repetitions, .. } = &self.common;
        let RunConfig { grid, workers, split, plb, .. } = config;
        let PlbParams { pairs, low, high, .. } = plb;
        let tolerance = config.stop.tolerance.unwrap_or_default();
        let number = self.methods.len();
        filled(&format!(
            "{problem}, {grid} cells, {ranks} ranks of {} workers, {split} subdomains each, to \
             {tolerance:e} of the initial residual; {number} methods, quiet and noisy, {repetitions} \
             runs of each, every round in a new order; balancing with {pairs} pairs, low {low}, high \
             {high}",
            workers / (*ranks).max(1)
        ))
    }

    /// Makes all runs, or those before an interrupt; returns the results on the first rank.
    /// Collective.
    pub(super) fn measure(
        &self,
        entry: &mut Entry,
        hidden: bool,
    ) -> Result<Vec<ComparisonSample>, Refused> {
        let is_first = entry.rank() == RankId(0);
        let progress = Progress::with_lines(self.trials.len(), hidden || !is_first);
        let mut samples = Vec::with_capacity(self.trials.len());
        for &trial in &self.trials {
            let is_asked_to_end = interrupt::flag().load(Ordering::Relaxed);
            if entry.max_u64(u64::from(is_asked_to_end)) > 0 {
                break;
            }
            samples.extend(self.run_trial(entry, trial, &progress)?);
            progress.end();
        }
        progress.finish();
        Ok(samples)
    }

    /// Makes one run; returns its result, or `None` where it was interrupted or this is not the
    /// first rank. Collective.
    fn run_trial(
        &self,
        entry: &mut Entry,
        trial: Trial,
        progress: &Progress,
    ) -> Result<Option<ComparisonSample>, Refused> {
        let (Some(Method { name, .. }), Some([quiet, noisy])) =
            (self.methods.get(trial.method), self.settings.get(trial.method))
        else {
            return Ok(None);
        };
        progress.show(&format!("{name}, {}", trial.slowed.name()));
        let ready = if trial.slowed == Slowed::Nowhere { quiet } else { noisy };
        let Measured { record, per_rank, .. } =
            ready.measure::<f64>(entry, self.reach, None, Told::default(), &mut |_| {})?;
        let Some(all) = per_rank.filter(|_| record.end != End::Interrupted) else {
            return Ok(None);
        };
        let report = ready.report(&record);
        Ok(Some(ComparisonSample::of(Made {
            method: name,
            trial,
            record: &record,
            report: &report,
            lost_capacity: RankReport::lost_capacity(&all),
            pinned: all.iter().all(|rank| rank.unpinned.is_empty()),
        })))
    }
}
