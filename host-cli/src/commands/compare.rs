//! `tresse compare`: compares the paper's methods on this machine, quiet and with one noisy core.

mod table;

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use serde::Serialize;
use tresse_core::base::time::Duration;
use tresse_core::run::noise::{Noise, NoiseChoice, NoisePlace, Parasite};
use tresse_core::run::{GridSize, PlbParams, Precision};

use self::table::Table2;
use super::runs_progress::Progress;
use super::{CommandError, printed, warn};
use crate::commands::args::{
    CompareArgs, FrontError, NoiseChoices, Resolved, RunChoices, SolveArgs, resolve,
};
use crate::engine::solver;
use crate::engine::threads::{End, Job};
use crate::exit::Exit;
use crate::experiments::comparison::{
    ComparisonReport, ComparisonSample, FILES, FILES_SHOWN, Made, Runs, Tables, Trial, interleaved,
    least_increase_percent, lost_capacity, make,
};
use crate::experiments::methods::{BEYOND, METHODS, Method};
use crate::files::problem::worker_beside_source;
use crate::interrupt;
use crate::platform::{Placement, Platform, Seat};
use crate::report::lines::filled;
use crate::report::output::{OutputDir, Outputs};
use crate::report::summary::write_json;

/// Seed of the order of the runs, and of the balancers.
const SEED: u64 = 1;

/// The settings that all runs have in common.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Common {
    grid: GridSize,
    /// Boundary and start of the problem in a few words.
    problem: String,
    workers: u32,
    sockets: u32,
    precision: Precision,
    tolerance: Option<f64>,
    /// Parameters of the methods with a balancer.
    plb: PlbParams,
    seed: u64,
    repetitions: u32,
    /// Parasites of the noisy setting.
    noise: Vec<Noise>,
}

/// Compares the methods, and prints and stores the results.
pub fn run(args: &CompareArgs) -> Result<Exit, CommandError> {
    let machine = Platform::detect()?;
    let bench = Bench::prepare(args, &machine)?;
    let outputs = Outputs::default();
    let out = args.out.as_deref().map(|path| outputs.folder("--out", path, FILES));
    let out = out.transpose()?;
    bench.announce(args)?;
    let Runs { samples, repeated } = bench.measure(args.json || args.quiet)?;

    let Common { grid, problem, workers, noise, .. } = &bench.common;
    let report = ComparisonReport {
        config: &bench.common,
        machine: machine.report(),
        mpi: None,
        interrupted: interrupt::flag().load(Ordering::Relaxed),
        runs: samples.len(),
        repeated,
        least_increase_percent: least_increase_percent(&samples),
        tables: Table2::of(&samples),
        samples: &samples,
        size: format!("{problem}, {grid} cells, {workers} workers"),
        noise,
    };
    conclude(&report, args.json, out.as_ref())
}

/// Prints a comparison, and writes its files where there is a folder for them.
pub fn conclude<C: Serialize, T: Tables>(
    report: &ComparisonReport<'_, C, T>,
    json: bool,
    out: Option<&OutputDir>,
) -> Result<Exit, CommandError> {
    // The table first: what was measured is shown even where it cannot be stored.
    if json {
        printed(|to| write_json(report, to))?;
    } else {
        printed(|to| report.write(to))?;
    }
    if let Some(out) = out {
        report.store(out)?;
        if !json {
            printed(|to| writeln!(to, "written: {}: {FILES_SHOWN}", out.path().display()))?;
        }
    }
    Ok(report.exit())
}

/// The settings of all runs.
struct Bench<'m> {
    machine: &'m Platform,
    placement: Placement,
    common: Common,
    /// The methods, each with its quiet and its noisy setting.
    settings: Vec<(&'static Method, [Resolved; 2])>,
}

impl<'m> Bench<'m> {
    fn prepare(args: &CompareArgs, machine: &'m Platform) -> Result<Self, CommandError> {
        // All methods have the same workers and grid.
        let [first, ..] = &METHODS;
        let Resolved { config, problem, .. } = resolved(args, first, &[], machine)?;
        let placement = Placement::plan(machine, Some(config.workers), args.topology)?;
        let noise: Vec<NoiseChoice> = if args.noise.is_empty() {
            beside_source(&placement)
                .map(|seat| paper_noise(seat.core).into())
                .into_iter()
                .collect()
        } else {
            args.noise.clone()
        };
        // One seed, and so the same places for all methods and runs.
        let places = placement.resolve_noise(&noise, SEED).map_err(FrontError::from)?;
        for noise in &places {
            placement.noisy_cores(noise)?;
        }
        let settings = METHODS.iter().chain(&BEYOND).map(|method| {
            let quiet = resolved(args, method, &[], machine)?;
            let disturbed = resolved(args, method, &noise, machine)?.with_noise(&placement)?;
            Ok((method, [quiet, disturbed]))
        });
        let settings = settings.collect::<Result<Vec<_>, FrontError>>()?;
        let balanced = settings
            .iter()
            .map(|(_, [quiet, _])| &quiet.config)
            .find(|config| config.balance.period().is_some());
        let common = Common {
            plb: balanced.map_or_else(PlbParams::default, |config| config.plb),
            grid: config.grid,
            problem: problem.to_string(),
            workers: config.workers,
            sockets: placement.socket_count(),
            precision: config.precision,
            tolerance: config.stop.tolerance,
            seed: SEED,
            repetitions: args.repetitions(),
            noise: places.to_vec(),
        };
        Ok(Self { machine, placement, common, settings })
    }

