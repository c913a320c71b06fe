//! The functions on rows as one thing that a host can compile in its own way.

use super::rows;
use crate::base::real::Real;

/// What is done to rows; all kernels give the same results to the bit.
pub trait Kernel<F> {
    /// Smooths a row: [`smooth_row`](super::smooth_row).
    fn smooth_row(&self, target: &mut [F], centre: &[F], below: &[F], rhs: Option<&[F]>, scale: F);

    /// Computes the residual of a row: [`residual_row`](super::residual_row).
    fn residual_row(&self, target: &mut [F], centre: &[F], below: &[F], rhs: Option<&[F]>);

    /// Interpolates between two coarser rows: [`blend_rows`](super::blend_rows).
    fn blend_rows(&self, target: &mut [F], near: &[F], far: &[F]);

    /// Interpolates within a coarser row: [`interpolate_row`](super::interpolate_row).
    fn interpolate_row(&self, target: &mut [F], base: Option<&[F]>, blended: &[F]);

    /// Restricts a row: [`add_pairs`](super::add_pairs).
    fn add_pairs(&self, coarse: &mut [F], fine: &[F]);

    /// Sums the squares of a row: [`squares`](super::squares).
    fn squares(&self, row: &[F]) -> f64;
}

/// The kernel for whatever the build was for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Portable;

impl<F: Real> Kernel<F> for Portable {
    fn smooth_row(&self, target: &mut [F], centre: &[F], below: &[F], rhs: Option<&[F]>, scale: F) {
        rows::smooth_row(target, centre, below, rhs, scale);
    }

    fn residual_row(&self, target: &mut [F], centre: &[F], below: &[F], rhs: Option<&[F]>) {
        rows::residual_row(target, centre, below, rhs);
    }

    fn blend_rows(&self, target: &mut [F], near: &[F], far: &[F]) {
        rows::blend_rows(target, near, far);
    }

    fn interpolate_row(&self, target: &mut [F], base: Option<&[F]>, blended: &[F]) {
        rows::interpolate_row(target, base, blended);
    }

    fn add_pairs(&self, coarse: &mut [F], fine: &[F]) {
        rows::add_pairs(coarse, fine);
    }

    fn squares(&self, row: &[F]) -> f64 {
        rows::squares(row)
    }
}
