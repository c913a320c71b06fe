//! `tresse bench prediction`: makes runs in virtual time, and the same runs on the machine itself.

use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::Ordering;

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use serde::Serialize;
use tresse_core::run::noise::{Noise, NoisePlace};
use tresse_core::run::{MachineReport, RunConfig};

use crate::commands::args::{BenchPredictionArgs, CompareArgs, FrontError, Resolved};
use crate::commands::calibrate::{WINDOW, machine_file};
use crate::commands::compare::{paper_noise, resolved};
use crate::commands::runs_progress::Progress;
use crate::commands::{CommandError, printed, warn};
use crate::experiments::bench::prediction::{Predicted, Row, Verdict, rows};
use crate::experiments::calibrate::{Calibration, Plan};
use crate::experiments::comparison::{
    ComparisonSample, Made, Slowed, Trial, interleaved, lost_capacity,
};
use crate::experiments::methods::{METHODS, Method};
use crate::files::machine_files::{self, VirtualMachine};
use crate::report::summary::write_json;
use crate::simulation::{self, VirtualJob};
use crate::solver;
use crate::solvers::Solver;
use crate::threads::{End, Job};
use tresse_console::exit::Exit;
use tresse_console::interrupt;
use tresse_platform::{Placement, Platform};

/// Seed of the order of the runs; simulated runs have this seed and the following ones.
const SEED: u64 = 1;
/// Names of those of the paper's methods that are predicted.
const NAMES: [&str; 4] = ["sync", "async(1)", "async(4)", "async(4) + split(0.001)"];

/// The result that `--json` prints.
#[derive(Debug, Serialize)]
struct Prediction<'a> {
    machine: MachineReport<'a>,
    /// The virtual machine that the predictions are of.
    predicted_machine: String,
    /// Whether that was calibrated between the runs.
    calibrated: bool,
    config: Settings<'a>,
    rows: Vec<Row>,
}

/// The settings that all runs have in common.
#[derive(Debug, Serialize)]
struct Settings<'a> {
    repetitions: u32,
    noise: &'a [Noise],
}

/// Makes and simulates the runs, and prints both results.
pub(super) fn run(args: &BenchPredictionArgs) -> Result<Exit, CommandError> {
    let here = Platform::detect()?;
    let placement = Placement::plan(&here, args.workers, None)?;
    let bench = Bench::prepare(args, &here, &placement)?;
    let given = args.machine.as_deref().map(machine_files::load).transpose();
    let given = given.map_err(FrontError::from)?;
    given.as_ref().map_or(Ok(()), |machine| bench.check(machine))?;

    let trials = interleaved(bench.methods.len(), &Slowed::OR_NOT, args.repetitions, SEED);
    let plan = bench.plan(args.repetitions);
    let calibrating = if given.is_some() { 0 } else { plan.runs() };
    let progress = Progress::new(2 * trials.len() + calibrating, args.json);
    let mut calibration = Calibration::default();
    let mut solved = Vec::with_capacity(trials.len());
    for round in trials.chunk_by(|one, next| one.repetition == next.repetition) {
        if given.is_none() && plan.add_round(&mut calibration, &mut progress.one_by_one())? {
            progress.end();
        }
        if is_interrupted() {
            break;
        }
        bench.solve(round, &progress, &mut solved)?;
    }
    let machine = match given {
        _ if is_interrupted() => None,
        Some(given) => Some(given),
        None => Some(calibrated(calibration, &plan)?),
    };
    let simulated = machine
        .as_ref()
        .map(|machine| {
            bench.check(machine)?;
            bench.simulate(machine, &trials, &progress)
        })
        .transpose()?;
    progress.finish();
    let (Some(machine), Some(simulated), false) = (machine, simulated, is_interrupted()) else {
        warn("interrupted: a prediction needs all of its runs, so it shows nothing");
        return Ok(Exit::Interrupted);
    };
    let disturbed = solved.iter().filter(|sample| sample.is_disturbed()).count();
    if disturbed > 0 {
        warn(&format!(
            "this machine is busy: others disturbed {disturbed} of {} runs; predict again when nothing else runs",
            solved.len()
        ));
    }
    let prediction = Prediction {
        machine: here.report(),
        predicted_machine: machine.to_string(),
        calibrated: args.machine.is_none(),
        config: Settings { repetitions: args.repetitions, noise: &bench.noise },
        rows: rows(&NAMES, &simulated, &solved),
    };
    if args.json {
        printed(|to| write_json(&prediction, to))
    } else {
        printed(|to| print(&prediction, to))
    }
}

