//! Any pool on any virtual machine, with any costs and noise: every task counts once, and the end
//! is found when all are executed.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};
use tresse_core::tasks::sharing::Method;
use tresse_core_tests::Failure;
use tresse_core_tests::sharing::tasks::Wrong;
use tresse_core_tests::sharing::traversal::Claiming;
use tresse_core_tests::sharing::virtual_pool::VirtualPool;
use tresse_core_tests::simulated::cases;

/// Checks pools, as many as usual or as `PROPTEST_CASES` says, and answers the first fault.
fn first_fault(
    config: Config,
    check: impl Fn(&VirtualPool) -> Result<(), Failure>,
) -> Result<(), TestError<Vec<u8>>> {
    let pools = proptest::collection::vec(any::<u8>(), 0..80);
    TestRunner::new(config).run(&pools, |bytes| {
        let pool = VirtualPool::from_bytes(&bytes);
        check(&pool).map_err(|fault| TestCaseError::fail(format!("{fault}\n  in {pool:?}")))
    })
}

/// Checks that no pool has a fault; the seed of a faulty one is kept.
fn any_pool(usually: u32, check: impl Fn(&VirtualPool) -> Result<(), Failure>) {
    let config = Config { cases: cases(usually), ..Config::with_source_file(file!()) };
    if let Err(error) = first_fault(config, check) {
        panic!("{error}");
    }
}

/// Some pool has the fault that is planted.
fn found(check: impl Fn(&VirtualPool) -> Result<(), Failure>) -> VirtualPool {
    let config = Config { cases: cases(20_000), failure_persistence: None, ..Config::default() };
    match first_fault(config, check) {
        Err(TestError::Fail(_, bytes)) => VirtualPool::from_bytes(&bytes),
        other => panic!("nothing is found: {other:?}"),
    }
}

#[test]
fn every_task_counts_once_on_any_machine() {
    any_pool(60_000, |pool| pool.check(Wrong::Nothing));
}

/// Checks the checker: what counts before it is certain, or in spite of being undone, is found.
#[test]
fn tasks_that_count_twice_are_found() {
    for wrong in [Wrong::CountsAtOnce, Wrong::KeepsUndone] {
        assert!(found(|pool| pool.check(wrong)).config.method.speculates(), "{wrong:?}");
    }
}

#[test]
fn every_vertex_is_visited_once_on_any_machine() {
    any_pool(10_000, |pool| pool.check_traversal(Claiming::ByVertex));
}

/// Checks the checker: where what was visited in vain keeps its claims for itself, vertices are
/// lost.
#[test]
fn vertices_that_are_lost_are_found() {
    let lost = found(|pool| pool.check_traversal(Claiming::ByWhoComesFirst));
    assert!(lost.config.method.speculates());
}

/// Checks the worlds: each method is there, with and without several managers, speculation and
/// noise.
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
