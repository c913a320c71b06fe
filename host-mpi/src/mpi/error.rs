//! What can go wrong with a window.

use crate::mpi::extents::Outside;

/// Why a window cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum WindowError {
    /// A place that is not in it.
    #[error(transparent)]
    Outside(#[from] Outside),
    /// MPI says no.
    #[error("{call}: {text}")]
    Mpi {
        /// The function that failed.
        call: &'static str,
        /// Why, in MPI's own words.
        text: String,
    },
    /// Another rank could not do its part of it, and says why.
    #[error("another rank could not do its part of {0}")]
    OtherRank(&'static str),
    /// The processor does not see what MPI writes.
    #[error("this MPI library keeps two copies of a window's memory (not MPI_WIN_UNIFIED)")]
    Separate,
    /// Memory that words cannot lie in.
    #[error("MPI gave memory that is not aligned for words")]
    Misaligned,
    /// Gets are under way on some rank.
    #[error("a window cannot be freed while gets from it are under way")]
    Busy,
}
