//! The largest differencing method.

use super::lpt::add_processors;
use super::order::by_load;
use super::subsets::{NONE, Subsets};
use super::{CentralError, CentralMemory, CentralNeeds, add_up_fixed};
use crate::balance::objects::Objects;
use crate::base::bug::OrBug;
use crate::base::heap::{Entry, LentHeap};
use crate::base::id::ProcessorId;
use crate::base::table::At;

/// Memory for a partition of some objects into as many sets as there are processors, of which only
/// those are kept that have objects. It has the number of its lowest object, so that there is one
/// for each object.
#[derive(Clone, Copy, Debug)]
pub struct Partition {
    /// The largest sum of a set.
    largest: u64,
    /// The set with the smallest sum, the first in the list of the sets.
    sets: u32,
    /// Number of its sets.
    len: u32,
}

impl Partition {
    /// An unused entry of memory to be lent.
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
/// With n objects on m processors, an object that is added to the same partition as the one before
/// takes O(log n), any other combination O(m log m) at most. Of those there are mostly n/m, which
/// makes O(n log n) in all; n of them, O(n m log m), would be the worst case.
pub fn karmarkar_karp(
    objects: &Objects<'_>,
    processors: u32,
    owners: &mut [ProcessorId],
    memory: CentralMemory<'_>,
) -> Result<(), CentralError> {
    objects.check(owners, processors)?;
    let memory = memory.cut(&CentralNeeds::of_karmarkar_karp(objects.len(), processors))?;
    let loads = memory.loads;
    loads.fill(0);
    add_up_fixed(objects, owners, loads);
    let sets = Subsets(memory.subsets);
    let heap = LentHeap::new(memory.processors);
    let all = memory.partitions;
    let mut partitions = Partitions { sets, all, processors, open: NONE, heap };
    for object in objects.ids().filter(|&object| !objects.is_fixed(object)) {
        partitions.add(object.0, objects.load(object));
    }
    let (single, memory) = by_load(objects, memory.objects);
    let mut waiting = Waiting { single, combined: LentHeap::new(memory) };
    let mut rest = NONE;
    while let Some(one) = waiting.pop() {
        rest = one;
        if let Some(other) = waiting.pop() {
            let (number, difference) = partitions.combine(one, other);
            waiting.combined.push(u64::MAX - difference, number);
        }
    }
    let mut set = partitions.take_sets_descending(rest);
    // The heap of sets is empty now, and serves for the processors.
    let least = &mut partitions.heap;
    add_processors(loads, least);
    while set != NONE
        && let Some((_, processor)) = least.pop()
    {
        for object in partitions.sets.objects(set) {
            *owners.at_mut(object) = ProcessorId(processor);
        }
        set = partitions.sets.larger(set);
    }
    debug_assert_eq!(set, NONE, "there are more sets than processors");
    loads.fill(0);
    objects.add_up(owners, loads);
    Ok(())
}

/// The partitions to be combined, by (difference descending, lowest object ascending).
struct Waiting<'m> {
    /// Partitions of one object: their differences are their loads. On one processor the
    /// differences are 0, but there any order has the same result.
    single: &'m [Entry],
    combined: LentHeap<'m>,
}

impl Waiting<'_> {
    /// Takes the partition with the largest difference; none where none is left.
    fn pop(&mut self) -> Option<u32> {
        // Keys are `u64::MAX` less the difference: the largest difference has the lowest key.
        let combined = self.combined.first();
        if let Some((first, rest)) = self.single.split_first()
            && combined.is_none_or(|combined| first.parts() < combined)
        {
            self.single = rest;
            let (_, number) = first.parts();
            return Some(number);
        }
        self.combined.pop().map(|(_, number)| number)
    }
}

/// All partitions. Of one of them, that to which a single set was added last, the sets are in a
/// heap instead of a list: most objects are added one by one to the same partition.
struct Partitions<'m> {
    sets: Subsets<'m>,
    all: &'m mut [Partition],
    processors: u32,
    /// The partition whose sets are in the heap.
    open: u32,
    /// Sets of the open partition by their [`heap_key`]: (sum ascending, lowest object descending).
    heap: LentHeap<'m>,
}

