//! Why nothing was balanced.

use bytesize::ByteSize;
use tresse_core::balance::central::CentralError;
use tresse_core::balance::grapevine::RunError;

/// A balancer that cannot do what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BalancingError {
    /// Not enough memory.
    #[error(
        "--method {method}: {processors} processors and {objects} objects take {} of memory, but {} \
         are available: {mend}", ByteSize(*needed), ByteSize(*available)
    )]
    Memory {
        /// What would take it.
        method: &'static str,
        /// How many objects there are.
        objects: usize,
        /// How many processors there are.
        processors: u32,
        /// Bytes.
        needed: u64,
        /// Bytes.
        available: u64,
        /// What to do.
        mend: &'static str,
    },
    /// Nobody could wait for it where the loads are unlucky.
    #[error(
        "--method karmarkar-karp: {objects} objects on {processors} processors may take hours in the \
         worst case: use --method lpt, which is nearly as good with as many"
    )]
    Excessive {
        /// How many objects there are.
        objects: usize,
        /// How many processors there are.
        processors: u32,
    },
    /// The run is none.
    #[error("--method grapevine: {0}")]
    Grapevine(#[from] RunError),
    /// The central reference could not be made.
    #[error(transparent)]
    Central(#[from] CentralError),
}
