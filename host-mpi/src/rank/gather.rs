//! The parts at the end of a run: each goes to the rank that it started on.

use tresse::engine::threads::Slots;
use tresse_core::base::id::SubdomainId;
use tresse_core::base::table::At;
use tresse_core::base::unit::Unit;
use tresse_core::node::shared::Grip;
use tresse_core::parts::Part;
use tresse_core::parts::halo::Location;

use crate::mpi::Entry;

/// Brings every part, as it is packed, to the rank that it started on, where `take` gets it.
/// Collective, when nobody holds one.
pub(super) fn gather<'r, T: Part, const N: usize>(
    entry: &mut Entry,
    homes: &[Location],
    (slots, grip): (&Slots<'r, T, N>, &mut Grip<'r, T>),
    mut take: impl FnMut(SubdomainId, &mut dyn Iterator<Item = T::Unit>),
) {
    let mut messages: Vec<Vec<u8>> = (0..entry.ranks()).map(|_| Vec::new()).collect();
    for (id, _) in slots.table.here() {
        let home = homes.get(id.index()).map(|home| home.rank.index());
        if let Some(message) = home.and_then(|home| messages.get_mut(home)) {
            slots.with(id, grip, |part| write_part(id, part, message));
        }
    }
    for message in entry.all_to_all_bytes(messages) {
        read_parts(&message, &mut take);
    }
}

/// Appends a part: its number, the number of its units, and the units, in little-endian.
pub(crate) fn write_part<T: Part>(id: SubdomainId, part: &T, to: &mut Vec<u8>) {
    to.extend(id.0.to_le_bytes());
    let length = to.len();
    to.extend(0_u64.to_le_bytes());
    let mut units = 0_u64;
    for unit in part.pack() {
        let bytes = unit.bits().to_le_bytes();
        to.extend(bytes.iter().take(size_of::<T::Unit>()));
        units += 1;
    }
    to.iter_mut().skip(length).zip(units.to_le_bytes()).for_each(|(to, byte)| *to = byte);
}

/// Hands over the parts of a message.
pub(crate) fn read_parts<F: Unit>(
    message: &[u8],
    take: &mut impl FnMut(SubdomainId, &mut dyn Iterator<Item = F>),
) {
    let mut rest = message;
    while let Some((id, after)) = rest.split_first_chunk() {
        let (length, after) = after.cut(size_of::<u64>());
        let units = usize::try_from(number(length)).unwrap_or(usize::MAX);
        let (own, after) = after.cut(units.saturating_mul(size_of::<F>()));
        let mut units = own.chunks_exact(size_of::<F>()).map(|bytes| F::of_bits(number(bytes)));
        take(SubdomainId(u32::from_le_bytes(*id)), &mut units);
        rest = after;
    }
}

/// Returns the number of up to eight bytes in little-endian.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}
