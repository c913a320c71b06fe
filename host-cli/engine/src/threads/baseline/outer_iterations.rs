//! The outer iterations, as a thread of the pool makes them, and their residual.

use std::sync::atomic::{AtomicBool, Ordering};
use tresse_core::base::real::Real;

use rayon::iter::{IntoParallelRefIterator, IntoParallelRefMutIterator, ParallelIterator};
use tresse_core::run::convergence::{Convergence, Detected, takes_residual};
use tresse_core::run::progress::Progress;
use tresse_core::run::{End, Stop};

use super::band::{RowBand, exchange};
use super::band_exchange::BandExchange;
use crate::kernel::Kernel;

/// The bands, with their neighbours and the progress of the iterations.
///
/// Everything here is called on a thread of the pool, which shares the bands out to the others:
/// between two sweeps nothing waits for a thread beside the pool to wake up.
pub(super) struct OuterIterations<'m, F, B> {
    kernel: Kernel<F>,
    bands: Vec<RowBand<'m, F>>,
    neighbours: &'m mut B,
    interrupt: &'m AtomicBool,
    stop: Stop,
    /// Number of sweeps of all bands.
    count: u64,
    convergence: Convergence,
    detected: Detected,
    initial: f64,
}

/// A reason for the outer iterations to pause.
pub(super) enum Pause {
    /// A sample is due.
    Sample {
        /// Sum of squares of the residual before the last sweep.
        sum: f64,
        /// Sweeps before the last one.
        count: u64,
    },
    /// The run is at its end.
    End {
        /// Way in which the run has ended.
        end: End,
        /// Sum of squares of the verified residual.
        verified: f64,
    },
}

impl<'m, F: Real, B: BandExchange<F>> OuterIterations<'m, F, B> {
    /// Returns the iterations before the first sweep, after computing the initial residual.
    pub(super) fn new(
        bands: Vec<RowBand<'m, F>>,
        neighbours: &'m mut B,
        interrupt: &'m AtomicBool,
        stop: Stop,
    ) -> Self {
        let mut outer = Self {
            kernel: Kernel::best(),
            bands,
            neighbours,
            interrupt,
            stop,
            count: 0,
            convergence: Convergence::new(0.0, &Stop::NEVER, Progress::default()),
            detected: Detected::GoOn,
            initial: 0.0,
        };
        outer.initial = outer.residual();
        outer.convergence = Convergence::new(outer.initial, &stop, Progress::level(0, 1));
        outer.detected = outer.convergence.detect(outer.initial, &Progress::level(0, 1));
        outer
    }

    /// Returns the cells.
    pub(super) fn bands(&self) -> &[RowBand<'m, F>] {
        &self.bands
    }

    /// Returns the number of sweeps of all bands so far.
    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// Returns the sum of squares of the residual before the first sweep.
    pub(super) const fn initial(&self) -> f64 {
        self.initial
    }

    /// Returns the sum of squares of the residual that last led to a look at a consistent state.
    pub(super) const fn detected(&self) -> Option<f64> {
        self.convergence.detected()
    }

    /// Sweeps until a sample is due, or to the end.
    pub(super) fn run_until_pause(&mut self, is_due: impl Fn() -> bool) -> Pause {
        loop {
            let wants_end = self.is_interrupted()
                || self.stop.iterations.is_some_and(|iterations| self.count >= iterations);
            if wants_end || self.detected == Detected::Verify {
                let sum = self.residual();
                let verified = self.convergence.verify(sum);
                if let Some(end) = verified.end(self.is_interrupted(), wants_end) {
                    return Pause::End { end, verified: sum };
                }
            }
            self.detected = Detected::GoOn;
            let count = self.count;
            let sum = self.sweep(takes_residual(count));
            self.count += 1;
            if let Some(sum) = sum {
                self.detected = self.convergence.detect(sum, &Progress::level(count, 1));
                if is_due() {
                    return Pause::Sample { sum, count };
                }
            }
        }
    }

    /// Makes one sweep of all bands; with `with_residual`, returns the sum of squares of the
    /// residual before it.
    fn sweep(&mut self, with_residual: bool) -> Option<f64> {
        exchange(&mut self.bands, self.neighbours);
        let (kernel, bands) = (&self.kernel, self.bands.par_iter_mut());
        if with_residual {
            let sums: Vec<_> = bands.map(|band| band.sweep_with_residual(kernel)).collect();
            Some(self.sum(&sums))
        } else {
            bands.for_each(|band| band.sweep(kernel));
            None
        }
    }

    /// Returns the sum of squares of the residual as it is now.
    fn residual(&mut self) -> f64 {
        exchange(&mut self.bands, self.neighbours);
        let sums: Vec<_> = self.bands.par_iter().map(|band| band.residual(&self.kernel)).collect();
        self.sum(&sums)
    }

    /// Adds up the sums of all bands of all processes, which also agree on an interrupt.
    fn sum(&mut self, bands: &[f64]) -> f64 {
        self.neighbours.sum(bands, self.interrupt.load(Ordering::Relaxed))
    }

    /// Reports whether all processes are to end.
    fn is_interrupted(&self) -> bool {
        self.neighbours.is_interrupted(self.interrupt.load(Ordering::Relaxed))
    }
}
