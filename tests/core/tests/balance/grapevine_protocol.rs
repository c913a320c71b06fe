//! Grapevine with messages: whatever their order, the placement is that of the driver in memory, or
//! at least no object is lost and no maximum rises.

use proptest::prelude::*;
use tresse_core::balance::grapevine::Config;
use tresse_core::balance::grapevine::protocol::{Lengths, Message, Mode};
use tresse_core::base::id::ProcessorId;
use tresse_core::base::rng::Rng;
use tresse_core_tests::grapevine::network::{Flying, Network};
use tresse_core_tests::grapevine::rules::Broken;
use tresse_core_tests::grapevine::world::World;

/// Messages of a run, at most: counting goes on while others are on their way.
const MOST: u64 = 3_000_000;

fn worlds() -> impl Strategy<Value = World> {
    let bytes = proptest::collection::vec(any::<u8>(), 0..400);
    let world = bytes.prop_map(|bytes| World::from_bytes(&bytes).for_messages());
    world.prop_filter("not valid", |world| world.run().is_ok())
}

/// Rules of the network for choosing the next message.
#[derive(Clone, Copy, Debug)]
enum Order {
    Any(u64),
    /// The last that was sent.
    Last,
    /// The first as far as it knows.
    First,
}

fn orders() -> impl Strategy<Value = Order> {
    prop_oneof![4 => any::<u64>().prop_map(Order::Any), 1 => Just(Order::Last), 1 => Just(Order::First)]
}

fn delivered(world: &World, mode: Mode, order: Order) -> Result<Vec<ProcessorId>, Broken> {
    let offers = world.loads.len() + world.processors as usize;
    let lengths = Lengths::of(world.loads.len(), offers);
    let mut rng = Rng::new(if let Order::Any(seed) = order { seed } else { 0 }, 0);
    // Who always takes the last one lets a count go round for ever: now and then it is any.
    let mut any = |number: usize| rng.below(u32::try_from(number).unwrap_or(u32::MAX)) as usize;
    let choose = |number: usize| match order {
        Order::Last if any(16) > 0 => number - 1,
        Order::First if any(16) > 0 => 0,
        _ => any(number),
    };
    Network::new(world, mode, lengths).run(&world.setting(mode), choose, MOST)
}

