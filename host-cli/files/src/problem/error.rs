//! Errors of problem files.

use std::path::{Path, PathBuf};

use tresse_core::run::GridSize;

use super::npy::NpyError;
use crate::document::DocumentError;

/// A problem file that cannot be used; prints as one line.
#[derive(Debug, thiserror::Error)]
pub enum ProblemError {
    /// One of the other errors, with the name of the problem file.
    #[error("{}: {error}", file.display())]
    InFile {
        /// The problem file.
        file: PathBuf,
        /// The error in the file.
        error: Box<ProblemError>,
    },
    /// The file is no TOML, or has unknown keys or wrong values.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// An array file cannot be used.
    #[error("`{key}`: {}: {error}", npy.display())]
    Npy {
        /// The key that names the array file.
        key: String,
        /// The array file.
        npy: PathBuf,
        /// The error in the array file.
        error: NpyError,
    },
    /// A mask leaves nothing to solve for.
    #[error("`mask`: {}: {error}", npy.display())]
    Mask {
        /// The array file.
        npy: PathBuf,
        /// What is wrong with it.
        error: MaskError,
    },
    /// `grid` and the data of an array file disagree, or two array files do.
    #[error(
        "`{key}`: {} is for a grid of {found} cells, but the grid is {grid}: \
         change the array or `grid`", npy.display()
    )]
    GridOfNpy {
        /// The key that names the array file.
        key: String,
        /// The array file.
        npy: PathBuf,
        /// Grid that the array file is for.
        found: GridSize,
        /// Grid of the key `grid`, of another array or of the command line.
        grid: GridSize,
    },
    /// The command line and the file disagree about the grid.
    #[error("the file is for a grid of {file} cells, but {flag} asks for {asked}: drop {flag}")]
    GridOfFlags {
        /// The grid of the file.
        file: GridSize,
        /// The flag, or the key in `[run]`, that asks for another grid.
        flag: &'static str,
        /// Grid that the flag or the key asks for.
        asked: GridSize,
    },
}

/// A mask that leaves no solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MaskError {
    /// No cell is left.
    #[error("leaves no cell that is joined to a side with values: it is 0 where cells are to stay")]
    Nothing,
    /// There is a source, or a flux, in a cell that is joined to no side with values.
    #[error(
        "encloses the cell at [{row}, {column}] (from 0), where there is a source or a flux: nothing carries away \
         what it brings; join it to a side with values, or leave it out"
    )]
    Enclosed {
        /// Row of the cell.
        row: usize,
        /// Column of the cell.
        column: usize,
    },
}

impl ProblemError {
    /// Returns the same error with the name of the problem file.
    pub fn within(self, file: &Path) -> Self {
        match self {
            named @ Self::InFile { .. } => named,
            error => Self::InFile { file: file.to_owned(), error: Box::new(error) },
        }
    }
}
