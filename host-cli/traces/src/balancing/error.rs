//! Errors of balancing.

use bytesize::ByteSize;
use tresse_core::balance::central::CentralError;
use tresse_core::balance::grapevine::RunError;

/// An error of a balancer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BalancingError {
    /// There is not enough memory.
    #[error(
        "--method {method}: {processors} processors and {objects} objects take {} of memory, but {} \
         are available: {mend}", ByteSize(*needed), ByteSize(*available)
    )]
    Memory {
        /// Name of the method.
        method: &'static str,
        /// Number of objects.
        objects: usize,
        /// Number of processors.
        processors: u32,
        /// Bytes that are needed.
        needed: u64,
        /// Bytes that are available.
        available: u64,
        /// Advice for the person.
        mend: &'static str,
    },
    /// The method would take too long where the loads are unlucky.
    #[error(
        "--method karmarkar-karp: {objects} objects on {processors} processors may take hours in the \
         worst case: use --method lpt, which is nearly as good with as many"
    )]
    Excessive {
        /// Number of objects.
        objects: usize,
        /// Number of processors.
        processors: u32,
    },
    /// The run of Grapevine is not possible.
    #[error("--method grapevine: {0}")]
    Grapevine(#[from] RunError),
    /// The central reference could not be made.
    #[error(transparent)]
    Central(#[from] CentralError),
}