fn highest(world: &World, owners: &[ProcessorId]) -> u64 {
    world.sums(owners).into_iter().max().unwrap_or(0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn rounds_end_as_the_driver_in_memory(world in worlds(), order in orders()) {
        let ran = world.run().map(|ran| ran.owners);
        let placed = delivered(&world, Mode::Rounds, order);
        let placed = placed.map_err(|broken| TestCaseError::fail(broken.to_string()))?;
        prop_assert_eq!(Ok(placed), ran);
    }

    #[test]
    fn messages_keep_every_object_and_the_maximum(mut world in worlds(), order in orders()) {
        world.config.refuse = true;
        let placed = delivered(&world, Mode::Messages, order);
        let placed = placed.map_err(|broken| TestCaseError::fail(broken.to_string()))?;
        prop_assert!(highest(&world, &placed) <= highest(&world, &world.owners));
        for (object, (&after, &before)) in placed.iter().zip(&world.owners).enumerate() {
            prop_assert!(!world.fixed[object] || after == before);
        }
    }
}

/// Forty processors, of which four have everything.
fn crowded(config: Config) -> World {
    crowd(config, 40)
}

/// Ten objects for each of some processors, of which four have everything.
fn crowd(config: Config, processors: u32) -> World {
    let objects = 10 * processors;
    let load = |object: u32| 1 + tresse_core::base::rng::mix(object.into()) % 100;
    World {
        config,
        loads: (0..objects).map(load).collect(),
        fixed: vec![false; objects as usize],
        owners: (0..objects).map(|object| ProcessorId(object % 4)).collect(),
        processors,
        bounded_memory: None,
    }
}

#[test]
fn our_setting_balances_with_messages() {
    let config = Config { iterations: 6, attempts: 6, ..Config::DISTRIBUTED };
    let world = crowded(config);
    let ran = world.run().unwrap_or_else(|error| panic!("{error}"));
    for seed in 0..4 {
        let owners = delivered(&world, Mode::Rounds, Order::Any(seed));
        assert_eq!(owners, Ok(ran.owners.clone()), "{seed}");
        let owners = delivered(&world, Mode::Messages, Order::Any(seed));
        let owners = owners.unwrap_or_else(|broken| panic!("{broken}"));
        let total: u64 = world.loads.iter().sum();
        let max = highest(&world, &owners);
        // Within a tenth of the average.
        assert!(max * 400 < total * 11, "{max} of {total}");
    }
}

/// Checks that objects that do not fit are refused, in an order that does not depend on the
/// messages'.
#[test]
fn little_memory_refuses_and_loses_nothing() {
    let config = Config { iterations: 4, attempts: 4, exchange: false, ..Config::DISTRIBUTED };
    let world = crowded(config);
    let placed = |mode, seed| {
        let mut rng = Rng::new(seed, 0);
        let choose = |number: usize| rng.below(u32::try_from(number).unwrap_or(u32::MAX)) as usize;
        let setting = world.setting(mode);
        Network::new(&world, mode, Lengths::of(101, 3)).run(&setting, choose, MOST)
    };
    let first = placed(Mode::Rounds, 0);
    assert!(
        first.as_ref().is_ok_and(|owners| highest(&world, owners) < highest(&world, &world.owners))
    );
    for seed in 1..8 {
        assert_eq!(placed(Mode::Rounds, seed), first);
        let any = placed(Mode::Messages, seed);
        assert!(any.is_ok_and(|owners| highest(&world, &owners) <= highest(&world, &world.owners)));
    }
}

/// Delivers a run's messages in random orders; `see` gets all that are on their way, the one that
/// is delivered, and those that are sent because of it.
fn watch(mode: Mode, seed: u64, mut see: impl FnMut(&[Flying], &Flying, &[Flying])) {
    let config = Config { iterations: 3, attempts: 3, ..Config::DISTRIBUTED };
    let world = crowd(config, 10);
    let setting = world.setting(mode);
    let mut rng = Rng::new(seed, 0);
    let mut network = Network::new(&world, mode, Lengths::of(100, 110));
    while !network.flying.is_empty() {
        let place = rng.below(u32::try_from(network.flying.len()).unwrap_or(u32::MAX)) as usize;
        let before = network.flying.clone();
        network.deliver(&setting, place);
        see(&before, &before[place], &network.flying[before.len() - 1..]);
    }
}

/// Checks that a processor that waits for answers to its own offers, whose objects it has promised,
/// refuses offers meanwhile.
#[test]
fn a_processor_that_waits_for_answers_refuses() {
    let mut refused = 0;
    watch(Mode::Messages, 1, |before, delivered, sent| {
        let Message::Offer(_) = delivered.message else { return };
        let own = delivered.to;
        let is_bound = before.iter().any(|flying| match flying.message {
            Message::Offer(_) => flying.from == own,
            Message::Answer(_) => flying.to == own,
            _ => false,
        });
        for flying in sent {
            let Message::Answer(answer) = &flying.message else { continue };
            assert!(!is_bound || answer.given.is_none(), "a bound processor takes something");
            refused += u64::from(is_bound);
        }
    });
    assert!(refused > 0, "nobody was bound");
}

/// A step ends after two counts that agree, both of this step: one alone may miss what was sent
/// meanwhile.
#[test]
fn every_step_is_counted_twice() {
    for mode in [Mode::Rounds, Mode::Messages] {
        let (mut counts, mut steps) = (0, 0);
        watch(mode, 2, |_, _, sent| {
            // Processor 0 tells the two below it in the tree; one of them is enough to look at.
            for flying in sent.iter().filter(|flying| (flying.from, flying.to) == (0, 1)) {
                match &flying.message {
                    Message::Count => counts += 1,
                    Message::Begin(begin) => {
                        assert!(
                            counts >= 1,
                            "a step ends after one count, before {:?}",
                            begin.step
                        );
                        (counts, steps) = (0, steps + 1);
                    }
                    _ => {}
                }
            }
        });
        assert!(steps > 5, "{steps} steps");
    }
}
