//! Central references: placements by somebody who knows every load, to compare balancers with.
//!
//! All of them start from a placement, write the new one over it, and leave fixed objects where
//! they are. The memory is lent by the host; [`CentralNeeds`] says how much.

mod bound;
mod karmarkar_karp;
mod lpt;
mod memory;
mod order;
mod random;
mod subsets;

use core::fmt;

use super::objects::{Objects, ObjectsError};
use crate::base::id::ProcessorId;
use crate::base::table::At;

pub use bound::lower_bound;
pub use karmarkar_karp::{Partition, karmarkar_karp};
pub use lpt::lpt;
pub use memory::{CentralMemory, CentralNeeds, List};
pub use random::random;
pub use subsets::Subset;

/// A placement that could not be made; the owners are as they were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CentralError {
    /// The owners at the start do not describe a placement.
    Objects(ObjectsError),
    /// The lent memory is too short.
    Memory {
        /// The list that is too short.
        list: List,
        /// Number of elements that it needs.
        needed: usize,
        /// Number of elements that it has.
        lent: usize,
    },
}

impl fmt::Display for CentralError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Objects(error) => error.fmt(f),
            Self::Memory { list, needed, lent } => {
                write!(f, "the memory for {list} has {lent} elements, {needed} are needed")
            }
        }
    }
}

impl core::error::Error for CentralError {}

impl From<ObjectsError> for CentralError {
    fn from(error: ObjectsError) -> Self {
        Self::Objects(error)
    }
}

/// Adds the loads that cannot move to `sums`, which has an element for each processor; the owners
/// are [checked](Objects::check).
pub fn add_up_fixed(objects: &Objects<'_>, owners: &[ProcessorId], sums: &mut [u64]) {
    debug_assert_eq!(owners.len(), objects.len(), "an object has no owner");
    for (object, owner) in objects.ids().zip(owners) {
        if objects.is_fixed(object) {
            *sums.at_mut(*owner) += objects.load(object);
        }
    }
}

#[cfg(test)]
mod tests;
