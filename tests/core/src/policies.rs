//! *Hybrid* and the two attempts before Algorithm 1, written naively from the paper's words (Zarins
//! & Weiland 2017, sections 3.3 and 3.4) and from the rules 1 to 7, and the balancer that ships
//! driven through several rounds of each. The oracles share no code with the core.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use tresse_core::balance::{Balancer, Lent, Observed};
use tresse_core::base::id::{SocketId, WorkerId};
use tresse_core::base::time::{Duration, Instant};
use tresse_core::base::topology::Topology;
use tresse_core::parts::ownership::{Holding, Link, Move, Owner, Ownership};
use tresse_core::run::{Balance, PlbParams, RunConfig};

use crate::oracle;
use crate::world::{Fault, Policy, Sent, World, worker};

/// The state that a round sees.
#[derive(Clone, Debug)]
pub struct Round {
    /// Update count of each subdomain.
    pub counts: Vec<u64>,
    /// Sweeps of each worker since the start.
    pub sweeps: Vec<u64>,
}

/// The moves of each round of a balancer that begins in `world`.
pub type Driven<'d> =
    dyn Fn(&World, Balance, &[Round]) -> Result<Vec<Vec<Sent>>, String> + Sync + 'd;

/// Returns one after the other the moves of the balancer that ships.
pub fn core_rounds(
    world: &World,
    balance: Balance,
    seed: u64,
    rounds: &[Round],
) -> Result<Vec<Vec<Sent>>, String> {
    let owners: Vec<_> = world.owners.iter().map(|&owner| Owner::of(worker(owner))).collect();
    let mut links = vec![Link::EMPTY; owners.len()];
    let mut holdings = vec![Holding::EMPTY; world.sockets.len()];
    let mut ownership =
        Ownership::new(&owners, &mut links, &mut holdings).map_err(|error| error.to_string())?;
    let mut by_socket: Vec<WorkerId> = (0..world.sockets.len()).map(worker).collect();
    by_socket.sort_by_key(|&worker| (world.sockets[worker.index()], worker));
    let topology = Topology::new(&world.sockets, &by_socket).map_err(|error| error.to_string())?;
    let config = RunConfig { balance, plb: world.params, seed, ..RunConfig::default() };
    let mut balancer = Balancer::new(&config, 0, Instant::ZERO);
    let mut memory = [vec![0; world.sockets.len()], vec![0; world.sockets.len()]];
    let mut all = Vec::new();
    for Round { counts, sweeps } in rounds {
        let [state, scratch] = &mut memory;
        let observed = Observed { counts, worker_updates: sweeps, topology };
        let lent = Lent { state, scratch, measured: None };
        let mut moves = Vec::new();
        balancer.poll(balancer.poll_at(), &observed, lent, &mut ownership, &mut |made: Move| {
            let (from, to) = (made.from.index(), made.to.index());
            moves.push(Sent { subdomain: made.subdomain.index(), from, to });
        });
        all.push(moves);
    }
    Ok(all)
}

/// Compares every round with the oracle, from the owners that the round before has left.
pub fn verify(
    world: &World,
    balance: Balance,
    rounds: &[Round],
    driven: &Driven<'_>,
) -> Result<(), Fault> {
    let mut now = world.clone();
    let fault = |what: String, world: &World, moves: &[Sent]| Fault {
        what,
        world: Box::new(world.clone()),
        moves: moves.to_vec(),
    };
    let all = driven(world, balance, rounds).map_err(|error| fault(error, world, &[]))?;
    let mut before = vec![0; world.sockets.len()];
    let mut loans = vec![None; world.sockets.len()];
    for ((number, round), moves) in (1_u32..).zip(rounds).zip(&all) {
        now.counts.clone_from(&round.counts);
        let rates: Vec<u64> =
            round.sweeps.iter().zip(&before).map(|(one, two)| one - two).collect();
        before.clone_from(&round.sweeps);
        let checked = match balance {
            Balance::Hybrid(_, every) => hybrid(&now, number.is_multiple_of(every), moves),
            Balance::Swap(_) => same(&swap(&now), moves),
            Balance::Gradient(_) => same(&gradient(&now, &rates), moves),
            Balance::Borrow(_, lag) => same(&borrow(&now, lag, &mut loans), moves),
            other => Err(format!("no oracle for {other}")),
        };
        checked.map_err(|what| fault(format!("round {number}: {what}"), &now, moves))?;
        for sent in moves {
            now.owners[sent.subdomain] = sent.to;
        }
    }
    Ok(())
}

