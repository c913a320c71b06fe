//! `tresse compare`.

use std::path::PathBuf;

use clap::Args;
use tresse_console::args::values::{positive, real};
use tresse_core::base::grammar::count32;
use tresse_core::run::GridSize;
use tresse_core::run::noise::NoiseChoice;

use tresse_platform::TopologyOverride;

/// The flags of `compare`.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub struct CompareArgs {
    /// Runs of each method in each setting, interleaved [default: 10, or 3 with --quick]
    #[arg(long, value_name = "R", value_parser = positive, allow_negative_numbers = true)]
    pub repetitions: Option<u32>,

    /// Fewer runs of a smaller problem: under two minutes on two cores
    #[arg(long)]
    pub quick: bool,

    /// Parasites of the noisy setting, as in `solve`; may be repeated [default: core=C,sleep=200us,
    /// work=10000 with the core next to the problem's Gaussian source]. Noise of a single core
    /// comes a second time on a core at the other end of the grid
    #[arg(long, value_name = "WHERE,WHAT", value_parser = NoiseChoice::parse)]
    pub noise: Vec<NoiseChoice>,

    /// Cells of each worker's part of the grid [default: 300x300, or 200x200 with --quick]
    #[arg(long, value_name = "RxC", value_parser = GridSize::parse)]
    pub cells_per_worker: Option<GridSize>,

    /// End of each run: l2 norm of the residual, relative to the initial one [default: 1e-4]
    #[arg(long, value_name = "RATIO", value_parser = real, allow_hyphen_values = true)]
    pub tolerance: Option<f64>,

    /// Threads, each pinned to a core of its own [default: one for each physical core, as far as
    /// affinity mask and CPU quota allow]
    #[arg(long, value_name = "N", value_parser = count32, allow_negative_numbers = true)]
    pub workers: Option<u32>,

    /// Sockets x cores of each, in place of what the system says, such as 2x18
    #[arg(long, value_name = "SxC", value_parser = TopologyOverride::parse)]
    pub topology: Option<TopologyOverride>,

    /// A folder for the plots (SVG and PNG) and all samples (CSV); made where it is missing
    /// [default: none]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Print one JSON object in place of the table
    #[arg(long)]
    pub json: bool,

    /// No progress bar
    #[arg(long)]
    pub quiet: bool,
}

impl CompareArgs {
    /// Returns the number of runs of each method in each setting.
    pub fn repetitions(&self) -> u32 {
        self.repetitions.unwrap_or(if self.quick { 3 } else { 10 })
    }

    /// Returns the size of each worker's part of the grid.
    pub fn cells_per_worker(&self) -> GridSize {
        let side = if self.quick { 200 } else { 300 };
        self.cells_per_worker.unwrap_or(GridSize { rows: side, columns: side })
    }
}
