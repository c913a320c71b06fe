//! The command line.

mod compare;

pub use compare::CompareRanksArgs;

use clap::{Args, Parser, Subcommand, ValueEnum};
use tresse::args::{NodeChoices, SolveArgs};

/// Solves 2D heat and Poisson problems asynchronously on the ranks of an MPI job, with progressive
/// load balancing within and between them.
#[derive(Clone, Debug, Parser)]
#[command(name = "tresse-mpi", version, propagate_version = true, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Solve one problem on all ranks: the paper's, or that of a file.
    Solve(Box<SolveRanksArgs>),
    /// Compare asynchronous and semi-synchronous runs with and without balancing between ranks,
    /// quiet and with slow ranks.
    Compare(Box<CompareRanksArgs>),
}

const WORKERS: &str = "Threads of each rank, each pinned to a core of its own [default: one for each core of the rank]";

const AFTER_HELP: &str = "\
Every flag of `tresse solve` means the same here, but --record and --mode rayon, which are for one
process. Each rank is a node: --noise node=3,duty=0.4 slows the cores of rank 3.

Example: four ranks of one thread each, which give subdomains to each other
  mpirun -n 4 tresse-mpi solve --workers 1 --node-balance dplb:0.5,10 --out results";

/// The flags of `solve`.
#[derive(Args, Clone, Debug, PartialEq)]
#[command(after_help = AFTER_HELP)]
#[command(mut_arg("workers", |workers| workers.help(WORKERS)))]
#[command(mut_arg("record", |record| record.hide(true)))]
pub struct SolveRanksArgs {
    /// Those of `tresse solve`.
    #[command(flatten)]
    pub solve: SolveArgs,

    /// How work moves between ranks.
    #[command(flatten)]
    pub nodes: NodeChoices,

    /// How ranks reach each other.
    #[command(flatten)]
    pub reach: ReachChoices,
}

/// How ranks reach each other.
#[derive(Args, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReachChoices {
    /// Who lets the gets of other ranks through while this one sweeps: poll (the workers, after every
    /// sweep), thread (one that wakes up for it) or none [default: poll, where there are other nodes]
    #[arg(long, value_name = "WHO", help_heading = "Ranks")]
    pub progress: Option<ProgressChoice>,

    /// How the edges of neighbours are read: auto (straight from shared memory on the same node, by
    /// gets between nodes) or get (always by gets) [default: auto]
    #[arg(long, value_name = "HOW", help_heading = "Ranks")]
    pub halo: Option<HaloChoice>,
}

/// Who lets the gets of other ranks through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProgressChoice {
    /// The workers.
    Poll,
    /// A thread.
    Thread,
    /// Nobody.
    None,
}

/// How the edges of neighbours are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum HaloChoice {
    /// From shared memory where there is some.
    #[default]
    Auto,
    /// By gets.
    Get,
}
