//! `tresse compare`: compares the paper's methods on this machine, quiet and with one noisy core.

mod table;

use std::collections::BTreeSet;
use std::slice;
use std::sync::atomic::Ordering;

use serde::Serialize;
use tresse_console::runs_progress::Progress;
use tresse_core::base::time::Duration;
use tresse_core::run::noise::{Noise, NoiseChoice, NoisePlace, Parasite};
use tresse_core::run::{GridSize, PlbParams, Precision};

use self::table::Table2;
use super::{CommandError, printed, warn};
use crate::commands::args::{
    CompareArgs, FrontError, NoiseChoices, Resolved, RunFlags, SolveArgs, resolve,
};
use crate::experiments::comparison::{
    ComparisonReport, ComparisonSample, FILES, FILES_SHOWN, Made, Runs, Slowed, Tables, Trial,
    interleaved, least_increase_percent, lost_capacity, make,
};
use crate::experiments::methods::{BEYOND, METHODS, Method};
use crate::files::problem::worker_beside_source;
use crate::report::lines::filled;
use crate::report::output::{OutputDir, Outputs};
use crate::report::summary::write_json;
use crate::solver;
use crate::threads::{End, Job};
use tresse_console::exit::Exit;
use tresse_console::interrupt;
use tresse_platform::{Placement, Platform, Seat};

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
    /// The same on a core at the other end of the grid; none where the noise is more than that of
    /// one core.
    elsewhere: Option<Noise>,
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

    let Common { grid, problem, workers, noise, elsewhere, .. } = &bench.common;
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
        elsewhere: elsewhere.as_ref(),
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
    /// The methods, each in all settings.
    methods: Vec<(&'static Method, Vec<(Slowed, Resolved)>)>,
}

impl<'m> Bench<'m> {
    /// Resolves all methods in all settings: quiet, noisy, and noisy far from the source.
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
        let elsewhere = match noise.as_slice() {
            [NoiseChoice::Fixed(noise)] => elsewhere(*noise, &placement),
            _ => None,
        };
        let other_end = elsewhere.map(NoiseChoice::from);
        let settings = [
            Some((Slowed::Nowhere, &[] as &[_])),
            Some((Slowed::There, noise.as_slice())),
            other_end.as_ref().map(|noise| (Slowed::Elsewhere, slice::from_ref(noise))),
        ];
        let methods = METHODS.iter().chain(&BEYOND).map(|method| {
            let runs = settings.iter().flatten().map(|&(slowed, noise)| {
                Ok((slowed, resolved(args, method, noise, machine)?.with_noise(&placement)?))
            });
            Ok((method, runs.collect::<Result<_, FrontError>>()?))
        });
        let methods = methods.collect::<Result<Vec<(_, Vec<_>)>, FrontError>>()?;
        let runs = methods.iter().flat_map(|(_, runs)| runs);
        let balanced =
            runs.map(|(_, run)| &run.config).find(|config| config.balance.period().is_some());
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
            elsewhere,
        };
        Ok(Self { machine, placement, common, methods })
    }

    /// Warns of what may disturb the comparison, and announces it unless it is shown as JSON.
    fn announce(&self, args: &CompareArgs) -> Result<(), CommandError> {
        let runs = self.methods.iter().flat_map(|(_, runs)| runs);
        let of_runs: BTreeSet<_> = runs.flat_map(|(_, run)| run.warnings.iter().cloned()).collect();
        of_runs.into_iter().chain(self.placement.warning()).for_each(|warning| warn(&warning));
        if args.json {
            return Ok(());
        }
        let Common { grid, problem, workers, repetitions, tolerance, plb, elsewhere, .. } =
            &self.common;
        let PlbParams { pairs, low, high, .. } = plb;
        let tolerance = tolerance.unwrap_or_default();
        let methods = self.methods.len();
        let settings = match elsewhere {
            Some(noise) => format!("quiet, noisy and noisy elsewhere ({})", noise.place),
            None => "quiet and noisy".into(),
        };
        printed(|out| {
            let text = format!(
                "{problem}, {grid} cells, {workers} workers, to {tolerance:e} of the initial \
                 residual; {methods} methods, {settings}, {repetitions} runs of each, every round \
                 in a new order; balancing with {pairs} pairs, low {low}, high {high}"
            );
            writeln!(out, "{}\n", filled(&text))
        })?;
        Ok(())
    }

    /// Makes all runs, or those before an interrupt.
    fn measure(&self, hidden: bool) -> Result<Runs, CommandError> {
        let settings: &[Slowed] = match self.common.elsewhere {
            Some(_) => &[Slowed::Nowhere, Slowed::There, Slowed::Elsewhere],
            None => &Slowed::OR_NOT,
        };
        let trials = interleaved(self.methods.len(), settings, self.common.repetitions, SEED);
        let progress = Progress::new(trials.len(), hidden);
        let runs = make(&trials, |trial| {
            let sample = self.run_trial(trial, &progress)?;
            progress.end();
            Ok::<_, CommandError>(sample)
        })?;
        progress.finish();
        Ok(runs)
    }

    /// Makes one run; returns its sample, or `None` where it was interrupted.
    fn run_trial(
        &self,
        trial: Trial,
        progress: &Progress,
    ) -> Result<Option<ComparisonSample>, CommandError> {
        let Some((method, runs)) = self.methods.get(trial.method) else { return Ok(None) };
        let Some((_, run)) = runs.iter().find(|(slowed, _)| *slowed == trial.slowed) else {
            return Ok(None);
        };
        progress.show(&format!("{}, {}", method.name, trial.slowed.name()));
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

/// Returns a core's noise on a core at the other end of the grid: the worker farthest from the
/// source, or the one beside it. Without a balancer the time depends on which of them is slow.
fn elsewhere(noise: Noise, placement: &Placement) -> Option<Noise> {
    let beside = beside_source(placement)?;
    let farthest = placement.seats.iter().rev().nth(beside.worker.0 as usize)?;
    let NoisePlace::Core(core) = noise.place else { return None };
    let other = if core == farthest.core { beside.core } else { farthest.core };
    (other != core).then_some(Noise { place: NoisePlace::Core(other), ..noise })
}

/// Returns the parasite of section 4.3.
pub(super) fn paper_noise(core: u32) -> Noise {
    let parasite = Parasite::Loop { sleep: Duration::from_micros(200), work: 10_000 };
    Noise { place: NoisePlace::Core(core), parasite }
}

/// Resolves the configuration of one method under these sources of noise.
pub(super) fn resolved(
    args: &CompareArgs,
    method: &Method,
    noise: &[NoiseChoice],
    machine: &Platform,
) -> Result<Resolved, FrontError> {
    let choices = RunFlags {
        cells_per_worker: Some(args.cells_per_worker()),
        mode: Some(method.mode.into()),
        split: Some(method.split),
        balance: Some(method.balance),
        seed: Some(SEED),
        workers: args.workers,
        topology: args.topology,
        noise: NoiseChoices { sources: noise.to_vec() },
        tolerance: args.tolerance,
        ..RunFlags::default()
    };
    let args = SolveArgs { choices, ..SolveArgs::default() };
    resolve(&args, machine.default_workers().workers, machine.available_memory)
}

#[cfg(test)]
mod tests {
    use tresse_core::base::id::SocketId;

    use super::*;
    use tresse_platform::Core;

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
