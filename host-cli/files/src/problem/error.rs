//! What can be wrong with a problem file.

use std::path::{Path, PathBuf};

use tresse_core::run::GridSize;

use super::npy::NpyError;
use crate::document::DocumentError;

/// A problem file that cannot be used; prints as one line.
#[derive(Debug, thiserror::Error)]
pub enum ProblemError {
    /// Any of the others, with the name of the problem file.
    #[error("{}: {error}", file.display())]
    InFile {
        /// The problem file.
        file: PathBuf,
        /// What is wrong with it.
        error: Box<ProblemError>,
    },
    /// The file is no TOML, or has keys or values that mean nothing.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// An array file that cannot be used.
    #[error("`{key}`: {}: {error}", npy.display())]
    Npy {
        /// The key that names the array file.
        key: String,
        /// The array file.
        npy: PathBuf,
        /// What is wrong with it.
        error: NpyError,
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
        /// What it is for.
        found: GridSize,
        /// What `grid`, another array or the command line says.
        grid: GridSize,
    },
    /// The command line and the file disagree about the grid.
    #[error("the file is for a grid of {file} cells, but {flag} asks for {asked}: drop {flag}")]
    GridOfFlags {
        /// The grid of the file.
        file: GridSize,
        /// The flag, or the key in `[run]`.
        flag: &'static str,
        /// The grid that it asks for.
        asked: GridSize,
    },
}

impl ProblemError {
    /// The same, naming the problem file.
    pub fn within(self, file: &Path) -> Self {
        match self {
            named @ Self::InFile { .. } => named,
            error => Self::InFile { file: file.to_owned(), error: Box::new(error) },
        }
    }
}
