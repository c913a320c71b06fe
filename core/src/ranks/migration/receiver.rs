//! The receiver's side: one arrival at a time.

use super::mailbox::is_newer;
use super::{Answer, FreeSlots, Offer, Packet, Write};
use crate::base::id::{RankId, SlotId, SubdomainId};
use crate::parts::halo::{Bounds, DirectoryEntry, HaloTag};

/// An offered subdomain, with the slot reserved for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arrival {
    /// The subdomain that comes.
    pub subdomain: SubdomainId,
    /// The rank whose outbox it is in.
    pub from: RankId,
    /// The slot that is taken for it.
    pub slot: SlotId,
    sequence: u32,
}

impl Arrival {
    /// Returns the sequence number of its offer.
    pub const fn sequence(&self) -> u32 {
        self.sequence
    }

    /// Returns the word that accepts or refuses the offer of this arrival.
    const fn answer(&self, accepted: bool) -> Write {
        Write::Answer(self.from, Answer { sequence: self.sequence, accepted })
    }
}

/// Result of polling a mailbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Look {
    /// There is nothing to do, or not yet.
    Nothing,
    /// The packet is to be fetched.
    Fetch(Arrival),
    /// There is no room; the answer is to be written.
    Refuse(Write),
}

/// State of a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum ReceiverState {
    Idle,
    Fetching(Arrival),
    /// The packet is valid and being installed; with the subdomain's epoch, this move included.
    Installing(Arrival, u32),
}

/// One rank's receiver.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Receiver {
    own: RankId,
    bounds: Bounds,
    state: ReceiverState,
}

impl Receiver {
    /// Returns the receiver of one rank, with nothing on its way.
    pub const fn new(own: RankId, bounds: Bounds) -> Self {
        Self { own, bounds, state: ReceiverState::Idle }
    }

    /// Returns the subdomain that is being received.
    pub const fn arrival(&self) -> Option<Arrival> {
        match self.state {
            ReceiverState::Idle => None,
            ReceiverState::Fetching(arrival) | ReceiverState::Installing(arrival, _) => {
                Some(arrival)
            }
        }
    }

    /// Polls the mailbox of rank `from`: reserves a slot for the subdomain that its `word` offers,
    /// or refuses where none is free. `handled` is the sequence number of the last offer of that
    /// rank that was taken or refused, 0 before the first; it is updated. `entry` returns this
    /// rank's directory entry of a subdomain. A word that is no valid offer is ignored.
    ///
    /// An offer may bring back a subdomain whose departure this rank has not completed yet; it then
    /// waits until that is complete.
    pub fn look(
        &mut self,
        from: RankId,
        word: u64,
        handled: &mut u32,
        entry: impl FnOnce(SubdomainId) -> DirectoryEntry,
        slots: &mut FreeSlots<impl AsMut<[bool]>>,
    ) -> Look {
        let Some(Offer { sequence, subdomain }) = Offer::decode(word, self.bounds) else {
            return Look::Nothing;
        };
        let is_here = |entry| matches!(entry, DirectoryEntry::Here { .. });
        if self.state != ReceiverState::Idle
            || from == self.own
            || from.0 >= self.bounds.ranks
            || !is_newer(sequence, *handled)
            || is_here(entry(subdomain))
        {
            return Look::Nothing;
        }
        *handled = sequence;
        match slots.take() {
            Some(slot) => {
                let arrival = Arrival { subdomain, from, slot, sequence };
                self.state = ReceiverState::Fetching(arrival);
                Look::Fetch(arrival)
            }
            None => Look::Refuse(Write::Answer(from, Answer { sequence, accepted: false })),
        }
    }

    /// Checks the head of a fetched packet against the offer, and returns whether the subdomain is
    /// to be installed; if not, it is to be refused. `entry` is this rank's directory entry of the
    /// subdomain. False also where nothing is being fetched.
    pub fn fetched<const N: usize>(&mut self, packet: &Packet<N>, entry: DirectoryEntry) -> bool {
        let ReceiverState::Fetching(arrival) = self.state else { return false };
        let is_newer = match entry {
            DirectoryEntry::Unknown => true,
            DirectoryEntry::Here { .. } => false,
            DirectoryEntry::Left { epoch, .. } => packet.epoch >= epoch,
        };
        // An epoch counts moves, of which this is the next.
        let Some(epoch) = packet.epoch.checked_add(1) else { return false };
        let is_offered = is_newer && packet.subdomain == arrival.subdomain;
        if is_offered {
            self.state = ReceiverState::Installing(arrival, epoch);
        }
        is_offered
    }

