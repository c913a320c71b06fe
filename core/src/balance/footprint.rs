//! Memory of objects, and bounds on that of processors.

use crate::base::id::{ObjectId, ProcessorId};
use crate::base::table::At;

/// Memory of one object, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Memory of the object itself.
    pub own: u64,
    /// Memory while the object is worked on: only one object of a processor is at a time.
    pub working: u64,
    /// Memory while the object moves: only one object of a processor does at a time.
    pub serialized: u64,
    /// The block that it shares with others of the same processor, if it does.
    pub block: Option<BlockId>,
}

/// A block of memory that objects of one processor share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(pub u32);

/// Bounds on the memory that each processor may use. An object that is not there takes none.
#[derive(Clone, Copy, Debug)]
pub struct Bounds<'a> {
    /// Memory of each object.
    pub footprints: &'a [Footprint],
    /// Bytes of each shared block.
    pub blocks: &'a [u64],
    /// Bytes that each processor uses without any object.
    pub resident: &'a [u64],
    /// Bytes that a processor may use.
    pub limit: u64,
}

/// Memory that a processor uses: itself, each shared block once, all objects, and the largest
/// working and serialised one (as vt counts it).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    resident: u64,
    working: u64,
    serialized: u64,
}

impl Usage {
    /// Returns all of it, in bytes.
    pub const fn bytes(self) -> u64 {
        self.resident.saturating_add(self.working).saturating_add(self.serialized)
    }
}

impl Bounds<'_> {
    /// Returns the memory that a processor uses with these objects. Blocks that they share count
    /// once; the work grows with the square of the objects that share them.
    pub fn usage(
        &self,
        processor: ProcessorId,
        objects: &(impl Iterator<Item = ObjectId> + Clone),
    ) -> Usage {
        let mut usage = Usage { resident: *self.resident.at(processor), ..Usage::default() };
        for (before, object) in objects.clone().enumerate() {
            let earlier = objects.clone().take(before);
            usage = self.with_one_more(usage, object, earlier);
        }
        usage
    }

    /// Returns the usage with one more object; its block is there already if one of `present` has
    /// it.
    pub fn with(&self, usage: Usage, object: ObjectId, present: &[ObjectId]) -> Usage {
        self.with_one_more(usage, object, present.iter().copied())
    }

    /// Whether a processor may use that much.
    pub const fn admits(&self, usage: Usage) -> bool {
        usage.bytes() <= self.limit
    }

    /// Whether a processor with the objects `present` may give the object `given` and get `got` for
    /// it: it stays within the limit, or uses no more than before.
    pub fn admits_exchange(
        &self,
        processor: ProcessorId,
        present: impl Iterator<Item = ObjectId> + Clone,
        given: ObjectId,
        got: ObjectId,
    ) -> bool {
        let before = self.usage(processor, &present);
        let rest = present.filter(move |&object| object != given);
        let after = self.usage(processor, &rest.chain([got]));
        self.admits(after) || after.bytes() <= before.bytes()
    }

    /// Returns `usage` with one more object. Its block counts only if none of the objects that are
    /// `present` already has the same one.
    fn with_one_more(
        &self,
        usage: Usage,
        object: ObjectId,
        mut present: impl Iterator<Item = ObjectId>,
    ) -> Usage {
        let footprint = self.footprint(object);
        let block = footprint.block.map_or(0, |block| {
            let there = present.any(|other| self.footprint(other).block == Some(block));
            if there { 0 } else { *self.blocks.at(block.0) }
        });
        Usage {
            resident: usage.resident.saturating_add(footprint.own).saturating_add(block),
            working: usage.working.max(footprint.working),
            serialized: usage.serialized.max(footprint.serialized),
        }
    }

    fn footprint(&self, object: ObjectId) -> Footprint {
        self.footprints.get(object.index()).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_blocks_count_once_and_only_the_largest_works() {
        let block = Some(BlockId(0));
        let footprints = [
            Footprint { own: 1, working: 10, serialized: 0, block },
            Footprint { own: 2, working: 30, serialized: 5, block },
            Footprint { own: 4, working: 20, serialized: 0, block: None },
        ];
        let bounds =
            Bounds { footprints: &footprints, blocks: &[100], resident: &[1000], limit: 1142 };
        let present = [0, 1].map(ObjectId);
        let usage = bounds.usage(ProcessorId(0), &present.into_iter());
        assert_eq!(usage.bytes(), 1000 + 100 + 1 + 2 + 30 + 5);
        assert!(bounds.admits(bounds.with(usage, ObjectId(2), &present)));
        assert!(!Bounds { limit: 1141, ..bounds }.admits(bounds.with(
            usage,
            ObjectId(2),
            &present
        )));
        assert_eq!(bounds.usage(ProcessorId(0), &[1].map(ObjectId).into_iter()).bytes(), 1137);
    }
}
