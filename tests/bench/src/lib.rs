//! The C competitor of the kernel (`benches/jacobi.c`), with its own grid, as a contender beside
//! `BareGrid`.
#![cfg(feature = "c-kernel")]
#![expect(unsafe_code, reason = "calls C")]

use std::mem;

use tresse::engine::kernel::Kernel;
use tresse::experiments::bench::BareGrid;
use tresse_core::field::stencil::{Layout, Real, Terms};

/// One of the two sides of a comparison, with a grid of its own.
pub trait Contender {
    /// Makes one sweep.
    fn sweep(&mut self);

    /// Makes one sweep, and returns its residual's sum of squares.
    fn sweep_with_residual(&mut self) -> f64;
}

impl<F: Real> Contender for BareGrid<F> {
    fn sweep(&mut self) {
        self.sweep();
    }

    fn sweep_with_residual(&mut self) -> f64 {
        self.sweep_with_residual()
    }
}

/// The vectors that both sides of a comparison use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vectors {
    /// The widest of this processor.
    Native,
    /// Those of a processor with AVX2 and without AVX-512.
    Avx2,
}

impl Vectors {
    /// Our kernel with these vectors; none where the processor does not have them.
    pub fn kernel<F: Real>(self) -> Option<Kernel<F>> {
        match self {
            Self::Native => Some(Kernel::best()),
            Self::Avx2 => {
                Kernel::all_supported().into_iter().find(|kernel| kernel.name() == "avx2")
            }
        }
    }
}

/// A kernel of ours with a grid of all ones.
///
/// # Panics
/// Without memory for it.
#[expect(clippy::expect_used, reason = "a bench has nobody to tell")]
pub fn ours<F: Real>(kernel: Kernel<F>, rows: usize, columns: usize) -> BareGrid<F> {
    let layout = Layout::new(rows, columns).expect("a size that can be addressed");
    BareGrid::new(kernel, layout).expect("memory")
}

/// The functions of `jacobi.c` for one type of cell, from `current` to `next`, both of which have
/// (rows + 2) × (columns + 2) cells.
#[derive(Clone, Copy, Debug)]
pub struct Functions<F> {
    sweep: unsafe extern "C" fn(usize, usize, *const F, *mut F),
    sweep_with_residual: unsafe extern "C" fn(usize, usize, *const F, *mut F) -> f64,
}

impl<F> Functions<F> {
    fn sweep(&self, size: [usize; 2], current: &[F], next: &mut [F]) {
        check(size, current, next);
        // SAFETY: both arrays are as long as C reads and writes; `next` is borrowed alone.
        unsafe { (self.sweep)(size[0], size[1], current.as_ptr(), next.as_mut_ptr()) }
    }

    fn sweep_with_residual(&self, size: [usize; 2], current: &[F], next: &mut [F]) -> f64 {
        check(size, current, next);
        // SAFETY: both arrays are as long as C reads and writes; `next` is borrowed alone.
        unsafe { (self.sweep_with_residual)(size[0], size[1], current.as_ptr(), next.as_mut_ptr()) }
    }
}

/// A type of cell that `jacobi.c` has functions for.
pub trait CReal: Real {
    /// The functions with these vectors, which the processor must have.
    fn functions(vectors: Vectors) -> Functions<Self>;
}

macro_rules! c_real {
    ($real:ident, $([$vectors:ident, $sweep:ident, $sweep_with_residual:ident]),+) => {
        unsafe extern "C" {
            $(
                fn $sweep(rows: usize, columns: usize, current: *const $real, next: *mut $real);
                fn $sweep_with_residual(
                    rows: usize,
                    columns: usize,
                    current: *const $real,
                    next: *mut $real,
                ) -> f64;
            )+
        }

        impl CReal for $real {
            fn functions(vectors: Vectors) -> Functions<Self> {
                match vectors {
                    $(Vectors::$vectors => Functions {
                        sweep: $sweep,
                        sweep_with_residual: $sweep_with_residual,
                    }),+
                }
            }
        }
    };
}

