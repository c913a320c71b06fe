//! The threads that share out a solver's work.

use alloc::vec::Vec;

/// Does independent tasks on as many threads as it has.
pub trait ForkJoin {
    /// Does `work` on each of the tasks, in any order, and returns when all are done. `effort` says what a task takes,
    /// for whoever keeps the time.
    fn each<T: Send>(&self, tasks: Vec<T>, effort: impl Fn(&T) -> Effort, work: impl Fn(T) + Sync);

    /// Does what one thread does while the others wait.
    fn alone<R>(&self, effort: Effort, work: impl FnOnce() -> R) -> R {
        let _ = effort;
        work()
    }
}

/// What a task takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Cells that are brought into cache.
    pub cells: u64,
    /// How often each of them is evaluated then, in sweeps by the 5-point stencil.
    pub sweeps: u32,
}

impl Effort {
    /// Returns the effort of evaluating rows of so many cells so often.
    pub(super) const fn of(rows: usize, columns: usize, sweeps: u32) -> Self {
        Self { cells: (rows as u64).saturating_mul(columns as u64), sweeps }
    }
}

/// Does one task after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct InTurn;

impl ForkJoin for InTurn {
    fn each<T: Send>(&self, tasks: Vec<T>, _: impl Fn(&T) -> Effort, work: impl Fn(T) + Sync) {
        tasks.into_iter().for_each(work);
    }
}
