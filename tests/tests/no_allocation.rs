//! Workers allocate nothing between their sweeps, hand-overs and balancing rounds included.

#![expect(unsafe_code, reason = "an allocator that counts")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::AtomicBool;

use tresse::engine::checkpoints::Checkpoints;
use tresse::engine::solver::Field;
use tresse::engine::threads::{self, Job, Observer, Observers};
use tresse::files::problem::Problem;
use tresse_core::base::time::Duration;
use tresse_core::run::{Balance, GridSize, Mode, RunConfig};
use tresse_tests::problems::{Failure, config, iterations, observe, placement, random, recorder};
use tresse_tests::recording::Both;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator; counts what each thread asks of it.
struct Counting;

// SAFETY: every call is passed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// A worker's allocations at its first sweep and at its last.
#[derive(Default)]
struct Watch {
    first: Option<u64>,
    last: u64,
}

impl<T> Observer<T> for Watch {
    fn starts(&mut self, _: threads::Sweep<'_, T>) {
        self.last = ALLOCATIONS.get();
        self.first.get_or_insert(self.last);
    }

    fn ends(&mut self, _: threads::Sweep<'_, T>) {}
}

#[test]
fn the_iteration_loop_allocates_nothing() -> Result<(), Failure> {
    let period = Duration::from_micros(20);
    let methods = [
        (Mode::Sync, Balance::None),
        (Mode::SemiSync(2), Balance::Hybrid(period, 3)),
        (Mode::Async, Balance::Split(period)),
        (Mode::Async, Balance::Swap(period)),
        (Mode::Async, Balance::Gradient(period)),
        (Mode::Async, Balance::Grapevine(period)),
        (Mode::Async, Balance::Pull(2)),
        (Mode::Exact, Balance::Pull(0)),
    ];
    let grid = GridSize { rows: 60, columns: 60 };
    for (mode, balance) in methods {
        let config = config(grid, (3, 6), (mode, balance), iterations(20_000));
        let problem = random(9, grid, true);
        let watches = (0..3).map(|_| Watch::default()).collect();
        let (solution, watches) = observe::<f64, _>(&problem, &config, watches)?;
        let moves = balance.period().is_some();
        assert_eq!(solution.record.moves > 0, moves, "{mode} {balance}");
        for watch in watches {
            assert_eq!(watch.first, Some(watch.last), "{mode} {balance}");
        }
        // Some buffers of a recording are filled by then.
        let config = RunConfig { stop: iterations(4_000), ..config };
        for watch in watch_recorded(&problem, &config)? {
            assert_eq!(watch.first, Some(watch.last), "{mode} {balance}, recorded");
        }
    }
    Ok(())
}

/// Watches a run with a recording.
fn watch_recorded(problem: &Problem, config: &RunConfig) -> Result<Vec<Watch>, Failure> {
    let placement = placement(config.workers)?;
    let interrupt = AtomicBool::new(false);
    let job = Job { config, problem, placement: &placement, interrupt: &interrupt };
    let (_folder, recorder) = recorder(job)?;
    let (Observers { workers, noise }, unfinished) = recorder.into_parts();
    let workers = workers.into_iter().map(|track| Both(Watch::default(), track)).collect();
    let (solution, workers) = threads::solve::<f64, _>(
        job,
        Checkpoints::default(),
        Observers { workers, noise },
        &mut |_| {},
    )?;
    let watches = workers.into_iter().map(|Both(watch, _)| watch).collect();
    unfinished.finish(Field::F64(solution.field).hash(), solution.record.end)?;
    Ok(watches)
}
