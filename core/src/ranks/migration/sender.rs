//! The sender's side: at most one subdomain is on its way from a rank.

use super::mailbox::next;
use super::{Answer, Offer, Write};
use crate::balance::dplb::Transfer;
use crate::base::id::{RankId, SlotId};
use crate::parts::halo::{Bounds, DirectoryEntry, HaloTag};

/// A subdomain on its way, and the slot where it lay in the sender's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Departure {
    /// The subdomain and the ranks between which it moves.
    pub transfer: Transfer,
    /// Its slot, free again once [`Departure::writes`] are made.
    pub slot: SlotId,
    /// Number of its moves, with this one.
    pub epoch: u32,
}

impl Departure {
    /// Returns the words that the sender writes after the acceptance, in this order: the forward in
    /// its directory, then the halo tag with the new owner, which sends readers of the slot there.
    pub const fn writes(&self) -> [Write; 2] {
        let Self { transfer: Transfer { subdomain, to, .. }, slot, epoch } = *self;
        [
            Write::Entry(subdomain, DirectoryEntry::Left { to, epoch }),
            Write::HaloTag(slot, HaloTag { subdomain, owner: to }),
        ]
    }
}

/// Outcome of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SendOutcome {
    /// The subdomain is the other rank's: [`Departure::writes`] are to be made, then the slot given
    /// back.
    Accepted(Departure),
    /// The subdomain is to be given to one of this rank's workers again.
    Refused(Transfer),
}

/// State of a sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum SenderState {
    Idle,
    /// Waits for the worker that holds the subdomain to release it.
    Holder(Departure),
    /// Waits for the answer to the last offer.
    Answer(Departure),
}

/// One rank's sender.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sender {
    own: RankId,
    ranks: u32,
    /// The sequence number of the last offer.
    sequence: u32,
    state: SenderState,
}

impl Sender {
    /// Returns the sender of one rank, with nothing on its way.
    pub const fn new(own: RankId, bounds: Bounds) -> Self {
        Self { own, ranks: bounds.ranks, sequence: 0, state: SenderState::Idle }
    }

    /// Returns the subdomain in transit.
    pub const fn departure(&self) -> Option<Departure> {
        match self.state {
            SenderState::Idle => None,
            SenderState::Holder(departure) | SenderState::Answer(departure) => Some(departure),
        }
    }

    /// Whether nothing is on its way.
    pub const fn is_idle(&self) -> bool {
        matches!(self.state, SenderState::Idle)
    }

    /// Whether a worker still has to release the subdomain in transit; [`Sender::let_go`] comes
    /// next.
    pub const fn waits_for_holder(&self) -> bool {
        matches!(self.state, SenderState::Holder(_))
    }

    /// Begins a transfer of a subdomain whose directory entry on this rank is `entry`. Returns
    /// false where another transfer is under way, or this one is not from here to another rank, or
    /// its epoch is at its limit. The outbox must be free.
    pub fn send(&mut self, transfer: Transfer, entry: DirectoryEntry) -> bool {
        let Transfer { from, to, .. } = transfer;
        let DirectoryEntry::Here { slot, epoch } = entry else { return false };
        let Some(epoch) = epoch.checked_add(1) else { return false };
        let goes = from == self.own && to != self.own && to.0 < self.ranks;
        let begins = self.is_idle() && goes;
        if begins {
            self.state = SenderState::Holder(Departure { transfer, slot, epoch });
        }
        begins
    }

    /// Records that the subdomain is released and packed; returns the offer to write. None where no
    /// transfer waits for that.
    pub fn let_go(&mut self) -> Option<Write> {
        let SenderState::Holder(departure) = self.state else { return None };
        self.state = SenderState::Answer(departure);
        self.sequence = next(self.sequence);
        let Transfer { subdomain, to, .. } = departure.transfer;
        Some(Write::Offer(to, Offer { sequence: self.sequence, subdomain }))
    }

    /// Cancels a transfer that is not offered yet, and returns it; none where there is none.
    pub fn cancel(&mut self) -> Option<Transfer> {
        let SenderState::Holder(departure) = self.state else { return None };
        self.state = SenderState::Idle;
        Some(departure.transfer)
    }

    /// Takes back an offer that was not written, as the subdomain could not be packed.
    pub fn withdraw(&mut self) {
        self.state = SenderState::Idle;
    }

