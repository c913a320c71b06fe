//! The two attempts that came before Algorithm 1 (section 3.4), to compare with it.
//!
//! The paper describes them in a sentence each. Both moved whole problem domains, one a worker, so
//! a move is an exchange here: each worker keeps as many subdomains as it had, and the thresholds
//! of Algorithm 1 do not apply.

use heapless::Vec;

use super::ends::{Ends, count_of};
use super::sockets::counted;
use crate::base::id::{SubdomainId, WorkerId};
use crate::base::table::Add;
use crate::base::topology::Topology;
use crate::parts::ownership::{Move, Ownership};
use crate::run::{MAX_PAIRS, PlbParams};

/// Subdomains that have moved in this round.
type Settled = Vec<SubdomainId, { 2 * MAX_PAIRS }>;

/// Swaps the least and the most updated subdomains between their workers, pair by pair.
pub fn swap(
    counts: &[u64],
    ownership: &mut Ownership<'_>,
    topology: &Topology<'_>,
    params: &PlbParams,
    out: &mut impl FnMut(Move),
) {
    let ends = Ends::select(counted(topology.workers(), counts, ownership), params.pairs);
    let mut settled = Settled::new();
    for (top, bottom) in ends.pairs() {
        if top.count - bottom.count >= params.dead_band {
            trade(top.subdomain(), bottom.subdomain(), ownership, &mut settled, out);
        }
    }
}

/// Gives the i-th most updated subdomain to the worker with the i-th smallest iteration rate, in
/// exchange for that worker's least updated one.
///
/// `rates` has the updates that each worker made since the last round, in the order of
/// [`Topology::workers`].
pub fn gradient(
    counts: &[u64],
    rates: &[u64],
    ownership: &mut Ownership<'_>,
    topology: &Topology<'_>,
    params: &PlbParams,
    out: &mut impl FnMut(Move),
) {
    let workers = topology.workers();
    debug_assert!(rates.len() >= workers.len(), "a worker has no rate");
    let ends = Ends::select(counted(workers, counts, ownership), params.pairs);
    // Slowest first, ties by lowest id: the top of the inverted rates.
    let inverted = workers.iter().zip(rates).map(|(worker, rate)| (worker.0, u64::MAX - rate));
    let slowest = Ends::select(inverted, params.pairs).top;
    let mut settled = Settled::new();
    for (top, slow) in ends.top.iter().zip(&slowest) {
        let worker = WorkerId(slow.id.0);
        let count = |id| count_of(counts, id);
        let least = ownership
            .of(worker)
            .filter(|id| !settled.contains(id))
            .min_by_key(|&id| (count(id), id));
        let apart =
            |&least: &SubdomainId| top.count.saturating_sub(count(least)) >= params.dead_band;
        if let Some(least) = least.filter(apart) {
            trade(top.subdomain(), least, ownership, &mut settled, out);
        }
    }
}

/// Exchanges the owners of two subdomains that have not moved yet.
fn trade(
    one: SubdomainId,
    other: SubdomainId,
    ownership: &mut Ownership<'_>,
    settled: &mut Settled,
    out: &mut impl FnMut(Move),
) {
    if settled.contains(&one) || settled.contains(&other) {
        return;
    }
    let [one_owner, other_owner] = [one, other].map(|id| ownership.owner_of(id));
    let made = [ownership.give(one, other_owner), ownership.give(other, one_owner)];
    for made in made.into_iter().flatten() {
        // There are two places for each pair.
        settled.add(made.subdomain);
        out(made);
    }
}
