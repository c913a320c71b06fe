//! Edges that are copied out of memory in one piece, by somebody who cannot look at anything else in
//! between: another machine. Each slot begins and ends with the version and the subdomain that it is
//! of; a copy in which the two ends differ was made while the slot was written.
//!
//! The end is written first and the beginning last, and copies are made from the beginning to the
//! end: so whatever a copy has of a newer version, its end says so, or else its beginning does.

use super::publication::SharedReal;
use super::sync::{Ordering, fence};
use crate::id::SubdomainId;

/// Words at each end of a slot.
const ENDS: usize = 2;

/// Words that stamps take of a slot.
pub const STAMP_WORDS: usize = 2 * ENDS;

/// The two ends of a slot, and the cells between them; none where it has no room for that.
fn parts<T>(slot: &[T]) -> Option<(&[T; ENDS], &[T], &[T; ENDS])> {
    let (front, rest) = slot.split_first_chunk()?;
    let (cells, back) = rest.split_last_chunk()?;
    Some((front, cells, back))
}

/// Writes a slot with `write`, between its stamps.
#[inline]
pub(super) fn write<F: SharedReal>(
    slot: &[F::Shared],
    version: u64,
    subdomain: u64,
    write: impl FnOnce(&[F::Shared]),
) {
    let Some((front, cells, back)) = parts(slot) else { return };
    let stamp = |[first, second]: &[F::Shared; ENDS]| {
        F::store_stamp(first, version);
        F::store_stamp(second, subdomain);
    };
    stamp(back);
    fence(Ordering::Release);
    write(cells);
    fence(Ordering::Release);
    stamp(front);
}

/// The cells of a slot.
#[inline]
pub(super) fn cells<T>(slot: &[T]) -> &[T] {
    parts(slot).map_or(&[], |(_, cells, _)| cells)
}

/// The version and the cells of a slot that was copied; none where it was written meanwhile, or is
/// another subdomain's. `near` is a version that it cannot be far from.
pub fn stamped<F: SharedReal>(
    slot: &[F::Shared],
    subdomain: SubdomainId,
    near: u64,
) -> Option<(u64, &[F::Shared])> {
    let (front, cells, back) = parts(slot)?;
    let read = |[first, second]: &[F::Shared; ENDS]| {
        (F::load_stamp(first, near), F::load_stamp(second, subdomain.0.into()))
    };
    let (version, whose) = read(front);
    let is_whole = (version, whose) == read(back) && whose == u64::from(subdomain.0);
    is_whole.then_some((version, cells))
}

#[cfg(all(test, not(loom)))]
mod tests {
    extern crate std;

    use self::std::vec::Vec;
    use super::super::sync::{AtomicF32, AtomicF64};
    use super::*;

    const OWN: SubdomainId = SubdomainId(9);

    fn slot<F: SharedReal>(version: u64) -> Vec<F::Shared> {
        let slot: Vec<_> = (0..3 + STAMP_WORDS).map(|_| F::shared_zero()).collect();
        write::<F>(&slot, version, OWN.0.into(), |cells| {
            for cell in cells {
                F::store(cell, F::from_f64(0.5));
            }
        });
        slot
    }

    #[test]
    fn a_whole_copy_tells_its_version() {
        for version in [0, 1, 7, u64::from(u32::MAX), 1 << 40] {
            let near = version.saturating_add(3);
            let (double, single) = (slot::<f64>(version), slot::<f32>(version));
            let (told, cells) = stamped::<f64>(&double, OWN, near).unwrap();
            assert_eq!((told, cells.len()), (version, 3));
            let (told, cells) = stamped::<f32>(&single, OWN, near).unwrap();
            assert_eq!((told, cells.len()), (version, 3));
            assert!(cells.iter().all(|cell| f32::load(cell).to_bits() == 0.5_f32.to_bits()));
            assert!(stamped::<f64>(&double, SubdomainId(8), near).is_none());
        }
    }

    #[test]
    fn a_torn_copy_is_known_by_either_end() {
        let torn = slot::<f64>(4);
        AtomicF64::store(torn.iter().rev().nth(1).unwrap(), 7, Ordering::Relaxed);
        assert!(stamped::<f64>(&torn, OWN, 4).is_none());
        let torn = slot::<f32>(4);
        AtomicF32::store(torn.first().unwrap(), 1, Ordering::Relaxed);
        assert!(stamped::<f32>(&torn, OWN, 4).is_none());
        assert!(stamped::<f32>(torn.first_chunk::<3>().unwrap(), OWN, 4).is_none());
    }
}
