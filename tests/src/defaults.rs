//! Command lines as a person may type them: defaults, on a shipped machine or an odd topology,
//! beside noise of any kind, with a choice or two.
//!
//! What a test sets by hand is what its author has thought of; what nobody sets is what everybody
//! runs.

use std::sync::atomic::{AtomicBool, Ordering};

use clap::Parser as _;
use tresse::commands;
use tresse::commands::args::{Cli, Command, ResolvedSimulation, resolve_simulation};
use tresse::engine::simulation::{self, VirtualJob};
use tresse::engine::solver;
use tresse::engine::solvers::Method;
use tresse::exit::Exit;
use tresse_core::run::{End, Precision};
use tresse_core::sim::machine::Event;
use tresse_core_tests::choices::Choices;

/// Sweeps of a run after which it is interrupted: it is only to be seen whether it ends.
pub const MOST_SWEEPS: u64 = 60_000;
/// Times as many sweeps by which it must have ended: where sweeps are short, others make many while
/// the core is taken of the worker that is to see the interrupt.
const PATIENCE: u64 = 100;

/// What came of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The flags do not go together, and a message says so.
    Refused,
    /// The run ended by itself, or at an interrupt.
    Ended(End),
    /// Tasks were counted, as often as there are.
    Counted,
}

/// Returns a run in virtual time.
pub fn simulation(bytes: &[u8]) -> String {
    let mut choices = Choices(bytes);
    let mut line = String::from("tresse simulate");
    let mut add = |words: &str| line.extend([" ", words]);
    add(choices.one_of(&[
        "",
        "--machine archer",
        "--machine cirrus",
        "--machine icc --nodes 2",
        "--machine cirrus-15 --nodes 2",
        "--machine cirrus-15 --nodes 3",
        "--machine laptop --nodes 2",
    ]));
    add(choices.one_of(&[
        "",
        "",
        "",
        "--topology 1x1",
        "--topology 1x2",
        "--topology 2x1",
        "--topology 1x3",
        "--topology 3x5",
        "--topology 2x64",
    ]));
    let cells = choices.one_of(&["2x2", "2x2", "3x2", "4x4", "5x7", "8x8"]);
    add(&format!("--cells-per-worker {cells}"));
    add(choices.one_of(&["--timed-as 300x300", "", "--timed-as 40x60", "--timed-as 1000x1000"]));
    for _ in 0..choices.one_of(&[1, 0, 1, 2]) {
        add(&noise(&mut choices));
    }
    add(choices.one_of(&["", "", "", "", "--mode exact", "--mode ssync:1", "--mode sync"]));
    add(choices.one_of(&[
        "",
        "",
        "",
        "--balance pull",
        "--balance none",
        "--balance joint:0.001",
        "--balance split:0.0005",
        "--balance hybrid:0.001,3",
    ]));
    add(choices.one_of(&["", "", "", "--no-help", "--always-help"]));
    add(choices.one_of(&["", "", "", "--split 1", "--split 2", "--split 9"]));
    add(choices.one_of(&[
        "",
        "",
        "",
        "--tolerance 1e-2",
        "--tolerance 2",
        "--iterations 50",
        "--iterations 1",
    ]));
    add(choices.one_of(&["", "", "", "--node-balance dplb:0.001,2", "--node-balance chaos:3"]));
    add(&format!("--seed {}", choices.between(1, 1_000)));
    line
}

/// Returns a source of noise of any kind.
fn noise(choices: &mut Choices<'_>) -> String {
    let place = choices.one_of(&[
        "socket=0",
        "core=0",
        "core=2",
        "socket=1",
        "node=0",
        "any-core=1",
        "any-core=8",
        "any-socket=1",
    ]);
    let what = choices.one_of(&[
        "burst=5ms,gap=7.5ms",
        "duty=0.3",
        "duty=0.19",
        "duty=0.9",
        "sleep=200us,work=10000",
        "sleep=1ms,work=1000000",
        "burst=200us,gap=1ms",
        "burst=50ms,gap=50ms",
    ]);
    format!("--noise {place},{what}")
}

