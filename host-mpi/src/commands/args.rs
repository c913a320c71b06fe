//! The command line.

mod compare;

pub use compare::CompareRanksArgs;

use clap::{Args, Parser, Subcommand, ValueEnum};
use tresse::commands::args::{
    CheckpointArgs, MatrixArgs, NodeChoices, PoolArgs, PoolOutputArgs, SolveArgs, TreeArgs,
};
use tresse::exit::{Exit, Failure};
use tresse::terminal;

/// Solves 2D heat and Poisson problems asynchronously on the ranks of an MPI job, with progressive
/// load balancing within and between them.
#[derive(Clone, Debug, Parser)]
#[command(name = "tresse-mpi", version, propagate_version = true, arg_required_else_help = true)]
pub struct Cli {
    /// The subcommand.
    #[command(subcommand)]
    pub command: Command,
}

/// A command line that cannot be parsed: the parser's message with usage and hints.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unread(String);

impl Unread {
    /// Returns the parser's error, or `None` where a person asks for help, or gives no arguments
    /// and gets help.
    pub fn new(error: &clap::Error) -> Option<Self> {
        let text = error.render().to_string();
        text.strip_prefix("error: ").map(|text| Self(text.trim_end().to_owned()))
    }
}

impl Failure for Unread {
    fn exit(&self) -> Exit {
        Exit::BadInput
    }

    /// Returns the message with its line breaks, as usage and hints have lines of their own.
    fn message(&self) -> String {
        terminal::lines(&self.0).into_owned()
    }
}

/// The subcommands.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Solve one problem on all ranks: the paper's, or that of a file.
    Solve(Box<SolveRanksArgs>),
    /// Compare asynchronous and semi-synchronous runs with and without balancing between ranks,
    /// quiet and with slow ranks.
    Compare(Box<CompareRanksArgs>),
    /// Count an unbalanced tree on all ranks, which share the work.
    Uts(Box<UtsRanksArgs>),
}

const CHECKPOINT: &str = "A folder that all ranks see, for checkpoints: every so often, and on SIGTERM or SIGUSR1 to any rank; the last two are kept [default: none]";
const WORKERS: &str = "Threads of each rank, each pinned to a core of its own [default: one for each physical core of the \
                       rank, as far as a CPU quota allows]";

const AFTER_HELP: &str = "\
Every flag of `tresse solve` means the same here. With --mode rayon, the baseline, ranks wait for each
other's rows after every sweep. Each rank is a node: --noise node=3,duty=0.4 slows the cores of rank 3.

Example: four ranks of one thread each, which give subdomains to each other
  mpirun -n 4 tresse-mpi solve --workers 1 \\
         --node-balance dplb:0.5,10 --out results";

/// The flags of `solve`.
#[derive(Args, Clone, Debug, PartialEq)]
#[command(after_help = AFTER_HELP)]
#[command(mut_arg("workers", |workers| workers.help(WORKERS)))]
#[command(mut_arg("record", |record| record.conflicts_with("resume")))]
#[command(mut_arg("matrix", |matrix| matrix.conflicts_with_all(["checkpoint", "resume"])))]
#[command(mut_arg("checkpoint", |checkpoint| checkpoint.help(CHECKPOINT)))]
pub struct SolveRanksArgs {
    /// Flags of `tresse solve`.
    #[command(flatten)]
    pub solve: SolveArgs,

    /// Movement of work between ranks.
    #[command(flatten)]
    pub nodes: NodeChoices,

    /// Access of ranks to each other.
    #[command(flatten)]
    pub reach: ReachChoices,

    /// Checkpoints of the run.
    #[command(flatten)]
    pub checkpoints: CheckpointArgs,

    /// A sparse system in place of a grid.
    #[command(flatten)]
    pub matrix: MatrixArgs,
}

const UTS_AFTER_HELP: &str = "\
Each rank is a worker, and has one core; the first does what the manager does besides.

Example: four ranks, and the original method beside the one without parameters
  mpirun -n 4 tresse-mpi uts --tree T3L
  mpirun -n 4 tresse-mpi uts --tree T3L --method sharing \\
         --chunk 20 --interval 128";

const UTS_MANAGER: &str = "Who does what the manager does: the first rank in turn with its tasks, or a rank of its own, as published";

/// The flags of `uts`.
#[derive(Args, Clone, Debug, PartialEq)]
#[command(after_help = UTS_AFTER_HELP)]
#[command(mut_arg("workers", |workers| workers.hide(true)))]
#[command(mut_arg("manager", |manager| manager.help(UTS_MANAGER)))]
pub struct UtsRanksArgs {
    /// The tree.
    #[command(flatten)]
    pub tree: TreeArgs,

    /// Flags of the search.
    #[command(flatten)]
    pub pool: PoolArgs,

    /// Flags for the output.
    #[command(flatten)]
    pub output: PoolOutputArgs,
}

/// Flags for the access of ranks to each other.
#[derive(Args, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReachChoices {
    /// Threads that let the gets of other ranks through while this one sweeps: poll (the workers,
    /// after every sweep), thread (one that wakes up for it) or none [default: poll, where there
    /// are other nodes]
    #[arg(long, value_name = "WHO", help_heading = "Ranks")]
    pub progress: Option<ProgressChoice>,

    /// Way to read the edges of neighbours: auto (straight from shared memory on the same node, by
    /// gets between nodes) or get (always by gets) [default: auto]
    #[arg(long, value_name = "HOW", help_heading = "Ranks")]
    pub halo: Option<HaloChoice>,
}

/// Threads that let the gets of other ranks through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProgressChoice {
    /// The workers.
    Poll,
    /// A thread.
    Thread,
    /// Nobody.
    None,
}

/// Ways to read the edges of neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum HaloChoice {
    /// From shared memory where the node has some.
    #[default]
    Auto,
    /// Always by gets.
    Get,
}
