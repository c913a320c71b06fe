//! The command line ([`args`]), and the commands of all subjects.

pub mod args;
pub mod completions;
pub mod man;

use std::io;
use std::sync::atomic::Ordering;

pub use tresse_console::command::{CommandError, printed, warn};
pub use tresse_console::runs_progress;
pub use tresse_engine::commands::{
    RecordingFailed, RunError, bench, calibrate, compare, export_trace, noise, replay, simulate,
    solve, topology,
};
pub use tresse_papers::commands::reproduce;
pub use tresse_tasks::commands::{SetUpError, pool, traverse, uts};
pub use tresse_traces::commands::{balance, decide, traces};

use crate::commands::args::{Cli, Command, DecideCommand, NoiseArgs};
use crate::exit::Exit;
use crate::interrupt;
use crate::platform::{Placement, Platform};

/// Runs the command of the command line.
pub fn run(cli: Cli) -> Result<Exit, CommandError> {
    match cli.command {
        Command::Solve(args) => solve::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::ExportTrace(args) => export_trace::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Traces(args) => traces::run(&args.command),
        Command::Balance(args) => balance::run(&args),
        Command::Uts(args) => uts::run(&args),
        Command::Traverse(args) => traverse::run(&args),
        Command::Decide(args) => {
            interrupt::ends_at_once();
            let decision: decide::Decision = match args.command {
                DecideCommand::Plb => decide::plb,
                DecideCommand::Grapevine => decide::grapevine,
            };
            printed(|out| decide::run(decision, io::stdin().lock(), out))
        }
        Command::Noise(args) => make_noise(&args),
        Command::Bench(args) => bench::run(&args.command),
        Command::Calibrate(args) => calibrate::run(&args),
        Command::Topology(args) => {
            interrupt::ends_at_once();
            let machine = Platform::detect()?;
            let placement = Placement::plan(&machine, args.workers, args.topology)?;
            printed(|out| topology::run(&machine, &placement, args.json, out))
        }
        Command::Completions(args) => {
            interrupt::ends_at_once();
            printed(|out| completions::run(&args, out))
        }
        Command::Man(args) => {
            interrupt::ends_at_once();
            man::run(&args)
        }
    }
}

/// `tresse noise`: makes noise on a core until it is over or interrupted.
fn make_noise(args: &NoiseArgs) -> Result<Exit, CommandError> {
    let options = noise::NoiseOptions {
        core: args.core,
        parasite: args.noise().parasite,
        seconds: args.seconds.map(tresse_core::base::time::Duration::seconds),
        json: args.json,
    };
    let stop = interrupt::flag();
    let done = printed(|out| noise::run(&options, stop, out))?;
    Ok(if stop.load(Ordering::Relaxed) { Exit::Interrupted } else { done })
}
