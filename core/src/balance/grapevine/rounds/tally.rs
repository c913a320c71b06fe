//! Counts of transfers and gossip.

use serde::Serialize;

use crate::balance::grapevine::gossip::Told;
use crate::balance::grapevine::transfer::receiver::AcceptedOffer;

/// Counts of an iteration's transfer phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Objects that went to another processor; an exchange is two.
    pub transfers: u64,
    /// Exchanges.
    pub exchanges: u64,
    /// Proposals that the sender's criterion rejected.
    pub rejected: u64,
    /// Transfers that were offered and refused by their receiver.
    pub refused: u64,
}

impl Tally {
    /// Returns the sums of two tallies.
    pub fn and(self, other: Self) -> Self {
        Self {
            transfers: self.transfers + other.transfers,
            exchanges: self.exchanges + other.exchanges,
            rejected: self.rejected + other.rejected,
            refused: self.refused + other.refused,
        }
    }

    /// Counts an accepted offer that was carried out.
    pub fn count(&mut self, accepted: AcceptedOffer) {
        self.transfers += 1 + u64::from(accepted.got.is_some());
        self.exchanges += u64::from(accepted.got.is_some());
    }
}

/// One iteration, as the slides' tables have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Iteration {
    /// The trial, from 0.
    pub trial: u32,
    /// The iteration of the trial, from 1.
    pub number: u32,
    /// Counts of its transfers.
    pub tally: Tally,
    /// Counts of its gossip.
    pub told: Told,
    /// Highest load of a processor at its end.
    pub max: u64,
}
