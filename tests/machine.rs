//! The virtual machine: what must hold after each event of any run on any machine.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tresse_tests::simulated::world::VirtualWorld;
use tresse_tests::simulated::{Tally, cases, run};

#[test]
fn every_rule_holds_after_every_event_of_any_world() {
    let cases = cases(400);
    let all = Cell::new(Tally::default());
    let worlds = proptest::collection::vec(any::<u8>(), 0..160);
    let outcome = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() })
        .run(&worlds, |bytes| {
            let world = VirtualWorld::from_bytes(&bytes);
            let tally = run(&world)
                .map_err(|fault| TestCaseError::fail(format!("{fault}\n  in {world:?}")))?;
            let sum = all.get();
            all.set(Tally {
                updates: sum.updates + tally.updates,
                moves: sum.moves + tally.moves,
                transfers: sum.transfers + tally.transfers,
                events_in_flight: sum.events_in_flight + tally.events_in_flight,
                interrupted: sum.interrupted + tally.interrupted,
            });
            Ok(())
        });
    if let Err(error) = outcome {
        panic!("{error}");
    }
    let all = all.get();
    println!("{cases} worlds: {all:?}");
    // What the worlds are worth: on average each has moves and transfers.
    let cases = u64::from(cases);
    assert!(all.moves > cases && all.transfers > cases && all.events_in_flight > cases, "{all:?}");
}
