//! The largest differencing method.

use super::lpt::by_load;
use super::subsets::{NONE, Subsets};
use super::{CentralError, Memory, Needs, add_up_fixed};
use crate::balance::objects::Objects;
use crate::heap::Heap;
use crate::id::{ObjectId, ProcessorId};

/// Memory for a partition of some objects into as many sets as there are processors, of which only
/// those are kept that have objects. It has the number of its lowest object, so that there is one
/// for each object.
#[derive(Clone, Copy, Debug)]
pub struct Partition {
    /// The largest sum of a set.
    largest: u64,
    /// The set with the smallest sum, the first in the list of the sets.
    sets: u32,
    /// How many sets there are.
    len: u32,
}

impl Partition {
    /// Memory for any partition.
    pub const EMPTY: Self = Self { largest: 0, sets: NONE, len: 0 };
}

/// Puts the objects that may move where the largest differencing method says (Karmarkar & Karp
/// 1982, *The differencing method of set partitioning*; for more than two sets as in Korf 2009,
/// *Multi-way number partitioning*).
///
/// Each object begins as a partition of its own. The two partitions with the largest difference
/// between their largest and their smallest sum, ties by the lowest object, become one, the largest
/// set of either with the smallest of the other, and so on; sets are ordered by (sum descending,
/// lowest object ascending), empty ones last. The sets of the partition that remains go, in that
/// order, to the processors by (load that cannot move ascending, id ascending).
///
/// With n objects on m processors it takes O(n log n) while objects are added to partitions in
/// order of load, and O(m log m) for each two partitions that both use most processors, of which
/// there are mostly n/m; no combination takes longer than that, so that it is never worse than
/// O(n (log n + m log m)).
pub fn karmarkar_karp(
    objects: &Objects<'_>,
    processors: u32,
    owners: &mut [ProcessorId],
    memory: Memory<'_>,
) -> Result<(), CentralError> {
    objects.check(owners, processors)?;
    let memory = memory.cut(&Needs::of_karmarkar_karp(objects.len(), processors))?;
    let loads = memory.loads;
    loads.fill(0);
    add_up_fixed(objects, owners, loads);
    let sets = Subsets(memory.subsets);
    let mut partitions = Partitions { sets, all: memory.partitions, processors };
    let mut waiting = Heap::new(memory.objects);
    for object in objects.ids().filter(|&object| !objects.is_fixed(object)) {
        let difference = partitions.add(object.0, objects.load(object));
        waiting.push(u64::MAX - difference, object.0);
    }
    let mut rest = NONE;
    while let Some((_, one)) = waiting.pop() {
        rest = one;
        if let Some((_, other)) = waiting.pop() {
            let (number, difference) = partitions.combine(one, other);
            waiting.push(u64::MAX - difference, number);
        }
    }
    let mut set = partitions.descending(rest);
    let mut least = by_load(loads, memory.processors);
    while set != NONE
        && let Some((_, processor)) = least.pop()
    {
        for object in partitions.sets.objects(set) {
            if let Some(owner) = owners.get_mut(ObjectId(object).index()) {
                *owner = ProcessorId(processor);
            }
        }
        set = partitions.sets.larger(set);
    }
    loads.fill(0);
    objects.add_up(owners, loads);
    Ok(())
}

struct Partitions<'m> {
    sets: Subsets<'m>,
    all: &'m mut [Partition],
    processors: u32,
}

impl Partitions<'_> {
    /// Makes a partition of one object; its difference.
    fn add(&mut self, object: u32, load: u64) -> u64 {
        self.sets.add(object, load);
        self.put(object, Partition { largest: load, sets: object, len: 1 })
    }

    /// Combines two; the number of what they become and its difference.
    ///
    /// Sums are kept as they are, not less the smallest: differences and orders are the same.
    fn combine(&mut self, one: u32, other: u32) -> (u32, u64) {
        let number = one.min(other);
        let (one, other) = (self.get(one), self.get(other));
        // The smallest sets meet those of the other partition, all others an empty one.
        let meeting = one.len.saturating_sub(self.processors - other.len);
        let len = one.len - meeting + other.len;
        let (small, rest) = self.sets.take_reversed(one.sets, meeting);
        let (united, other_rest) = self.sets.unite_each(other.sets, small, meeting);
        let alone = |partition: Partition| {
            if meeting < partition.len { partition.largest } else { 0 }
        };
        let largest = alone(one).max(alone(other)).max(self.sets.largest_sum(united));
        let united = self.sets.sort(united);
        let alone = self.sets.merge(rest, other_rest);
        let sets = self.sets.merge(united, alone);
        (number, self.put(number, Partition { largest, sets, len }))
    }

    /// The sets of a partition, linked from the largest on.
    fn descending(&mut self, number: u32) -> u32 {
        let partition = self.get(number);
        self.sets.take_reversed(partition.sets, partition.len).0
    }

    fn get(&self, number: u32) -> Partition {
        self.all.get(number as usize).copied().unwrap_or(Partition::EMPTY)
    }

    /// Stores a partition; its difference.
    fn put(&mut self, number: u32, partition: Partition) -> u64 {
        if let Some(place) = self.all.get_mut(number as usize) {
            *place = partition;
        }
        let has_empty = partition.len < self.processors;
        let smallest = if has_empty { 0 } else { self.sets.sum(partition.sets) };
        partition.largest - smallest
    }
}
