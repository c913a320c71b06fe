//! Parallel work on the parts of many processors, where the host has threads for it.

use crate::base::table::At;

/// Runs two tasks, at once or one after the other: rayon's `join`, or [`Serial`].
pub trait Parallel: Sync {
    /// Runs both tasks, and returns both results.
    fn join<A: Send, B: Send>(
        &self,
        left: impl FnOnce() -> A + Send,
        right: impl FnOnce() -> B + Send,
    ) -> (A, B);
}

/// An executor that runs one task after the other.
#[derive(Clone, Copy, Debug)]
pub struct Serial;

impl Parallel for Serial {
    fn join<A: Send, B: Send>(
        &self,
        left: impl FnOnce() -> A + Send,
        right: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        let left = left();
        (left, right())
    }
}

/// Memory of consecutive processors that can be split between two of them.
pub trait SplitByProcessor: Sized + Send {
    /// Returns the number of processors.
    fn processors(&self) -> usize;
    /// Splits the memory before the `at`th processor.
    fn split(self, at: usize) -> (Self, Self);
}

/// Cuts memory before its element `at`, of which there are that many.
pub fn cut<T>(memory: &mut [T], at: usize) -> (&mut [T], &mut [T]) {
    memory.cut_mut(at)
}

/// Copies all of a list to one that is as long.
pub fn copy<T: Copy>(to: &mut [T], from: &[T]) {
    debug_assert_eq!(to.len(), from.len(), "a copy is not as long as what is copied");
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
}

/// Number of processors that is worth a task.
const GRAIN: usize = 512;

/// Splits `part` until each piece is small, and runs `work` on the pieces in parallel. `merge` puts
/// the results together in the order of the processors.
pub fn divide<P: SplitByProcessor, R: Send>(
    parallel: &impl Parallel,
    part: P,
    work: &(impl Fn(P) -> R + Sync),
    merge: &(impl Fn(R, R) -> R + Sync),
) -> R {
    let processors = part.processors();
    if processors <= GRAIN {
        return work(part);
    }
    let (left, right) = part.split(processors / 2);
    let (left, right) = parallel
        .join(|| divide(parallel, left, work, merge), || divide(parallel, right, work, merge));
    merge(left, right)
}
