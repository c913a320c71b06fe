//! Errors of checkpoints to resume from.

use std::io;
use std::path::{Path, PathBuf};

use tresse_core::base::id::SubdomainId;
use tresse_core::run::{GridSize, Precision};

use tresse_console::terminal::one_line;

/// A checkpoint that cannot be used; prints as one line.
#[derive(Debug, thiserror::Error)]
#[error("--resume {}: {fault}: {}", path.display(), mend(fault))]
pub struct CheckpointError {
    /// The folder or the file.
    pub path: PathBuf,
    /// Fault of the folder or the file.
    pub fault: Fault,
}

/// Returns advice for a person about a fault.
fn mend(fault: &Fault) -> String {
    match fault {
        Fault::Unreadable(_) | Fault::Nothing => {
            "name a folder that --checkpoint has filled".into()
        }
        Fault::Format { .. } => "resume with the version of tresse that wrote it".into(),
        Fault::Grid { saved, .. } => format!("give --grid {saved}"),
        Fault::Precision { saved, .. } => format!("give --precision {saved}"),
        Fault::Method { saved, .. } => {
            format!(
                "give --method {saved}, or begin anew with its field.npy as `initial` of the problem file"
            )
        }
        Fault::Part(_) | Fault::Problem("graph of parts") => {
            "resume with the program that wrote it".into()
        }
        Fault::Problem(_) => "give the --problem that it is of".into(),
        _ => "resume from another checkpoint".into(),
    }
}

/// A fault of a file or a folder.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The system does not let it be read.
    #[error("cannot be read ({0})")]
    Unreadable(#[from] io::Error),
    /// There is nothing to resume from.
    #[error("has no complete checkpoint")]
    Nothing,
    /// The file is not a regular file, or not one of a checkpoint.
    #[error("is no file of a checkpoint")]
    Foreign,
    /// The checkpoint has a format that this program does not know.
    #[error("is of format {found}, and this program reads format {}", super::piece::VERSION)]
    Format {
        /// The format's number.
        found: u32,
    },
    /// The end of the file is missing.
    #[error("is cut off after {0} bytes")]
    CutOff(u64),
    /// A checksum is wrong, or something follows the end.
    #[error("is damaged at byte {0}")]
    Damaged(u64),
    /// The file is whole, but part of another checkpoint.
    #[error("is not the file that its manifest speaks of")]
    Mistaken,
    /// The checksums are right, but the bytes under them are not possible in a checkpoint.
    #[error("makes no sense ({0})")]
    Nonsense(String),
    /// Two subdomains have the same cell.
    #[error("has the cell in row {row}, column {column} twice")]
    Doubled {
        /// Row of the cell, from 0.
        row: usize,
        /// Column of the cell, from 0.
        column: usize,
    },
    /// Some cells are in no subdomain.
    #[error("lacks {cells} cells of the grid")]
    Missing {
        /// Number of cells.
        cells: u128,
    },
    /// The checkpoint is of another grid.
    #[error("is of a grid of {saved} cells, and the run of one of {asked}")]
    Grid {
        /// Grid of the checkpoint.
        saved: GridSize,
        /// Grid of the run.
        asked: GridSize,
    },
    /// The checkpoint is of another precision.
    #[error("has cells of type {saved}, and the run of type {asked}")]
    Precision {
        /// Precision of the checkpoint.
        saved: Precision,
        /// Precision of the run.
        asked: Precision,
    },
    /// The checkpoint is of another method.
    #[error("is of a run by {saved}, and this run is by {asked}")]
    Method {
        /// Method of the checkpoint.
        saved: &'static str,
        /// Method of the run.
        asked: &'static str,
    },
    /// A part of one's own does not unpack what was saved of it.
    #[error("has a part {0} that this program does not unpack")]
    Part(SubdomainId),
    /// The checkpoint is of another problem.
    #[error("is of another problem, whose {0} differs")]
    Problem(&'static str),
}

impl Fault {
    /// Returns the fault of impossible bytes; `what` may quote the file and is escaped for one
    /// line.
    pub(crate) fn nonsense(what: &str) -> Self {
        Self::Nonsense(one_line(what))
    }

    /// Returns the error of the file or folder with this fault.
    pub(crate) fn of(self, path: &Path) -> CheckpointError {
        CheckpointError { path: path.to_owned(), fault: self }
    }
}
