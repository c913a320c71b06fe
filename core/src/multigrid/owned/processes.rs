//! The processes that share a solver's bands.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// The processes that share the bands of the finest level: each has consecutive ones, in the order
/// of the processes.
///
/// Every call is collective: all processes make the same ones in the same order.
pub trait Processes<F> {
    /// Returns which of `bands` this process has at first. The ranges of all processes cover the
    /// bands once each.
    fn own(&self, bands: usize) -> Range<usize>;

    /// Exchanges ghost values: fetches the `reach` numbers of `all` before `own`, and those behind
    /// it, from the processes that have them, as far as there are any. Every process that has
    /// numbers has at least as many.
    fn trade(&mut self, all: &mut [F], own: Range<usize>, reach: usize);

    /// Fetches all numbers, of which this process has those of `own`.
    fn gather(&mut self, all: &mut [F], own: Range<usize>);

    /// Fetches all sums, of which this process has those of `own`.
    fn gather_sums(&mut self, all: &mut [f64], own: Range<usize>);

    /// Fetches the numbers of `needed` that other processes have; this one has those of `own`.
    fn bring(&mut self, all: &mut [F], own: Range<usize>, needed: Range<usize>);

    /// Returns the number `said` of each process, in the order of the processes.
    fn gather_each(&mut self, said: u64) -> Vec<u64>;

    /// Whether `is` holds for any process.
    fn any(&mut self, is: bool) -> bool;
}

/// Returns the bands of one of several processes, all with the same number, but for the last ones:
/// those have fewer or none.
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