/// Returns a search or a traversal by a pool of tasks in virtual time.
pub fn pool(bytes: &[u8]) -> String {
    let mut choices = Choices(bytes);
    let subject = choices.one_of(&[
        "uts -t 0 -b 60 -q 0.2 -m 4",
        "uts -t 1 -a 3 -d 4",
        "uts -t 2 -d 5",
        "traverse --graph random:vertices=1000",
        "traverse --graph random:vertices=800,degree=1,span=5",
    ]);
    let mut line = format!("tresse {subject}");
    let mut add = |words: &str| line.extend([" ", words]);
    add(choices.one_of(&[
        "--machine laptop",
        "--machine archer",
        "--machine cirrus",
        "--machine icc --nodes 2",
        "--machine cirrus-15 --nodes 2",
    ]));
    for _ in 0..choices.one_of(&[1, 0, 1, 2]) {
        add(&noise(&mut choices));
    }
    add(choices.one_of(&[
        "",
        "",
        "",
        "--method sharing",
        "--method speculative",
        "--method prefetch",
        "--method stealing",
        "--method speculative-stealing",
        "--method prefetch-stealing",
    ]));
    add(choices.one_of(&[
        "",
        "",
        "--manager dedicated",
        "--managers 2",
        "--workers 1",
        "--workers 3",
    ]));
    add(choices.one_of(&["", "", "--chunk 1", "--interval 1", "--copies 5", "--window 2"]));
    add(&format!("--seed {} --quiet", choices.between(1, 1_000)));
    line
}

/// Makes a run in virtual time, which is interrupted after so many sweeps.
///
/// # Panics
/// Where the line cannot be read, or a run that is interrupted goes on.
pub fn simulate(line: &str, most: u64) -> Outcome {
    let Command::Simulate(args) = command(line) else { panic!("{line}: no run in virtual time") };
    let Ok(ResolvedSimulation { run, machine, .. }) = resolve_simulation(&args, 1 << 34) else {
        return Outcome::Refused;
    };
    let interrupt = AtomicBool::new(false);
    let job = VirtualJob {
        config: &run.config,
        problem: &run.problem,
        hardware: &machine.hardware,
        traces: &machine.traces,
        interrupt: &interrupt,
    };
    let mut sweeps = 0;
    let mut events = |_, event| {
        sweeps += u64::from(matches!(event, Event::Swept { .. }));
        interrupt.store(sweeps >= most, Ordering::Relaxed);
        assert!(sweeps / PATIENCE < most, "{line}: an interrupt does not end the run");
    };
    let ended = match (run.method, run.config.precision) {
        (Method::Jacobi, Precision::F64) => {
            simulation::simulate::<f64>(job, &mut |_| {}, &mut events).map(|done| done.record.end)
        }
        (method, _) => {
            solver::simulate_method(method, job, &mut |_| {}).map(|done| done.record.end)
        }
    };
    ended.map_or(Outcome::Refused, Outcome::Ended)
}

/// Counts or traverses by a pool, as the program does.
///
/// # Panics
/// Where the line cannot be read, or what is counted is wrong.
pub fn share(line: &str) -> Outcome {
    let cli = Cli::try_parse_from(line.split_whitespace());
    match commands::run(cli.unwrap_or_else(|error| panic!("{line}: {error}"))) {
        Err(error) => {
            let message = error.message();
            assert!(!message.contains("for ever"), "{line}: {message}");
            Outcome::Refused
        }
        Ok(Exit::Done) => Outcome::Counted,
        Ok(exit) => panic!("{line}: {exit:?}"),
    }
}

fn command(line: &str) -> Command {
    let cli = Cli::try_parse_from(line.split_whitespace());
    cli.unwrap_or_else(|error| panic!("{line}: {error}")).command
}