fn same(expected: &[Sent], moves: &[Sent]) -> Result<(), String> {
    if moves == expected { Ok(()) } else { Err(format!("the oracle moves {expected:?}")) }
}

/// "We first tried swapping the least and most updated domains between threads": pair by pair, each
/// on the other's worker.
pub fn swap(world: &World) -> Vec<Sent> {
    let World { counts, owners, params, .. } = world;
    let doms = most_updated_first(world);
    let pairs = (0..params.pairs.min(doms.len() / 2)).map(|i| (doms[i], doms[doms.len() - 1 - i]));
    let apart = pairs
        .filter(|&(top, bottom)| owners[top] != owners[bottom])
        .filter(|&(top, bottom)| counts[top] - counts[bottom] >= params.dead_band);
    apart.flat_map(|(top, bottom)| exchanged(top, bottom, owners)).collect()
}

/// "The most updated domains were moved to threads that had the smallest iteration rate": the i-th
/// most updated to the i-th slowest worker, of the slower half of them, in exchange for the least
/// updated one there. A subdomain moves once (rule 4).
pub fn gradient(world: &World, rates: &[u64]) -> Vec<Sent> {
    let World { counts, params, .. } = world;
    let mut owners = world.owners.clone();
    let mut moves: Vec<Sent> = Vec::new();
    let doms = most_updated_first(world);
    let mut workers: Vec<usize> = (0..world.sockets.len()).collect();
    workers.sort_by_key(|&worker| (rates[worker], worker));
    for i in 0..params.pairs.min(doms.len() / 2).min(workers.len() / 2) {
        let (top, slow) = (doms[i], workers[i]);
        let has_moved = |subdomain| moves.iter().any(|sent| sent.subdomain == subdomain);
        let least = (0..counts.len())
            .filter(|&subdomain| owners[subdomain] == slow && !has_moved(subdomain))
            .min_by_key(|&subdomain| (counts[subdomain], subdomain));
        let Some(least) = least else { continue };
        let apart = counts[top].saturating_sub(counts[least]) >= params.dead_band;
        if owners[top] == slow || has_moved(top) || !apart {
            continue;
        }
        let both = exchanged(top, least, &owners);
        for sent in both {
            owners[sent.subdomain] = sent.to;
        }
        moves.extend(both);
    }
    moves
}

/// *Hybrid*: "CPUs on different sockets are balanced separately. Periodically a random subdomain is
/// moved from a thread on the socket that has completed the least updates on average to a thread on
/// the socket that has done the most", the thresholds respected (rule 6). Which one is a draw: any
/// that may move will do, and one has to, if there is one.
pub fn hybrid(world: &World, is_crossing: bool, moves: &[Sent]) -> Result<(), String> {
    let mut owners = world.owners.clone();
    let may = if is_crossing { crossings(world) } else { Vec::new() };
    let mut expected = Vec::new();
    if !may.is_empty() {
        let drawn = moves.first().filter(|sent| may.contains(sent));
        let sent = *drawn.ok_or_else(|| format!("the first move has to be one of {may:?}"))?;
        owners[sent.subdomain] = sent.to;
        expected.push(sent);
    }
    oracle::each_socket(world, &mut owners, &mut expected);
    same(&expected, moves)
}

