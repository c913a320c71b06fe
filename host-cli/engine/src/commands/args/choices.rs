//! The choices that flags of `solve` and the `[run]` table of a problem file share.

use clap::{Args, ValueEnum};
use tresse_console::args::NoiseChoices;
use tresse_console::args::values::{coarse_cycles, coarsest_cells, real, size, smoothing_steps};
use tresse_core::base::grammar::{count, count32};
use tresse_core::field::choices::RunChoices;
use tresse_core::field::problem::CellSize;
use tresse_core::run::{Balance, GridSize, Imbalance, Precision};

use crate::solvers::Solver;
use tresse_platform::TopologyOverride;

/// What a tolerance is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RelativeToChoice {
    /// The residual before the first sweep.
    Start,
    /// The residual of a field of zeros: the norm of source and boundary.
    Problem,
}

/// Flags about a run; a field is `None` where one is not given.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub struct RunFlags {
    /// Cells of each worker's part of the grid [default: 300x300]
    #[arg(long, value_name = "RxC", help_heading = "Problem", value_parser = GridSize::parse)]
    pub cells_per_worker: Option<GridSize>,

    /// Height and width of a cell, such as 0.5x2, or one distance for both [default: 1, or
    /// `spacing` of the problem file]
    #[arg(long, value_name = "HxW", help_heading = "Problem", value_parser = CellSize::parse)]
    #[arg(allow_negative_numbers = true)]
    pub cell_size: Option<CellSize>,

    /// Imbalance of the workers' parts: the topmost lower than the mean by this share, the lowest
    /// higher by it, those between on a line; 0 to below 1 [default: 0]
    #[arg(long, value_name = "SHARE", help_heading = "Problem", value_parser = Imbalance::parse)]
    #[arg(allow_negative_numbers = true)]
    pub imbalance: Option<Imbalance>,

    /// Method: Jacobi iteration, the papers' vehicle, or multigrid, which takes five to nine cycles
    /// at any size [default: jacobi]
    #[arg(long, value_name = "METHOD", help_heading = "Method", value_enum)]
    pub method: Option<MethodChoice>,

    /// Smoothing steps on each level of a cycle, 1 to 8; with --method multigrid [default: 3]
    #[arg(long, value_name = "STEPS", help_heading = "Method", value_parser = smoothing_steps)]
    #[arg(allow_negative_numbers = true)]
    pub smoothing: Option<usize>,

    /// Unknowns of the coarsest level at most, 1 to 4096; with --method multigrid [default: 64]
    #[arg(long, value_name = "CELLS", help_heading = "Method", value_parser = coarsest_cells)]
    #[arg(allow_negative_numbers = true)]
    pub coarsest: Option<usize>,

    /// Cycles on the level below the finest one in each cycle of that (with a coefficient, or cells
    /// that are not square, of each level in a cycle of the one above), 1 (a V-cycle) to 8; with
    /// --method multigrid [default: 2]
    #[arg(long, value_name = "CYCLES", help_heading = "Method", value_parser = coarse_cycles)]
    #[arg(alias = "coarse-visits", allow_negative_numbers = true)]
    pub coarse_cycles: Option<usize>,

    /// Mode, by the neighbours that a sweep waits for: sync (a barrier), exact (the same update of
    /// each: the iterations of sync to the bit), ssync:N (halos within N iterations), async (none)
    /// or rayon (the synchronous baseline) [default: async]
    #[arg(long, value_name = "MODE", help_heading = "Method", value_parser = Solver::parse)]
    pub mode: Option<Solver>,

    /// Subdomains per worker [default: 4]
    #[arg(long, value_name = "S", help_heading = "Method", value_parser = count32)]
    #[arg(allow_negative_numbers = true)]
    pub split: Option<u32>,

    /// Method that balances the workers.
    #[arg(long, value_name = "POLICY", help_heading = "Method", value_parser = Balance::parse)]
    #[arg(help = format!(
        "Balancer, F seconds between rounds: {} [default: auto, which derives F and B as the run goes; in mode exact \
         pull:8, in mode sync none, in mode ssync and with --low, --high or --dead-band split:0.001]",
        Balance::FORMS
    ))]
    pub balance: Option<Balance>,

    /// With --balance pull: let a subdomain wait whose worker is stopped by the system in the
    /// middle of a sweep, in place of having another make the same sweep; takes half the memory
    #[arg(long, help_heading = "Method")]
    pub no_help: bool,

    /// With --balance pull: make every sweep such that another worker can make it as well, so that
    /// the first stop of a worker holds up nobody either; without it, only later ones do not. Costs
    /// some of the rate
    #[arg(long, help_heading = "Method", conflicts_with = "no_help")]
    pub always_help: bool,

    /// Pairs of subdomains that a balancing round considers, 1 to 64 [default: 6]
    #[arg(long, value_name = "PAIRS", help_heading = "Method", value_parser = size)]
    #[arg(allow_negative_numbers = true)]
    pub pairs: Option<usize>,

    /// Subdomains that a worker always keeps, at least 1 [default: half of --split, rounded down,
    /// and so 2 with 4]
    #[arg(long, value_name = "SUBDOMAINS", help_heading = "Method", value_parser = count32)]
    #[arg(allow_negative_numbers = true)]
    pub low: Option<u32>,

    /// Subdomains at which a worker takes no more, above --low [default: one and a half of --split,
    /// rounded up, and so 6 with 4]
    #[arg(long, value_name = "SUBDOMAINS", help_heading = "Method", value_parser = count32)]
    #[arg(allow_negative_numbers = true)]
    pub high: Option<u32>,

    /// Updates by which a pair must differ before anything moves [default: 0]
    #[arg(long, value_name = "UPDATES", help_heading = "Method", value_parser = count)]
    #[arg(allow_negative_numbers = true)]
    pub dead_band: Option<u64>,

    /// The type of a cell: f32 or f64 [default: f64]
    #[arg(long, value_name = "TYPE", help_heading = "Method", value_parser = Precision::parse)]
    pub precision: Option<Precision>,

    /// Seed of every random choice [default: 1]
    #[arg(long, value_name = "SEED", help_heading = "Method", value_parser = count)]
    #[arg(allow_negative_numbers = true)]
    pub seed: Option<u64>,

    /// Threads, each pinned to a core of its own [default: one for each physical core, as far as
    /// affinity mask and CPU quota allow]
    #[arg(long, value_name = "N", help_heading = "Machine", value_parser = count32)]
    #[arg(allow_negative_numbers = true)]
    pub workers: Option<u32>,

    /// Sockets x cores of each, in place of what the system says, such as 2x18
    #[arg(long, value_name = "SxC", help_heading = "Machine")]
    #[arg(value_parser = TopologyOverride::parse)]
    pub topology: Option<TopologyOverride>,

    /// Noise, and the cores that it slows down.
    #[command(flatten)]
    pub noise: NoiseChoices,

    /// End at this l2 norm of the residual, relative to what --relative-to says [default: 1e-4, or
    /// none with --iterations or --absolute-tolerance]
    #[arg(long, value_name = "RATIO", help_heading = "End", value_parser = real)]
    #[arg(allow_hyphen_values = true)]
    pub tolerance: Option<f64>,

    /// What --tolerance is relative to: the residual of the start, or that of the problem, which is
    /// the norm of source and boundary, so that the start does not count [default: start; problem
    /// for a problem file or a matrix]
    #[arg(long, value_name = "WHAT", help_heading = "End", value_enum)]
    pub relative_to: Option<RelativeToChoice>,

    /// End at this l2 norm of the residual itself; with --tolerance, whichever is met first
    /// [default: none]
    #[arg(long, value_name = "NORM", help_heading = "End", value_parser = real)]
    #[arg(allow_hyphen_values = true)]
    pub absolute_tolerance: Option<f64>,

    /// End when this number of iterations is done, each a sweep of every subdomain on average; with
    /// --tolerance, whichever comes first
    #[arg(long, value_name = "N", help_heading = "End", value_parser = count)]
    #[arg(allow_negative_numbers = true)]
    pub iterations: Option<u64>,
}

