//! Algorithm 1.

use heapless::Vec;

use super::ends::{Ends, count_of};
use crate::base::id::{SubdomainId, WorkerId};
use crate::base::table::Add;
use crate::parts::ownership::{Move, Ownership};
use crate::run::{MAX_PAIRS, PlbParams};

/// Balances all workers together (section 3.3, *joint*): Algorithm 1 once. `counts` has one for
/// each subdomain.
pub fn joint(
    counts: &[u64],
    ownership: &mut Ownership<'_>,
    params: &PlbParams,
    out: &mut impl FnMut(Move),
) {
    debug_assert!(counts.len() >= ownership.subdomains(), "a subdomain has no count");
    // Not `u32::try_from` for each: an ownership has fewer than 2^32 subdomains.
    let all = (0_u32..).zip(counts.iter().copied()).take(ownership.subdomains());
    let ends = Ends::select(all, params.pairs);
    balance(&ends, counts, ownership, params, None, out);
}

/// Makes lines 2 to 11 of Algorithm 1, over the subdomains that `ends` was selected from.
///
/// `moved` has moved in this round already and stays where it is (rule 4).
pub(super) fn balance(
    ends: &Ends,
    counts: &[u64],
    ownership: &mut Ownership<'_>,
    params: &PlbParams,
    moved: Option<SubdomainId>,
    out: &mut impl FnMut(Move),
) {
    // There are as many places as pairs, and one for `moved`, so no push can fail.
    let mut settled = Vec::<SubdomainId, { MAX_PAIRS + 1 }>::new();
    if let Some(moved) = moved {
        settled.add(moved);
    }
    for (top, bottom) in ends.pairs() {
        // Lines 5 and 6; rule 2: nothing to do between a worker and itself.
        let [top_worker, bottom_worker] =
            [top, bottom].map(|end| ownership.owner_of(end.subdomain()));
        let apart = top.count - bottom.count >= params.dead_band;
        if top_worker == bottom_worker || !apart {
            continue;
        }
        // Line 7, on live numbers (rule 4).
        if ownership.held(top_worker) >= params.high || ownership.held(bottom_worker) <= params.low
        {
            continue;
        }
        // Lines 8 and 9.
        let free = |id| id != bottom.subdomain() && !settled.contains(&id);
        if let Some(subdomain) = most_updated(ownership, bottom_worker, counts, free) {
            let sent = ownership.hand_over(subdomain, top_worker);
            settled.add(sent.subdomain);
            out(sent);
        }
    }
}

/// Returns the most updated of the free subdomains of a worker (`FindMostUpdatedSubd`); ties by
/// lowest id (rule 3).
fn most_updated(
    ownership: &Ownership<'_>,
    worker: WorkerId,
    counts: &[u64],
    free: impl Fn(SubdomainId) -> bool,
) -> Option<SubdomainId> {
    let mut best: Option<(u64, SubdomainId)> = None;
    for id in ownership.of(worker) {
        let count = count_of(counts, id);
        let better = best.is_none_or(|(most, holder)| count > most || count == most && id < holder);
        if better && free(id) {
            best = Some((count, id));
        }
    }
    best.map(|(_, id)| id)
}
