//! `tresse bench`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use tresse_console::args::values::{positive, some_time};
use tresse_core::base::grammar::count;
use tresse_core::base::time::Duration;
use tresse_core::run::{GridSize, Precision};

/// The flags of `bench`.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct BenchArgs {
    /// The piece to measure.
    #[command(subcommand)]
    pub command: BenchCommand,
}

/// The pieces that can be measured.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub enum BenchCommand {
    /// The bare sweep: cell updates per second
    Kernel(BenchKernelArgs),
    /// One balancing round: nanoseconds
    Round(BenchRoundArgs),
    /// The solver's rate over the bare sweep's
    Engine(BenchEngineArgs),
    /// Predictions of `simulate` for this machine beside the results of `solve` on it
    Prediction(BenchPredictionArgs),
    /// An update of `simulate`, by methods and numbers of workers: nanoseconds
    Vm(BenchVmArgs),
}

/// The flags of `bench kernel`.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct BenchKernelArgs {
    /// Rows x columns of each thread's grid, in cells
    #[arg(long, value_name = "RxC", default_value = "300x300", value_parser = GridSize::parse)]
    pub size: GridSize,

    /// The type of a cell: f32 or f64
    #[arg(long, value_name = "TYPE", default_value = "f64", value_parser = Precision::parse)]
    pub precision: Precision,

    /// Threads, each pinned to a core of its own
    #[arg(long, value_name = "N", default_value = "1", value_parser = positive)]
    #[arg(allow_negative_numbers = true)]
    pub threads: u32,

    /// Time to measure, in seconds
    #[arg(long, value_name = "TIME", default_value = "2", value_parser = some_time)]
    #[arg(allow_negative_numbers = true)]
    pub seconds: Duration,

    /// The sweep alone, without its residual's sum of squares
    #[arg(long)]
    pub no_residual: bool,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// The flags of `bench round`.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct BenchRoundArgs {
    /// Subdomains in all
    #[arg(long, value_name = "N", default_value = "144", value_parser = positive)]
    #[arg(allow_negative_numbers = true)]
    pub subdomains: u32,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// The flags of `bench engine`.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct BenchEngineArgs {
    /// Time to measure, in seconds
    #[arg(long, value_name = "TIME", default_value = "5", value_parser = some_time)]
    #[arg(allow_negative_numbers = true)]
    pub seconds: Duration,

    /// Cells of each worker's part of the grid
    #[arg(long, value_name = "RxC", default_value = "300x300", value_parser = GridSize::parse)]
    pub cells_per_worker: GridSize,

    /// The type of a cell: f32 or f64
    #[arg(long, value_name = "TYPE", default_value = "f64", value_parser = Precision::parse)]
    pub precision: Precision,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// The flags of `bench prediction`.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct BenchPredictionArgs {
    /// The machine file that `calibrate` has written here [default: calibrate between the runs, a
    /// round before each repetition, so that both see the same minutes]
    #[arg(long, value_name = "FILE.toml")]
    pub machine: Option<PathBuf>,

    /// Runs of each method, quiet and noisy, simulated and real; about two minutes for five on two
    /// cores
    #[arg(long, value_name = "R", default_value = "5", value_parser = positive)]
    #[arg(allow_negative_numbers = true)]
    pub repetitions: u32,

    /// Threads, each pinned to a core of its own [default: one for each physical core, as far as
    /// affinity mask and CPU quota allow]
    #[arg(long, value_name = "N", value_parser = positive)]
    #[arg(allow_negative_numbers = true)]
    pub workers: Option<u32>,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// The flags of `bench vm`.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct BenchVmArgs {
    /// Updates of each run, on each machine and with each method
    #[arg(long, value_name = "N", default_value = "1000000", value_parser = count)]
    #[arg(allow_negative_numbers = true)]
    pub updates: u64,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}
