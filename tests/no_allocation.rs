//! Workers allocate nothing between their sweeps, hand-overs and balancing rounds included.

#![expect(unsafe_code, reason = "an allocator that counts")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use tresse::threads::{self, Observer};
use tresse_core::run::{Balance, GridSize, Mode};
use tresse_core::time::Duration;
use tresse_tests::problems::{Failure, config, iterations, observe, random};

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

impl<F> Observer<F> for Watch {
    fn starts(&mut self, _: threads::Sweep<'_, F>) {
        self.last = ALLOCATIONS.get();
        self.first.get_or_insert(self.last);
    }

    fn ends(&mut self, _: threads::Sweep<'_, F>) {}
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
    ];
    let grid = GridSize { rows: 60, columns: 60 };
    for method in methods {
        let config = config(grid, (3, 6), method, iterations(20_000));
        let watches = (0..3).map(|_| Watch::default()).collect();
        let (solution, watches) = observe::<f64, _>(&random(9, grid, true), &config, watches)?;
        let (mode, balance) = method;
        assert_eq!(solution.record.moves > 0, balance != Balance::None, "{mode} {balance}");
        for watch in watches {
            assert_eq!(watch.first, Some(watch.last), "{mode} {balance}");
        }
    }
    Ok(())
}
