//! DPLB's decision against the naive one: in every small world, in large random ones, over time;
//! and planted faults that the same check must find.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use tresse_core::balance::Mean;
use tresse_core::balance::dplb::{
    NodeBalancer, Transfer, boundary_counts, count_as_arrived, place,
};
use tresse_core::base::id::{NodeId, SubdomainId};
use tresse_core::base::time::{Duration, Instant};
use tresse_core::field::grid::Decomposition;
use tresse_core::parts::ownership::{Holding, Link, Owner, Ownership};
use tresse_core::run::{
    Balance, CHAOS_PERIOD, GridSize, Mode, NodeBalance, NodeRule, Nodes, RunConfig,
};
use tresse_core_tests::configurations::{config, iterations};
use tresse_core_tests::node_world::{Fraction, NodeWorld, PERIOD, Wrong, check, core_decision};
use tresse_core_tests::small::digits;
use tresse_core_tests::world::worker;

const NODES: usize = 3;
const COUNTS: u64 = 4;
const RULES: [NodeRule; 3] = [NodeRule::Settled, NodeRule::Boundary, NodeRule::Published];

/// Checks decisions in every world of 3 nodes with a number of subdomains and counts from 0 to 3,
/// all of them known as they are; answers how many worlds there were and in how many something is
/// sent.
fn every_world(
    workers_per_node: usize,
    subdomains: u32,
    verify: impl Fn(&NodeWorld) -> Result<bool, Wrong>,
) -> Result<(u64, u64), Wrong> {
    let (mut worlds, mut sent) = (0, 0);
    let workers = NODES * workers_per_node;
    let mut world = NodeWorld {
        owners: Vec::new(),
        workers_per_node,
        own: 0,
        view: vec![(0, 0); NODES],
        threshold: 0,
        limits: (1, 2),
        rule: NodeRule::Settled,
        seed: 0,
        boundary: Vec::new(),
    };
    for ownership in 0..workers.pow(subdomains) {
        world.owners = digits(ownership, workers, subdomains).collect();
        for counts in 0..COUNTS.pow(subdomains) {
            let counts: Vec<u64> = digits(counts, COUNTS, subdomains).collect();
            world.view = world.fresh_view(&counts);
            // Any of them may be: which those are is for `boundary_counts` to say.
            world.boundary = counts.iter().map(|&count| (count > 0).then_some(count)).collect();
            for (own, rule) in (0..NODES).flat_map(|own| RULES.map(|rule| (own, rule))) {
                for (threshold, limits) in [(0, (1, 2)), (1, (1, 3)), (2, (2, 6))] {
                    (world.own, world.rule) = (own, rule);
                    (world.threshold, world.limits, world.seed) = (threshold, limits, worlds);
                    sent += u64::from(verify(&world)?);
                    worlds += 1;
                }
            }
        }
    }
    Ok((worlds, sent))
}

fn verify(world: &NodeWorld) -> Result<bool, Wrong> {
    let decision = core_decision(world);
    check(world, decision)?;
    Ok(decision.is_some())
}

#[test]
fn every_small_world_is_decided_as_the_steps_say() {
    for (workers_per_node, subdomains, expected) in
        [(1, 5, (6_718_464, 659_400)), (2, 4, (8_957_952, 627_552))]
    {
        match every_world(workers_per_node, subdomains, verify) {
            Ok(found) => assert_eq!(found, expected, "worlds, and those where something is sent"),
            Err(wrong) => panic!("{wrong}"),
        }
    }
}

/// Returns the check's message about a faulty decision in the small worlds.
fn found(faulty: impl Fn(&NodeWorld) -> Option<Transfer>) -> String {
    found_with(1, faulty)
}

fn found_with(workers: usize, faulty: impl Fn(&NodeWorld) -> Option<Transfer>) -> String {
    let verify = |world: &NodeWorld| {
        let decision = faulty(world);
        check(world, decision).map(|()| decision.is_some())
    };
    every_world(workers, 4, verify).map_or_else(|wrong| wrong.what, |_| "nothing".into())
}

fn with(change: impl Fn(&mut NodeWorld)) -> impl Fn(&NodeWorld) -> Option<Transfer> {
    move |world| {
        let mut world = world.clone();
        change(&mut world);
        core_decision(&world)
    }
}

