//! The sweep, compiled again for wider vectors and picked at run time.
//!
//! With those of [`RowKernel`] for multigrid, the only unsafe calls of this engine: calling a function that was compiled for vectors that the
//! processor does not have is undefined, so each such call rests on a check when the kernel was
//! made.
#![expect(unsafe_code, reason = "calls functions with target features, after looking for them")]

mod rows;
mod width;

pub use rows::RowKernel;

use width::Width;

use tresse_core::stencil::{self, Layout, Real, SumOfSquares};

type Relax<F> = unsafe fn(&mut [F], &[F], &[F], Option<&[F]>);
type RelaxAndSquare<F> = unsafe fn(&mut [F], &[F], &[F], Option<&[F]>, &mut SumOfSquares);
type Residual<F> = unsafe fn(&Layout, Option<&[F]>, &[F]) -> f64;

/// The functions of [`tresse_core::stencil`] for the vectors of this processor; every kernel's
/// results are the same to the bit.
///
/// Rows are relaxed through pointers to functions: their parameters tell the compiler that the row
/// that is written overlaps none that is read.
#[derive(Clone, Copy, Debug)]
pub struct Kernel<F> {
    width: Width,
    relax: Relax<F>,
    relax_and_square: RelaxAndSquare<F>,
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
            relax_and_square: stencil::relax_row_and_square::<F>,
            residual: stencil::residual_sum_of_squares::<F>,
        }
    }
}

impl<F: Real> stencil::Kernel<F> for Kernel<F> {
    fn sweep(&self, layout: &mut Layout, source: Option<&[F]>, cells: &mut [F]) {
        stencil::sweep(layout, source, cells, |target, centre, other, source| {
            // SAFETY: `Width` found the features, or there are none.
            unsafe { (self.relax)(target, centre, other, source) }
        });
    }

    fn sweep_with_residual(
        &self,
        layout: &mut Layout,
        source: Option<&[F]>,
        cells: &mut [F],
    ) -> f64 {
        let relax =
            |target: &mut [F], centre: &[F], other: &[F], source: Option<&[F]>, sum: &mut _| {
                // SAFETY: `Width` found the features, or there are none.
                unsafe { (self.relax_and_square)(target, centre, other, source, sum) }
            };
        stencil::sweep_with_residual(layout, source, cells, relax)
    }

    fn residual(&self, layout: &Layout, source: Option<&[F]>, cells: &[F]) -> f64 {
        // SAFETY: `Width` found the features, or there are none.
        unsafe { (self.residual)(layout, source, cells) }
    }
}

/// A module of the three functions with `$features`, and the kernel of them, which may only be
/// made where the processor has these.
#[cfg(target_arch = "x86_64")]
macro_rules! kernel {
    ($name:ident, $features:literal) => {
        mod $name {
            use super::{Kernel, Layout, Real, SumOfSquares, Width, stencil};

            pub(super) fn kernel<F: Real>(width: Width) -> Kernel<F> {
                Kernel { width, relax, relax_and_square, residual }
            }

            #[target_feature(enable = $features)]
            fn relax<F: Real>(target: &mut [F], centre: &[F], other: &[F], source: Option<&[F]>) {
                stencil::relax_row(target, centre, other, source);
            }

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

            #[target_feature(enable = $features)]
            fn residual<F: Real>(layout: &Layout, source: Option<&[F]>, current: &[F]) -> f64 {
                stencil::residual_sum_of_squares(layout, source, current)
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
    use tresse_core::stencil::Kernel as _;

    use super::*;

    /// Numbers whose sums round, so that another order would show.
    fn values<F: Real>(count: usize) -> Vec<F> {
        (0..count).map(|i| F::from_f64(((i * i) as f64).sin())).collect()
    }

    fn results<F: Real>(kernel: &Kernel<F>, layout: &Layout, source: Option<&[F]>) -> Vec<u64> {
        let start = values::<F>(layout.len());
        let (mut next, mut fused) = (start.clone(), start.clone());
        let (mut at, mut fused_at) = (*layout, *layout);
        let mut sums = vec![kernel.residual(layout, source, &start)];
        // Up, and down again.
        for _ in 0..2 {
            kernel.sweep(&mut at, source, &mut next);
            sums.push(kernel.sweep_with_residual(&mut fused_at, source, &mut fused));
        }
        let cells = next.into_iter().chain(fused).map(Real::to_f64);
        cells.chain(sums).map(f64::to_bits).collect()
    }

    fn kernels_agree<F: Real>() {
        for (rows, columns) in [(1, 1), (1, 2100), (7, 13), (31, 47), (150, 150)] {
            let layout = Layout::new(rows, columns).unwrap();
            let source = values::<F>(layout.len() + 3).split_off(3);
            for source in [None, Some(&*source)] {
                let expected = results(&Kernel::baseline(), &layout, source);
                for kernel in Kernel::<F>::all_supported() {
                    assert_eq!(results(&kernel, &layout, source), expected, "{}", kernel.name());
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
