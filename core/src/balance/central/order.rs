//! Objects in order of load, on lent memory.

use crate::balance::objects::Objects;
use crate::base::heap::Entry;
use crate::base::table::At;

/// Number of values of a byte.
const VALUES: usize = 1 << u8::BITS;

/// Returns the objects that may move, by (load descending, id ascending), with the difference of
/// their loads from the largest number; and the half of the memory that is left. A half has a place
/// for each.
///
/// A radix sort from the least byte on, which keeps the order of equals: it reads and writes in few
/// streams, where a heap of all objects would jump about.
pub(super) fn by_load<'m>(
    objects: &Objects<'_>,
    memory: &'m mut [Entry],
) -> (&'m [Entry], &'m mut [Entry]) {
    let half = memory.len() / 2;
    debug_assert!(half >= objects.len(), "an object has no place in the order");
    let (mut from, mut to) = memory.cut_mut(half);
    let mut number = 0;
    let movable = objects.ids().filter(|&object| !objects.is_fixed(object));
    for (entry, object) in from.iter_mut().zip(movable) {
        *entry = Entry::new(u64::MAX - objects.load(object), object.0);
        number += 1;
    }
    for byte in 0..size_of::<u64>() {
        if distribute(from.stretch(..number), to, byte) {
            core::mem::swap(&mut from, &mut to);
        }
    }
    (from.stretch(..number), to)
}

/// Makes one pass of the radix sort, by one byte of the keys; equal ones keep their order. False,
/// and nothing is written, where all have the same byte.
fn distribute(from: &[Entry], to: &mut [Entry], byte: usize) -> bool {
    let value = |entry: &Entry| {
        let bytes = entry.parts().0.to_le_bytes();
        usize::from(bytes.get(byte).copied().unwrap_or(0))
    };
    let mut places = [0; VALUES];
    for entry in from {
        if let Some(number) = places.get_mut(value(entry)) {
            *number += 1;
        }
    }
    if places.contains(&from.len()) {
        return false;
    }
    let mut start = 0;
    for place in &mut places {
        start += core::mem::replace(place, start);
    }
    for entry in from {
        let place = places.at_mut(value(entry));
        *to.at_mut(*place) = *entry;
        *place += 1;
    }
    true
}
