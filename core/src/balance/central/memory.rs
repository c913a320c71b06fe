//! Memory that the central methods borrow.

use core::fmt;

use super::{CentralError, Partition, Subset};
use crate::base::heap::{Entry, SPARE};

/// Memory of a central method; what was in it does not matter.
#[derive(Debug)]
pub struct CentralMemory<'m> {
    /// [`CentralNeeds::objects`].
    pub objects: &'m mut [Entry],
    /// [`CentralNeeds::processors`].
    pub processors: &'m mut [Entry],
    /// [`CentralNeeds::loads`]. Afterwards it has each processor's load.
    pub loads: &'m mut [u64],
    /// [`CentralNeeds::sets`].
    pub subsets: &'m mut [Subset],
    /// [`CentralNeeds::sets`].
    pub partitions: &'m mut [Partition],
}

/// Lengths of the memory that a central method needs, at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CentralNeeds {
    /// Objects, and a few places that are left empty, twice: 16 bytes each.
    pub objects: usize,
    /// Processors in order of load, and a few places that are left empty: 16 bytes each.
    pub processors: usize,
    /// Processors: 8 bytes each.
    pub loads: usize,
    /// Objects, for [`super::karmarkar_karp`] only: 16 bytes each in two lists.
    pub sets: usize,
}

/// One of the lists in [`CentralMemory`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// [`CentralMemory::objects`].
    Objects,
    /// [`CentralMemory::processors`].
    Processors,
    /// [`CentralMemory::loads`].
    Loads,
    /// [`CentralMemory::subsets`].
    Subsets,
    /// [`CentralMemory::partitions`].
    Partitions,
}

impl fmt::Display for List {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Objects => "objects",
            Self::Processors => "processors",
            Self::Loads => "loads",
            Self::Subsets => "subsets",
            Self::Partitions => "partitions",
        })
    }
}

impl CentralNeeds {
    /// Returns the needs of [`super::lpt`] for `objects` objects.
    pub const fn of_lpt(objects: usize, processors: u32) -> Self {
        let processors = processors as usize;
        Self {
            objects: objects.saturating_add(SPARE).saturating_mul(2),
            processors: processors.saturating_add(SPARE),
            loads: processors,
            sets: 0,
        }
    }

    /// Returns the needs of [`super::karmarkar_karp`] for `objects` objects.
    pub const fn of_karmarkar_karp(objects: usize, processors: u32) -> Self {
        Self { sets: objects, ..Self::of_lpt(objects, processors) }
    }
}

impl CentralMemory<'_> {
    /// Returns the part of each list that is needed.
    pub(super) fn cut(self, needs: &CentralNeeds) -> Result<Self, CentralError> {
        Ok(Self {
            objects: cut(self.objects, List::Objects, needs.objects)?,
            processors: cut(self.processors, List::Processors, needs.processors)?,
            loads: cut(self.loads, List::Loads, needs.loads)?,
            subsets: cut(self.subsets, List::Subsets, needs.sets)?,
            partitions: cut(self.partitions, List::Partitions, needs.sets)?,
        })
    }
}

/// Returns the needed part of a list, or an error where it is too short.
fn cut<T>(memory: &mut [T], list: List, needed: usize) -> Result<&mut [T], CentralError> {
    let lent = memory.len();
    memory.get_mut(..needed).ok_or(CentralError::Memory { list, needed, lent })
}