fn is_interrupted() -> bool {
    interrupt::flag().load(Ordering::Relaxed)
}

/// Returns the machine that was measured.
fn calibrated(calibration: Calibration, plan: &Plan<'_>) -> Result<VirtualMachine, CommandError> {
    let text = machine_file(&calibration.checked()?, plan, "this machine");
    Ok(machine_files::parse(&text, Path::new("")).map_err(FrontError::from)?)
}

/// The settings of all runs.
struct Bench<'a> {
    here: &'a Platform,
    placement: &'a Placement,
    noise: Vec<Noise>,
    methods: Vec<&'static Method>,
    /// Quiet and noisy setting of each method.
    settings: Vec<[Resolved; 2]>,
}

impl<'a> Bench<'a> {
    /// Resolves all methods, each quiet and with the papers' noise on the first core.
    fn prepare(
        args: &BenchPredictionArgs,
        here: &'a Platform,
        placement: &'a Placement,
    ) -> Result<Self, CommandError> {
        let compared = CompareArgs { workers: args.workers, ..CompareArgs::default() };
        let core = placement.seats.first().map_or(0, |seat| seat.core);
        let noise = vec![paper_noise(core)];
        let choices: Vec<_> = noise.iter().map(|&noise| noise.into()).collect();
        let methods: Vec<_> =
            METHODS.iter().filter(|method| NAMES.contains(&method.name)).collect();
        let settings = methods.iter().map(|method| {
            let quiet = resolved(&compared, method, &[], here)?;
            Ok([quiet, resolved(&compared, method, &choices, here)?.with_noise(placement)?])
        });
        let settings = settings.collect::<Result<Vec<_>, FrontError>>()?;
        Ok(Self { here, placement, noise, methods, settings })
    }

    /// Checks that all runs can be simulated on a machine.
    fn check(&self, machine: &VirtualMachine) -> Result<(), CommandError> {
        for Resolved { config, .. } in self.settings.iter().flatten() {
            let config = self.virtual_config(config, SEED);
            simulation::check(&config, &machine.hardware, &machine.traces)?;
        }
        Ok(())
    }

