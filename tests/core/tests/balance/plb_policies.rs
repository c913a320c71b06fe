//! Hybrid, swap and gradient as they ship, through several rounds, against oracles written from the
//! paper's words: in every small world, in large random ones, and with planted faults.

use std::collections::BTreeMap;

use proptest::prelude::*;
use tresse_core::base::id::SocketId;
use tresse_core::run::{Balance, PlbParams};
use tresse_core_tests::policies::{
    Driven, GRADIENT, Round, SWAP, borrow_at, core_rounds, crossings, hybrid_every, verify, world,
};
use tresse_core_tests::small::{digits, every_world_of};
use tresse_core_tests::world::{Fault, Policy, Sent, World};

/// Few and many pairs, the tightest and the loosest thresholds, dead bands.
const PARAMS: [PlbParams; 3] = [
    PlbParams { pairs: 6, low: 2, high: 6, dead_band: 0 },
    PlbParams { pairs: 1, low: 1, high: 2, dead_band: 2 },
    PlbParams { pairs: 64, low: 1, high: 4, dead_band: 1 },
];
/// Sockets of three workers: two beside one, and in another order.
const SOCKETS: [[u32; 3]; 2] = [[0, 0, 1], [7, 2, 7]];

fn shipped(world: &World, balance: Balance, rounds: &[Round]) -> Result<Vec<Vec<Sent>>, String> {
    core_rounds(world, balance, 5, rounds)
}

/// Two rounds: as the world is, and with all counts the other way round.
fn two_rounds(world: &World, sweeps: [u64; 3]) -> [Round; 2] {
    let later = world.counts.iter().map(|count| 3 - count).collect();
    let twice = sweeps.iter().rev().zip(sweeps).map(|(one, two)| one + two).collect();
    [
        Round { counts: world.counts.clone(), sweeps: sweeps.to_vec() },
        Round { counts: later, sweeps: twice },
    ]
}

fn every_small_world(
    subdomains: u32,
    (sockets, params): ([u32; 3], PlbParams),
    check: impl Fn(&World) -> Result<(), Fault> + Sync,
) {
    let all = every_world_of(subdomains, Policy::Split, sockets, params, check);
    let worlds = 3_u64.pow(subdomains) * 4_u64.pow(subdomains);
    assert_eq!(all.map_err(|fault| fault.to_string()), Ok(worlds));
}

#[test]
fn hybrid_is_the_oracle_in_every_small_world() {
    for each in SOCKETS.into_iter().zip(PARAMS) {
        every_small_world(5, each, |world| {
            // The first round crosses, or the second.
            let rounds = two_rounds(world, [0; 3]);
            verify(world, hybrid_every(1), &rounds, &shipped)?;
            verify(world, hybrid_every(2), &rounds, &shipped)
        });
    }
}

#[test]
fn swap_is_the_oracle_in_every_small_world() {
    for each in SOCKETS.into_iter().cycle().zip(PARAMS) {
        every_small_world(5, each, |world| {
            verify(world, SWAP, &two_rounds(world, [0; 3]), &shipped)
        });
    }
}

#[test]
fn gradient_is_the_oracle_in_every_small_world_at_all_rates() {
    for each in SOCKETS.into_iter().cycle().zip(PARAMS) {
        every_small_world(4, each, |world| {
            (0..27).try_for_each(|number| {
                let mut sweeps = [0; 3];
                sweeps.iter_mut().zip(digits(number, 3, 3)).for_each(|(to, digit)| *to = digit);
                verify(world, GRADIENT, &two_rounds(world, sweeps), &shipped)
            })
        });
    }
}

#[test]
fn borrowing_is_the_oracle_in_every_small_world() {
    for each in SOCKETS.into_iter().cycle().zip(PARAMS) {
        every_small_world(5, each, |world| {
            (0..3).try_for_each(|lag| {
                verify(world, borrow_at(lag), &two_rounds(world, [0; 3]), &shipped)
            })
        });
    }
}

/// Six subdomains of the slower socket may go to either worker of the faster one.
fn mixed() -> World {
    let owners = [0, 0, 0, 1, 1, 1, 2, 2, 3, 3];
    let params = PlbParams { pairs: 6, low: 2, high: 6, dead_band: 0 };
    world(&[1, 2, 3, 4, 5, 6, 9, 9, 9, 9], &owners, &[0, 0, 1, 1], params)
}