#[test]
fn the_check_finds_planted_faults() {
    assert_eq!(found(core_decision), "nothing");
    // At least the threshold in place of more than it: all means that are whole numbers tell.
    let at_least = with(|world| world.threshold = world.threshold.saturating_sub(1));
    assert!(found(at_least).starts_with("sent to Some"));
    assert!(found(with(|world| world.threshold += 1)).starts_with("sent to None"));
    assert!(found(with(|world| world.limits.0 -= 1)).starts_with("sent to Some"));
    assert!(found(with(|world| world.limits.0 += 1)).starts_with("sent to None"));
    assert!(found(with(|world| world.limits.1 += 1)).starts_with("sent to Some"));
    assert!(found(with(|world| world.limits.1 -= 1)).starts_with("sent to None"));
    assert!(found(with(|world| world.rule = NodeRule::Published)).starts_with("sent to Some"));
    let careful = with(|world| {
        if world.rule == NodeRule::Published {
            world.rule = NodeRule::Settled;
        }
    });
    assert!(found(careful).starts_with("sent to None"));
    let any = with(|world| {
        if world.rule == NodeRule::Boundary {
            world.boundary.reverse();
        }
    });
    assert!(found(any).starts_with("sent"));
    // Any node sends as if it were the lowest.
    let least = |world: &NodeWorld| {
        let filled = (0..NODES).filter(|&node| world.view[node].1 > 0);
        filled.min_by(|&a, &b| {
            let ((a, m), (b, n)) = (world.view[a], world.view[b]);
            (a * n).cmp(&(b * m))
        })
    };
    let anybody = move |world: &NodeWorld| {
        let own = least(world)?;
        let from = NodeId(u32::try_from(world.own).ok()?);
        core_decision(&NodeWorld { own, ..world.clone() })
            .map(|transfer| Transfer { from, ..transfer })
    };
    assert!(found(anybody).starts_with("sent to Some"));
    // Nodes without subdomains are taken for the slowest.
    let empty = with(|world| {
        for mean in world.view.iter_mut().filter(|mean| mean.1 == 0) {
            *mean = (0, 1);
        }
    });
    assert!(found(empty).starts_with("sent to None"));
    // Any subdomain of the node, whatever its worker is left with.
    let any = |world: &NodeWorld| {
        let sent = core_decision(world)?;
        if world.rule == NodeRule::Boundary {
            return Some(sent);
        }
        let published = NodeWorld { rule: NodeRule::Published, ..world.clone() };
        core_decision(&published).filter(|transfer| transfer.to == sent.to)
    };
    assert!(found_with(2, any).starts_with("left worker"));
    // The right receiver, but somebody else's subdomain.
    let other = |world: &NodeWorld| {
        let subdomain = (0..4).find(|&id| world.node_of(id) != world.own)?;
        let subdomain = SubdomainId(u32::try_from(subdomain).ok()?);
        core_decision(world).map(|transfer| Transfer { subdomain, ..transfer })
    };
    assert!(found(other).starts_with("sent subdomain"));
}

prop_compose! {
    /// Views are of any age: they need not be what is owned, but that of the node itself is.
    fn worlds()(nodes in 1_usize..30, workers_per_node in 1_usize..5, subdomains in 0_usize..300)(
        owners in proptest::collection::vec(0..nodes * workers_per_node, subdomains),
        counts in proptest::collection::vec(
            prop_oneof![0_u64..4, 0_u64..1_000, Just(1 << 50)], subdomains),
        stale in proptest::collection::vec(
            proptest::option::of((prop_oneof![0_u64..2_000, Just(u64::MAX)], 0_u64..12)), nodes),
        (slow, pick) in (prop::bool::weighted(0.9), any::<prop::sample::Index>()),
        threshold in prop_oneof![4 => 0_u64..5, 4 => 0_u64..1_000, 1 => Just(u64::MAX)],
        (low, room) in (1_u32..4, 1_u32..12),
        rule in prop::sample::select(&RULES[..]),
        workers_per_node in Just(workers_per_node),
        seed in any::<u64>(),
        inside in proptest::collection::vec(any::<bool>(), subdomains),
    ) -> NodeWorld {
        let nodes = stale.len();
        let view = vec![(0, 0); nodes];
        let limits = (low, low + room);
        let of_boundary = counts.iter().zip(inside).map(|(&count, inside)| (!inside).then_some(count));
        let boundary = of_boundary.collect();
        let mut world =
            NodeWorld { owners, workers_per_node, own: 0, view, threshold, limits, rule, seed, boundary };
        let fresh = world.fresh_view(&counts);
        let known = fresh.iter().zip(stale);
        world.view = known.map(|(&fresh, stale)| stale.unwrap_or(fresh)).collect();
        let rate = |&node: &usize| {
            let (sum, number) = world.view[node];
            sum.checked_div(number).unwrap_or(u64::MAX)
        };
        // Mostly one that is slow decides: the others have nothing to.
        world.own = if slow { (0..nodes).min_by_key(rate).unwrap_or(0) } else { pick.index(nodes) };
        world.view[world.own] = fresh[world.own];
        world
    }
}