    fn announce(&self, args: &CompareArgs) -> Result<(), CommandError> {
        let runs = self.settings.iter().flat_map(|(_, runs)| runs);
        let of_runs: BTreeSet<_> = runs.flat_map(|run| run.warnings.iter().cloned()).collect();
        of_runs.into_iter().chain(self.placement.warning()).for_each(|warning| warn(&warning));
        if args.json {
            return Ok(());
        }
        let Common { grid, problem, workers, repetitions, tolerance, plb, .. } = &self.common;
        let PlbParams { pairs, low, high, .. } = plb;
        let tolerance = tolerance.unwrap_or_default();
        let methods = self.settings.len();
        printed(|out| {
            let text = format!(
                "{problem}, {grid} cells, {workers} workers, to {tolerance:e} of the initial \
                 residual; {methods} methods, quiet and noisy, {repetitions} runs of each, every round \
                 in a new order; balancing with {pairs} pairs, low {low}, high {high}"
            );
            writeln!(out, "{}\n", filled(&text))
        })?;
        Ok(())
    }

    /// Makes all runs, or those before an interrupt.
    fn measure(&self, hidden: bool) -> Result<Runs, CommandError> {
        let trials = interleaved(self.settings.len(), self.common.repetitions, SEED);
        let progress = Progress::new(trials.len(), hidden);
        let runs = make(&trials, |trial| {
            let sample = self.take(trial, &progress)?;
            progress.end();
            Ok::<_, CommandError>(sample)
        })?;
        progress.finish();
        Ok(runs)
    }

    /// Makes one run; returns its sample, or `None` where it was interrupted.
    fn take(
        &self,
        trial: Trial,
        progress: &Progress,
    ) -> Result<Option<ComparisonSample>, CommandError> {
        let Some((method, [quiet, noisy])) = self.settings.get(trial.method) else {
            return Ok(None);
        };
        let setting = if trial.noisy { "noisy" } else { "quiet" };
        progress.show(&format!("{}, {setting}", method.name));
        let run = if trial.noisy { noisy } else { quiet };
        let Resolved { config, problem, .. } = run;
        let (placement, interrupt) = (&self.placement, interrupt::flag());
        if interrupt.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let job = Job { config, problem, placement, interrupt };
        let record = solver::run(job, &mut |_| {})?.record;
        let (problem, sockets) = (&self.common.problem, placement.socket_count());
        let report =
            record.report(run.solver, &run.config, problem, sockets, self.machine.report());
        let made = Made {
            method: method.name,
            trial,
            record: &record,
            report: &report,
            lost_capacity: lost_capacity(
                placement.seats.iter().map(|seat| seat.core),
                record.noise.iter().map(|noise| (noise.core, noise.share)),
            ),
            pinned: record.unpinned.is_empty(),
        };
        Ok((record.end != End::Interrupted).then(|| ComparisonSample::of(made)))
    }
}

/// Returns the worker that holds the cells beside the source.
fn beside_source(placement: &Placement) -> Option<Seat> {
    let workers = u32::try_from(placement.seats.len()).ok()?;
    placement.seats.get(worker_beside_source(workers) as usize).copied()
}

/// Returns the parasite of section 4.3.
pub(super) fn paper_noise(core: u32) -> Noise {
    let parasite = Parasite::Loop { sleep: Duration::from_micros(200), work: 10_000 };
    Noise { place: NoisePlace::Core(core), parasite }
}

pub(super) fn resolved(
    args: &CompareArgs,
    method: &Method,
    noise: &[NoiseChoice],
    machine: &Platform,
) -> Result<Resolved, FrontError> {
    let choices = RunChoices {
        cells_per_worker: Some(args.cells_per_worker()),
        mode: Some(method.mode.into()),
        split: Some(method.split),
        balance: Some(method.balance),
        seed: Some(SEED),
        workers: args.workers,
        topology: args.topology,
        noise: NoiseChoices { sources: noise.to_vec() },
        tolerance: args.tolerance,
        ..RunChoices::default()
    };
    let args = SolveArgs { choices, ..SolveArgs::default() };
    resolve(&args, machine.default_workers().workers, machine.available_memory)
}

#[cfg(test)]
mod tests {
    use tresse_core::base::id::SocketId;

    use super::*;
    use crate::platform::Core;

    #[test]
    fn noise_is_beside_the_source() {
        let core = |id| Core { id, socket: SocketId(0), physical: id };
        let machine = Platform {
            cores: (10..46).map(core).collect(),
            physical_cores: 36,
            quota: None,
            cpu: "a test".into(),
            available_memory: 1 << 30,
        };
        let beside = |workers| {
            let placement = Placement::plan(&machine, Some(workers), None).unwrap();
            beside_source(&placement).unwrap().core
        };
        // 6 x 6 blocks, of which the fourth has the middle of the top; 2 x 1 blocks.
        assert_eq!((beside(36), beside(2)), (13, 10));
    }
}
