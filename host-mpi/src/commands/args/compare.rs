//! `tresse-mpi compare`.

use clap::Args;
use tresse::commands::args::{CompareArgs, NodeChoices, NoiseChoices, RunFlags, SolveArgs};
use tresse_core::base::grammar::count;
use tresse_core::base::id::NodeId;
use tresse_core::base::time::Duration;
use tresse_core::run::noise::{Noise, NoiseChoice, NoisePlace, Parasite};
use tresse_core::run::{Balance, GridSize, Mode, NodeBalance};

use super::{CheckpointArgs, MatrixArgs, ReachChoices, SolveRanksArgs, WORKERS};

const REPETITIONS: &str =
    "Runs of each method in each setting, interleaved [default: 5, or 3 with --quick]";
const QUICK: &str =
    "Fewer runs of a smaller problem: under two minutes on two ranks of one worker each";
const NOISE: &str = "Parasites of the noisy setting, as in `solve`; may be repeated [default: node=N,duty=0.4 with the first rank, which has the cells next to the problem's Gaussian source]";
const CELLS: &str =
    "Cells of each worker's part of the grid [default: 1200x1200, or 600x600 with --quick]";
const TOLERANCE: &str =
    "End of each run: l2 norm of the residual, relative to the initial one [default: 1e-3]";
const NODE_BALANCE: &str = "The balancer that runs with one have: dplb:F,THRESHOLD (F seconds between looks; nothing moves below a difference of THRESHOLD updates) [default: dplb:0.5,10, or dplb:0.05,10 with --quick, whose runs are shorter]";

const AFTER_HELP: &str = "\
The methods are async and ssync:30, each with and without balancing between ranks, all with 4 subdomains
a worker and PLB on each rank (split:0.001), as in section 5 of Zarins & Weiland 2020.

Example: two ranks of one thread each, the second at 60 % of its speed in the noisy runs
  mpirun -n 2 tresse-mpi compare --workers 1 \\
         --noise node=1,duty=0.4 --out results";

/// The flags of `compare`.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(after_help = AFTER_HELP)]
#[command(mut_arg("repetitions", |argument| argument.help(REPETITIONS)))]
#[command(mut_arg("quick", |argument| argument.help(QUICK)))]
#[command(mut_arg("noise", |argument| argument.help(NOISE)))]
#[command(mut_arg("cells_per_worker", |argument| argument.help(CELLS)))]
#[command(mut_arg("tolerance", |argument| argument.help(TOLERANCE)))]
#[command(mut_arg("workers", |argument| argument.help(WORKERS)))]
#[command(mut_arg("node_balance", |argument| argument.help(NODE_BALANCE)))]
pub struct CompareRanksArgs {
    /// Flags of `tresse compare`.
    #[command(flatten)]
    pub compare: CompareArgs,

    /// Seed of every random choice, the order of the runs included [default: 1]
    #[arg(long, value_name = "SEED", value_parser = count, allow_negative_numbers = true)]
    pub seed: Option<u64>,

    /// Movement of work between ranks.
    #[command(flatten)]
    pub nodes: NodeChoices,

    /// Access of ranks to each other.
    #[command(flatten)]
    pub reach: ReachChoices,
}

/// Time between two balancing rounds of a rank (section 5).
const PLB_PERIOD: Duration = Duration::from_millis(1);
/// Subdomains that each worker starts with (section 5).
const SPLIT: u32 = 4;
/// Difference of mean update counts from which on subdomains move.
const THRESHOLD: u64 = 10;
/// The residual that ends a run (section 4).
const TOLERANCE_OF_PAPER: f64 = 1e-3;

impl CompareRanksArgs {
    /// Returns the number of runs of each method in each setting.
    pub fn repetitions(&self) -> u32 {
        self.compare.repetitions.unwrap_or(if self.compare.quick { 3 } else { 5 })
    }

    /// Returns the seed of every random choice.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }

    /// Returns the balancer of the runs that have one between ranks.
    pub fn node_balance(&self) -> NodeBalance {
        // Half a second is the paper's, whose runs take minutes.
        let period = Duration::from_millis(if self.compare.quick { 50 } else { 500 });
        let default = NodeBalance::Dplb { period, threshold: THRESHOLD };
        self.nodes.node_balance.unwrap_or(default)
    }

    /// Returns the parasites of the noisy setting.
    pub fn noise(&self) -> Vec<NoiseChoice> {
        if !self.compare.noise.is_empty() {
            return self.compare.noise.clone();
        }
        // It has the top of the grid, and so the cells beside the source, whose delay costs most.
        let place = NoisePlace::Node(NodeId(0));
        vec![Noise { place, parasite: Parasite::Duty { millionths: 400_000 } }.into()]
    }

    /// Returns the flags of one method's runs.
    pub fn solve(&self, mode: Mode, is_balanced: bool, noise: &[NoiseChoice]) -> SolveRanksArgs {
        let CompareArgs { workers, topology, tolerance, .. } = self.compare;
        let side = if self.compare.quick { 600 } else { 1200 };
        let default = GridSize { rows: side, columns: side };
        let choices = RunFlags {
            cells_per_worker: Some(self.compare.cells_per_worker.unwrap_or(default)),
            mode: Some(mode.into()),
            split: Some(SPLIT),
            balance: Some(Balance::Split(PLB_PERIOD)),
            seed: Some(self.seed()),
            workers,
            topology,
            noise: NoiseChoices { sources: noise.to_vec() },
            tolerance: Some(tolerance.unwrap_or(TOLERANCE_OF_PAPER)),
            ..RunFlags::default()
        };
        let balance = if is_balanced { self.node_balance() } else { NodeBalance::None };
        SolveRanksArgs {
            solve: SolveArgs { choices, ..SolveArgs::default() },
            nodes: NodeChoices { node_balance: Some(balance), ..self.nodes.clone() },
            reach: self.reach,
            checkpoints: CheckpointArgs::default(),
            matrix: MatrixArgs::default(),
        }
    }
}
