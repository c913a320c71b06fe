//! Checks the cells of any run in virtual time by the solver's oracles, on any machine, noise and
//! policy.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tresse::files::problem::Problem;
use tresse_core::base::time::Duration;
use tresse_core::field::grid::Decomposition;
use tresse_core::field::stencil::Real;
use tresse_core::run::{
    Balance, End, GridSize, Mode, NodeBalance, NodeRule, Nodes, RunConfig, RunConfigError,
};
use tresse_core_tests::simulated::cases;
use tresse_core_tests::simulated::world::VirtualWorld;
use tresse_tests::problems::{
    Failure, from_above, heterogeneous, methods, random, range, tolerance,
};
use tresse_tests::reference::Reference;
use tresse_tests::virtual_sweeps::{record, solve};
use tresse_tests::{audit, direct};

/// Checks worlds, as many as usual or as `PROPTEST_CASES` says.
fn any_world(usually: u32, check: impl Fn(&VirtualWorld) -> Result<(), Failure>) {
    all_worlds(usually, VirtualWorld::from_bytes, check);
}

fn all_worlds(
    usually: u32,
    world: impl Fn(&[u8]) -> VirtualWorld,
    check: impl Fn(&VirtualWorld) -> Result<(), Failure>,
) {
    let config = Config { cases: cases(usually), ..Config::with_source_file(file!()) };
    let worlds = proptest::collection::vec(any::<u8>(), 0..160);
    let outcome = TestRunner::new(config).run(&worlds, |bytes| {
        let world = world(&bytes);
        check(&world).map_err(|fault| TestCaseError::fail(format!("{fault}\n  in {world:?}")))
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
}

fn is_the_reference<F: Real>(world: &VirtualWorld) -> Result<(), Failure> {
    let config = &world.config;
    let mut problem = random(config.seed, config.grid, config.seed.is_multiple_of(2));
    if config.seed.is_multiple_of(3) {
        problem = heterogeneous(config.seed, problem);
    }
    let mut reference = Reference::<F>::new(&problem);
    let iterations = config.stop.iterations.unwrap_or_default();
    for _ in 0..iterations {
        reference.sweep();
    }
    let solution = solve::<F>(world, &problem)?;
    let progress = solution.record.progress;
    if (progress.least, progress.most) != (iterations, iterations) {
        return Err(format!("{progress:?} instead of {iterations}").into());
    }
    let same = |(one, other): (&F, &f64)| one.to_f64().to_bits() == other.to_bits();
    let is_equal = solution.field.iter().zip(&reference.field()).all(same);
    is_equal.then_some(()).ok_or_else(|| "the cells are not those of the reference".into())
}

#[test]
fn virtual_sync_is_the_serial_reference_to_the_bit() {
    any_world(150, |world| {
        let config = RunConfig {
            mode: Mode::Sync,
            balance: Balance::None,
            nodes: Nodes { balance: NodeBalance::None, ..world.config.nodes },
            ..world.config.clone()
        };
        let world = VirtualWorld { config, ..world.clone() };
        is_the_reference::<f64>(&world)?;
        is_the_reference::<f32>(&world)
    });
}

#[test]
fn virtual_exact_is_the_serial_reference_to_the_bit() {
    any_world(400, |world| {
        let nodes = Nodes { balance: NodeBalance::None, ..world.config.nodes };
        for balance in [Balance::None, Balance::Pull(0)] {
            let config = RunConfig { mode: Mode::Exact, balance, nodes, ..world.config.clone() };
            let world = VirtualWorld { config, ..world.clone() };
            is_the_reference::<f64>(&world)?;
            is_the_reference::<f32>(&world)?;
        }
        Ok(())
    });
}

/// Worlds in which workers help each other: what a worker begins, another may end.
#[test]
fn helped_sweeps_keep_every_oracle_and_the_serial_bits() {
    all_worlds(100, VirtualWorld::with_stops, |world| {
        let problem = random(world.config.seed, world.config.grid, false);
        audit_run(world, &problem, false)?;
        let config = RunConfig { mode: Mode::Exact, ..world.config.clone() };
        is_the_reference::<f64>(&VirtualWorld { config, ..world.clone() })
    });
}

/// Every oracle of the runs on threads.
fn audit_run(world: &VirtualWorld, problem: &Problem, falls: bool) -> Result<(), Failure> {
    let (sweeps, outcome, staleness) = record::<f64>(world, problem)?;
    let decomposition = Decomposition::new(&world.config)?;
    audit::every_version_once(&sweeps, &decomposition)?;
    audit::cells_are_handed_over_whole(&sweeps)?;
    audit::halos_never_go_backwards(&sweeps)?;
    audit::halos_are_whole_edges(&sweeps, &decomposition)?;
    let gap = audit::gaps_are_within(&sweeps, world.config.mode)?;
    // A weighted mean rounds, and may leave the range of what it is a mean of by that.
    let rounding = if problem.terms().faces.is_some() { 1e-12 } else { 0.0 };
    let (least, greatest) = range(problem);
    let (least, greatest) = (least - rounding, greatest + rounding);
    audit::cells_stay_within(&sweeps, least, greatest)?;
    if falls {
        audit::no_cell_rises(&sweeps)?;
    }
    // At the barrier all halos are counted, also those of an iteration that is not made.
    if staleness.max != gap {
        return Err(format!("{staleness:?}, but the largest gap is {gap}").into());
    }
    match outcome.end {
        End::Iterations => Ok(()),
        end => Err(format!("it ended as {end:?}").into()),
    }
}

#[test]
fn cells_keep_every_oracle_on_any_machine() {
    any_world(100, |world| {
        let problem = random(world.config.seed, world.config.grid, false);
        audit_run(world, &problem, false)?;
        audit_run(world, &heterogeneous(world.config.seed, problem), false)?;
        audit_run(world, &from_above(world.config.grid), true)
    });
}

/// Sockets, nodes, noise and paces of some world, under every method, to a tolerance.
#[test]
fn every_virtual_method_reaches_the_solution() -> Result<(), Failure> {
    let grid = GridSize { rows: 16, columns: 11 };
    let dplb = NodeBalance::Dplb { period: Duration::from_micros(10), threshold: 1 };
    let chaos = NodeBalance::Chaos { seed: 3 };
    let between = [
        Nodes::ONE,
        Nodes { number: 2, ..Nodes::ONE },
        Nodes { number: 2, balance: chaos, ..Nodes::ONE },
        Nodes { number: 2, balance: dplb, ..Nodes::ONE },
        Nodes { number: 2, balance: dplb, rule: NodeRule::Published, ..Nodes::ONE },
    ];
    for (seed, (mode, balance)) in (0_u64..).zip(methods()) {
        for nodes in between {
            let nodes = if matches!(mode, Mode::Sync | Mode::Exact) {
                Nodes { balance: NodeBalance::None, ..nodes }
            } else {
                nodes
            };
            let config =
                tresse_tests::problems::config(grid, (4, 4), (mode, balance), tolerance(1e-8));
            let config = RunConfig { nodes, seed, ..config };
            if config.visits() && nodes.number > 1 && nodes.balance != NodeBalance::None {
                assert_eq!(config.validate(), Err(RunConfigError::NodeBalanceOfVisits));
                continue;
            }
            let world = VirtualWorld::busy(config);
            let problem = random(seed, grid, true);
            let solution = solve::<f64>(&world, &problem)?;
            let (field, record) = (solution.field, solution.record);
            direct::check::<f64>(&problem, &field, &record, 1e-8)
                .map_err(|error| format!("{mode} {balance} {nodes:?}: {error}"))?;
        }
    }
    Ok(())
}
