//! Input that is no state of Grapevine.

use bytesize::ByteSize;
use tresse_core::balance::grapevine::ConfigError;
use tresse_core::balance::objects::ObjectsError;
use tresse_core::id::ProcessorId;

use crate::experiments::balancing::BalancingError;

/// A processor, or a system of them, that cannot decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GrapevineError {
    /// Something that one of the forms needs.
    #[error(
        "\"{0}\" is missing: give \"objects\", \"peers\" and \"average\" of one processor, or \
         \"loads\", \"owners\" and \"processors\" of all"
    )]
    Missing(&'static str),
    /// Something of the other form.
    #[error("\"{0}\" does not go with \"{1}\": leave one of them out")]
    Mixed(&'static str, &'static str),
    /// A processor that has less than its objects.
    #[error("\"load\" is {load}, less than the sum of \"objects\", {sum}: give at least that")]
    Load {
        /// What was given.
        load: u64,
        /// The sum of the objects.
        sum: u64,
    },
    /// A total that leaves the processor out.
    #[error("\"average\".total is {total}, less than the load of this processor, {load}")]
    Total {
        /// What was given.
        total: u64,
        /// The processor's load.
        load: u64,
    },
    /// A system without processors.
    #[error("the number of processors is 0: give at least 1")]
    NoProcessors,
    /// A peer that is known twice.
    #[error("\"peers\"[{place}] is processor {processor} for the second time")]
    TwicePeer {
        /// The place in `peers`.
        place: usize,
        /// Which one.
        processor: ProcessorId,
    },
    /// No threshold.
    #[error("\"threshold\" must be a number of at least 1 with at most six decimals, such as 1.05")]
    Threshold,
    /// Objects that cannot be placed.
    #[error("{0}: look at the loads, \"owners\" and \"fixed\"")]
    Objects(#[from] ObjectsError),
    /// Parameters that make no sense.
    #[error("parameters: {0}")]
    Config(#[from] ConfigError),
    /// A system that is no line of text any more.
    #[error(
        "\"processors\" is {processors}: that takes {} of memory, too much for a decision: use \
         tresse balance", ByteSize(*needed)
    )]
    TooLarge {
        /// How many there are.
        processors: u32,
        /// Bytes.
        needed: u64,
    },
    /// A run that cannot be made.
    #[error(transparent)]
    Balancing(#[from] BalancingError),
}