/// A draw: over many seeds each move that may be is made as often as any other.
#[test]
fn hybrid_draws_every_crossing_with_the_same_chance() {
    let world = mixed();
    let may = crossings(&world);
    assert_eq!(may.len(), 12);
    let rounds = [Round { counts: world.counts.clone(), sweeps: vec![0; 4] }];
    let mut drawn = BTreeMap::new();
    for seed in 0..12_000 {
        let moves = core_rounds(&world, hybrid_every(1), seed, &rounds).unwrap_or_default();
        let first = moves[0].first().map(|sent| (sent.subdomain, sent.to));
        *drawn.entry(first).or_insert(0) += 1;
    }
    assert_eq!(drawn.len(), may.len(), "{drawn:?}");
    // Of a thousand each, six standard deviations.
    assert!(drawn.values().all(|times| (820..1_180).contains(times)), "{drawn:?}");
}

fn counts(subdomains: usize) -> impl Strategy<Value = Vec<u64>> {
    // The largest of which a mean is still exact.
    let most = u64::MAX >> 8;
    let count = prop_oneof![0_u64..4, 0_u64..1_000, most - 2..=most];
    proptest::collection::vec(count, subdomains)
}

prop_compose! {
    fn histories()(workers in 1_usize..40, subdomains in 0_usize..250, number in 1_usize..6)(
        counts in proptest::collection::vec(counts(subdomains), number),
        made in proptest::collection::vec(proptest::collection::vec(0_u64..5, workers), number),
        owners in proptest::collection::vec(0..workers, subdomains),
        sockets in proptest::collection::vec((0_u32..4).prop_map(SocketId), workers),
        (pairs, low, room) in (1_usize..=64, 1_u32..8, 1_u32..8),
        dead_band in 0_u64..20,
    ) -> (World, Vec<Round>) {
        let params = PlbParams { pairs, low, high: low + room, dead_band };
        let mut sum = vec![0; made[0].len()];
        let rounds = counts.into_iter().zip(made).map(|(counts, made)| {
            sum.iter_mut().zip(made).for_each(|(sum, made)| *sum += made);
            Round { counts, sweeps: sum.clone() }
        });
        let rounds: Vec<_> = rounds.collect();
        let world = World { counts: Vec::new(), owners, sockets, policy: Policy::Split, params };
        (world, rounds)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn all_rounds_of_large_worlds_are_the_oracles(
        (world, rounds) in histories(),
        every in 1_u32..4,
        seed in any::<u64>(),
    ) {
        let driven = |world: &World, balance, rounds: &[Round]| {
            core_rounds(world, balance, seed, rounds)
        };
        for balance in [hybrid_every(every), SWAP, GRADIENT, borrow_at(every.into())] {
            if let Err(fault) = verify(&world, balance, &rounds, &driven) {
                return Err(TestCaseError::fail(fault.to_string()));
            }
        }
    }
}

/// Reports whether the comparison finds a fault in two rounds of every small world.
fn finds(balance: Balance, driven: &Driven<'_>) -> bool {
    finds_among(5, balance, driven)
}

/// Reports whether the comparison finds a fault in two rounds of every small world with a number of
/// subdomains.
fn finds_among(subdomains: u32, balance: Balance, driven: &Driven<'_>) -> bool {
    let params = PlbParams { pairs: 2, low: 2, high: 3, dead_band: 1 };
    let sweeps = [2, 0, 1];
    let check = |world: &World| verify(world, balance, &two_rounds(world, sweeps), driven);
    every_world_of(subdomains, Policy::Split, SOCKETS[0], params, check).is_err()
}

/// Returns the balancer that ships, in another world than it should be in.
fn in_another(
    change: impl Fn(&mut World, &mut Vec<Round>) + Sync,
) -> impl Fn(&World, Balance, &[Round]) -> Result<Vec<Vec<Sent>>, String> + Sync {
    move |world, balance, rounds| {
        let (mut world, mut rounds) = (world.clone(), rounds.to_vec());
        change(&mut world, &mut rounds);
        shipped(&world, balance, &rounds)
    }
}

#[test]
fn planted_faults_are_found() {
    for balance in [hybrid_every(1), SWAP, GRADIENT] {
        assert!(!finds(balance, &shipped), "{balance}: a fault where there is none");
        let wide = in_another(|world, _| world.params.dead_band = 0);
        assert!(finds(balance, &wide), "{balance}: no dead band");
        let fewer = in_another(|world, _| world.params.pairs = 1);
        // Three workers have one slower half, and one pair of ends.
        assert_eq!(finds(balance, &fewer), balance != GRADIENT, "{balance}: fewer pairs");
        let upside_down = in_another(|_, rounds| {
            for round in rounds {
                round.counts.iter_mut().for_each(|count| *count = 3 - *count);
            }
        });
        assert!(finds(balance, &upside_down), "{balance}: the least updated for the most");
    }
    let fastest = in_another(|_, rounds| {
        for (place, round) in rounds.iter_mut().enumerate() {
            let most = 10 * (place as u64 + 1);
            round.sweeps.iter_mut().for_each(|sweeps| *sweeps = most - *sweeps);
        }
    });
    assert!(finds(GRADIENT, &fastest), "the fastest worker for the slowest");
    let since_the_start = in_another(|_, rounds| rounds[1].sweeps[1] += 3);
    assert!(finds(GRADIENT, &since_the_start), "other rates in the second round");
    for low in [1, 3] {
        let other = in_another(move |world, _| world.params.low = low);
        assert!(finds(hybrid_every(1), &other), "the lower threshold is {low}");
    }
    for high in [2, 4] {
        let other = in_another(move |world, _| world.params.high = high);
        // A full worker and one that may give: six in all.
        assert!(finds_among(6, hybrid_every(1), &other), "the upper threshold is {high}");
    }
    for every in [1, 3] {
        let other =
            |world: &World, _, rounds: &[Round]| shipped(world, hybrid_every(every), rounds);
        assert!(finds(hybrid_every(2), &other), "crosses every {every} rounds");
    }
    let never = |world: &World, _, rounds: &[Round]| {
        shipped(world, Balance::parse("split:1ms").map_err(|error| error.to_string())?, rounds)
    };
    assert!(finds(hybrid_every(1), &never), "crosses never");
}

#[test]
fn planted_faults_of_borrowing_are_found() {
    assert!(!finds(borrow_at(0), &shipped), "a fault where there is none");
    let fewer = in_another(|world, _| world.params.pairs = 1);
    assert!(finds(borrow_at(0), &fewer), "fewer pairs");
    let on_one = in_another(|world, _| world.sockets.fill(SocketId(0)));
    assert!(finds(borrow_at(1), &on_one), "as near to another socket as to the own");
    for lag in [0, 2] {
        let other = |world: &World, _, rounds: &[Round]| shipped(world, borrow_at(lag), rounds);
        assert!(finds(borrow_at(1), &other), "a lag of {lag}");
    }
    let forgets = |world: &World, balance, rounds: &[Round]| {
        let mut world = world.clone();
        let each = rounds.iter().map(|round| {
            let moves = shipped(&world, balance, std::slice::from_ref(round))?.concat();
            for sent in &moves {
                world.owners[sent.subdomain] = sent.to;
            }
            Ok(moves)
        });
        each.collect()
    };
    assert!(finds(borrow_at(0), &forgets), "what is borrowed never goes home");
}

/// Checks that a crossing to the socket that is ahead, or one within a socket, is found.
#[test]
fn a_crossing_in_the_other_direction_is_found() {
    let world = mixed();
    let rounds = [Round { counts: world.counts.clone(), sweeps: vec![0; 4] }];
    let sent = |subdomain, from, to| vec![vec![Sent { subdomain, from, to }]];
    for (moves, is_right) in [
        (sent(0, 0, 2), true),
        (sent(5, 1, 3), true),
        (sent(6, 2, 0), false),
        (sent(0, 0, 1), false),
    ] {
        // What split adds is the same whoever has drawn.
        let split = |world: &World, balance: Balance, rounds: &[Round]| {
            let mut moves = moves.clone();
            let mut after = world.clone();
            after.owners[moves[0][0].subdomain] = moves[0][0].to;
            let rest = core_rounds(&after, Balance::Split(period(balance)), 0, rounds)?;
            moves[0].extend(rest.into_iter().flatten());
            Ok(moves)
        };
        let verified = verify(&world, hybrid_every(1), &rounds, &split);
        assert_eq!(verified.is_ok(), is_right, "{moves:?}");
    }
}

fn period(balance: Balance) -> tresse_core::base::time::Duration {
    balance.period().unwrap_or_default()
}