    /// Returns the plan for calibrating this machine between the runs.
    fn plan(&self, rounds: u32) -> Plan<'a> {
        let (machine, placement, interrupt) = (self.here, self.placement, interrupt::flag());
        Plan { machine, placement, rounds, window: WINDOW, interrupt }
    }

    /// Returns the method and the configuration of a trial, if there is one.
    fn setting(&self, trial: Trial) -> Option<(&'static Method, &Resolved)> {
        let [quiet, noisy] = self.settings.get(trial.method)?;
        Some((
            self.methods.get(trial.method)?,
            if trial.slowed == Slowed::Nowhere { quiet } else { noisy },
        ))
    }

    /// Returns the configuration of a run whose workers are on the cores of their numbers.
    fn virtual_config(&self, config: &RunConfig, seed: u64) -> RunConfig {
        let mut config = RunConfig { seed, ..config.clone() };
        for noise in &mut config.noise {
            if let NoisePlace::Core(core) = &mut noise.place {
                let seat = self.placement.seats.iter().find(|seat| seat.core == *core);
                *core = seat.map_or(*core, |seat| seat.worker.0);
            }
        }
        config
    }

    /// Simulates the runs on as many threads as there are cores, since their times are virtual.
    fn simulate(
        &self,
        machine: &VirtualMachine,
        trials: &[Trial],
        progress: &Progress,
    ) -> Result<Vec<ComparisonSample>, CommandError> {
        progress.show("simulated");
        let made = trials.into_par_iter().filter_map(|&trial| {
            let (method, Resolved { config, problem, .. }) = self.setting(trial)?;
            let config = self.virtual_config(config, SEED + u64::from(trial.repetition));
            let hardware = &machine.hardware;
            let job = VirtualJob {
                config: &config,
                problem,
                hardware,
                traces: &machine.traces,
                interrupt: interrupt::flag(),
            };
            let finished = solver::simulate(job, &mut |_| {});
            progress.end();
            Some(finished.map(|finished| {
                let machine =
                    MachineReport { cpu: "", cores: hardware.all_cores(), cpu_quota: None };
                let problem = problem.to_string();
                let (record, sockets) = (&finished.record, hardware.sockets);
                let report =
                    record.report(Solver::from(config.mode), &config, &problem, sockets, machine);
                let method = method.name;
                ComparisonSample::of(Made {
                    method,
                    trial,
                    record,
                    report: &report,
                    lost_capacity: 0.0,
                    pinned: true,
                })
            }))
        });
        Ok(made.collect::<Result<_, _>>()?)
    }

    /// Makes the trials on this machine and collects their samples; stops where it is interrupted.
    fn solve(
        &self,
        trials: &[Trial],
        progress: &Progress,
        samples: &mut Vec<ComparisonSample>,
    ) -> Result<(), CommandError> {
        for &trial in trials {
            let Some((method, run)) = self.setting(trial) else { continue };
            let Resolved { config, problem, .. } = run;
            progress.show(method.name);
            let (placement, interrupt) = (self.placement, interrupt::flag());
            let job = Job { config, problem, placement, interrupt };
            let record = solver::run(job, &mut |_| {})?.record;
            progress.end();
            if record.end == End::Interrupted {
                break;
            }
            let (problem, sockets) = (problem.to_string(), placement.socket_count());
            let report =
                record.report(run.solver, &run.config, &problem, sockets, self.here.report());
            let lost_capacity = lost_capacity(
                placement.seats.iter().map(|seat| seat.core),
                record.noise.iter().map(|noise| (noise.core, noise.share)),
            );
            let pinned = record.unpinned.is_empty();
            let (method, record, report) = (method.name, &record, &report);
            samples.push(ComparisonSample::of(Made {
                method,
                trial,
                record,
                report,
                lost_capacity,
                pinned,
            }));
        }
        Ok(())
    }
}

/// Writes the prediction for a person: one table for each figure, and how many rows are near.
fn print(prediction: &Prediction<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Prediction { predicted_machine, calibrated, config, rows, .. } = prediction;
    let Settings { repetitions: runs, noise } = config;
    let noise: Vec<_> = noise.iter().map(ToString::to_string).collect();
    writeln!(
        out,
        "predicted: medians of {runs} simulated runs on {predicted_machine}, each with its own seed"
    )?;
    if *calibrated {
        writeln!(out, "calibrated: {runs} times, once before each round of the measured runs")?;
    }
    writeln!(out, "measured: medians and quartiles of {runs} runs, every round in a new order")?;
    writeln!(out, "noisy: {}", noise.join(" and "))?;
    for figure in Predicted::ALL {
        writeln!(
            out,
            "\n{:<32}{:>10}{:>10}  {:<20}{:>6}",
            figure.title(),
            "predicted",
            "measured",
            "quartiles",
            "ratio"
        )?;
        for row in rows.iter().filter(|row| row.figure == figure) {
            print_row(row, out)?;
        }
    }
    let open = || rows.iter().filter(|row| row.is_open());
    let near = open().filter(|row| row.verdict == Verdict::Near).count();
    writeln!(
        out,
        "\n{near} of {} within 10 %, besides what is 0 or 1 by the method",
        open().count()
    )
}

/// Writes one row: medians, the measured quartiles, their ratio, and the verdict.
fn print_row(row: &Row, out: &mut dyn Write) -> io::Result<()> {
    let Row { method, noisy, predicted, measured, ratio, .. } = row;
    let digits = if row.figure == Predicted::Seconds { 3 } else { 0 };
    let number = |value: f64| format!("{value:.digits$}");
    let name = format!("{method}, {}", if *noisy { "noisy" } else { "quiet" });
    let range = format!("{} to {}", number(measured.low), number(measured.high));
    let verdict = match row.verdict {
        Verdict::Near => "",
        Verdict::Scattered => "  within the scatter",
        Verdict::Off => "  off",
    };
    writeln!(
        out,
        "{name:<32}{:>10}{:>10}  {range:<20}{:>6}{verdict}",
        number(predicted.median),
        number(measured.median),
        ratio.map_or("-".into(), |ratio| format!("{ratio:.2}")),
    )
}