/// Checks that the property sees many worlds in which something is sent, and many others.
#[test]
fn large_worlds_are_of_both_kinds() {
    let mut runner = TestRunner::deterministic();
    let sends = |_| {
        let world = worlds().new_tree(&mut runner).unwrap().current();
        core_decision(&world).is_some()
    };
    let sent = (0..1_000).map(sends).filter(|&sent| sent).count();
    assert!((100..900).contains(&sent), "{sent} of 1000");
}

/// Few parts, few and the largest numbers.
fn numbers() -> impl Strategy<Value = u64> {
    prop_oneof![0_u64..6, any::<u64>(), u64::MAX - 2..=u64::MAX]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn large_worlds_are_decided_as_the_steps_say(world in worlds()) {
        if let Err(wrong) = check(&world, core_decision(&world)) {
            return Err(TestCaseError::fail(wrong.to_string()));
        }
    }

    #[test]
    fn means_are_compared_exactly(
        (a, c) in (numbers(), numbers()),
        (b, d) in (numbers(), numbers()),
        threshold in numbers(),
    ) {
        let (b, d) = (b.max(1), d.max(1));
        let (one, other) = (Mean { updates: a, subdomains: b }, Mean { updates: c, subdomains: d });
        let (x, y) = (Fraction(a.into(), b.into()), Fraction(c.into(), d.into()));
        prop_assert_eq!(one.is_below(other), x.compare(y) == Ordering::Less);
        let apart = x.plus(threshold).compare(y) == Ordering::Less;
        prop_assert_eq!(one.is_below_by(threshold, other), apart);
    }

    /// Compares numbers so small that products fit, without the fractions' arithmetic.
    #[test]
    fn small_means_are_compared_as_products(
        (a, c) in (0_u64..100, 0_u64..100),
        (b, d) in (1_u64..8, 1_u64..8),
        threshold in 0_u64..60,
    ) {
        let (one, other) = (Mean { updates: a, subdomains: b }, Mean { updates: c, subdomains: d });
        let [a, b, c, d, threshold] = [a, b, c, d, threshold].map(i128::from);
        prop_assert_eq!(
            one.is_below_by(u64::try_from(threshold).unwrap(), other),
            c * b - a * d > threshold * b * d
        );
    }

    #[test]
    fn what_arrives_goes_to_the_worker_with_the_fewest(
        owners in proptest::collection::vec(0_usize..9, 0..30),
        workers in proptest::collection::btree_set(0_usize..9, 0..9),
    ) {
        let held = |id: usize| owners.iter().filter(|&&owner| owner == id).count();
        let expected = workers.iter().copied().min_by_key(|&id| (held(id), id)).map(worker);
        let memory: Vec<_> = owners.iter().map(|&owner| Owner::of(worker(owner))).collect();
        let (mut links, mut holdings) = (vec![Link::EMPTY; owners.len()], [Holding::EMPTY; 9]);
        let ownership = Ownership::new(&memory, &mut links, &mut holdings).unwrap();
        // In whatever order the workers are listed.
        let backwards: Vec<_> = workers.iter().rev().copied().map(worker).collect();
        prop_assert_eq!(place(&ownership, &backwards), expected);
    }
}