/// Borrowing: what is level with the least updated of the other subdomains of who has borrowed it
/// goes home. Then, on each socket, the worker that is furthest ahead and has borrowed nothing
/// borrows the least updated subdomain of the worker that is furthest behind, if it is more than
/// `lag` behind and not that one's last; so many times as there may be pairs. Last, the same over
/// all sockets, where there are several, with twice the lag.
///
/// `loans` has the subdomain that each worker has borrowed, and its home.
pub fn borrow(world: &World, lag: u64, loans: &mut [Option<(usize, usize)>]) -> Vec<Sent> {
    let World { counts, sockets, params, .. } = world;
    let mut owners = world.owners.clone();
    let mut moves = Vec::new();
    let mut workers: Vec<usize> = (0..sockets.len()).collect();
    workers.sort_by_key(|&worker| (sockets[worker], worker));
    let own = |owners: &[usize], loan: Option<(usize, usize)>, worker| {
        let all = (0..counts.len()).filter(move |&id| owners[id] == worker);
        all.filter(|&id| loan.is_none_or(|(borrowed, _)| borrowed != id)).collect::<Vec<_>>()
    };
    for &worker in &workers {
        let Some((borrowed, home)) = loans[worker] else { continue };
        let own = own(&owners, loans[worker], worker);
        if own.iter().any(|&id| counts[id] <= counts[borrowed]) {
            moves.push(Sent { subdomain: borrowed, from: worker, to: home });
            owners[borrowed] = home;
            loans[worker] = None;
        }
    }
    let mut groups: Vec<(Vec<usize>, u64)> = Vec::new();
    for socket in sockets.iter().copied().collect::<BTreeSet<_>>() {
        let on = workers.iter().copied().filter(|&worker| sockets[worker] == socket);
        groups.push((on.collect(), lag));
    }
    if groups.len() > 1 {
        groups.push((workers, 2 * lag));
    }
    for (group, lag) in groups {
        for _ in 0..params.pairs {
            let level = |worker: &usize| {
                let own = own(&owners, loans[*worker], *worker);
                own.into_iter().min_by_key(|&id| (counts[id], id))
            };
            let may_take = |worker: &&usize| loans[**worker].is_none() && level(worker).is_some();
            let may_give = |worker: &&usize| own(&owners, loans[**worker], **worker).len() > 1;
            // Of equal ones the first, in both.
            let count = |worker: &usize| level(worker).map_or(0, |id| counts[id]);
            let ahead = group.iter().filter(may_take).min_by_key(|worker| Reverse(count(worker)));
            let behind = group.iter().filter(may_give).min_by_key(|worker| count(worker));
            let (Some(&to), Some(&from)) = (ahead, behind) else { break };
            let Some(subdomain) = level(&from).filter(|&id| count(&to) > counts[id] + lag) else {
                break;
            };
            moves.push(Sent { subdomain, from, to });
            owners[subdomain] = to;
            loans[to] = Some((subdomain, from));
        }
    }
    moves
}

/// Returns every move between sockets that may be drawn.
pub fn crossings(world: &World) -> Vec<Sent> {
    let World { counts, owners, sockets, params, .. } = world;
    let of = |socket: SocketId| (0..counts.len()).filter(move |&id| sockets[owners[id]] == socket);
    let mut all: Vec<SocketId> = sockets.clone();
    all.sort();
    all.dedup();
    all.retain(|&socket| of(socket).count() > 0);
    // As fractions: a mean below another.
    let sum = |socket| of(socket).map(|id| u128::from(counts[id])).sum::<u128>();
    let below = |one: SocketId, other: SocketId| {
        sum(one) * (of(other).count() as u128) < sum(other) * (of(one).count() as u128)
    };
    // Of equal ones the first.
    let least = all.iter().copied().reduce(|one, next| if below(next, one) { next } else { one });
    let most = all.iter().copied().reduce(|one, next| if below(one, next) { next } else { one });
    let (Some(least), Some(most)) = (least, most) else { return Vec::new() };
    if !below(least, most) {
        return Vec::new();
    }
    let held = |worker: usize| owners.iter().filter(|&&owner| owner == worker).count();
    let takers = (0..sockets.len())
        .filter(|&worker| sockets[worker] == most && held(worker) < params.high as usize);
    let given = of(least).filter(|&id| held(owners[id]) > params.low as usize);
    given
        .flat_map(|subdomain| {
            let from = owners[subdomain];
            takers.clone().map(move |to| Sent { subdomain, from, to })
        })
        .collect()
}

/// Returns a world of these subdomains and workers, in which each worker has made as many sweeps.
pub fn world(counts: &[u64], owners: &[usize], sockets: &[u32], params: PlbParams) -> World {
    World {
        counts: counts.to_vec(),
        owners: owners.to_vec(),
        sockets: sockets.iter().copied().map(SocketId).collect(),
        policy: Policy::Split,
        params,
    }
}

/// Returns each policy, with a period that the driver skips.
pub const fn hybrid_every(rounds: u32) -> Balance {
    Balance::Hybrid(PERIOD, rounds)
}

/// See [`hybrid_every`].
pub const SWAP: Balance = Balance::Swap(PERIOD);
/// See [`hybrid_every`].
pub const GRADIENT: Balance = Balance::Gradient(PERIOD);

/// See [`hybrid_every`].
pub const fn borrow_at(lag: u64) -> Balance {
    Balance::Borrow(PERIOD, lag)
}

const PERIOD: Duration = Duration::from_millis(1);

fn most_updated_first(world: &World) -> Vec<usize> {
    let mut doms: Vec<usize> = (0..world.counts.len()).collect();
    doms.sort_by_key(|&subdomain| (Reverse(world.counts[subdomain]), subdomain));
    doms
}

fn exchanged(one: usize, other: usize, owners: &[usize]) -> [Sent; 2] {
    [
        Sent { subdomain: one, from: owners[one], to: owners[other] },
        Sent { subdomain: other, from: owners[other], to: owners[one] },
    ]
}
