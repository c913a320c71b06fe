//! What can be wrong with a checkpoint that is to be resumed from.

use std::io;
use std::path::{Path, PathBuf};

use tresse_core::run::{GridSize, Precision};

use crate::terminal::one_line;

/// A checkpoint that cannot be used; prints as one line.
#[derive(Debug, thiserror::Error)]
#[error("--resume {}: {fault}: {}", path.display(), mend(fault))]
pub struct CheckpointError {
    /// The folder or the file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What a person can do about it.
fn mend(fault: &Fault) -> String {
    match fault {
        Fault::Unreadable(_) | Fault::Nothing => {
            "name a folder that --checkpoint has filled".into()
        }
        Fault::Format { .. } => "resume with the version of tresse that wrote it".into(),
        Fault::Grid { saved, .. } => format!("give --grid {saved}"),
        Fault::Precision { saved, .. } => format!("give --precision {saved}"),
        Fault::Problem(_) => "give the --problem that it is of".into(),
        _ => "resume from another checkpoint".into(),
    }
}

/// What is wrong with a file or a folder.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The system does not let it be read.
    #[error("cannot be read ({0})")]
    Unreadable(#[from] io::Error),
    /// Nothing to resume from.
    #[error("has no complete checkpoint")]
    Nothing,
    /// Not a regular file, or one of another kind.
    #[error("is no file of a checkpoint")]
    Foreign,
    /// The checkpoint has a format that this program does not know.
    #[error("is of format {found}, and this program reads format {}", super::piece::VERSION)]
    Format {
        /// The format's number.
        found: u32,
    },
    /// The end is missing.
    #[error("is cut off after {0} bytes")]
    CutOff(u64),
    /// A checksum is not right, or something follows the end.
    #[error("is damaged at byte {0}")]
    Damaged(u64),
    /// Whole, but a part of something else.
    #[error("is not the file that its manifest speaks of")]
    Mistaken,
    /// The checksums are right, but what they protect makes no sense.
    #[error("makes no sense ({0})")]
    Nonsense(String),
    /// A cell that two subdomains have.
    #[error("has the cell in row {row}, column {column} twice")]
    Doubled {
        /// From 0.
        row: usize,
        /// From 0.
        column: usize,
    },
    /// Cells that no subdomain has.
    #[error("lacks {cells} cells of the grid")]
    Missing {
        /// How many.
        cells: u128,
    },
    /// The checkpoint is of another grid.
    #[error("is of a grid of {saved} cells, and the run of one of {asked}")]
    Grid {
        /// The checkpoint's.
        saved: GridSize,
        /// The run's.
        asked: GridSize,
    },
    /// The checkpoint is of another precision.
    #[error("has cells of type {saved}, and the run of type {asked}")]
    Precision {
        /// The checkpoint's.
        saved: Precision,
        /// The run's.
        asked: Precision,
    },
    /// The checkpoint is of another problem.
    #[error("is of another problem, whose {0} differs")]
    Problem(&'static str),
}

impl Fault {
    /// `what` may quote the file: whatever is in there, it stays one line.
    pub(super) fn nonsense(what: &str) -> Self {
        Self::Nonsense(one_line(what))
    }

    /// Returns the error of the file or folder that has it.
    pub(super) fn of(self, path: &Path) -> CheckpointError {
        CheckpointError { path: path.to_owned(), fault: self }
    }
}
