//! The processes that share a solver's bands.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// The processes that share the bands of the finest level: each has consecutive ones, in the order
/// of the processes.
///
/// Every call is collective: all processes make the same ones in the same order.
pub trait Processes<F> {
    /// Returns those of `bands` that this process has at first; the ranges of all processes are the
    /// bands once each.
    fn own(&self, bands: usize) -> Range<usize>;

    /// Brings the `reach` numbers of `all` before `own` and behind it from the processes that have
    /// them, as far as there are any. Every process that has a range has as many numbers at least.
    fn trade(&mut self, all: &mut [F], own: Range<usize>, reach: usize);

    /// Brings all numbers, of which this process has those of `own`.
    fn gather(&mut self, all: &mut [F], own: Range<usize>);

    /// Brings all sums, of which this process has those of `own`.
    fn gather_sums(&mut self, all: &mut [f64], own: Range<usize>);

    /// Brings those numbers of `needed` that other processes have, of which this one has those of
    /// `own`.
    fn bring(&mut self, all: &mut [F], own: Range<usize>, needed: Range<usize>);

    /// Returns what each process says, in the order of the processes.
    fn gather_each(&mut self, said: u64) -> Vec<u64>;

    /// Whether `is` holds for any process.
    fn any(&mut self, is: bool) -> bool;
}

/// Returns the bands of one of several processes, as even as whole bands are. Those without any are
/// the last ones, so that the next band is on the next process.
pub fn bands_of(process: usize, processes: usize, bands: usize) -> Range<usize> {
    let each = bands.div_ceil(processes.max(1));
    let first = |process: usize| process.saturating_mul(each).min(bands);
    first(process)..first(process.saturating_add(1))
}

/// A process that has all bands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl<F> Processes<F> for Alone {
    fn own(&self, bands: usize) -> Range<usize> {
        0..bands
    }

    fn trade(&mut self, _: &mut [F], _: Range<usize>, _: usize) {}

    fn gather(&mut self, _: &mut [F], _: Range<usize>) {}

    fn gather_sums(&mut self, _: &mut [f64], _: Range<usize>) {}

    fn bring(&mut self, _: &mut [F], _: Range<usize>, _: Range<usize>) {}

    fn gather_each(&mut self, said: u64) -> Vec<u64> {
        vec![said]
    }

    fn any(&mut self, is: bool) -> bool {
        is
    }
}
