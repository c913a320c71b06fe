//! Algorithm 1.

use heapless::Vec;

use super::ends::{Ends, count_of};
use crate::base::go_on::OrGoOn;
use crate::base::id::{SubdomainId, WorkerId};
use crate::parts::ownership::{Move, Ownership};
use crate::run::{MAX_PAIRS, PlbParams};

const FULL: &str = "more subdomains move in a round than there are pairs";

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

/// Makes lines 2–11, over the subdomains that `ends` was selected from.
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
        settled.push(moved).or_go_on(FULL).ok();
    }
    for (top, bottom) in ends.pairs() {
        // Lines 5 and 6; rule 2: nothing to do between a worker and itself.
        let owners = ownership.owner(top.subdomain()).zip(ownership.owner(bottom.subdomain()));
        let Some((top_worker, bottom_worker)) = owners.or_go_on("a subdomain has no owner") else {
            continue;
        };
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
        let sent = most_updated(ownership, bottom_worker, counts, free).and_then(|subdomain| {
            ownership.give(subdomain, top_worker).or_go_on("a subdomain cannot be given away")
        });
        if let Some(sent) = sent {
            settled.push(sent.subdomain).or_go_on(FULL).ok();
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