    /// Handles an answer word of rank `from`, and returns the outcome; none where it does not
    /// answer the last offer.
    pub fn answered(&mut self, from: RankId, word: u64) -> Option<SendOutcome> {
        let SenderState::Answer(departure) = self.state else { return None };
        let Answer { sequence, accepted } = Answer::decode(word)?;
        if from != departure.transfer.to || sequence != self.sequence {
            return None;
        }
        self.state = SenderState::Idle;
        Some(if accepted {
            SendOutcome::Accepted(departure)
        } else {
            SendOutcome::Refused(departure.transfer)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::id::SubdomainId;

    const BOUNDS: Bounds = Bounds { subdomains: 5, ranks: 3, slots: 2 };
    const HERE: DirectoryEntry = DirectoryEntry::Here { slot: SlotId(1), epoch: 6 };

    fn transfer(from: u32, to: u32) -> Transfer {
        Transfer { subdomain: SubdomainId(4), from: RankId(from), to: RankId(to) }
    }

    fn answer(sequence: u32, accepted: bool) -> u64 {
        Answer { sequence, accepted }.encode()
    }

    #[test]
    fn what_is_accepted_leaves_a_forward() {
        let mut sender = Sender::new(RankId(0), BOUNDS);
        assert_eq!((sender.let_go(), sender.departure()), (None, None));
        assert!(sender.send(transfer(0, 2), HERE));
        assert!(!sender.send(transfer(0, 1), HERE), "one at a time");
        assert_eq!(sender.answered(RankId(2), answer(0, true)), None, "nothing is offered yet");
        let offer = Offer { sequence: 1, subdomain: SubdomainId(4) };
        assert_eq!(sender.let_go(), Some(Write::Offer(RankId(2), offer)));
        assert_eq!((sender.let_go(), sender.cancel()), (None, None));
        let outcome = sender.answered(RankId(2), answer(1, true));
        let Some(SendOutcome::Accepted(departure)) = outcome else { unreachable!("{outcome:?}") };
        let tag = HaloTag { subdomain: SubdomainId(4), owner: RankId(2) };
        let left = DirectoryEntry::Left { to: RankId(2), epoch: 7 };
        let writes = [Write::Entry(SubdomainId(4), left), Write::HaloTag(SlotId(1), tag)];
        assert_eq!(departure.writes(), writes);
        assert!(sender.is_idle());
    }

    #[test]
    fn what_is_refused_can_be_sent_again() {
        let mut sender = Sender::new(RankId(0), BOUNDS);
        for sequence in 1..4 {
            assert!(sender.send(transfer(0, 1), HERE) && sender.let_go().is_some());
            let refused = sender.answered(RankId(1), answer(sequence, false));
            assert_eq!(refused, Some(SendOutcome::Refused(transfer(0, 1))));
            assert_eq!(sender.answered(RankId(1), answer(sequence, false)), None);
        }
        assert!(sender.send(transfer(0, 1), HERE));
        assert_eq!(sender.cancel(), Some(transfer(0, 1)));
        assert!(sender.is_idle());
    }

    #[test]
    fn stale_and_forged_answers_change_nothing() {
        let mut sender = Sender::new(RankId(0), BOUNDS);
        assert!(sender.send(transfer(0, 1), HERE) && sender.let_go().is_some());
        let waiting = sender.clone();
        for (from, word) in [
            (2, answer(1, true)),
            (0, answer(1, true)),
            (9, answer(1, true)),
            (1, answer(0, true)),
            (1, answer(2, false)),
            (1, 0),
            (1, (1 << 32) + 3),
            (1, u64::MAX),
        ] {
            assert_eq!(sender.answered(RankId(from), word), None);
            assert_eq!(sender, waiting);
        }
    }

    #[test]
    fn only_what_is_here_goes_and_only_to_other_ranks() {
        let mut sender = Sender::new(RankId(0), BOUNDS);
        for (from, to) in [(0, 0), (1, 0), (1, 2), (0, 3)] {
            assert!(!sender.send(transfer(from, to), HERE), "{from} to {to}");
        }
        let last = DirectoryEntry::Here { slot: SlotId(0), epoch: u32::MAX };
        let left = DirectoryEntry::Left { to: RankId(1), epoch: 1 };
        for entry in [DirectoryEntry::Unknown, left, last] {
            assert!(!sender.send(transfer(0, 1), entry), "{entry:?}");
        }
    }
}
