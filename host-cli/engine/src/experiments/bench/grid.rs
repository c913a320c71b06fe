//! A grid that is only swept.

use std::collections::TryReserveError;
use std::hint::black_box;

use tresse_core::field::stencil::{ALIGNMENT, Kernel as _, Layout, Real, Terms};

use crate::kernel::Kernel;

/// The cells of one grid, and the kernel that sweeps them.
///
/// Every cell is 1, ring included: the solution, so that however long it is swept no number gets
/// so small that the processor takes its slow path.
#[derive(Debug)]
pub struct BareGrid<F> {
    kernel: Kernel<F>,
    layout: Layout,
    memory: Vec<F>,
}

impl<F: Real> BareGrid<F> {
    /// Allocates the grid, and touches every page from the calling thread.
    pub fn new(kernel: Kernel<F>, layout: Layout) -> Result<Self, TryReserveError> {
        let cells = layout.len().saturating_add(ALIGNMENT);
        let mut memory = Vec::new();
        memory.try_reserve_exact(cells)?;
        memory.resize(cells, F::from_f64(1.0));
        Ok(Self { kernel, layout, memory })
    }

    /// Sweeps all interior cells once.
    pub fn sweep(&mut self) {
        let cells = self.layout.aligned(&mut self.memory);
        self.kernel.sweep(&mut self.layout, Terms::NONE, cells);
    }

    /// Sweeps all interior cells once, and returns the residual's sum of squares.
    pub fn sweep_with_residual(&mut self) -> f64 {
        let cells = self.layout.aligned(&mut self.memory);
        self.kernel.sweep_with_residual(&mut self.layout, Terms::NONE, cells)
    }

    /// Makes `count` sweeps, with or without the residual.
    pub fn sweeps(&mut self, count: u64, residual: bool) {
        for _ in 0..count {
            if residual {
                black_box(self.sweep_with_residual());
            } else {
                self.sweep();
            }
        }
    }
}