impl RunFlags {
    /// Returns what a run takes its configuration from.
    pub fn choices(&self) -> RunChoices {
        RunChoices {
            imbalance: self.imbalance,
            mode: self.mode.map(Solver::mode),
            split: self.split,
            balance: self.balance,
            no_help: self.no_help,
            always_help: self.always_help,
            pairs: self.pairs,
            low: self.low,
            high: self.high,
            dead_band: self.dead_band,
            precision: self.precision,
            seed: self.seed,
            tolerance: self.tolerance,
            absolute_tolerance: self.absolute_tolerance,
            iterations: self.iterations,
        }
    }

    /// Returns these flags, completed by those of `other` where they are not given.
    pub fn or(self, other: Self) -> Self {
        Self {
            cells_per_worker: self.cells_per_worker.or(other.cells_per_worker),
            cell_size: self.cell_size.or(other.cell_size),
            imbalance: self.imbalance.or(other.imbalance),
            method: self.method.or(other.method),
            smoothing: self.smoothing.or(other.smoothing),
            coarsest: self.coarsest.or(other.coarsest),
            coarse_cycles: self.coarse_cycles.or(other.coarse_cycles),
            mode: self.mode.or(other.mode),
            split: self.split.or(other.split),
            balance: self.balance.or(other.balance),
            no_help: self.no_help || other.no_help,
            always_help: self.always_help || other.always_help,
            pairs: self.pairs.or(other.pairs),
            low: self.low.or(other.low),
            high: self.high.or(other.high),
            dead_band: self.dead_band.or(other.dead_band),
            precision: self.precision.or(other.precision),
            seed: self.seed.or(other.seed),
            workers: self.workers.or(other.workers),
            topology: self.topology.or(other.topology),
            noise: if self.noise.sources.is_empty() { other.noise } else { self.noise },
            tolerance: self.tolerance.or(other.tolerance),
            relative_to: self.relative_to.or(other.relative_to),
            absolute_tolerance: self.absolute_tolerance.or(other.absolute_tolerance),
            iterations: self.iterations.or(other.iterations),
        }
    }
}

/// The methods by their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MethodChoice {
    /// Jacobi iteration.
    Jacobi,
    /// Multigrid.
    Multigrid,
}
