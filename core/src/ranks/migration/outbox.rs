//! The outbox: the head of a packet in words, and the units behind a label, as edges that are
//! fetched have one ([`accept`](crate::parts::halo::accept)).
//!
//! The checksum in the label is of the head, of the offer's sequence number and of all cells. So a
//! packet is taken only as it was packed for the offer that it is taken for, whatever the transport
//! does to the order of words.

use super::packet::{Packet, PacketError};
use crate::base::sync::{AtomicU64, Ordering};
use crate::base::unit::Unit;
use crate::parts::halo::{Checksum, LABEL_WORDS, seal, unseal};

/// Packs a subdomain for the offer `sequence`: its head into `words`, [`Packet::WORDS`] in number,
/// and its units, [`Packet::units`] in number, into `outbox`, behind a label of [`LABEL_WORDS`].
pub fn pack<F: Unit, const N: usize>(
    words: &[AtomicU64],
    outbox: &[F::Shared],
    packet: &Packet<N>,
    sequence: u32,
    units: impl IntoIterator<Item = F>,
) {
    for (word, value) in words.iter().zip(packet.encode()) {
        word.store(value, Ordering::Relaxed);
    }
    seal(outbox, head_checksum(packet, sequence), packet.version, units);
}

/// Returns the units of a fetched outbox, in the order in which they were packed. An error where
/// they are not as many as the packet says, or the checksum shows that they were not packed with
/// this head for the offer `sequence`.
pub fn unpack<'c, F: Unit, const N: usize>(
    copy: &'c [F::Shared],
    packet: &Packet<N>,
    sequence: u32,
) -> Result<&'c [F::Shared], PacketError> {
    let came = copy.len().saturating_sub(LABEL_WORDS);
    if came as u64 != packet.units {
        return Err(PacketError::Units { came, has: packet.units });
    }
    let unsealed = unseal::<F>(copy, |_| head_checksum(packet, sequence));
    let whole = unsealed.filter(|unsealed| unsealed.version == packet.version);
    whole.map(|whole| whole.cells).ok_or(PacketError::Checksum)
}

/// Returns the checksum of the packet's head and of the offer's sequence number, to which the units
/// are added.
fn head_checksum<const N: usize>(packet: &Packet<N>, sequence: u32) -> Checksum {
    let mut checksum = Checksum::new(packet.subdomain.0.into(), packet.version);
    packet.encode().for_each(|word| checksum.add(word));
    checksum.add(sequence.into());
    checksum
}

#[cfg(all(test, not(loom)))]
mod tests {
    extern crate std;

    use self::std::vec::Vec;
    use super::*;
    use crate::base::id::SubdomainId;
    use crate::base::real::Real;
    use crate::base::time::Duration;
    use crate::parts::halo::Location;

    const CELLS: [f64; 4] = [0.0, 1.0, 0.0, -2.5];
    const HAS: usize = CELLS.len();
    const SEQUENCE: u32 = 7;

    fn packet() -> Packet {
        Packet {
            subdomain: SubdomainId(3),
            epoch: 2,
            version: 9,
            residual: 0.5_f64.to_bits(),
            sweep_time: Duration(11),
            units: HAS as u64,
            neighbours: [Some(Location::default()), None, None, None],
        }
    }

    fn packed<F: Real>() -> Vec<F::Shared> {
        let words: Vec<_> = (0..Packet::<4>::WORDS).map(|_| AtomicU64::new(0)).collect();
        let outbox: Vec<_> = (0..LABEL_WORDS + HAS).map(|_| F::shared_zero()).collect();
        pack(&words, &outbox, &packet(), SEQUENCE, CELLS.map(F::from_f64));
        let head: Vec<_> = words.iter().map(|word| word.load(Ordering::Relaxed)).collect();
        assert!(head.into_iter().eq(packet().encode()));
        outbox
    }

    fn what_is_packed_is_unpacked<F: Real>() {
        let outbox = packed::<F>();
        let cells = unpack::<F, _>(&outbox, &packet(), SEQUENCE);
        let bits = cells.map(|cells| cells.iter().map(|cell| F::load(cell).bits()).collect());
        assert_eq!(bits, Ok(CELLS.map(|cell| F::from_f64(cell).bits()).to_vec()));
    }

    #[test]
    fn cells_come_as_they_were_packed() {
        what_is_packed_is_unpacked::<f32>();
        what_is_packed_is_unpacked::<f64>();
    }

    #[test]
    fn missing_cells_are_an_error() {
        let outbox = packed::<f64>();
        for length in 0..outbox.len() {
            let came = length.saturating_sub(LABEL_WORDS);
            let cut = outbox.get(..length).unwrap_or_default();
            let error = Err(PacketError::Units { came, has: HAS as u64 });
            assert_eq!(unpack::<f64, _>(cut, &packet(), SEQUENCE).map(|_| ()), error);
            // Nor does a label pass for one of fewer units.
            let fewer = Packet { units: came as u64, ..packet() };
            let short = unpack::<f64, _>(cut, &fewer, SEQUENCE);
            assert!(short.is_err() && length != LABEL_WORDS + HAS);
        }
    }

    /// Every cell and every word of the label that is still the one before, the head of another
    /// move, and the cells of another offer.
    #[test]
    fn what_is_of_two_moments_is_an_error() {
        let torn = |outbox: &[_], packet: &Packet, sequence| {
            unpack::<f64, _>(outbox, packet, sequence).map(|_| ()) == Err(PacketError::Checksum)
        };
        let wrong = [
            Packet { epoch: 1, ..packet() },
            Packet { version: 8, ..packet() },
            Packet { residual: 0.25_f64.to_bits(), ..packet() },
            Packet { sweep_time: Duration(12), ..packet() },
            Packet { neighbours: [None; 4], ..packet() },
            Packet { subdomain: SubdomainId(2), ..packet() },
        ];
        for packet in wrong {
            assert!(torn(&packed::<f64>(), &packet, SEQUENCE), "{packet:?}");
        }
        for sequence in [0, SEQUENCE - 1, SEQUENCE + 1] {
            assert!(torn(&packed::<f64>(), &packet(), sequence), "{sequence}");
        }
        for place in 0..LABEL_WORDS + HAS {
            let outbox = packed::<f64>();
            let before = outbox.get(place).map(|word| word.fetch_xor(1 << 20, Ordering::Relaxed));
            assert!(torn(&outbox, &packet(), SEQUENCE), "{place}: {before:?}");
        }
    }
}
