//! The flags of the commands of runs, and their precedence over a file and the defaults.

mod bench;
mod calibrate;
mod checkpoints;
mod choices;
mod compare;
pub(in crate::commands) mod describe;
mod error;
mod matrix;
mod method;
mod nodes;
mod noise;
mod ranks;
mod replay;
pub(in crate::commands) mod resolve;
mod run_table;
pub(in crate::commands) mod simulate;
mod solve;
mod source;
mod topology;

pub use bench::{
    BenchArgs, BenchCommand, BenchEngineArgs, BenchKernelArgs, BenchPredictionArgs, BenchRoundArgs,
    BenchVmArgs,
};
pub use calibrate::CalibrateArgs;
pub use checkpoints::CheckpointArgs;
pub use choices::{MethodChoice, RelativeToChoice, RunFlags};
pub use compare::CompareArgs;
pub use describe::{describe, describe_simulation};
pub use error::FrontError;
pub use matrix::MatrixArgs;
pub use nodes::NodeChoices;
pub use noise::NoiseArgs;
pub use ranks::{Home, resolve_on_ranks};
pub use replay::{ExportTraceArgs, ReplayArgs};
pub use resolve::{Resolved, resolve};
pub use run_table::read_run_table;
pub use simulate::{ResolvedSimulation, SimulateArgs, resolve_simulation};
pub use solve::{SolveArgs, SolveHereArgs};
pub use topology::TopologyArgs;
pub use tresse_console::args::NoiseChoices;

/// A program with the commands whose flags are resolved here.
#[cfg(test)]
#[derive(Debug, clap::Parser)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[cfg(test)]
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Solve(Box<SolveHereArgs>),
    Simulate(Box<SimulateArgs>),
}
