//! The sweep, compiled again for wider vectors and picked at run time.
//!
//! With those of [`RowKernel`] for multigrid, the only unsafe calls of this engine: calling a
//! function that was compiled for vectors that the processor does not have is undefined, so each
//! such call rests on a check when the kernel was made.
#![expect(unsafe_code, reason = "calls functions with target features, after looking for them")]

mod rows;
mod width;

pub use rows::RowKernel;

use width::Width;

use tresse_core::field::stencil::{self, Layout, Real, RowWeights, SumOfSquares, Terms};

type Relax<F> = unsafe fn(&mut [F], &[F], &[F], Option<&[F]>);
type RelaxInto<F> = unsafe fn(&mut [F], &[F], &[F], &[F], Option<&[F]>);
type RelaxAndSquare<F> = unsafe fn(&mut [F], &[F], &[F], Option<&[F]>, &mut SumOfSquares);
type RelaxWeighted<F> = unsafe fn(&mut [F], &[F], &[F], &RowWeights<'_, F>);
type RelaxWeightedAndSquare<F> =
    unsafe fn(&mut [F], &[F], &[F], &RowWeights<'_, F>, &mut SumOfSquares);
type Residual<F> = unsafe fn(&Layout, Terms<&[F]>, &[F]) -> f64;

/// The functions of [`tresse_core::field::stencil`] for the vectors of this processor; every
/// kernel's results are the same to the bit.
///
/// Rows are relaxed through pointers to functions: their parameters tell the compiler that the row
/// that is written overlaps none that is read.
#[derive(Clone, Copy, Debug)]
pub struct Kernel<F> {
    width: Width,
    relax: Relax<F>,
    relax_into: RelaxInto<F>,
    relax_and_square: RelaxAndSquare<F>,
    relax_weighted: RelaxWeighted<F>,
    relax_weighted_and_square: RelaxWeightedAndSquare<F>,
    residual: Residual<F>,
}

impl<F: Real> Kernel<F> {
    /// Returns the fastest kernel that this processor supports.
    pub fn best() -> Self {
        Self::of(Width::best())
    }

    /// Returns all kernels that this processor supports, the fastest first.
    pub fn all_supported() -> Vec<Self> {
        Width::supported().map(Self::of).collect()
    }

    /// `avx512`, `avx2` or `baseline`.
    pub const fn name(&self) -> &'static str {
        self.width.name()
    }

    /// Returns the kernel of a width that this processor supports.
    fn of(width: Width) -> Self {
        match width {
            #[cfg(target_arch = "x86_64")]
            Width::Avx512 => avx512::kernel(width),
            #[cfg(target_arch = "x86_64")]
            Width::Avx2 => avx2::kernel(width),
            Width::Baseline => Self::baseline(),
        }
    }

    /// Returns the kernel that every build has.
    const fn baseline() -> Self {
        Self {
            width: Width::Baseline,
            relax: stencil::relax_row::<F>,
            relax_into: stencil::relax_row_into::<F>,
            relax_and_square: stencil::relax_row_and_square::<F>,
            relax_weighted: stencil::relax_weighted_row::<F>,
            relax_weighted_and_square: stencil::relax_weighted_row_and_square::<F>,
            residual: stencil::residual_sum_of_squares::<F>,
        }
    }
}

impl<F: Real> stencil::Kernel<F> for Kernel<F> {
    #[inline]
    fn relax(&self, target: &mut [F], centre: &[F], other: &[F], source: Option<&[F]>) {
        // SAFETY: `Width` found the features, or there are none.
        unsafe { (self.relax)(target, centre, other, source) }
    }

    #[inline]
    fn relax_into(
        &self,
        target: &mut [F],
        beyond: &[F],
        centre: &[F],
        other: &[F],
        source: Option<&[F]>,
    ) {
        // SAFETY: `Width` found the features, or there are none.
        unsafe { (self.relax_into)(target, beyond, centre, other, source) }
    }

    #[inline]
    fn relax_and_square(
        &self,
        target: &mut [F],
        centre: &[F],
        other: &[F],
        source: Option<&[F]>,
        changes: &mut SumOfSquares,
    ) {
        // SAFETY: `Width` found the features, or there are none.
        unsafe { (self.relax_and_square)(target, centre, other, source, changes) }
    }

    #[inline]
    fn relax_weighted(
        &self,
        target: &mut [F],
        centre: &[F],
        other: &[F],
        weights: &RowWeights<'_, F>,
    ) {
        // SAFETY: `Width` found the features, or there are none.
        unsafe { (self.relax_weighted)(target, centre, other, weights) }
    }

    #[inline]
    fn relax_weighted_and_square(
        &self,
        target: &mut [F],
        centre: &[F],
        other: &[F],
        weights: &RowWeights<'_, F>,
        residuals: &mut SumOfSquares,
    ) {
        // SAFETY: `Width` found the features, or there are none.
        unsafe { (self.relax_weighted_and_square)(target, centre, other, weights, residuals) }
    }

    fn residual(&self, layout: &Layout, terms: Terms<&[F]>, cells: &[F]) -> f64 {
        // SAFETY: `Width` found the features, or there are none.
        unsafe { (self.residual)(layout, terms, cells) }
    }
}

/// A module of these functions with `$features`, and the kernel of them, which may only be
/// made where the processor has these.
#[cfg(target_arch = "x86_64")]
macro_rules! kernel {
    ($name:ident, $features:literal) => {
        mod $name {
            use super::{Kernel, Layout, Real, RowWeights, SumOfSquares, Terms, Width, stencil};

            /// Returns the kernel whose functions are compiled for this width of vectors.
            pub(super) fn kernel<F: Real>(width: Width) -> Kernel<F> {
                Kernel {
                    width,
                    relax,
                    relax_into,
                    relax_and_square,
                    relax_weighted,
                    relax_weighted_and_square,
                    residual,
                }
            }

            /// [`stencil::relax_row`], compiled for these vectors.
            #[target_feature(enable = $features)]
            fn relax<F: Real>(target: &mut [F], centre: &[F], other: &[F], source: Option<&[F]>) {
                stencil::relax_row(target, centre, other, source);
            }

            /// [`stencil::relax_row_into`], compiled for these vectors.
            #[target_feature(enable = $features)]
            fn relax_into<F: Real>(
                target: &mut [F],
                beyond: &[F],
                centre: &[F],
                other: &[F],
                source: Option<&[F]>,
            ) {
                stencil::relax_row_into(target, beyond, centre, other, source);
            }

            /// [`stencil::relax_row_and_square`], compiled for these vectors.
            #[target_feature(enable = $features)]
            fn relax_and_square<F: Real>(
                target: &mut [F],
                centre: &[F],
                other: &[F],
                source: Option<&[F]>,
                changes: &mut SumOfSquares,
            ) {
                stencil::relax_row_and_square(target, centre, other, source, changes);
            }

            /// [`stencil::relax_weighted_row`], compiled for these vectors.
            #[target_feature(enable = $features)]
            fn relax_weighted<F: Real>(
                target: &mut [F],
                centre: &[F],
                other: &[F],
                weights: &RowWeights<'_, F>,
            ) {
                stencil::relax_weighted_row(target, centre, other, weights);
            }

            /// [`stencil::relax_weighted_row_and_square`], compiled for these vectors.
            #[target_feature(enable = $features)]
            fn relax_weighted_and_square<F: Real>(
                target: &mut [F],
                centre: &[F],
                other: &[F],
                weights: &RowWeights<'_, F>,
                residuals: &mut SumOfSquares,
            ) {
                stencil::relax_weighted_row_and_square(target, centre, other, weights, residuals);
            }

            /// [`stencil::residual_sum_of_squares`], compiled for these vectors.
            #[target_feature(enable = $features)]
            fn residual<F: Real>(layout: &Layout, terms: Terms<&[F]>, current: &[F]) -> f64 {
                stencil::residual_sum_of_squares(layout, terms, current)
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
kernel!(avx512, "avx512f,avx512vl");
#[cfg(target_arch = "x86_64")]
kernel!(avx2, "avx2");

#[cfg(test)]
mod tests {
    use tresse_core::field::stencil::{Faces, Kernel as _};

    use super::*;

    /// Numbers whose sums round, so that another order would show.
    fn values<F: Real>(count: usize) -> Vec<F> {
        (0..count).map(|i| F::from_f64(((i * i) as f64).sin())).collect()
    }

    fn results<F: Real>(kernel: &Kernel<F>, layout: &Layout, terms: Terms<&[F]>) -> Vec<u64> {
        let start = values::<F>(layout.len());
        let (mut next, mut fused) = (start.clone(), start.clone());
        let (mut at, mut fused_at) = (*layout, *layout);
        let mut sums = vec![kernel.residual(layout, terms, &start)];
        // Up, and down again.
        for _ in 0..2 {
            kernel.sweep(&mut at, terms, &mut next);
            sums.push(kernel.sweep_with_residual(&mut fused_at, terms, &mut fused));
        }
        let mut copied = start.clone();
        for with_residual in [false, true] {
            let to = (&layout.swept(), &mut *copied);
            sums.extend(kernel.sweep_into(to, (layout, terms, &start), with_residual));
        }
        let cells = next.into_iter().chain(fused).chain(copied).map(Real::to_f64);
        cells.chain(sums).map(f64::to_bits).collect()
    }

    fn kernels_agree<F: Real>() {
        for (rows, columns) in [(1, 1), (1, 2100), (7, 13), (31, 47), (150, 150)] {
            let layout = Layout::new(rows, columns).unwrap();
            let source = values::<F>(layout.len() + 3).split_off(3);
            let weights = source.iter().map(|weight| *weight * *weight + F::QUARTER);
            let weights: Vec<_> = weights.collect();
            let faces = Some(Faces { vertical: &*weights, horizontal: &*weights });
            for (source, faces) in
                [(None, None), (Some(&*source), None), (None, faces), (Some(&*source), faces)]
            {
                let terms = Terms { source, faces };
                let expected = results(&Kernel::baseline(), &layout, terms);
                for kernel in Kernel::<F>::all_supported() {
                    assert_eq!(results(&kernel, &layout, terms), expected, "{}", kernel.name());
                }
            }
        }
    }

    #[test]
    fn all_kernels_agree_to_the_bit() {
        kernels_agree::<f64>();
        kernels_agree::<f32>();
    }
}
