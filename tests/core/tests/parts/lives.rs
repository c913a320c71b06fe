//! Whole lives of the workers of some ranks in random orders of their steps: halts, moves between
//! the ranks, and a checkpoint. The model checker explores all orders for two ranks; here are more
//! of everything.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tresse_core_tests::migration::lives::Lives;
use tresse_core_tests::migration::system::Setting;

#[test]
fn any_lives_end_with_every_subdomain_saved_once() {
    let moved = Cell::new(0);
    let worlds = (2..5_u32, 1..4_u32, 3..6_u64, proptest::collection::vec(any::<u8>(), 0..3_000));
    let config = Config { cases: 200, ..Config::with_source_file(file!()) };
    let outcome = TestRunner::new(config).run(&worlds, |(ranks, workers, last, choices)| {
        let first: Vec<usize> = (0..6).map(|id| id % ranks as usize).collect();
        let setting = Setting::column(ranks, &first, (0..6).collect(), 8);
        let lives =
            Lives::new(&setting, &vec![workers; ranks as usize], last).walk(&setting, &choices);
        let lives = lives.map_err(TestCaseError::fail)?;
        moved.set(moved.get() + lives.system.moves());
        Ok(())
    });
    assert_eq!(outcome, Ok(()));
    assert!(moved.get() > 100, "{} moves: next to nothing was tried", moved.get());
}
