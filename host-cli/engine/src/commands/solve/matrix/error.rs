//! Errors of sparse systems, which name flags.

use std::path::{Path, PathBuf};

use tresse_console::exit::Failure;
use tresse_matrix::market::MarketError;
use tresse_matrix::system::SystemError;
use tresse_matrix::vector::VectorError;

/// A system that cannot be solved as it was asked to; prints as one line.
#[derive(Debug, thiserror::Error)]
pub enum MatrixFailure {
    /// The file of the matrix cannot be used.
    #[error("--matrix {}: {error}", path.display())]
    Matrix {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: MarketError,
    },
    /// There is no right-hand side.
    #[error("--matrix: the right-hand side is missing: give --rhs FILE, .mtx or .npy")]
    NoRhs,
    /// The file of a vector cannot be used.
    #[error("{flag} {}: {error}", path.display())]
    Vector {
        /// The flag that names it.
        flag: &'static str,
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: VectorError,
    },
    /// A vector's file has neither ending.
    #[error("{flag} {}: expected a name that ends in .mtx or .npy", path.display())]
    Ending {
        /// The flag that names it.
        flag: &'static str,
        /// The file.
        path: PathBuf,
    },
    /// Squares of a vector's values overflow or vanish.
    #[error("{flag} {}: has numbers too {size} for a sum of their squares: scale the system {to}", path.display())]
    Magnitude {
        /// The flag that names it.
        flag: &'static str,
        /// The file.
        path: PathBuf,
        /// What is wrong with the numbers.
        size: &'static str,
        /// The direction to scale the system in.
        to: &'static str,
    },
    /// The path is a directory, a pipe or a device.
    #[error("{flag} {}: is not a regular file: name a file", path.display())]
    NotAFile {
        /// The flag that names it.
        flag: &'static str,
        /// The path.
        path: PathBuf,
    },
    /// The system cannot be cut or factorised.
    #[error("{}", of_system(error, *workers, *split, path))]
    System {
        /// The file of the matrix.
        path: PathBuf,
        /// What is wrong.
        error: SystemError,
        /// Number of workers.
        workers: u32,
        /// Subdomains of each.
        split: u32,
    },
    /// A subdomain has more neighbours than there is room for.
    #[error(
        "--split: a subdomain has {degree} neighbours, and more than {most} are not possible: lower --split, \
         --workers or --overlap"
    )]
    Degree {
        /// Neighbours.
        degree: usize,
        /// The most that there may be.
        most: usize,
    },
    /// The solver knows grids only.
    #[error("--matrix: --mode rayon knows grids only: use --mode sync, which is the same method")]
    Rayon,
}

impl Failure for MatrixFailure {}

/// Words the error about a system, with the flags that decide how it is cut.
fn of_system(error: &SystemError, workers: u32, split: u32, path: &Path) -> String {
    let path = path.display();
    match error {
        SystemError::TooManyParts { parts, rows } => format!(
            "{workers} workers with --split {split} ask for {parts} subdomains, and --matrix {path} has {rows} \
             rows: lower --workers or --split"
        ),
        SystemError::Singular { .. } => {
            format!("--matrix {path}: {error}: try another --split, --workers or --overlap")
        }
        SystemError::Graph(_) => format!("--matrix {path}: {error}"),
    }
}