/// Two nodes with one worker each, of which the first is far behind and always has enough to send.
fn behind(rule: NodeRule, seed: u64) -> NodeWorld {
    NodeWorld {
        owners: vec![0, 1, 0, 0, 0, 0, 0],
        workers_per_node: 1,
        own: 0,
        view: vec![(6, 6), (100, 1)],
        threshold: 10,
        limits: (2, 6),
        rule,
        seed,
        boundary: vec![Some(1); 7],
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Checks that only time and subdomains in flight decide where there is always one to send.
    #[test]
    fn a_node_looks_and_sends_no_more_often_than_it_may(
        rule in prop::sample::select(&RULES[..]),
        cooldown in 0_u64..60,
        start in 0_u64..50,
        steps in proptest::collection::vec((0_u64..25, any::<bool>()), 0..60),
    ) {
        let world = behind(rule, 1);
        let nodes = Nodes { cooldown: Duration(cooldown), ..world.config().nodes };
        let config = RunConfig { nodes, ..world.config() };
        let mut balancer = NodeBalancer::new(NodeId(0), &config, Instant(start));
        let (mut now, mut in_flight) = (start, 0_u32);
        let (mut looks, mut sends) = (vec![start], Vec::<u64>::new());
        for (later, arrives) in steps {
            now += later;
            if arrives && in_flight > 0 {
                balancer.arrived();
                in_flight -= 1;
            }
            let due = looks.last().is_some_and(|look| now >= look + PERIOD.0);
            let rested = sends.last().is_none_or(|sent| now >= sent + cooldown);
            let may_send = rested && (rule == NodeRule::Published || in_flight == 0);
            let transfer = world.look(&mut balancer, Instant(now));
            prop_assert_eq!(transfer.is_some(), due && may_send, "at {}", now);
            if due {
                looks.push(now);
            }
            if transfer.is_some() {
                sends.push(now);
                in_flight += 1;
            }
            prop_assert_eq!(balancer.looks(), looks.len() as u64 - 1);
            prop_assert_eq!(balancer.in_flight(), in_flight);
            prop_assert_eq!(balancer.poll_at().0, looks.last().unwrap() + PERIOD.0);
        }
    }
}

#[test]
fn each_subdomain_is_as_likely_to_be_sent_and_nodes_draw_apart() {
    let mut times = [0_u32; 7];
    for seed in 0..6_000 {
        let sent = core_decision(&behind(NodeRule::Settled, seed)).unwrap();
        times[sent.subdomain.index()] += 1;
    }
    // 1000 are expected, with a standard deviation of 29; subdomain 1 is on the other node.
    let own = |id: &usize| *id != 1;
    assert!((0..7).filter(own).all(|id| (860..1_140).contains(&times[id])), "{times:?}");
    assert_eq!(times[1], 0);
    let chosen = |own: usize| -> Vec<_> {
        let place = |world: NodeWorld| core_decision(&world).unwrap().subdomain.index() % 100;
        let world = |seed| NodeWorld {
            owners: (0..300).map(|id| id / 100).collect(),
            own,
            view: (0..3).map(|node| if node == own { (0, 100) } else { (10_000, 1) }).collect(),
            ..behind(NodeRule::Settled, seed)
        };
        (0..20).map(|seed| place(world(seed))).collect()
    };
    let different: BTreeSet<_> = (0..3).map(chosen).collect();
    assert_eq!(different.len(), 3, "each node has random numbers of its own");
}

/// Returns a node of some, with a number of subdomains on each of its two workers, under chaos.
fn chaotic(nodes: usize, own: usize, held: [usize; 2], seed: u64) -> (NodeWorld, NodeBalancer) {
    let owners = (0..2).flat_map(|worker| vec![own * 2 + worker; held[worker]]).collect();
    let view = vec![(0, 1); nodes];
    let world = NodeWorld { owners, workers_per_node: 2, own, view, ..behind(RULES[0], 0) };
    let balance = NodeBalance::Chaos { seed };
    let config = world.config();
    let config = RunConfig { nodes: Nodes { balance, ..config.nodes }, ..config };
    let own = NodeId(worker(own).0);
    (world, NodeBalancer::new(own, &config, Instant::ZERO))
}

#[test]
fn chaos_sends_anything_but_the_last_anywhere_else() {
    let due = |look: u64| Instant(look * CHAOS_PERIOD.0);
    for (own, held) in [(0, [3, 2]), (1, [0, 2]), (2, [1, 1])] {
        let (world, mut balancer) = chaotic(3, own, held, 5);
        assert_eq!(world.look(&mut balancer, Instant(CHAOS_PERIOD.0 - 1)), None);
        let mut times = BTreeMap::new();
        for look in 1..=1_000 {
            let sent = world.look(&mut balancer, due(look)).unwrap();
            assert_eq!(sent.from.index(), own);
            assert_eq!(world.look(&mut balancer, due(look)), None, "looks once");
            balancer.arrived();
            *times.entry((sent.subdomain.0, sent.to.0)).or_insert(0_u64) += 1;
        }
        let kinds = (held[0] + held[1]) * 2;
        assert!(times.keys().all(|&(_, to)| to as usize != own && to < 3), "{times:?}");
        assert_eq!(times.len(), kinds, "{times:?}");
        // Within five standard deviations.
        let expected = 1_000 / kinds as u64;
        let near = |&number: &u64| number.abs_diff(expected).pow(2) < 25 * expected;
        assert!(times.values().all(near), "{times:?}");
    }
    for held in [[0, 0], [0, 1], [1, 0]] {
        let (world, mut balancer) = chaotic(3, 1, held, 5);
        assert_eq!(world.look(&mut balancer, due(1)), None, "{held:?}");
    }
    let (world, mut balancer) = chaotic(1, 0, [3, 3], 5);
    assert_eq!(world.look(&mut balancer, due(1)), None, "nobody to send to");
}

#[test]
fn chaos_has_a_seed_of_its_own_and_rests_while_one_is_in_flight() {
    let run = |seed| -> Vec<_> {
        let (world, mut balancer) = chaotic(3, 0, [3, 2], seed);
        (1..50)
            .map(|look| {
                let sent = world.look(&mut balancer, Instant(look * CHAOS_PERIOD.0));
                assert_eq!(sent.is_some(), look % 2 == 1);
                if sent.is_none() {
                    balancer.arrived();
                }
                sent
            })
            .collect()
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn without_a_balancer_nothing_is_ever_due() {
    let world = behind(NodeRule::Settled, 1);
    let config = RunConfig { nodes: Nodes { number: 2, ..Nodes::ONE }, ..world.config() };
    let mut balancer = NodeBalancer::new(NodeId(0), &config, Instant::ZERO);
    assert_eq!(balancer.poll_at(), Instant::NEVER);
    assert_eq!(world.look(&mut balancer, Instant::NEVER), None);
    assert_eq!(balancer.looks(), 0);
}

#[test]
fn what_is_in_flight_counts_where_it_is_going() {
    let view = [Mean { updates: 10, subdomains: 2 }, Mean { updates: 7, subdomains: 1 }];
    let in_flight = [(NodeId(0), 30), (NodeId(1), 5), (NodeId(0), 2), (NodeId(2), 1_000)];
    let mut means = view;
    count_as_arrived(NodeRule::Settled, &mut means, in_flight);
    let arrived = [Mean { updates: 42, subdomains: 4 }, Mean { updates: 12, subdomains: 2 }];
    assert_eq!(means, arrived);
    count_as_arrived(NodeRule::Published, &mut means, in_flight);
    assert_eq!(means, arrived, "the published rule knows nothing of it");
}

#[test]
fn a_subdomain_is_on_the_boundary_where_one_beside_it_is_on_another_node() {
    // Eight rows of two subdomains, the lower half of them on the second node, whose workers are 2
    // and 3.
    let grid = GridSize { rows: 32, columns: 40 };
    let method = (Mode::Async, Balance::None);
    let graph = Decomposition::new(&config(grid, (4, 4), method, iterations(1))).unwrap();
    let row = |id| graph.rectangle(id).first_row;
    let owner = |id| Owner::of(worker(usize::from(row(id) >= 16) * 2));
    let owners: Vec<_> = graph.ids().map(owner).collect();
    let on_the_first = owners.iter().filter(|owner| owner.worker() == worker(0)).count();
    let counts: Vec<u64> = (100..).take(owners.len()).collect();
    let (mut links, mut holdings) = (vec![Link::EMPTY; owners.len()], [Holding::EMPTY; 4]);
    let ownership = Ownership::new(&owners, &mut links, &mut holdings).unwrap();
    let workers = [worker(0), worker(1)];
    let boundary = boundary_counts(&graph, &ownership, &workers, &counts);
    let found: Vec<_> = ownership.of(worker(0)).filter_map(&boundary).collect();
    let beside = |id: &SubdomainId| row(*id) + graph.rectangle(*id).size.rows == 16;
    let expected: Vec<_> =
        ownership.of(worker(0)).filter(beside).map(|id| counts[id.index()]).collect();
    assert_eq!(found, expected);
    assert!(!found.is_empty() && found.len() < on_the_first, "{found:?}");
    // Workers of the same node are no others.
    let all = [worker(0), worker(2)];
    let boundary = boundary_counts(&graph, &ownership, &all, &counts);
    assert!(graph.ids().all(|id| boundary(id).is_none()));
}
