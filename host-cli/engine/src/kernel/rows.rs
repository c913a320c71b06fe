//! What multigrid does to a row, compiled again for wider vectors and picked at run time.
//!
//! As for the sweep, each unsafe call rests on a check when the kernel was made.
#![expect(unsafe_code, reason = "calls functions with target features, after looking for them")]

use tresse_core::field::stencil::Real;
use tresse_core::multigrid;

use super::width::Width;

type Smooth<F> = unsafe fn(&mut [F], &[F], &[F], Option<&[F]>, F);
type Residual<F> = unsafe fn(&mut [F], &[F], &[F], Option<&[F]>);
type Blend<F> = unsafe fn(&mut [F], &[F], &[F]);
type Interpolate<F> = unsafe fn(&mut [F], Option<&[F]>, &[F]);
type AddPairs<F> = unsafe fn(&mut [F], &[F]);
type Squares<F> = unsafe fn(&[F]) -> f64;

/// The functions of [`tresse_core::multigrid`] on rows for the vectors of this processor; every
/// kernel's results are the same to the bit.
#[derive(Clone, Copy, Debug)]
pub struct RowKernel<F> {
    width: Width,
    smooth: Smooth<F>,
    residual: Residual<F>,
    blend: Blend<F>,
    interpolate: Interpolate<F>,
    add_pairs: AddPairs<F>,
    squares: Squares<F>,
}

impl<F: Real> RowKernel<F> {
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
            smooth: multigrid::smooth_row::<F>,
            residual: multigrid::residual_row::<F>,
            blend: multigrid::blend_rows::<F>,
            interpolate: multigrid::interpolate_row::<F>,
            add_pairs: multigrid::add_pairs::<F>,
            squares: multigrid::squares::<F>,
        }
    }
}

impl<F: Real> multigrid::Kernel<F> for RowKernel<F> {
    fn smooth_row(&self, target: &mut [F], centre: &[F], below: &[F], rhs: Option<&[F]>, scale: F) {
        // SAFETY: `Width` found the features, or there are none.
        unsafe { (self.smooth)(target, centre, below, rhs, scale) }
    }

    fn residual_row(&self, target: &mut [F], centre: &[F], below: &[F], rhs: Option<&[F]>) {
        // SAFETY: `Width` found the features, or there are none.
        unsafe { (self.residual)(target, centre, below, rhs) }
    }

    fn blend_rows(&self, target: &mut [F], near: &[F], far: &[F]) {
        // SAFETY: `Width` found the features, or there are none.
        unsafe { (self.blend)(target, near, far) }
    }

    fn interpolate_row(&self, target: &mut [F], base: Option<&[F]>, blended: &[F]) {
        // SAFETY: `Width` found the features, or there are none.
        unsafe { (self.interpolate)(target, base, blended) }
    }

    fn add_pairs(&self, coarse: &mut [F], fine: &[F]) {
        // SAFETY: `Width` found the features, or there are none.
        unsafe { (self.add_pairs)(coarse, fine) }
    }

    fn squares(&self, row: &[F]) -> f64 {
        // SAFETY: `Width` found the features, or there are none.
        unsafe { (self.squares)(row) }
    }
}

/// A module of the functions with `$features`, and the kernel of them, which may only be made where
/// the processor has these.
#[cfg(target_arch = "x86_64")]
macro_rules! kernel {
    ($name:ident, $features:literal) => {
        mod $name {
            use super::{Real, RowKernel, Width, multigrid};

            /// Returns the kernel whose functions are compiled for this width of vectors.
            pub(super) fn kernel<F: Real>(width: Width) -> RowKernel<F> {
                RowKernel { width, smooth, residual, blend, interpolate, add_pairs, squares }
            }

            /// [`multigrid::smooth_row`], compiled for these vectors.
            #[target_feature(enable = $features)]
            fn smooth<F: Real>(
                target: &mut [F],
                centre: &[F],
                below: &[F],
                rhs: Option<&[F]>,
                scale: F,
            ) {
                multigrid::smooth_row(target, centre, below, rhs, scale);
            }

            /// [`multigrid::residual_row`], compiled for these vectors.
            #[target_feature(enable = $features)]
            fn residual<F: Real>(target: &mut [F], centre: &[F], below: &[F], rhs: Option<&[F]>) {
                multigrid::residual_row(target, centre, below, rhs);
            }

            /// [`multigrid::blend_rows`], compiled for these vectors.
            #[target_feature(enable = $features)]
            fn blend<F: Real>(target: &mut [F], near: &[F], far: &[F]) {
                multigrid::blend_rows(target, near, far);
            }

            /// [`multigrid::interpolate_row`], compiled for these vectors.
            #[target_feature(enable = $features)]
            fn interpolate<F: Real>(target: &mut [F], base: Option<&[F]>, blended: &[F]) {
                multigrid::interpolate_row(target, base, blended);
            }

            /// [`multigrid::add_pairs`], compiled for these vectors.
            #[target_feature(enable = $features)]
            fn add_pairs<F: Real>(coarse: &mut [F], fine: &[F]) {
                multigrid::add_pairs(coarse, fine);
            }

            /// [`multigrid::squares`], compiled for these vectors.
            #[target_feature(enable = $features)]
            fn squares<F: Real>(row: &[F]) -> f64 {
                multigrid::squares(row)
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
    use tresse_core::multigrid::Kernel as _;

    use super::*;

    /// Numbers whose sums round, so that another order would show.
    fn values<F: Real>(count: usize, shift: usize) -> Vec<F> {
        (shift..shift + count).map(|i| F::from_f64(((i * i) as f64).sin())).collect()
    }

    fn results<F: Real>(kernel: &RowKernel<F>, cells: usize) -> Vec<u64> {
        let (centre, below, rhs) = (values(cells + 2, 1), values(cells, 2), values::<F>(cells, 3));
        let start = values(cells, 4);
        let mut all = Vec::new();
        for rhs in [None, Some(&*rhs)] {
            let (mut smoothed, mut residual) = (start.clone(), start.clone());
            kernel.smooth_row(&mut smoothed, &centre, &below, rhs, F::from_f64(0.3));
            kernel.residual_row(&mut residual, &centre, &below, rhs);
            all.extend([smoothed, residual].concat());
        }
        let coarse = values(cells / 2 + 3, 5);
        for base in [None, Some(&*rhs)] {
            let mut target = start.clone();
            kernel.interpolate_row(&mut target, base, &coarse);
            all.extend(target);
        }
        let (mut blended, mut sums) = (start.clone(), coarse);
        kernel.blend_rows(&mut blended, &below, &rhs);
        kernel.add_pairs(&mut sums, &start);
        all.extend(blended.into_iter().chain(sums));
        let sum = kernel.squares(&start).to_bits();
        all.into_iter().map(|value| value.to_f64().to_bits()).chain([sum]).collect()
    }

    fn kernels_agree<F: Real>() {
        for cells in (1..70).chain([255, 1024, 2101]) {
            let expected = results(&RowKernel::<F>::baseline(), cells);
            for kernel in RowKernel::<F>::all_supported() {
                assert_eq!(results(&kernel, cells), expected, "{} {cells}", kernel.name());
            }
        }
    }

    #[test]
    fn all_row_kernels_agree_to_the_bit() {
        kernels_agree::<f64>();
        kernels_agree::<f32>();
    }
}
