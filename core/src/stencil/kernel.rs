//! The three functions of the stencil as one thing that a host can compile in its own way.

use super::layout::Layout;
use super::{relax_row, relax_row_and_square, residual_sum_of_squares};
use crate::real::Real;

/// Sweeps and residuals; all kernels give the same results to the bit.
pub trait Kernel<F> {
    /// [`super::sweep()`].
    fn sweep(&self, layout: &mut Layout, source: Option<&[F]>, cells: &mut [F]);

    /// [`super::sweep_with_residual`].
    fn sweep_with_residual(
        &self,
        layout: &mut Layout,
        source: Option<&[F]>,
        cells: &mut [F],
    ) -> f64;

    /// [`residual_sum_of_squares`].
    fn residual(&self, layout: &Layout, source: Option<&[F]>, cells: &[F]) -> f64;
}

/// The kernel for whatever the build was for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Portable;

impl<F: Real> Kernel<F> for Portable {
    fn sweep(&self, layout: &mut Layout, source: Option<&[F]>, cells: &mut [F]) {
        super::sweep(layout, source, cells, relax_row);
    }

    fn sweep_with_residual(
        &self,
        layout: &mut Layout,
        source: Option<&[F]>,
        cells: &mut [F],
    ) -> f64 {
        super::sweep_with_residual(layout, source, cells, relax_row_and_square)
    }

    fn residual(&self, layout: &Layout, source: Option<&[F]>, cells: &[F]) -> f64 {
        residual_sum_of_squares(layout, source, cells)
    }
}
