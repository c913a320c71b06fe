//! `tresse bench`: measurements of single pieces.

mod prediction;
mod vm;

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::Serialize;
use tresse_core::run::{Balance, Mode};

use super::{CommandError, printed, warn};
use crate::commands::args::{
    BenchCommand, BenchEngineArgs, BenchKernelArgs, BenchRoundArgs, FrontError, Resolved, RunFlags,
    SolveArgs, resolve,
};
use crate::experiments::bench::engine::{self, EngineBench, EngineBenchError, EngineRates};
use crate::experiments::bench::kernel::{self, BenchError, KernelBench, KernelRate};
use crate::experiments::bench::round::{RoundBench, RoundTimes, Times};
use crate::report::summary::write_json;
use tresse_console::exit::Exit;
use tresse_console::interrupt;
use tresse_platform::{Placement, Platform};

/// Measures a piece and prints the result.
pub fn run(command: &BenchCommand) -> Result<Exit, CommandError> {
    match command {
        BenchCommand::Kernel(args) => measure_kernel(args),
        BenchCommand::Round(args) => measure_round(args),
        BenchCommand::Engine(args) => measure_engine(args),
        BenchCommand::Prediction(args) => prediction::run(args),
        BenchCommand::Vm(args) => vm::run(args),
    }
}

/// `tresse bench kernel`: measures the bare sweep, and shows its rate.
fn measure_kernel(args: &BenchKernelArgs) -> Result<Exit, CommandError> {
    let bench = KernelBench {
        size: args.size,
        precision: args.precision,
        threads: args.threads as usize,
        time: Duration::from_nanos(args.seconds.0),
        residual: !args.no_residual,
        interrupt: interrupt::flag(),
    };
    if bench.bytes() > Platform::detect()?.available_memory {
        return Err(BenchError::Memory(args.size).into());
    }
    let rate = kernel::measure(&bench)?;
    let done = show(&rate, args.json, || {
        let KernelRate { grid, precision, threads, kernel, .. } = rate;
        let residual = if rate.with_residual { " with its residual" } else { " alone" };
        vec![format!(
            "{} cell updates per second: {grid} cells, {precision}, threads: {threads}, the sweep \
             for {kernel}{residual}",
            billions(rate.cell_updates_per_second)
        )]
    })?;
    Ok(if interrupt::is_asked() { Exit::Interrupted } else { done })
}

/// `tresse bench round`: measures the time of one balancing round.
fn measure_round(args: &BenchRoundArgs) -> Result<Exit, CommandError> {
    interrupt::ends_at_once();
    let bench = RoundBench { subdomains: args.subdomains, seed: 1 };
    if bench.is_stuck() {
        warn("with so few subdomains nothing ever moves: give more --subdomains");
    }
    let times = bench.measure(Platform::detect()?.available_memory)?;
    show(&times, args.json, || {
        let RoundTimes { subdomains, workers, joint, split, .. } = times;
        let line = |name, Times { quartiles, samples }: Times| {
            format!(
                "{name}  {:.0} ns a round (quartiles {:.0} to {:.0}, {samples} samples)",
                quartiles.median, quartiles.low, quartiles.high
            )
        };
        vec![
            format!("{subdomains} subdomains on {workers} workers"),
            line("joint", joint),
            line("split", split),
        ]
    })
}

/// `tresse bench engine`: measures the solver with and without a balancer beside the bare kernel.
fn measure_engine(args: &BenchEngineArgs) -> Result<Exit, CommandError> {
    let machine = Platform::detect()?;
    let plain = engine_run(args, Balance::None, &machine)?;
    let period = tresse_core::base::time::Duration::from_millis(1);
    let balanced = engine_run(args, Balance::Split(period), &machine)?;
    let placement = Placement::plan(&machine, Some(plain.config.workers), None)?;
    balanced.warnings.iter().for_each(|warning| warn(warning));
    let interrupt = interrupt::flag();
    let bench = EngineBench {
        plain: &plain.config,
        balanced: &balanced.config,
        problem: &plain.problem,
        placement: &placement,
        cells_per_worker: args.cells_per_worker,
        time: Duration::from_nanos(args.seconds.0),
        interrupt,
    };
    let measured = engine::measure(&bench);
    let interrupted = interrupt.load(Ordering::Relaxed);
    let rates = match measured {
        Err(EngineBenchError::Unmeasured) if interrupted => {
            warn("interrupted before anything was measured");
            return Ok(Exit::Interrupted);
        }
        measured => measured?,
    };
    if let Some(warning) = rates.cpu_share.and_then(busy) {
        warn(&warning);
    }
    let done = show(&rates, args.json, || lines(&rates))?;
    Ok(if interrupted { Exit::Interrupted } else { done })
}

/// Returns a run of the paper's problem, with four subdomains for each worker, whose end is not
/// reached in the time, so that detecting the end costs as much as in any run.
fn engine_run(
    args: &BenchEngineArgs,
    balance: Balance,
    machine: &Platform,
) -> Result<Resolved, FrontError> {
    let choices = RunFlags {
        cells_per_worker: Some(args.cells_per_worker),
        mode: Some(Mode::Async.into()),
        split: Some(4),
        balance: Some(balance),
        precision: Some(args.precision),
        tolerance: Some(1e-12),
        ..RunFlags::default()
    };
    let args = SolveArgs { choices, ..SolveArgs::default() };
    resolve(&args, machine.default_workers().workers, machine.available_memory)
}

/// Words the rates for a person, one line for each.
fn lines(rates: &EngineRates) -> Vec<String> {
    let EngineRates { kernel_rate, engine_rate, balanced_rate, .. } = *rates;
    let percent = |ratio: f64| format!("{:.1} %", ratio * 100.0);
    vec![
        format!("cell updates per second, medians of {} alternations", rates.alternations),
        format!("bare kernel on every core    {}, as `bench kernel` has it", billions(kernel_rate)),
        format!("its sweep without residual   {}", billions(rates.sweep_rate)),
        format!(
            "async, 4 subdomains          {}, {} of the kernel, {} of the sweep",
            billions(engine_rate),
            percent(rates.engine_ratio),
            percent(rates.engine_over_sweep)
        ),
        format!(
            "the same with split(0.001)   {}, {} of the kernel, {} of async without",
            billions(balanced_rate),
            percent(rates.balanced_ratio),
            percent(rates.balancer_ratio)
        ),
        rates.cpu_share.map_or_else(String::new, |share| {
            format!("workers had                  {} of their cores' time", percent(share))
        }),
    ]
}

/// Returns a warning where workers had too little of their cores' time, a share from 0 to 1.
fn busy(cpu_share: f64) -> Option<String> {
    (cpu_share < 0.95).then(|| {
        format!(
            "this machine is busy: others had {:.1} % of the workers' time; measure again when nothing else runs",
            (1.0 - cpu_share) * 100.0
        )
    })
}

/// Words a rate in billions a second.
fn billions(rate: f64) -> String {
    format!("{:.3} billion", rate * 1e-9)
}

/// Prints one JSON object, or lines for a person.
fn show(
    measured: &impl Serialize,
    json: bool,
    lines: impl FnOnce() -> Vec<String>,
) -> Result<Exit, CommandError> {
    printed(
        |out| {
            if json { write_json(measured, out) } else { writeln!(out, "{}", lines().join("\n")) }
        },
    )
}
