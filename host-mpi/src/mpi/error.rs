//! Errors of windows.

use crate::mpi::extents::Outside;

/// An error of a window.
#[derive(Debug, thiserror::Error)]
pub enum WindowError {
    /// The place is not in the window.
    #[error(transparent)]
    Outside(#[from] Outside),
    /// A call of MPI failed.
    #[error("{call}: {text}")]
    Mpi {
        /// The function that failed.
        call: &'static str,
        /// Error in MPI's own words.
        text: String,
    },
    /// Another rank could not do its part of the operation, and reports the reason itself.
    #[error("another rank could not do its part of {0}")]
    OtherRank(&'static str),
    /// The processor does not see words that MPI writes.
    #[error("this MPI library keeps two copies of a window's memory (not MPI_WIN_UNIFIED)")]
    Separate,
    /// The memory is not aligned for words.
    #[error("MPI gave memory that is not aligned for words")]
    Misaligned,
    /// Gets are under way on some rank.
    #[error("a window cannot be freed while gets from it are under way")]
    Busy,
}
