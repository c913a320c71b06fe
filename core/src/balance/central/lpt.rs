//! The longest processing time first.

use super::order::by_load;
use super::{CentralError, CentralMemory, CentralNeeds, add_up_fixed};
use crate::balance::objects::Objects;
use crate::base::bug::OrBug;
use crate::base::heap::LentHeap;
use crate::base::id::ProcessorId;
use crate::base::table::At;

/// Puts the objects that may move, by (load descending, id ascending), each on the processor with
/// the lowest load so far, ties by lowest id (Graham 1969, *Bounds on multiprocessing timing
/// anomalies*).
///
/// Fixed objects count from the start. Without them the highest load is at most 4/3 − 1/(3m) times
/// the least possible one on m processors. Takes O(n log m) for n objects.
pub fn lpt(
    objects: &Objects<'_>,
    processors: u32,
    owners: &mut [ProcessorId],
    memory: CentralMemory<'_>,
) -> Result<(), CentralError> {
    objects.check(owners, processors)?;
    let memory = memory.cut(&CentralNeeds::of_lpt(objects.len(), processors))?;
    let loads = memory.loads;
    loads.fill(0);
    add_up_fixed(objects, owners, loads);
    let mut least = LentHeap::new(memory.processors);
    add_processors(loads, &mut least);
    for (rest, object) in by_load(objects, memory.objects).0.iter().map(|entry| entry.parts()) {
        let (load, processor) = least.pop().or_bug("there is no processor for an object");
        least.push(load + (u64::MAX - rest), processor);
        *owners.at_mut(object) = ProcessorId(processor);
    }
    loads.fill(0);
    objects.add_up(owners, loads);
    Ok(())
}

/// Adds all processors to an empty heap, the one with the lowest load first, ties by lowest id.
pub(super) fn add_processors(loads: &[u64], heap: &mut LentHeap<'_>) {
    for (&load, processor) in loads.iter().zip(0..) {
        heap.push(load, processor);
    }
}
