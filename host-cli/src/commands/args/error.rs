//! A command line that cannot be run.

use std::path::PathBuf;

use bytesize::ByteSize;
use tresse_core::machine;
use tresse_core::noise::ScatterError;
use tresse_core::run::{GridSize, Precision, RunConfigError};

use crate::engine::solvers::Solver;
use crate::exit::{Exit, Failure};
use crate::files::machine_files::MachineFileError;
use crate::files::problem::ProblemError;
use crate::wording;

/// Flags, or flags and file together, that cannot be run; prints as one line.
#[derive(Debug, thiserror::Error)]
pub enum FrontError {
    /// The configuration makes no sense.
    #[error("{}", wording::config(error, *solver))]
    Config {
        /// What is wrong.
        error: RunConfigError,
        /// Who would solve.
        solver: Solver,
    },
    /// The configuration makes no sense, and some of it is from a problem file.
    #[error("{} (here or in [run] of {})", wording::config(error, *solver), file.display())]
    ConfigWithFile {
        /// The problem file.
        file: PathBuf,
        /// What is wrong.
        error: RunConfigError,
        /// Who would solve.
        solver: Solver,
    },
    /// The problem file cannot be used.
    #[error("--problem {0}")]
    Problem(#[from] ProblemError),
    /// A schedule of a run that has none.
    #[error("--record: --mode rayon has no schedule to record: use --mode sync, ssync:N or async")]
    RecordOfRayon,
    /// A schedule that nothing but the flags decides.
    #[error(
        "--record: simulate has nothing to record: the same flags give the same run again; use solve --record"
    )]
    RecordOfSimulation,
    /// A solver that has real threads only.
    #[error(
        "--mode rayon runs on real threads only: simulate --mode sync, which is the same method"
    )]
    SimulationOfRayon,
    /// More noise than there can be.
    #[error("{}", wording::scatter(.0))]
    Scatter(#[from] ScatterError),
    /// What belongs to a machine that nobody asked for.
    #[error(
        "--nodes, --managers, --noise and --seed are those of a virtual machine: give --machine as well"
    )]
    NoMachine,
    /// The virtual machine cannot be used.
    #[error("--machine {0}")]
    Hardware(#[from] MachineFileError),
    /// The virtual machine cannot run the configuration.
    #[error("{}", wording::simulation(.0))]
    Simulation(#[from] machine::SimulationError),
    /// A virtual machine of this number of nodes cannot be.
    #[error("--nodes {nodes}: {error}")]
    Nodes {
        /// Nodes.
        nodes: u32,
        /// What the machine would be.
        error: machine::HardwareError,
    },
    /// A virtual machine of such sockets cannot be.
    #[error("--topology (or `topology` in [run]): {0}")]
    Topology(machine::HardwareError),
    /// More cells than their time can be counted for.
    #[error("--timed-as {size}: {error}")]
    TimedAs {
        /// Cells of a worker.
        size: GridSize,
        /// What the machine would be.
        error: machine::HardwareError,
    },
    /// Not enough memory.
    #[error(
        "{origin} asks for a grid of {grid} cells: that takes {} of memory in {precision}, but {} \
         are available: {mend}", ByteSize(*needed), ByteSize(*available)
    )]
    Memory {
        /// The flag that decided the size of the grid.
        origin: String,
        /// The grid.
        grid: GridSize,
        /// Bytes.
        needed: u64,
        /// Bytes.
        available: u64,
        /// The type of a cell.
        precision: Precision,
        /// What to do.
        mend: &'static str,
    },
    /// A number that would overflow on its way.
    #[error(
        "the problem has a number of magnitude {magnitude:e}, too large for --precision {precision} \
         (at most {limit:e}): scale the problem down"
    )]
    Magnitude {
        /// The number's magnitude.
        magnitude: f64,
        /// The largest that is allowed.
        limit: f64,
        /// The type of a cell.
        precision: Precision,
    },
}

impl Failure for FrontError {
    fn exit(&self) -> Exit {
        Exit::BadInput
    }
}
