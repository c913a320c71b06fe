//! The workers that share out a solver's work.

use alloc::vec::Vec;

use super::flow::{Effort, Flow};

/// Does tasks on as many workers as there are.
pub trait Workers {
    /// Returns the number of workers, from 1 on.
    fn number(&self) -> usize;

    /// Does `work` on each of the tasks, in any order, and returns when all are done. `effort` says
    /// what a task takes, for whoever keeps the time.
    fn each<T: Send>(&self, tasks: Vec<T>, effort: impl Fn(&T) -> Effort, work: impl Fn(T) + Sync);

    /// Does the tasks of `flow`, each as soon as those have ended that it follows from and a worker
    /// is free, and returns when all are done. `work` is told the number of the worker, below
    /// [`number`](Self::number), and that of the task.
    fn flow(&self, flow: &Flow, work: impl Fn(usize, usize) + Sync);

    /// Does what one worker does while the others wait.
    fn alone<R>(&self, effort: Effort, work: impl FnOnce() -> R) -> R {
        let _ = effort;
        work()
    }
}

/// One worker, which does one task after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct InTurn;

impl Workers for InTurn {
    fn number(&self) -> usize {
        1
    }

    fn each<T: Send>(&self, tasks: Vec<T>, _: impl Fn(&T) -> Effort, work: impl Fn(T) + Sync) {
        tasks.into_iter().for_each(work);
    }

    fn flow(&self, flow: &Flow, work: impl Fn(usize, usize) + Sync) {
        let mut running = flow.begin();
        while let Some(task) = running.take(0) {
            work(0, task);
            running.end(task);
        }
    }
}
