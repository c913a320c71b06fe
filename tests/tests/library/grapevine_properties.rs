//! Grapevine in any small world, and in a large one on many threads.

use proptest::prelude::*;
use rayon::prelude::*;
use tresse::experiments::balancing::Rayon;
use tresse_core::balance::footprint::{BlockId, Footprint};
use tresse_core::balance::grapevine::parallel::Serial;
use tresse_core::balance::grapevine::{Config, Criterion, RunError, Threshold, View, WrongLength};
use tresse_core::balance::objects::Millionths;
use tresse_core::base::id::ProcessorId;
use tresse_core_tests::grapevine::world::{BoundedMemory, Ran, World};

fn worlds() -> impl Strategy<Value = World> {
    proptest::collection::vec(any::<u8>(), 0..700).prop_map(|bytes| World::from_bytes(&bytes))
}

fn verified(world: &World) -> Result<Option<Ran>, TestCaseError> {
    world.verify().map_err(|broken| TestCaseError::fail(broken.to_string()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn every_rule_holds_in_any_world(world in worlds()) {
        verified(&world)?;
    }

    /// Checks that there is room for all objects that a processor may get back at once.
    #[test]
    fn memory_suffices_when_much_is_exchanged(
        objects in proptest::collection::vec((1_u64..60, 0_u64..20, 0_u32..11), 60..160),
        free in 0_u64..20,
        seed in any::<u64>(),
    ) {
        let threshold = Threshold::Times(Millionths::ONE);
        let criterion = Criterion::Original;
        let config = Config { criterion, iterations: 3, attempts: 4, threshold, seed, ..Config::DISTRIBUTED };
        // Nearly all of them are on three, which offer to the same two at once. What has less load
        // takes more memory.
        let owner = |place: u32| ProcessorId(if place < 9 { place % 3 } else { place - 6 });
        let footprint = |own| Footprint { own, ..Footprint::default() };
        let mut bounded_memory = BoundedMemory {
            footprints: objects.iter().map(|&(load, own, _)| footprint(own + 60 - load)).collect(),
            blocks: Vec::new(),
            resident: vec![0; 5],
            limit: 20_000 + free,
        };
        let owners: Vec<_> = objects.iter().map(|object| owner(object.2)).collect();
        // Those who give have hardly any memory left, the others plenty.
        for processor in (0..3).map(ProcessorId) {
            bounded_memory.resident[processor.index()] = 20_000 - bounded_memory.bytes(processor, &owners);
        }
        verified(&World {
            config,
            loads: objects.iter().map(|object| object.0).collect(),
            fixed: vec![false; objects.len()],
            owners,
            processors: 5,
            bounded_memory: Some(bounded_memory),
        })?;
    }

    #[test]
    fn the_same_again_gives_the_same(world in worlds()) {
        prop_assert_eq!(world.run(), world.run());
    }

    #[test]
    fn the_unit_of_loads_changes_no_decision(mut world in worlds(), factor in 2_u64..2_000) {
        world.loads.iter_mut().for_each(|load| *load /= factor);
        let scaled = world.scaled(factor);
        match (world.run(), scaled.run()) {
            (Ok(ran), Ok(again)) => {
                prop_assert_eq!(ran.owners, again.owners);
                let tallies = |ran: &[_]| -> Vec<_> {
                    ran.iter().map(|made: &tresse_core::balance::grapevine::Iteration| {
                        (made.tally, made.told, made.max)
                    }).collect()
                };
                let mut expected = tallies(&ran.iterations);
                for made in &mut expected {
                    made.2 *= factor;
                }
                prop_assert_eq!(expected, tallies(&again.iterations));
            }
            (one, other) => prop_assert_eq!(one.err(), other.err()),
        }
    }
}

/// Twelve objects on each of a tenth of the processors.
fn large(config: Config) -> World {
    let processors = 2_500;
    let number = 3_000;
    let mix = |number: u32| tresse_core::base::rng::mix(number.into());
    World {
        config,
        loads: (0..number).map(|object| 1 + mix(object) % 1_000).collect(),
        fixed: (0..number).map(|object| mix(object) % 37 == 0).collect(),
        owners: (0..number).map(|object| ProcessorId(object % 250)).collect(),
        processors,
        bounded_memory: None,
    }
}

#[test]
fn threads_change_nothing() {
    let bounded = Config { iterations: 3, attempts: 4, ..Config::DISTRIBUTED };
    let full = Config { known: None, iterations: 2, ..bounded };
    let live = Config { known: Some(64), iterations: 2, ..Config::SLIDES };
    [bounded, full, live].into_par_iter().for_each(|config| {
        let world = large(config);
        let ran = world.run_on(&Serial).unwrap_or_else(|error| panic!("{error}"));
        world.check(&ran).unwrap_or_else(|broken| panic!("{broken}"));
        assert!(ran.iterations.iter().all(|made| made.tally.transfers > 0), "{ran:?}");
        assert_eq!(world.run_on(&Rayon), Ok(ran));
    });
}

#[test]
fn seeds_differ() {
    for view in [View::Live, View::Gossiped] {
        let known = Some(64);
        let config = Config { view, known, iterations: 2, ..Config::DISTRIBUTED };
        let ran = |seed| large(Config { seed, ..config }).run().map(|ran| ran.owners);
        let owners: Vec<_> = (0..4).map(ran).collect();
        for (place, one) in owners.iter().enumerate() {
            assert!(one.is_ok() && !owners[..place].contains(one), "{view:?}: {place}");
        }
    }
}

/// Bounds that are not of all objects and processors.
#[test]
fn lists_of_other_lengths_are_refused() {
    let footprint = Footprint { own: 1, block: Some(BlockId(1)), ..Footprint::default() };
    let world = World {
        config: Config::DISTRIBUTED,
        loads: vec![3, 1],
        fixed: vec![false; 2],
        owners: vec![ProcessorId(0); 2],
        processors: 2,
        bounded_memory: Some(BoundedMemory {
            footprints: vec![footprint; 2],
            blocks: vec![5; 2],
            resident: vec![0; 2],
            limit: 100,
        }),
    };
    assert!(world.run().is_ok());
    let refused = |part, change: fn(&mut BoundedMemory)| {
        let mut world = world.clone();
        let mut bounded_memory = world.bounded_memory.take().unwrap();
        change(&mut bounded_memory);
        world.bounded_memory = Some(bounded_memory);
        let expected = RunError::Memory(WrongLength { part, needed: 2, lent: 1 });
        assert_eq!(world.run(), Err(expected));
    };
    refused("footprints", |bounded_memory| bounded_memory.footprints.truncate(1));
    refused("resident", |bounded_memory| bounded_memory.resident.truncate(1));
    refused("blocks", |bounded_memory| bounded_memory.blocks.truncate(1));
}

/// Returns the message of the rules about a run with a planted fault, in the first world in which
/// it shows.
fn found(plant: impl Fn(&World, &mut Ran)) -> String {
    let broken = (0..2_000_u64).find_map(|number| {
        let byte = |place| tresse_core::base::rng::mix(number << 16 | place).to_le_bytes()[0];
        let world = World::from_bytes(&(0..400).map(byte).collect::<Vec<_>>());
        let mut ran = world.run().ok()?;
        plant(&world, &mut ran);
        world.check(&ran).err()
    });
    broken.map_or_else(|| "nothing".to_owned(), |broken| broken.to_string())
}

#[test]
fn planted_faults_are_found() {
    let nothing = found(|_, _| {});
    assert_eq!(nothing, "nothing");
    // The first object goes to the next processor.
    let moved = found(|world, ran| {
        if let Some(owner) = ran.owners.first_mut() {
            owner.0 = (owner.0 + 1) % world.processors;
        }
    });
    assert_ne!(moved, "nothing");
    let fixed = found(|world, ran| {
        let place =
            world.fixed.iter().zip(&world.loads).position(|(&fixed, &load)| fixed && load == 0);
        if let Some(place) = place {
            ran.owners[place].0 = (ran.owners[place].0 + 1) % world.processors;
        }
    });
    assert!(fixed.ends_with("is fixed"), "{fixed}");
    let figure = found(|_, ran| ran.outcome.final_max += 1);
    assert!(figure.contains("at the end"), "{figure}");
    let skipped = found(|_, ran| ran.iterations.truncate(1));
    assert_ne!(skipped, "nothing");
    // All that was gained is given back.
    let raised = found(|world, ran| {
        let highest = ran.outcome.initial_max;
        if let [.., before, last] = &mut ran.iterations[..]
            && before.max < highest
            && before.trial == last.trial
            && last.number == world.config.iterations
            && !world.config.keep_best
        {
            (last.max, ran.outcome.final_max) = (highest, highest);
            last.tally.transfers += 1;
            ran.owners.clone_from(&world.owners);
        }
    });
    assert!(raised.contains("raises"), "{raised}");
}
