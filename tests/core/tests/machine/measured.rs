//! Grapevine on measured sweeps: what must hold after any round.

#![expect(clippy::unwrap_used, reason = "the worlds make sense")]

use std::collections::BTreeSet;

use proptest::prelude::*;
use tresse_core::balance::measured::MeasuredNeeds;
use tresse_core::balance::owned::OwnedMeasuredMemory;
use tresse_core::base::id::{SocketId, SubdomainId, WorkerId};
use tresse_core::base::topology::Topology;
use tresse_core::parts::ownership::{Holding, Link, Move, Owner, Ownership};
use tresse_core::run::PlbParams;

/// Workers with subdomains that take time.
#[derive(Clone, Debug)]
struct World {
    owners: Vec<u32>,
    workers: u32,
    /// New sweeps of each subdomain, and the nanoseconds of one, in each round.
    rounds: Vec<Vec<(u64, u64)>>,
    params: PlbParams,
    seed: u64,
}

/// A round's moves, and who had what before it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Round {
    before: Vec<u32>,
    moves: Vec<Move>,
}

fn play(world: &World) -> Vec<Round> {
    let World { workers, params, seed, .. } = world;
    let subdomains = world.owners.len();
    let needs = MeasuredNeeds { subdomains, workers: *workers as usize };
    let mut memory = OwnedMeasuredMemory::new(&needs);
    let mut measured = memory.lend();
    assert!(measured.fits(&needs));
    let owner = |&owner| Owner::of(WorkerId(owner));
    let owners: Vec<_> = world.owners.iter().map(owner).collect();
    let mut links = vec![Link::EMPTY; subdomains];
    let mut holdings = vec![Holding::EMPTY; *workers as usize];
    let mut ownership = Ownership::new(&owners, &mut links, &mut holdings).unwrap();
    let sockets = vec![SocketId(0); *workers as usize];
    let workers: Vec<_> = (0..*workers).map(WorkerId).collect();
    let topology = Topology::new(&sockets, &workers).unwrap();
    let mut counts = vec![0; subdomains];
    let ids = || (0..).map(SubdomainId).take(subdomains);
    let mut rounds = Vec::new();
    for (number, sweeps) in (0..).zip(&world.rounds) {
        for ((count, time), (new, each)) in counts.iter_mut().zip(&mut *measured.times).zip(sweeps)
        {
            *count += new;
            *time += new * each;
        }
        let before = ids().map(|id| ownership.owner(id).unwrap().0).collect();
        let mut moves = Vec::new();
        let out = &mut |made| moves.push(made);
        measured.round(&counts, topology, &mut ownership, params, seed + number, out);
        rounds.push(Round { before, moves });
    }
    rounds
}

fn held(owners: &[u32], workers: u32) -> Vec<u32> {
    let held = |worker| owners.iter().filter(|&&owner| owner == worker).count();
    (0..workers).map(|worker| u32::try_from(held(worker)).unwrap()).collect()
}

fn worlds() -> impl Strategy<Value = World> {
    let sweeps = (prop_oneof![Just(0_u64), 1..9_u64], 1..1_000_u64);
    (1..6_u32, 1..24_usize, 1..12_usize).prop_flat_map(move |(workers, subdomains, rounds)| {
        let owners = proptest::collection::vec(0..workers, subdomains);
        let sweeps = proptest::collection::vec(sweeps.clone(), subdomains);
        let rounds = proptest::collection::vec(sweeps, rounds);
        (owners, rounds, 1..4_u32, 1..5_u32, any::<u32>()).prop_map(
            move |(owners, rounds, low, more, seed)| World {
                owners,
                workers,
                rounds,
                params: PlbParams { low, high: low + more, ..PlbParams::default() },
                seed: seed.into(),
            },
        )
    })
}

proptest! {
    #[test]
    fn every_round_keeps_the_rules(world in worlds()) {
        let rounds = play(&world);
        prop_assert_eq!(&rounds, &play(&world), "a seed gives one result");
        let PlbParams { low, high, .. } = world.params;
        let mut swept = vec![false; world.owners.len()];
        let mut awaited = BTreeSet::new();
        for (Round { before, moves }, sweeps) in rounds.iter().zip(&world.rounds) {
            for (id, (swept, &(new, _))) in (0..).zip(swept.iter_mut().zip(sweeps)) {
                *swept |= new > 0;
                if new > 0 {
                    awaited.remove(&SubdomainId(id));
                }
            }
            prop_assert!(moves.is_empty() || swept.iter().all(|&swept| swept), "unknown loads");
            let mut after = before.clone();
            for &Move { subdomain, from, to } in moves {
                let owner = &mut after[subdomain.index()];
                prop_assert_eq!(*owner, from.0, "moved twice");
                prop_assert!(awaited.insert(subdomain), "moved without a sweep in between");
                *owner = to.0;
            }
            let (had, have) = (held(before, world.workers), held(&after, world.workers));
            for (had, have) in had.into_iter().zip(have) {
                prop_assert!(low.min(had) <= have && have <= high.max(had), "{} to {}", had, have);
            }
        }
    }

    /// Checks a first round, in which every subdomain was swept, so that the loads are the times of
    /// the sweeps.
    #[test]
    fn no_round_makes_the_highest_load_higher(world in worlds()) {
        let first = world.rounds[0].iter().map(|&(new, each)| (new.max(1), each)).collect();
        let world = World { rounds: vec![first], ..world };
        let Round { before, moves } = play(&world).remove(0);
        let mut after = before.clone();
        for made in &moves {
            after[made.subdomain.index()] = made.to.0;
        }
        let highest = |owners: &[u32]| {
            let load = |worker| {
                let placed = owners.iter().zip(&world.rounds[0]);
                placed.filter(|(owner, _)| **owner == worker).map(|(_, (_, each))| each).sum::<u64>()
            };
            (0..world.workers).map(load).max()
        };
        prop_assert!(moves.is_empty() || highest(&after) < highest(&before));
    }
}

/// Two workers of four subdomains, one of them half as fast.
fn two_workers(low: u32) -> World {
    let sweeps = (0..8).map(|id| if id < 4 { (5, 200) } else { (10, 100) }).collect();
    World {
        owners: vec![0, 0, 0, 0, 1, 1, 1, 1],
        workers: 2,
        rounds: vec![sweeps],
        params: PlbParams { low, high: 6, ..PlbParams::default() },
        seed: 1,
    }
}

#[test]
fn of_two_workers_the_slow_one_gives_one_away() {
    let moves = play(&two_workers(2)).remove(0).moves;
    let ways: Vec<_> = moves.iter().map(|made| (made.from.0, made.to.0)).collect();
    assert_eq!(ways, [(0, 1)]);
}

#[test]
fn at_the_threshold_only_exchanges_are_left() {
    let moves = play(&two_workers(4)).remove(0).moves;
    let back = moves.iter().filter(|made| made.from.0 == 1).count();
    assert_eq!(2 * back, moves.len(), "{moves:?}");
}

#[test]
fn one_worker_keeps_all() {
    let world = World { owners: vec![0; 8], workers: 1, ..two_workers(1) };
    assert_eq!(play(&world).remove(0).moves, []);
}
