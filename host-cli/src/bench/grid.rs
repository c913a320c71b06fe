//! A grid that does nothing but sweep.

use std::collections::TryReserveError;
use std::hint::black_box;
use std::mem;

use tresse_core::stencil::{ALIGNMENT, Layout, Real};

use crate::kernel::Kernel;

/// The two arrays of one grid, and the kernel that sweeps from one to the other.
///
/// Every cell is 1, ring included: the solution, so that however long it is swept no number gets
/// so small that the processor takes its slow path.
#[derive(Debug)]
pub struct BareGrid<F> {
    kernel: Kernel<F>,
    layout: Layout,
    current: Vec<F>,
    next: Vec<F>,
}

impl<F: Real> BareGrid<F> {
    /// Allocates, and touches every page from the calling thread.
    pub fn new(kernel: Kernel<F>, layout: Layout) -> Result<Self, TryReserveError> {
        Ok(Self { kernel, layout, current: ones(&layout)?, next: ones(&layout)? })
    }

    /// One sweep of all interior cells.
    pub fn sweep(&mut self) {
        let (current, next) = (&mut self.current, &mut self.next);
        if let (Some(current), Some(next)) =
            (self.layout.aligned(current), self.layout.aligned(next))
        {
            self.kernel.sweep(&self.layout, None, current, next);
        }
        mem::swap(&mut self.current, &mut self.next);
    }

    /// One sweep with its residual's sum of squares.
    pub fn sweep_with_residual(&mut self) -> f64 {
        let (current, next) = (&mut self.current, &mut self.next);
        let mut residual = 0.0;
        if let (Some(current), Some(next)) =
            (self.layout.aligned(current), self.layout.aligned(next))
        {
            residual = self.kernel.sweep_with_residual(&self.layout, None, current, next);
        }
        mem::swap(&mut self.current, &mut self.next);
        residual
    }

    /// So many sweeps, with or without the residual.
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

fn ones<F: Real>(layout: &Layout) -> Result<Vec<F>, TryReserveError> {
    let cells = layout.len().saturating_add(ALIGNMENT);
    let mut buffer = Vec::new();
    buffer.try_reserve_exact(cells)?;
    buffer.resize(cells, F::from_f64(1.0));
    Ok(buffer)
}