    /// Records that the subdomain is installed, and returns the words to write, in this order. The
    /// last one answers the sender. None where nothing is being installed.
    pub fn installed(&mut self) -> Option<[Write; 3]> {
        let ReceiverState::Installing(arrival, epoch) = self.state else { return None };
        let Arrival { subdomain, slot, .. } = arrival;
        self.state = ReceiverState::Idle;
        Some([
            Write::HaloTag(slot, HaloTag { subdomain, owner: self.own }),
            Write::Entry(subdomain, DirectoryEntry::Here { slot, epoch }),
            arrival.answer(true),
        ])
    }

    /// Refuses the arrival, frees its slot, and returns the answer to write. None where nothing is
    /// being received.
    pub fn refuse(&mut self, slots: &mut FreeSlots<impl AsMut<[bool]>>) -> Option<Write> {
        let arrival = self.arrival()?;
        self.state = ReceiverState::Idle;
        slots.give_back(arrival.slot);
        Some(arrival.answer(false))
    }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::base::time::Duration;

    const BOUNDS: Bounds = Bounds { subdomains: 5, ranks: 3, slots: 2 };
    /// A receiver that looks at the mail of three ranks.
    struct Mailbox(Receiver, [u32; 3]);

    impl Mailbox {
        fn new() -> Self {
            Self(Receiver::new(RankId(1), BOUNDS), [0; 3])
        }

        fn look(
            &mut self,
            from: RankId,
            word: u64,
            entry: impl FnOnce(SubdomainId) -> DirectoryEntry,
            slots: &mut FreeSlots<impl AsMut<[bool]>>,
        ) -> Look {
            let handled = &mut self.1[from.index() % 3];
            self.0.look(from, word, handled, entry, slots)
        }
    }

    const UNKNOWN: fn(SubdomainId) -> DirectoryEntry = |_| DirectoryEntry::Unknown;

    fn offer(sequence: u32, id: u32) -> u64 {
        Offer { sequence, subdomain: SubdomainId(id) }.encode()
    }

    fn answer(to: u32, sequence: u32, accepted: bool) -> Write {
        Write::Answer(RankId(to), Answer { sequence, accepted })
    }

    fn packet(id: u32, epoch: u32) -> Packet {
        Packet {
            subdomain: SubdomainId(id),
            epoch,
            version: 9,
            residual: 0.5_f64.to_bits(),
            sweep_time: Duration::ZERO,
            units: 0,
            neighbours: [None; 4],
        }
    }

    fn fetches(look: Look) -> Arrival {
        let Look::Fetch(arrival) = look else { unreachable!("{look:?}") };
        arrival
    }

    #[test]
    fn what_comes_is_installed_then_published_then_answered() {
        let mut slots = FreeSlots::new([true; 2], 0);
        let mut receiver = Mailbox::new();
        assert_eq!((receiver.0.installed(), receiver.0.refuse(&mut slots)), (None, None));
        let arrival = fetches(receiver.look(RankId(0), offer(4, 3), UNKNOWN, &mut slots));
        assert_eq!((arrival.subdomain, arrival.slot), (SubdomainId(3), SlotId(0)));
        assert_eq!(receiver.0.arrival(), Some(arrival));
        // One at a time; nothing is published before it is there.
        let other = receiver.look(RankId(2), offer(1, 2), UNKNOWN, &mut slots);
        assert_eq!((other, receiver.0.installed()), (Look::Nothing, None));
        assert!(receiver.0.fetched(&packet(3, 6), DirectoryEntry::Unknown));
        let tag = HaloTag { subdomain: SubdomainId(3), owner: RankId(1) };
        let here = DirectoryEntry::Here { slot: SlotId(0), epoch: 7 };
        let entry = Write::Entry(SubdomainId(3), here);
        let writes = [Write::HaloTag(SlotId(0), tag), entry, answer(0, 4, true)];
        assert_eq!(receiver.0.installed(), Some(writes));
        assert_eq!(receiver.0.arrival(), None);
        fetches(receiver.look(RankId(2), offer(1, 2), UNKNOWN, &mut slots));
    }

