//! Algorithm 1.

use heapless::Vec;

use super::rank::Ends;
use crate::id::{SubdomainId, WorkerId};
use crate::ownership::{Move, Ownership};
use crate::run::{MAX_PAIRS, PlbParams};

/// All workers balanced together (section 3.3, *joint*): Algorithm 1 once.
pub fn joint(
    counts: &[u64],
    ownership: &mut Ownership<'_>,
    params: &PlbParams,
    out: &mut impl FnMut(Move),
) {
    // Not `u32::try_from` for each: an ownership has fewer than 2^32 subdomains.
    let all = (0_u32..).zip(counts.iter().copied()).take(ownership.subdomains());
    let ends = Ends::select(all, params.pairs);
    balance(&ends, counts, ownership, params, None, out);
}

/// Lines 2–11, over the subdomains that `ends` was selected from.
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
    // As many places as pairs, and one for `moved`, so no push can fail.
    let mut settled = Vec::<SubdomainId, { MAX_PAIRS + 1 }>::new();
    let _ = moved.map(|moved| settled.push(moved));
    for (top, bottom) in ends.pairs() {
        // Lines 5 and 6; rule 2: nothing to do between a worker and itself.
        let (Some(top_worker), Some(bottom_worker)) =
            (ownership.owner(top.subdomain()), ownership.owner(bottom.subdomain()))
        else {
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
        let sent = most_updated(ownership, bottom_worker, counts, free)
            .and_then(|subdomain| ownership.give(subdomain, top_worker));
        if let Some(sent) = sent {
            let _ = settled.push(sent.subdomain);
            out(sent);
        }
    }
}

/// `FindMostUpdatedSubd` among the free subdomains of a worker; ties by lowest id (rule 3).
fn most_updated(
    ownership: &Ownership<'_>,
    worker: WorkerId,
    counts: &[u64],
    free: impl Fn(SubdomainId) -> bool,
) -> Option<SubdomainId> {
    let mut best: Option<(u64, SubdomainId)> = None;
    for id in ownership.of(worker) {
        let count = counts.get(id.index()).copied().unwrap_or(0);
        let better = best.is_none_or(|(most, holder)| count > most || count == most && id < holder);
        if better && free(id) {
            best = Some((count, id));
        }
    }
    best.map(|(_, id)| id)
}
