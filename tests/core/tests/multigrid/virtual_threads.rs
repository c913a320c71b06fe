//! Multigrid in virtual time: what the workers of a virtual machine take for it.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use tresse_core::base::id::NodeId;
use tresse_core::base::time::Duration;
use tresse_core::multigrid::Portable;
use tresse_core::multigrid::owned::conjugate_gradients::ConjugateGradients;
use tresse_core::multigrid::owned::{Effort, InTurn, Workers};
use tresse_core::run::noise::{Noise, NoisePlace, Parasite};
use tresse_core::run::{GridSize, RunConfig};
use tresse_core::sim::machine::{Costs, Hardware, PaceRanges};
use tresse_core::sim::owned::{VirtualClock, VirtualThreads};

use super::problems::{random, scheme, solver};

const BARRIER: u64 = 7;

/// Cores of which a sweep takes a nanosecond a cell, and 100 besides.
fn hardware(cores: u32) -> Hardware {
    let costs =
        Costs { cell: 1_000, sweep: Duration(100), barrier: Duration(BARRIER), ..Costs::default() };
    let background = [].into_iter().collect();
    Hardware { nodes: 1, sockets: 1, cores, costs, paces: PaceRanges::NONE, background }
}

fn config(workers: u32) -> RunConfig {
    RunConfig { workers, grid: GridSize { rows: 80, columns: 60 }, ..RunConfig::default() }
}

/// Half of core 0's time is lost, in slices of half a millisecond.
fn noisy(workers: u32) -> RunConfig {
    let (place, parasite) = (NoisePlace::Core(0), Parasite::Duty { millionths: 500_000 });
    RunConfig { noise: [Noise { place, parasite }].into_iter().collect(), ..config(workers) }
}

/// Returns the nanoseconds of so many tasks, each of 1000 cells that are evaluated three times: of
/// 3100 ns of work.
fn time(config: &RunConfig, tasks: usize) -> u64 {
    let clock = VirtualClock::default();
    let threads =
        VirtualThreads::new(config, &hardware(config.workers), &[], NodeId(0), &clock).unwrap();
    let done = std::sync::atomic::AtomicUsize::new(0);
    let effort = |(): &()| Effort { cells: 1_000, sweeps: 3 };
    threads.each(vec![(); tasks], effort, |()| {
        done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!(done.into_inner(), tasks);
    clock.now().0
}

#[test]
fn a_task_goes_to_whoever_is_free_first() {
    // One worker has nobody to meet; three need two doublings at a barrier.
    let expected =
        [(1, 8, 8 * 3_100), (2, 8, 4 * 3_100 + BARRIER), (3, 8, 3 * 3_100 + 2 * BARRIER)];
    for (workers, tasks, expected) in expected {
        assert_eq!(time(&config(workers), tasks), expected, "{workers} workers");
    }
    assert_eq!(time(&config(2), 0), BARRIER);
    let clock = VirtualClock::default();
    let threads = VirtualThreads::new(&config(2), &hardware(2), &[], NodeId(0), &clock).unwrap();
    assert_eq!(threads.alone(Effort { cells: 50, sweeps: 1 }, || 5), 5);
    assert_eq!(clock.now().0, 150);
}

/// 30 ms of work on two cores, of which one loses half of its time: 15 ms become 20, but for the
/// last task and slice.
#[test]
fn who_is_slow_gets_fewer_tasks() {
    let (config, tasks) = (noisy(2), 9_678);
    let slowed = time(&config, tasks) as f64 / (tasks as f64 * 3_100.0 / 1.5);
    assert!((0.99..1.05).contains(&slowed), "{slowed}");
}

/// What is computed does not depend on the workers, nor on their noise; the time does.
#[test]
fn the_field_is_that_of_threads_and_noise_takes_time() {
    let problem = random(80, 60, 4);
    let bits = |cells: &[f64]| cells.iter().map(|cell| cell.to_bits()).collect::<Vec<_>>();
    let mut expected = solver(&problem, scheme(6));
    expected.begin(&Portable, &InTurn);
    for _ in 0..100 {
        expected.cycle(&Portable, &InTurn);
    }
    let mut times = Vec::new();
    for config in [config(1), config(2), noisy(2)] {
        let clock = VirtualClock::default();
        let threads =
            VirtualThreads::new(&config, &hardware(config.workers), &[], NodeId(0), &clock)
                .unwrap();
        let mut solver = solver(&problem, scheme(6));
        solver.begin(&Portable, &threads);
        for _ in 0..100 {
            solver.cycle(&Portable, &threads);
        }
        assert_eq!(bits(solver.cells()), bits(expected.cells()));
        times.push(clock.now());
        let mut taken = Vec::new();
        threads.noise_taken(&config, &hardware(config.workers), |noise| {
            taken.push((noise.core, noise.source, noise.share > 0.0 && noise.share < 1.0));
        });
        assert_eq!(taken, if config.noise.is_empty() { vec![] } else { vec![(0, 0, true)] });
    }
    assert!(times[1] < times[2] && times[1] < times[0], "{times:?}");
}

/// Conjugate gradients cycle each level below the finest one twice as often as the one above it,
/// and take the longer.
#[test]
fn a_coefficient_takes_longer() {
    let problem = random(80, 60, 4);
    let [without, with] = [false, true].map(|is_weighted| {
        let clock = VirtualClock::default();
        let threads =
            VirtualThreads::new(&config(2), &hardware(2), &[], NodeId(0), &clock).unwrap();
        if is_weighted {
            let mut solver = ConjugateGradients::<f64>::new(&problem, scheme(6), &InTurn).unwrap();
            solver.begin(&threads);
            solver.cycle(&threads);
        } else {
            let mut solver = solver(&problem, scheme(6));
            solver.begin(&Portable, &threads);
            solver.cycle(&Portable, &threads);
        }
        clock.now().0
    });
    assert!(with > 4 * without, "{with} and {without}");
}
