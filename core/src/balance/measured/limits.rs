//! The papers' thresholds, for a whole round's moves at once.

use super::Placed;
use crate::base::bug::Minus;
use crate::base::id::ProcessorId;
use crate::base::table::At;
use crate::run::PlbParams;

/// Number of subdomains of a worker, before and after a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    before: u32,
    after: u32,
}

impl Held {
    /// An unused entry of memory to be lent; a round fills it.
    pub const EMPTY: Self = Self { before: 0, after: 0 };

    /// Whether the worker has given away more than it may.
    fn lacks(self, low: u32) -> bool {
        self.after < low.min(self.before)
    }

    /// Whether the worker has taken too many.
    fn is_overfull(self, high: u32) -> bool {
        self.after > high.max(self.before)
    }
}

/// Takes moves back, those of low numbers first, until every worker keeps at least `low` subdomains
/// and has no more than `high`, or as many as before; returns whether there were any. An exchange
/// changes neither.
pub(super) fn keep(
    params: &PlbParams,
    placed: &[Placed],
    owners: &mut [ProcessorId],
    held: &mut [Held],
) -> bool {
    count_held(placed, owners, held);
    let mut taken_back = false;
    // Each pass but the last takes one back at least, and without moves all is as before.
    while take_back(params, placed, owners, held) {
        taken_back = true;
    }
    taken_back
}

/// Counts for each worker the subdomains that it holds before the moves, and after all of them.
fn count_held(placed: &[Placed], owners: &[ProcessorId], held: &mut [Held]) {
    held.fill(Held::EMPTY);
    for (placed, to) in placed.iter().zip(owners) {
        held.at_mut(placed.from).before += 1;
        held.at_mut(*to).after += 1;
    }
}

/// Takes back, in one pass over all moves, each that leaves its giver with too few or its taker
/// with too many. Returns whether there was one.
fn take_back(
    params: &PlbParams,
    placed: &[Placed],
    owners: &mut [ProcessorId],
    held: &mut [Held],
) -> bool {
    let mut taken_back = false;
    for (&Placed { from, .. }, owner) in placed.iter().zip(owners) {
        if from == *owner {
            continue;
        }
        let [giver, taker] = held.both_mut([from, *owner]);
        if giver.lacks(params.low) || taker.is_overfull(params.high) {
            giver.after += 1;
            taker.after = taker.after.minus(1);
            *owner = from;
            taken_back = true;
        }
    }
    taken_back
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::id::SubdomainId;

    /// Returns the processors on which objects end up that were to go from place to place.
    fn kept<const N: usize>(moves: [(u32, u32); N], (low, high): (u32, u32)) -> [u32; N] {
        let mut id = 0;
        let placed = moves.map(|(from, _)| {
            id += 1;
            Placed { subdomain: SubdomainId(id), from: ProcessorId(from) }
        });
        let mut owners = moves.map(|(_, to)| ProcessorId(to));
        let params = PlbParams { low, high, ..PlbParams::default() };
        let changed = keep(&params, &placed, &mut owners, &mut [Held::EMPTY; 3]);
        assert_eq!(changed, owners != moves.map(|(_, to)| ProcessorId(to)));
        owners.map(|owner| owner.0)
    }

    #[test]
    fn nobody_gives_below_low_or_takes_above_high() {
        assert_eq!(kept([(0, 1), (0, 1), (0, 1), (1, 1)], (1, 6)), [0, 1, 1, 1]);
        assert_eq!(kept([(0, 1), (0, 1), (0, 0), (1, 1)], (1, 2)), [0, 1, 0, 1]);
        // Within the thresholds everything goes.
        assert_eq!(kept([(0, 1), (0, 0), (1, 1)], (1, 2)), [1, 0, 1]);
    }

    #[test]
    fn an_exchange_is_within_any_thresholds() {
        assert_eq!(kept([(0, 1), (0, 0), (1, 0), (1, 1)], (2, 3)), [1, 0, 0, 1]);
        assert_eq!(kept([(0, 1), (1, 0)], (5, 6)), [1, 0]);
    }

    #[test]
    fn what_follows_from_a_move_is_taken_back_with_it() {
        // 1 may give only if 0 does, which may not.
        assert_eq!(kept([(0, 1), (1, 2), (2, 2)], (1, 6)), [0, 1, 2]);
        // A worker that had too few or too many may stay so.
        assert_eq!(kept([(0, 0), (1, 0), (1, 1), (1, 1)], (3, 4)), [0, 1, 1, 1]);
        assert_eq!(kept([(0, 0), (1, 0), (1, 1), (1, 1)], (2, 4)), [0, 0, 1, 1]);
    }
}