    #[test]
    fn an_offer_is_taken_or_refused_once() {
        let mut slots = FreeSlots::new([true; 1], 0);
        let mut receiver = Mailbox::new();
        fetches(receiver.look(RankId(0), offer(4, 3), UNKNOWN, &mut slots));
        assert!(receiver.0.fetched(&packet(3, 0), DirectoryEntry::Unknown));
        assert!(receiver.0.installed().is_some());
        let mut look = |from, word| receiver.look(RankId(from), word, UNKNOWN, &mut slots);
        for old in [offer(4, 3), offer(4, 2), offer(3, 1), 0] {
            assert_eq!(look(0, old), Look::Nothing);
        }
        // There is no second slot.
        assert_eq!(look(0, offer(5, 2)), Look::Refuse(answer(0, 5, false)));
        assert_eq!(look(0, offer(5, 2)), Look::Nothing);
        assert_eq!(look(2, offer(5, 2)), Look::Refuse(answer(2, 5, false)));
        assert_eq!(look(2, offer(6, 2)), Look::Refuse(answer(2, 6, false)));
    }

    #[test]
    fn what_is_not_what_was_offered_is_refused() {
        let mut slots = FreeSlots::new([true; 1], 0);
        let mut receiver = Mailbox::new();
        let left = DirectoryEntry::Left { to: RankId(0), epoch: 6 };
        let here = DirectoryEntry::Here { slot: SlotId(0), epoch: 2 };
        let wrong = [
            (packet(2, 6), DirectoryEntry::Unknown),
            (packet(3, 5), left),
            (packet(3, 6), here),
            (packet(3, u32::MAX), DirectoryEntry::Unknown),
        ];
        for (sequence, (packet, entry)) in (1..).zip(wrong) {
            fetches(receiver.look(RankId(0), offer(sequence, 3), |_| left, &mut slots));
            assert!(!receiver.0.fetched(&packet, entry), "{packet:?}");
            assert_eq!(receiver.0.installed(), None);
            assert_eq!(receiver.0.refuse(&mut slots), Some(answer(0, sequence, false)));
            assert_eq!(slots.free(), 1);
        }
        assert!(!receiver.0.fetched(&packet(3, 6), left), "nothing is fetched");
        fetches(receiver.look(RankId(0), offer(9, 3), |_| left, &mut slots));
        assert!(receiver.0.fetched(&packet(3, 6), left), "it comes back");
    }

    #[test]
    fn what_is_still_here_waits_and_others_do_not() {
        let mut slots = FreeSlots::new([true; 1], 0);
        let mut receiver = Mailbox::new();
        let here = |id| match id {
            SubdomainId(3) => DirectoryEntry::Here { slot: SlotId(0), epoch: 2 },
            _ => DirectoryEntry::Unknown,
        };
        assert_eq!(receiver.look(RankId(0), offer(1, 3), here, &mut slots), Look::Nothing);
        let other = fetches(receiver.look(RankId(2), offer(1, 4), here, &mut slots));
        assert_eq!(other.from, RankId(2));
        assert!(receiver.0.refuse(&mut slots).is_some());
        fetches(receiver.look(RankId(0), offer(1, 3), UNKNOWN, &mut slots));
    }

    #[test]
    fn forged_mail_is_nothing() {
        let mut slots = FreeSlots::new([true; 1], 0);
        let mut receiver = Mailbox::new();
        for (from, word) in [
            (1, offer(1, 3)),
            (3, offer(1, 3)),
            (u32::MAX, offer(1, 3)),
            (0, offer(1, 5)),
            (0, 3),
            (0, u64::MAX),
        ] {
            let look = receiver.look(RankId(from), word, UNKNOWN, &mut slots);
            assert_eq!(look, Look::Nothing, "{from} {word}");
        }
        assert_eq!(slots.free(), 1);
    }
}