c_real!(
    f64,
    [Native, jacobi_native_f64_sweep, jacobi_native_f64_sweep_with_residual],
    [Avx2, jacobi_avx2_f64_sweep, jacobi_avx2_f64_sweep_with_residual]
);
c_real!(
    f32,
    [Native, jacobi_native_f32_sweep, jacobi_native_f32_sweep_with_residual],
    [Avx2, jacobi_avx2_f32_sweep, jacobi_avx2_f32_sweep_with_residual]
);

fn check<F>([rows, columns]: [usize; 2], current: &[F], next: &[F]) {
    let cells = (rows + 2) * (columns + 2);
    assert!(current.len() == cells && next.len() == cells, "arrays of another size");
}

/// A grid of all ones that C sweeps.
#[derive(Debug)]
pub struct CGrid<F> {
    functions: Functions<F>,
    size: [usize; 2],
    current: Vec<F>,
    next: Vec<F>,
}

impl<F: CReal> CGrid<F> {
    /// Interior rows and columns.
    pub fn new(vectors: Vectors, rows: usize, columns: usize) -> Self {
        let ones = vec![F::from_f64(1.0); (rows + 2) * (columns + 2)];
        let functions = F::functions(vectors);
        Self { functions, size: [rows, columns], current: ones.clone(), next: ones }
    }
}

impl<F: CReal> Contender for CGrid<F> {
    fn sweep(&mut self) {
        self.functions.sweep(self.size, &self.current, &mut self.next);
        mem::swap(&mut self.current, &mut self.next);
    }

    fn sweep_with_residual(&mut self) -> f64 {
        let sum = self.functions.sweep_with_residual(self.size, &self.current, &mut self.next);
        mem::swap(&mut self.current, &mut self.next);
        sum
    }
}

#[cfg(test)]
mod tests {
    use tresse_core::field::stencil::Kernel as _;

    use super::*;

    fn both_compute_the_same<F: CReal>(vectors: Vectors, tolerance: f64) {
        let Some(kernel) = vectors.kernel::<F>() else { return };
        let (rows, columns) = (37, 53);
        let layout = Layout::new(rows, columns).unwrap();
        let value = |row: usize, column: usize| F::from_f64(((row * 57 + column) as f64).sin());
        let dense: Vec<F> = (0..rows + 2)
            .flat_map(|row| (0..columns + 2).map(move |column| value(row, column)))
            .collect();
        let mut cells = vec![F::ZERO; layout.len()];
        let mut rows_of_ring = dense.chunks(columns + 2);
        layout.top_mut(&mut cells).copy_from_slice(&rows_of_ring.next().unwrap()[1..=columns]);
        for row in 0..rows {
            let ring = rows_of_ring.next().unwrap();
            layout.row_mut(&mut cells, row).copy_from_slice(&ring[1..=columns]);
            *layout.left_mut(&mut cells).nth(row).unwrap() = ring[0];
            *layout.right_mut(&mut cells).nth(row).unwrap() = ring[columns + 1];
        }
        layout.bottom_mut(&mut cells).copy_from_slice(&rows_of_ring.next().unwrap()[1..=columns]);
        let (mut swept, mut dense_next) = (layout, dense.clone());
        let ours = kernel.sweep_with_residual(&mut swept, Terms::NONE, &mut cells);
        let c = F::functions(vectors);
        let theirs = c.sweep_with_residual([rows, columns], &dense, &mut dense_next);
        assert!((ours - theirs).abs() <= tolerance * theirs, "{ours} {theirs}");
        for (row, ring) in dense_next.chunks(columns + 2).skip(1).take(rows).enumerate() {
            assert_eq!(swept.row(&cells, row), &ring[1..=columns]);
        }
    }

    #[test]
    fn c_and_rust_compute_the_same() {
        for vectors in [Vectors::Native, Vectors::Avx2] {
            both_compute_the_same::<f64>(vectors, 1e-12);
            both_compute_the_same::<f32>(vectors, 1e-5);
        }
    }
}
