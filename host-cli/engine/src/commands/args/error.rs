//! Errors of a command line that cannot be run.

use std::path::PathBuf;

use bytesize::ByteSize;
use tresse_core::run::noise::ScatterError;
use tresse_core::run::{GridSize, Precision, RunConfigError};
use tresse_core::sim::machine;

use crate::files::machine_files::MachineFileError;
use crate::files::problem::ProblemError;
use crate::solvers::Solver;
use crate::wording;
use tresse_console::exit::{Exit, Failure};

/// An error of flags, or of flags and file together; prints as one line.
#[derive(Debug, thiserror::Error)]
pub enum FrontError {
    /// The configuration is not valid.
    #[error("{}", wording::config(error, *solver))]
    Config {
        /// Error of the configuration.
        error: RunConfigError,
        /// Solver that was to run.
        solver: Solver,
    },
    /// The configuration is not valid, and some of it is from a problem file.
    #[error("{} (here or in [run] of {})", wording::config(error, *solver), file.display())]
    ConfigWithFile {
        /// The problem file.
        file: PathBuf,
        /// Error of the configuration.
        error: RunConfigError,
        /// Solver that was to run.
        solver: Solver,
    },
    /// The problem file cannot be used.
    #[error("--problem {0}")]
    Problem(#[from] ProblemError),
    /// The solver has no schedule to record.
    #[error("--record: --mode rayon has no schedule to record: use --mode sync, ssync:N or async")]
    RecordOfRayon,
    /// Nothing but the flags decides the schedule, so that a recording would be useless.
    #[error(
        "--record: simulate has nothing to record: the same flags give the same run again; use solve --record"
    )]
    RecordOfSimulation,
    /// The solver runs on real threads only.
    #[error(
        "--mode rayon runs on real threads only: simulate --mode sync, which is the same method"
    )]
    SimulationOfRayon,
    /// A flag is about another method.
    #[error(
        "{flag} is about subdomains that are swept one by one, which --method multigrid does not do: leave it out \
         (here or in [run] of the problem file)"
    )]
    NotMultigrid {
        /// The flag.
        flag: &'static str,
    },
    /// A flag is about multigrid alone.
    #[error("{flag} is about multigrid: give --method multigrid as well")]
    OnlyMultigrid {
        /// The flag.
        flag: &'static str,
    },
    /// Rows are to move that conjugate gradients keep where they are.
    #[error(
        "--node-balance rows: with a coefficient, a flux, or cells that are not square, rows stay on their rank: use \
         --node-balance none"
    )]
    RowsOfConjugateGradients,
    /// There is more noise than possible.
    #[error("{}", wording::scatter(.0))]
    Scatter(#[from] ScatterError),
    /// The virtual machine cannot be used.
    #[error("--machine {0}")]
    Hardware(#[from] MachineFileError),
    /// The virtual machine cannot run the configuration.
    #[error("{}", wording::simulation(.0))]
    Simulation(#[from] machine::SimulationError),
    /// The virtual machine cannot have this number of nodes.
    #[error("--nodes {nodes}: {error}")]
    Nodes {
        /// Number of nodes.
        nodes: u32,
        /// Error of the machine.
        error: machine::HardwareError,
    },
    /// The virtual machine cannot have these sockets.
    #[error("--topology (or `topology` in [run]): {0}")]
    Topology(machine::HardwareError),
    /// The time of these cells would be too long to be counted.
    #[error("--timed-as {size}: {error}")]
    TimedAs {
        /// Size of a worker's part.
        size: GridSize,
        /// Error of the machine.
        error: machine::HardwareError,
    },
    /// There is not enough memory.
    #[error(
        "{origin} asks for a grid of {grid} cells: that takes {} of memory in {precision}, but {} \
         are available: {mend}", ByteSize(*needed), ByteSize(*available)
    )]
    Memory {
        /// Flag that decided the size of the grid.
        origin: String,
        /// The grid.
        grid: GridSize,
        /// Bytes that are needed.
        needed: u64,
        /// Bytes that are available.
        available: u64,
        /// Type of a cell.
        precision: Precision,
        /// Advice for the person.
        mend: &'static str,
    },
    /// A coefficient would be lost to rounding, or overflow where a source is divided by it.
    #[error(
        "`coefficient`, times the ratio of a cell's sides, is {least:e} somewhere, too small for --precision \
         {precision} (at least {limit:e}): scale the problem up"
    )]
    Coefficient {
        /// The least coefficient.
        least: f64,
        /// Least one that is allowed.
        limit: f64,
        /// Type of a cell.
        precision: Precision,
    },
    /// A number of the problem would overflow during the run.
    #[error(
        "the problem has a number of magnitude {magnitude:e}, too large for --precision {precision} \
         (at most {limit:e}): scale the problem down"
    )]
    Magnitude {
        /// Magnitude of the number.
        magnitude: f64,
        /// Greatest magnitude that is allowed.
        limit: f64,
        /// Type of a cell.
        precision: Precision,
    },
}

impl Failure for FrontError {
    fn exit(&self) -> Exit {
        Exit::BadInput
    }
}
