//! `tresse bench prediction`: runs in virtual time, then the same ones on the machine itself.

use std::io::{self, Write};
use std::sync::atomic::Ordering;

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use serde::Serialize;
use tresse_core::noise::{Noise, Place};
use tresse_core::run::{MachineReport, RunConfig};

use crate::args::{BenchPredictionArgs, CompareArgs, FrontError, Resolved};
use crate::bench::prediction::{Predicted, Row, Verdict, rows};
use crate::commands::compare::{paper_noise, resolved};
use crate::commands::runs_progress::Progress;
use crate::commands::{CommandError, interrupt, printed, warn};
use crate::comparison::{Made, Sample, Turn, interleaved, lost_capacity};
use crate::exit::Exit;
use crate::hardware::VirtualMachine;
use crate::machine::{Machine, Placement};
use crate::methods::{METHODS, Method};
use crate::report::summary::write_json;
use crate::simulation::{self, VirtualJob};
use crate::solver;
use crate::threads::{End, Job};

/// Of the order of the runs; simulated runs have this one and those after it.
const SEED: u64 = 1;
/// What is predicted, among the paper's methods.
const NAMES: [&str; 4] = ["sync", "async(1)", "async(4)", "async(4) + split(0.001)"];

/// Everything, as `--json` prints it.
#[derive(Debug, Serialize)]
struct Prediction<'a> {
    machine: String,
    runs: u32,
    noise: &'a [Noise],
    rows: Vec<Row>,
}

/// Simulates, solves and prints both.
pub(super) fn run(args: &BenchPredictionArgs) -> Result<Exit, CommandError> {
    let here = Machine::detect()?;
    let bench = Bench::prepare(args, &here)?;
    let turns = interleaved(bench.methods.len(), args.repetitions, SEED);
    let progress = Progress::new(2 * turns.len(), args.json);
    let simulated = bench.simulate(&turns, &progress)?;
    let solved = bench.solve(&turns, &progress)?;
    progress.finish();
    if interrupt::flag().load(Ordering::Relaxed) {
        warn("interrupted: a prediction needs all of its runs, so it shows nothing");
        return Ok(Exit::Interrupted);
    }
    let prediction = Prediction {
        machine: bench.machine.to_string(),
        runs: args.repetitions,
        noise: &bench.noise,
        rows: rows(&NAMES, &simulated, &solved),
    };
    if args.json {
        printed(|to| write_json(&prediction, to))
    } else {
        printed(|to| print(&prediction, to))
    }
}

/// Everything that is decided before the first run.
struct Bench<'a> {
    here: &'a Machine,
    placement: Placement,
    machine: VirtualMachine,
    noise: Vec<Noise>,
    methods: Vec<&'static Method>,
    /// Each method quiet and noisy.
    settings: Vec<[Resolved; 2]>,
}

impl<'a> Bench<'a> {
    fn prepare(args: &BenchPredictionArgs, here: &'a Machine) -> Result<Self, CommandError> {
        let machine = VirtualMachine::load(&args.machine).map_err(FrontError::from)?;
        let compared = CompareArgs { workers: args.workers, ..CompareArgs::default() };
        let placement = Placement::plan(here, args.workers, None)?;
        let core = placement.seats.first().map_or(0, |seat| seat.core);
        let noise = vec![paper_noise(core)];
        let choices: Vec<_> = noise.iter().map(|&noise| noise.into()).collect();
        let methods: Vec<_> =
            METHODS.iter().filter(|method| NAMES.contains(&method.name)).collect();
        let settings = methods.iter().map(|method| {
            let quiet = resolved(&compared, method, &[], here)?;
            Ok([quiet, resolved(&compared, method, &choices, here)?.with_noise(&placement)?])
        });
        let settings = settings.collect::<Result<Vec<_>, FrontError>>()?;
        let bench = Self { here, placement, machine, noise, methods, settings };
        for Resolved { config, .. } in bench.settings.iter().flatten() {
            let config = bench.virtual_config(config, SEED);
            simulation::check(&config, &bench.machine.hardware, &bench.machine.traces)?;
        }
        Ok(bench)
    }

    fn setting(&self, turn: Turn) -> Option<(&'static Method, &Resolved)> {
        let [quiet, noisy] = self.settings.get(turn.method)?;
        Some((self.methods.get(turn.method)?, if turn.noisy { noisy } else { quiet }))
    }

    /// The same run where workers are on the cores of their numbers.
    fn virtual_config(&self, config: &RunConfig, seed: u64) -> RunConfig {
        let mut config = RunConfig { seed, ..config.clone() };
        for noise in &mut config.noise {
            if let Place::Core(core) = &mut noise.place {
                let seat = self.placement.seats.iter().find(|seat| seat.core == *core);
                *core = seat.map_or(*core, |seat| seat.worker.0);
            }
        }
        config
    }

    /// On as many threads as there are cores, since their times are virtual.
    fn simulate(&self, turns: &[Turn], progress: &Progress) -> Result<Vec<Sample>, CommandError> {
        progress.show("simulated");
        let made = turns.into_par_iter().filter_map(|&turn| {
            let (method, Resolved { config, problem, .. }) = self.setting(turn)?;
            let config = self.virtual_config(config, SEED + u64::from(turn.repetition));
            let hardware = &self.machine.hardware;
            let job = VirtualJob {
                config: &config,
                problem,
                hardware,
                traces: &self.machine.traces,
                interrupt: interrupt::flag(),
            };
            let finished = solver::simulate(job, &mut |_| {});
            progress.end();
            Some(finished.map(|finished| {
                let machine = MachineReport { cpu: "", cores: hardware.all_cores() };
                let problem = problem.to_string();
                let report = finished.record.report(&config, &problem, hardware.sockets, machine);
                let record = &finished.record;
                let method = method.name;
                Sample::of(Made {
                    method,
                    turn,
                    record,
                    report: &report,
                    lost_capacity: 0.0,
                    pinned: true,
                })
            }))
        });
        Ok(made.collect::<Result<_, _>>()?)
    }

    fn solve(&self, turns: &[Turn], progress: &Progress) -> Result<Vec<Sample>, CommandError> {
        let mut samples = Vec::with_capacity(turns.len());
        for &turn in turns {
            let Some((method, Resolved { config, problem, .. })) = self.setting(turn) else {
                continue;
            };
            progress.show(method.name);
            let (placement, interrupt) = (&self.placement, interrupt::flag());
            let job = Job { config, problem, placement, interrupt };
            let record = solver::run(job, &mut |_| {})?.record;
            progress.end();
            if record.end == End::Interrupted {
                break;
            }
            let (problem, sockets) = (problem.to_string(), placement.socket_count());
            let report = record.report(config, &problem, sockets, self.here.report());
            let lost_capacity = lost_capacity(
                placement.seats.iter().map(|seat| seat.core),
                record.noise.iter().map(|noise| (noise.core, noise.share)),
            );
            let pinned = record.unpinned.is_empty();
            let (method, record, report) = (method.name, &record, &report);
            samples.push(Sample::of(Made { method, turn, record, report, lost_capacity, pinned }));
        }
        Ok(samples)
    }
}

fn print(prediction: &Prediction<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Prediction { machine, runs, noise, rows } = prediction;
    let noise: Vec<_> = noise.iter().map(ToString::to_string).collect();
    writeln!(
        out,
        "predicted: medians of {runs} simulated runs on {machine}, each with its own seed"
    )?;
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
    let near = rows.iter().filter(|row| row.verdict == Verdict::Near).count();
    writeln!(out, "\n{near} of {} within 10 %", rows.len())
}

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
