//! Errors of the input about Grapevine.

use bytesize::ByteSize;
use tresse_core::balance::grapevine::ConfigError;
use tresse_core::balance::objects::ObjectsError;
use tresse_core::base::id::ProcessorId;

use crate::balancing::BalancingError;

/// An error of the state of a processor, or of a system of processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GrapevineError {
    /// A key that one of the forms needs is missing.
    #[error(
        "\"{0}\" is missing: give \"objects\", \"peers\" and \"average\" of one processor, or \
         \"loads\", \"owners\" and \"processors\" of all"
    )]
    Missing(&'static str),
    /// A key of the other form is given.
    #[error("\"{0}\" does not go with \"{1}\": leave one of them out")]
    Mixed(&'static str, &'static str),
    /// The processor's load is less than that of its objects.
    #[error("\"load\" is {load}, less than the sum of \"objects\", {sum}: give at least that")]
    Load {
        /// Load that was given.
        load: u64,
        /// Sum of the objects' loads.
        sum: u64,
    },
    /// The total does not include the processor's load.
    #[error("\"average\".total is {total}, less than the load of this processor, {load}")]
    Total {
        /// Total that was given.
        total: u64,
        /// Load of the processor.
        load: u64,
    },
    /// The system has no processors.
    #[error("the number of processors is 0: give at least 1")]
    NoProcessors,
    /// A peer is known twice.
    #[error("\"peers\"[{place}] is processor {processor} for the second time")]
    TwicePeer {
        /// Index in `peers`.
        place: usize,
        /// Number of the processor.
        processor: ProcessorId,
    },
    /// The threshold is not a number of at least 1 with at most six decimals.
    #[error("\"threshold\" must be a number of at least 1 with at most six decimals, such as 1.05")]
    Threshold,
    /// The objects cannot be placed.
    #[error("{0}: look at the loads, \"owners\" and \"fixed\"")]
    Objects(#[from] ObjectsError),
    /// The parameters are not valid.
    #[error("parameters: {0}")]
    Config(#[from] ConfigError),
    /// The system is too large for a line of text.
    #[error(
        "\"processors\" is {processors}: that takes {} of memory, too much for a decision: use \
         tresse balance", ByteSize(*needed)
    )]
    TooLarge {
        /// Number of processors.
        processors: u32,
        /// Bytes that are needed.
        needed: u64,
    },
    /// The run cannot be made.
    #[error(transparent)]
    Balancing(#[from] BalancingError),
}
