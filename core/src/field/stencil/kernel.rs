//! The functions of the stencil as one thing that a host can compile in its own way.

use super::layout::Layout;
use super::sum::SumOfSquares;
use super::sweep::{each_row_into, source_row};
use super::terms::Terms;
use super::weighted::RowWeights;
use crate::base::real::Real;

/// Sweeps and residuals; all kernels give the same results to the bit.
///
/// A host compiles the functions of a row and the residual; which of them a sweep is made of is
/// decided here.
pub trait Kernel<F: Real>: Send + Sync {
    /// Relaxes a row: [`super::relax_row`].
    fn relax(&self, target: &mut [F], centre: &[F], other: &[F], source: Option<&[F]>);

    /// Relaxes a row into other cells: [`super::relax_row_into`].
    fn relax_into(
        &self,
        target: &mut [F],
        beyond: &[F],
        centre: &[F],
        other: &[F],
        source: Option<&[F]>,
    );

    /// Relaxes a row and sums the squares of its changes: [`super::relax_row_and_square`].
    fn relax_and_square(
        &self,
        target: &mut [F],
        centre: &[F],
        other: &[F],
        source: Option<&[F]>,
        changes: &mut SumOfSquares,
    );

    /// Relaxes a row with face weights: [`super::relax_weighted_row`].
    fn relax_weighted(
        &self,
        target: &mut [F],
        centre: &[F],
        other: &[F],
        weights: &RowWeights<'_, F>,
    );

    /// Relaxes a row with face weights and sums the squares of its residuals:
    /// [`super::relax_weighted_row_and_square`].
    fn relax_weighted_and_square(
        &self,
        target: &mut [F],
        centre: &[F],
        other: &[F],
        weights: &RowWeights<'_, F>,
        residuals: &mut SumOfSquares,
    );

    /// Returns the sum of squares of the residual: [`super::residual_sum_of_squares`].
    fn residual(&self, layout: &Layout, terms: Terms<&[F]>, cells: &[F]) -> f64;

    /// Sweeps the cells once in place: [`super::sweep()`], or [`super::sweep_weighted`] where the
    /// faces have weights.
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

    /// Sweeps the cells once in place, and returns the sum of squares of the residual before:
    /// [`super::sweep_with_residual`], or [`super::sweep_weighted_with_residual`] where the faces
    /// have weights.
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

    /// Sweeps from the cells `cells` into the separate cells `to`, whose layout is as large, and
    /// returns the residual as [`Kernel::sweep_with_residual`] does where `with_residual`. The ring
    /// of the target stays as it is. Cells and residual are the same to the bit as of a sweep in
    /// place.
    fn sweep_into(
        &self,
        to: (&Layout, &mut [F]),
        (layout, Terms { source, faces }, cells): (&Layout, Terms<&[F]>, &[F]),
        with_residual: bool,
    ) -> Option<f64> {
        let from = (layout, cells);
        let mut sum = SumOfSquares::default();
        match faces {
            None => {
                let source = source_row(layout, source);
                if !with_residual {
                    each_row_into(to, from, source, |target, beyond, centre, other, source| {
                        self.relax_into(target, beyond, centre, other, source);
                    });
                    return None;
                }
                each_row_into(to, from, source, |target, beyond, centre, other, source| {
                    copy(target, beyond);
                    self.relax_and_square(target, centre, other, source, &mut sum);
                });
                // As in `sweep_with_residual`: a change is a quarter of the residual.
                Some(16.0 * sum.total())
            }
            Some(faces) => {
                let weights =
                    |row, direction| RowWeights::of(layout, faces, source, row, direction);
                if !with_residual {
                    each_row_into(to, from, weights, |target, beyond, centre, other, weights| {
                        copy(target, beyond);
                        self.relax_weighted(target, centre, other, &weights);
                    });
                    return None;
                }
                each_row_into(to, from, weights, |target, beyond, centre, other, weights| {
                    copy(target, beyond);
                    self.relax_weighted_and_square(target, centre, other, &weights, &mut sum);
                });
                Some(sum.total())
            }
        }
    }
}

/// Copies the old row beyond into `target`, where a function that relaxes in place reads it.
#[inline(always)]
fn copy<F: Copy>(target: &mut [F], beyond: &[F]) {
    if target.len() == beyond.len() {
        target.copy_from_slice(beyond);
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
    fn relax_into(
        &self,
        target: &mut [F],
        beyond: &[F],
        centre: &[F],
        other: &[F],
        source: Option<&[F]>,
    ) {
        super::relax_row_into(target, beyond, centre, other, source);
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
