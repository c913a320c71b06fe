//! Any pool on any virtual machine, with any costs and noise: every task counts once, and the end is
//! found when all are executed.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};
use tresse_core::sharing::Method;
use tresse_core_tests::Failure;
use tresse_core_tests::sharing::tasks::Wrong;
use tresse_core_tests::sharing::traversal::Claiming;
use tresse_core_tests::sharing::virtual_pool::VirtualPool;
use tresse_core_tests::simulated::cases;

/// Checks pools, as many as usual or as `PROPTEST_CASES` says, and answers the first fault.
fn any_pool(
    usually: u32,
    check: impl Fn(&VirtualPool) -> Result<(), Failure>,
) -> Result<(), TestError<Vec<u8>>> {
    let config = Config { cases: cases(usually), failure_persistence: None, ..Config::default() };
    let pools = proptest::collection::vec(any::<u8>(), 0..80);
    TestRunner::new(config).run(&pools, |bytes| {
        let pool = VirtualPool::from_bytes(&bytes);
        check(&pool).map_err(|fault| TestCaseError::fail(format!("{fault}\n  in {pool:?}")))
    })
}

#[test]
fn every_task_counts_once_on_any_machine() {
    if let Err(error) = any_pool(60_000, |pool| pool.check(Wrong::Nothing)) {
        panic!("{error}");
    }
}

/// Checks the checker: what counts before it is certain, or in spite of being undone, is found.
#[test]
fn tasks_that_count_twice_are_found() {
    for wrong in [Wrong::CountsAtOnce, Wrong::KeepsUndone] {
        let found = any_pool(20_000, |pool| pool.check(wrong));
        let Err(TestError::Fail(_, bytes)) = found else { panic!("{wrong:?} is not found") };
        assert!(VirtualPool::from_bytes(&bytes).config.method.speculates(), "{wrong:?}");
    }
}

#[test]
fn every_vertex_is_visited_once_on_any_machine() {
    if let Err(error) = any_pool(10_000, |pool| pool.check_traversal(Claiming::ByVertex)) {
        panic!("{error}");
    }
}

/// Checks the checker: where what was visited in vain keeps its claims for itself, vertices are lost.
#[test]
fn vertices_that_are_lost_are_found() {
    let found = any_pool(20_000, |pool| pool.check_traversal(Claiming::ByWhoComesFirst));
    let Err(TestError::Fail(_, bytes)) = found else { panic!("nothing is found") };
    assert!(VirtualPool::from_bytes(&bytes).config.method.speculates());
}

/// Checks the worlds: each method is there, with and without several managers, speculation and noise.
#[test]
fn the_pools_are_of_every_kind() {
    let mut runner = TestRunner::deterministic();
    let bytes = proptest::collection::vec(any::<u8>(), 0..80);
    let pools: Vec<_> = (0..300)
        .map(|_| bytes.new_tree(&mut runner).map(|tree| VirtualPool::from_bytes(&tree.current())))
        .map(Result::unwrap)
        .collect();
    for &method in Method::ALL {
        let of = || pools.iter().filter(|pool| pool.config.method == method);
        assert!(of().any(|pool| pool.managers.workers() > 4 && pool.root.1 > 5), "{method}");
        assert!(of().any(|pool| !pool.noise.is_empty()), "{method}");
        assert!(method.steals() || of().any(|pool| pool.managers.number() > 2), "{method}");
    }
}
