//! Algorithm 1 where crossing a socket is expensive: split, and the cross-socket part of hybrid.

use super::algorithm::balance;
use super::ends::{Ends, count_of};
use crate::balance::mean::Mean;
use crate::base::id::{SubdomainId, WorkerId};
use crate::base::rng::Rng;
use crate::base::topology::Topology;
use crate::parts::ownership::{Move, Ownership};
use crate::run::PlbParams;

/// Balances each socket on its own (section 3.3, *split*), in ascending order of sockets.
///
/// `moved` has moved in this round already (by [`exchange`]) and stays where it is.
pub fn split(
    counts: &[u64],
    ownership: &mut Ownership<'_>,
    topology: &Topology<'_>,
    params: &PlbParams,
    moved: Option<SubdomainId>,
    out: &mut impl FnMut(Move),
) {
    for workers in topology.sockets() {
        let ends = Ends::select(counted(workers, counts, ownership), params.pairs);
        balance(&ends, counts, ownership, params, moved, out);
    }
}

/// Balances all workers of a part of the machine together, such as those of one node: *joint* where
/// other nodes have subdomains too.
pub fn joint_within(
    counts: &[u64],
    ownership: &mut Ownership<'_>,
    topology: &Topology<'_>,
    params: &PlbParams,
    out: &mut impl FnMut(Move),
) {
    let ends = Ends::select(counted(topology.workers(), counts, ownership), params.pairs);
    balance(&ends, counts, ownership, params, None, out);
}

/// Returns the number and the update count of every subdomain of some workers.
pub(super) fn counted<'a>(
    workers: &'a [WorkerId],
    counts: &'a [u64],
    ownership: &'a Ownership<'_>,
) -> impl Iterator<Item = (u32, u64)> + 'a {
    let subdomains = workers.iter().flat_map(|&worker| ownership.of(worker));
    subdomains.map(|id| (id.0, count_of(counts, id)))
}

/// Makes the cross-socket step of *hybrid* (section 3.3; rule 6): one random subdomain from a
/// worker of the socket with the lowest mean count to a random worker of the socket with the
/// highest.
///
/// The thresholds hold for it as for every move; none where no such move exists.
pub fn exchange(
    counts: &[u64],
    ownership: &mut Ownership<'_>,
    topology: &Topology<'_>,
    params: &PlbParams,
    rng: &mut Rng,
) -> Option<Move> {
    let means = topology.sockets().map(|workers| (workers, Mean::of(workers, counts, ownership)));
    let [(givers, lowest), (takers, highest)] = Mean::extremes(means)?;
    if !lowest.is_below(highest) {
        return None;
    }
    let subdomain = {
        let offered = || {
            let givers = givers.iter().filter(|&&worker| ownership.held(worker) > params.low);
            givers.flat_map(|&worker| ownership.of(worker))
        };
        draw(offered, rng)?
    };
    let to = draw(
        || takers.iter().copied().filter(|&worker| ownership.held(worker) < params.high),
        rng,
    )?;
    Some(ownership.hand_over(subdomain, to))
}

/// Draws one of the elements that `choices` yields, with equal chances.
fn draw<I: Iterator>(choices: impl Fn() -> I, rng: &mut Rng) -> Option<I::Item> {
    let number = u32::try_from(choices().count()).ok().filter(|&number| number > 0)?;
    choices().nth(rng.below(number) as usize)
}
