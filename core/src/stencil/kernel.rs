//! The functions of the stencil as one thing that a host can compile in its own way.

use super::layout::Layout;
use super::residual::SumOfSquares;
use super::terms::Terms;
use super::weighted::RowWeights;
use crate::real::Real;

/// Sweeps and residuals; all kernels give the same results to the bit.
///
/// A host compiles the functions of a row and the residual; which of them a sweep is made of is decided here.
pub trait Kernel<F: Real> {
    /// [`super::relax_row`].
    fn relax(&self, target: &mut [F], centre: &[F], other: &[F], source: Option<&[F]>);

    /// [`super::relax_row_and_square`].
    fn relax_and_square(
        &self,
        target: &mut [F],
        centre: &[F],
        other: &[F],
        source: Option<&[F]>,
        changes: &mut SumOfSquares,
    );

    /// [`super::relax_weighted_row`].
    fn relax_weighted(
        &self,
        target: &mut [F],
        centre: &[F],
        other: &[F],
        weights: &RowWeights<'_, F>,
    );

    /// [`super::relax_weighted_row_and_square`].
    fn relax_weighted_and_square(
        &self,
        target: &mut [F],
        centre: &[F],
        other: &[F],
        weights: &RowWeights<'_, F>,
        residuals: &mut SumOfSquares,
    );

    /// [`super::residual_sum_of_squares`].
    fn residual(&self, layout: &Layout, terms: Terms<&[F]>, cells: &[F]) -> f64;

    /// [`super::sweep()`], or [`super::sweep_weighted`] where the faces have weights.
    fn sweep(&self, layout: &mut Layout, terms: Terms<&[F]>, cells: &mut [F]) {
        let Terms { source, faces } = terms;
        match faces {
            None => super::sweep(layout, source, cells, |target, centre, other, source| {
                self.relax(target, centre, other, source);
            }),
            Some(faces) => {
                super::sweep_weighted(layout, faces, source, cells, |target, centre, other, by| {
                    self.relax_weighted(target, centre, other, by);
                });
            }
        }
    }

    /// [`super::sweep_with_residual`], or [`super::sweep_weighted_with_residual`] where the faces have weights.
    fn sweep_with_residual(&self, layout: &mut Layout, terms: Terms<&[F]>, cells: &mut [F]) -> f64 {
        let Terms { source, faces } = terms;
        match faces {
            None => {
                let relax = |target: &mut [F],
                             centre: &[F],
                             other: &[F],
                             source: Option<&[F]>,
                             sum: &mut _| {
                    self.relax_and_square(target, centre, other, source, sum);
                };
                super::sweep_with_residual(layout, source, cells, relax)
            }
            Some(faces) => {
                let relax = |target: &mut [F],
                             centre: &[F],
                             other: &[F],
                             by: &RowWeights<'_, F>,
                             sum: &mut _| {
                    self.relax_weighted_and_square(target, centre, other, by, sum);
                };
                super::sweep_weighted_with_residual(layout, faces, source, cells, relax)
            }
        }
    }
}

/// The kernel for whatever the build was for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Portable;

impl<F: Real> Kernel<F> for Portable {
    #[inline(always)]
    fn relax(&self, target: &mut [F], centre: &[F], other: &[F], source: Option<&[F]>) {
        super::relax_row(target, centre, other, source);
    }

    #[inline(always)]
    fn relax_and_square(
        &self,
        target: &mut [F],
        centre: &[F],
        other: &[F],
        source: Option<&[F]>,
        changes: &mut SumOfSquares,
    ) {
        super::relax_row_and_square(target, centre, other, source, changes);
    }

    #[inline(always)]
    fn relax_weighted(
        &self,
        target: &mut [F],
        centre: &[F],
        other: &[F],
        weights: &RowWeights<'_, F>,
    ) {
        super::relax_weighted_row(target, centre, other, weights);
    }

    #[inline(always)]
    fn relax_weighted_and_square(
        &self,
        target: &mut [F],
        centre: &[F],
        other: &[F],
        weights: &RowWeights<'_, F>,
        residuals: &mut SumOfSquares,
    ) {
        super::relax_weighted_row_and_square(target, centre, other, weights, residuals);
    }

    fn residual(&self, layout: &Layout, terms: Terms<&[F]>, cells: &[F]) -> f64 {
        super::residual_sum_of_squares(layout, terms, cells)
    }
}