impl Partitions<'_> {
    /// Makes a partition of one object.
    fn add(&mut self, object: u32, load: u64) {
        self.sets.add(object, load);
        self.put(object, Partition { largest: load, sets: object, len: 1 });
    }

    /// Combines two partitions; returns the number of the combined one and its difference.
    ///
    /// Sums are kept as they are, not less the smallest: differences and orders are the same.
    fn combine(&mut self, one: u32, other: u32) -> (u32, u64) {
        let number = one.min(other);
        if self.get(one).len == 1 && self.open != one {
            self.add_set(other, one, number);
        } else if self.get(other).len == 1 {
            self.add_set(one, other, number);
        } else {
            self.heap_to_list();
            self.combine_lists(self.get(one), self.get(other), number);
        }
        (number, self.difference(number))
    }

    /// Combines a partition of many sets with one of a single set, into the partition `number`.
    fn add_set(&mut self, many: u32, single: u32, number: u32) {
        self.open(many);
        let Partition { largest, len, .. } = self.get(many);
        let mut set = self.get(single).sets;
        let is_full = len >= self.processors;
        if is_full {
            let (_, smallest) = self.smallest();
            self.heap.pop();
            set = self.sets.unite(set, smallest);
        }
        let sum = self.sets.sum(set);
        self.heap.push(sum, heap_key(set));
        self.open = number;
        let len = if is_full { len } else { len + 1 };
        self.put(number, Partition { largest: largest.max(sum), sets: NONE, len });
    }

    /// Combines two partitions whose sets are in lists, into the partition `number`.
    fn combine_lists(&mut self, one: Partition, other: Partition, number: u32) {
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
        self.put(number, Partition { largest, sets, len });
    }

    /// Moves the sets of a partition from their list into the heap, which other sets leave first.
    fn open(&mut self, number: u32) {
        if self.open == number {
            return;
        }
        self.heap_to_list();
        let mut set = self.get(number).sets;
        while set != NONE {
            self.heap.push(self.sets.sum(set), heap_key(set));
            set = self.sets.larger(set);
        }
        self.open = number;
    }

    /// Puts the sets that are in the heap back into the list of the open partition.
    fn heap_to_list(&mut self) {
        let (mut first, mut last) = (NONE, NONE);
        while let Some((_, key)) = self.heap.pop() {
            let set = set_of(key);
            self.sets.append(&mut first, last, set);
            last = set;
        }
        self.sets.append(&mut first, last, NONE);
        if self.open != NONE {
            self.all.at_mut(self.open).sets = first;
        }
        self.open = NONE;
    }

    /// Returns the sets of a partition as a list from the largest on; [`NONE`] of no partition.
    fn take_sets_descending(&mut self, number: u32) -> u32 {
        self.heap_to_list();
        if number == NONE {
            return NONE;
        }
        let partition = self.get(number);
        self.sets.take_reversed(partition.sets, partition.len).0
    }

    /// Returns the largest sum of a partition less the smallest, which is 0 where a set has no
    /// objects.
    fn difference(&mut self, number: u32) -> u64 {
        let partition = self.get(number);
        let smallest = if partition.len < self.processors {
            0
        } else if self.open == number {
            self.smallest().0
        } else {
            self.sets.sum(partition.sets)
        };
        partition.largest - smallest
    }

    /// Returns the sum of the smallest set in the heap, and the set.
    fn smallest(&mut self) -> (u64, u32) {
        let (sum, key) = self.heap.first().or_bug("a full partition is empty");
        (sum, set_of(key))
    }

    fn get(&self, number: u32) -> Partition {
        *self.all.at(number)
    }

    fn put(&mut self, number: u32, partition: Partition) {
        *self.all.at_mut(number) = partition;
    }
}

/// Returns the key of a set in the heap: of equal sums, the set with the higher number comes first.
const fn heap_key(set: u32) -> u32 {
    !set
}

/// Returns the set that a key in the heap stands for.
const fn set_of(key: u32) -> u32 {
    !key
}
