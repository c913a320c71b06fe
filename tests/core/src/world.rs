//! The world before one balancing round, and what must hold for the round's moves: one function
//! compares a policy with the oracle, one checks the moves on their own. Properties, the exhaustive
//! test, the fuzz target and the canaries all call these two.

use std::fmt;

use tresse_core::balance::plb;
use tresse_core::base::id::{SocketId, SubdomainId, WorkerId};
use tresse_core::base::topology::Topology;
use tresse_core::parts::ownership::{Holding, Link, Move, Owner, Ownership};
use tresse_core::run::PlbParams;

use crate::oracle;

/// Policies of Algorithm 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// All workers together.
    Joint,
    /// Each socket on its own.
    Split,
}

/// The state from which a round decides.
#[derive(Clone, Debug)]
pub struct World {
    /// Update count of each subdomain.
    pub counts: Vec<u64>,
    /// Worker of each subdomain.
    pub owners: Vec<usize>,
    /// Socket of each worker.
    pub sockets: Vec<SocketId>,
    /// Policy of the round.
    pub policy: Policy,
    /// Parameters of the policy.
    pub params: PlbParams,
}

/// A subdomain that changes hands, in plain numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Number of the subdomain.
    pub subdomain: usize,
    /// The worker that had it.
    pub from: usize,
    /// The worker that gets it.
    pub to: usize,
}

/// A fault of a round, with the world in which it occurred.
#[derive(Debug)]
pub struct Fault {
    /// Description of the fault.
    pub what: String,
    /// The world before the round.
    pub world: Box<World>,
    /// The round's moves.
    pub moves: Vec<Sent>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  moves {:?}\n  in {:?}", self.what, self.moves, self.world)
    }
}

/// Returns the core's round; an error where the ownership that it leaves contradicts itself or its
/// moves.
pub fn core_round(world: &World) -> Result<Vec<Sent>, Fault> {
    let owners: Vec<_> = world.owners.iter().map(|&owner| Owner::of(worker(owner))).collect();
    let mut links = vec![Link::EMPTY; owners.len()];
    let mut holdings = vec![Holding::EMPTY; world.sockets.len()];
    let fault =
        |what: &str, moves| Fault { what: what.into(), world: Box::new(world.clone()), moves };
    let mut ownership = Ownership::new(&owners, &mut links, &mut holdings)
        .map_err(|error| fault(&error.to_string(), Vec::new()))?;
    let mut moves = Vec::new();
    let mut out = |made: Move| {
        let (from, to) = (made.from.index(), made.to.index());
        moves.push(Sent { subdomain: made.subdomain.index(), from, to });
    };
    let World { counts, sockets, params, .. } = world;
    match world.policy {
        Policy::Joint => plb::joint(counts, &mut ownership, params, &mut out),
        Policy::Split => {
            let mut by_socket: Vec<WorkerId> = (0..sockets.len()).map(worker).collect();
            by_socket.sort_by_key(|&worker| (sockets[worker.index()], worker));
            let topology = Topology::new(sockets, &by_socket)
                .map_err(|error| fault(&error.to_string(), Vec::new()))?;
            plb::split(counts, &mut ownership, &topology, params, None, &mut out);
        }
    }
    let mut expected = world.owners.clone();
    for sent in &moves {
        expected[sent.subdomain] = sent.to;
    }
    match check_ownership(&ownership, &expected) {
        Ok(()) => Ok(moves),
        Err(what) => Err(fault(what, moves)),
    }
}

/// Checks whether owners, lists and numbers of an ownership tell the same story, the expected one.
fn check_ownership(ownership: &Ownership, expected: &[usize]) -> Result<(), &'static str> {
    let mut listed = vec![0_u32; expected.len()];
    for id in (0..ownership.workers()).map(worker) {
        for subdomain in ownership.of(id) {
            listed[subdomain.index()] += 1;
            if expected[subdomain.index()] != id.index() {
                return Err("a subdomain is on the list of a worker that does not own it");
            }
        }
        let number = expected.iter().filter(|&&owner| owner == id.index()).count();
        if ownership.held(id) as usize != number {
            return Err("the number of a worker's subdomains is wrong");
        }
    }
    if listed.iter().any(|&times| times != 1) {
        return Err("a subdomain is not on exactly one list");
    }
    let owner = |subdomain| ownership.owner(identify(subdomain)).map(WorkerId::index);
    let same = (0..expected.len()).all(|subdomain| owner(subdomain) == Some(expected[subdomain]));
    same.then_some(()).ok_or("an owner is not the one that the moves lead to")
}

/// Compares the moves that a policy answered with the oracle's.
pub fn compare(world: &World, moves: Vec<Sent>) -> Result<(), Fault> {
    let expected = oracle::round(world);
    if moves == expected {
        return Ok(());
    }
    let what = format!("the oracle moves {expected:?}");
    Err(Fault { what, world: Box::new(world.clone()), moves })
}

/// Checks what holds for any right round, oracle or not: thresholds, one owner, one move a
/// subdomain, no crossing of sockets under split, no more moves than pairs.
pub fn check(world: &World, moves: Vec<Sent>) -> Result<(), Fault> {
    let mut owners = world.owners.clone();
    for (place, sent) in moves.iter().enumerate() {
        if let Some(what) = violation(world, &owners, &moves[..place], sent) {
            return Err(Fault { what: what.into(), world: Box::new(world.clone()), moves });
        }
        owners[sent.subdomain] = sent.to;
    }
    Ok(())
}

/// Returns a description of the fault of one move after the earlier ones, if it has one.
fn violation(
    world: &World,
    owners: &[usize],
    earlier: &[Sent],
    sent: &Sent,
) -> Option<&'static str> {
    let World { params, sockets, policy, .. } = world;
    let held = |worker| owners.iter().filter(|&&owner| owner == worker).count();
    let together = |a: usize, b: usize| *policy == Policy::Joint || sockets[a] == sockets[b];
    let rules = [
        (earlier.iter().all(|other| other.subdomain != sent.subdomain), "a subdomain moves twice"),
        (owners[sent.subdomain] == sent.from, "a move does not start at the subdomain's owner"),
        (sent.from != sent.to, "a move ends where it starts"),
        (held(sent.from) > params.low as usize, "the giver is left below the lower threshold"),
        (held(sent.to) < params.high as usize, "the taker is filled above the upper threshold"),
        (together(sent.from, sent.to), "a subdomain leaves its socket"),
        (
            earlier.iter().filter(|other| together(other.to, sent.to)).count() < params.pairs,
            "there are more moves than pairs",
        ),
    ];
    rules.iter().find(|(holds, _)| !holds).map(|(_, what)| *what)
}

/// The core's round, through every check.
pub fn verify(world: &World) -> Result<(), Fault> {
    let moves = core_round(world)?;
    check(world, moves.clone())?;
    compare(world, moves)
}

/// Returns a worker's name from its place.
pub fn worker(index: usize) -> WorkerId {
    WorkerId(u32::try_from(index).unwrap_or(u32::MAX))
}

/// Returns a subdomain's name from its place.
pub fn identify(index: usize) -> SubdomainId {
    SubdomainId(u32::try_from(index).unwrap_or(u32::MAX))
}
