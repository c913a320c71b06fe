//! The decision of line 6: may this object go there?

use crate::balance::grapevine::config::Criterion;
use crate::balance::objects::Average;

/// The two loads of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The load of the processor that gives, `L_i`.
    pub sender: u64,
    /// The load of the processor that gets, `L_x`.
    pub receiver: u64,
}

impl Pair {
    /// Returns the larger of the two.
    pub fn max(self) -> u64 {
        self.sender.max(self.receiver)
    }

    /// Returns the pair after `given` went to the receiver and `got` came back; none where one of
    /// the two does not have that much.
    #[inline]
    pub fn after(self, given: u64, got: u64) -> Option<Self> {
        Some(Self {
            sender: self.sender.checked_sub(given)?.checked_add(got)?,
            receiver: self.receiver.checked_sub(got)?.checked_add(given)?,
        })
    }
}

impl Criterion {
    /// Whether an object of load `given` may go over, for one of load `got` (0: for none).
    ///
    /// [`Criterion::Original`] is line 6, `L_x + load(o) < L_avg`, [`Criterion::Relaxed`] line 6',
    /// `load(o) < L_i − L_x`, both strict (Pébaÿ & Lifflander 2019). The latter holds if and only
    /// if the pair's maximum falls. With an exchange, load(o) is what the two objects differ by.
    /// What carries no load is never worth a transfer.
    #[inline]
    pub fn admits(self, average: Average, pair: Pair, given: u64, got: u64) -> bool {
        let Some(receiver) = pair.receiver.checked_add(given) else { return false };
        let Some(receiver) = receiver.checked_sub(got) else { return false };
        given > got
            && match self {
                Self::Original => average.is_above(receiver),
                Self::Relaxed => receiver < pair.sender,
            }
    }
}
