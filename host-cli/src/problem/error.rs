//! What can be wrong with a problem file.

use std::path::{Path, PathBuf};

use tresse_core::run::GridSize;

use super::npy::NpyError;

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
    /// The file cannot be read.
    #[error("cannot be read ({0}): check the path given to --problem")]
    Unreadable(std::io::Error),
    /// Not a regular file, or too long for a problem file.
    #[error("is not a problem file: {0}")]
    NotAProblem(&'static str),
    /// Not TOML.
    #[error("line {line}, column {column} is not TOML: {message}")]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// The parser's words.
        message: String,
    },
    /// A key that means nothing.
    #[error("unknown key `{key}`: did you mean `{nearest}`?")]
    UnknownKey {
        /// With the tables that it stands in.
        key: String,
        /// The known key that is written most alike.
        nearest: String,
    },
    /// A value of the wrong kind or out of range.
    #[error("`{key}` is {found}: {expected}")]
    Value {
        /// With the tables that it stands in.
        key: String,
        /// What stands there.
        found: String,
        /// The mend.
        expected: String,
    },
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
