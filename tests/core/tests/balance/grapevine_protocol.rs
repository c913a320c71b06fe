//! Grapevine with messages: whatever their order, the placement is that of the driver in memory, or
//! at least no object is lost and no maximum rises.

use proptest::prelude::*;
use tresse_core::balance::grapevine::Config;
use tresse_core::balance::grapevine::protocol::{Lengths, Mode};
use tresse_core::id::ProcessorId;
use tresse_core::rng::Rng;
use tresse_core_tests::grapevine::network::Network;
use tresse_core_tests::grapevine::rules::Broken;
use tresse_core_tests::grapevine::world::World;

/// Messages of a run, at most: counting goes on while others are on their way.
const MOST: u64 = 3_000_000;

fn worlds() -> impl Strategy<Value = World> {
    let bytes = proptest::collection::vec(any::<u8>(), 0..400);
    let world = bytes.prop_map(|bytes| World::from_bytes(&bytes).for_messages());
    world.prop_filter("not valid", |world| world.run().is_ok())
}

/// How the network chooses the next message.
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
    let load = |object: u32| 1 + tresse_core::rng::mix(object.into()) % 100;
    World {
        config,
        loads: (0..400).map(load).collect(),
        fixed: vec![false; 400],
        owners: (0..400).map(|object| ProcessorId(object % 4)).collect(),
        processors: 40,
        room: None,
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

/// What does not fit is refused, in an order that does not depend on the messages'.
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
