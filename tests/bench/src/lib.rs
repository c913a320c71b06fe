//! The C competitor of the kernel (`benches/jacobi.c`), with its own grid, as a contender beside
//! `BareGrid`.
#![cfg(feature = "c-kernel")]
#![expect(unsafe_code, reason = "calls C")]

use std::mem;

use tresse::engine::kernel::Kernel;
use tresse::experiments::bench::BareGrid;
use tresse_core::stencil::{Layout, Real};

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

/// Our best kernel with a grid of all ones.
///
/// # Panics
/// Without memory for it.
#[expect(clippy::expect_used, reason = "a bench has nobody to tell")]
pub fn ours<F: Real>(rows: usize, columns: usize) -> BareGrid<F> {
    let layout = Layout::new(rows, columns).expect("a size that can be addressed");
    BareGrid::new(Kernel::best(), layout).expect("memory")
}

/// The functions of `jacobi.c` for one type of cell, and that they are only called with arrays as
/// long as they expect.
pub trait CReal: Real {
    /// Sweeps from `current` to `next`, both of which have (rows + 2) × (columns + 2) cells.
    fn sweep(size: [usize; 2], current: &[Self], next: &mut [Self]);

    /// Sweeps from `current` to `next`, and returns the residual's sum of squares.
    fn sweep_with_residual(size: [usize; 2], current: &[Self], next: &mut [Self]) -> f64;
}

macro_rules! c_real {
    ($real:ident, $sweep:ident, $sweep_with_residual:ident) => {
        unsafe extern "C" {
            fn $sweep(rows: usize, columns: usize, current: *const $real, next: *mut $real);
            fn $sweep_with_residual(
                rows: usize,
                columns: usize,
                current: *const $real,
                next: *mut $real,
            ) -> f64;
        }

        impl CReal for $real {
            fn sweep(size: [usize; 2], current: &[Self], next: &mut [Self]) {
                check(size, current, next);
                // SAFETY: both arrays are as long as C reads and writes; `next` is borrowed alone.
                unsafe { $sweep(size[0], size[1], current.as_ptr(), next.as_mut_ptr()) }
            }

            fn sweep_with_residual(size: [usize; 2], current: &[Self], next: &mut [Self]) -> f64 {
                check(size, current, next);
                // SAFETY: both arrays are as long as C reads and writes; `next` is borrowed alone.
                unsafe {
                    $sweep_with_residual(size[0], size[1], current.as_ptr(), next.as_mut_ptr())
                }
            }
        }
    };
}

c_real!(f64, jacobi_f64_sweep, jacobi_f64_sweep_with_residual);
c_real!(f32, jacobi_f32_sweep, jacobi_f32_sweep_with_residual);

fn check<F>([rows, columns]: [usize; 2], current: &[F], next: &[F]) {
    let cells = (rows + 2) * (columns + 2);
    assert!(current.len() == cells && next.len() == cells, "arrays of another size");
}

/// A grid of all ones that C sweeps.
#[derive(Debug)]
pub struct CGrid<F> {
    size: [usize; 2],
    current: Vec<F>,
    next: Vec<F>,
}

impl<F: CReal> CGrid<F> {
    /// Interior rows and columns.
    pub fn new(rows: usize, columns: usize) -> Self {
        let ones = vec![F::from_f64(1.0); (rows + 2) * (columns + 2)];
        Self { size: [rows, columns], current: ones.clone(), next: ones }
    }
}

impl<F: CReal> Contender for CGrid<F> {
    fn sweep(&mut self) {
        F::sweep(self.size, &self.current, &mut self.next);
        mem::swap(&mut self.current, &mut self.next);
    }

    fn sweep_with_residual(&mut self) -> f64 {
        let sum = F::sweep_with_residual(self.size, &self.current, &mut self.next);
        mem::swap(&mut self.current, &mut self.next);
        sum
    }
}

#[cfg(test)]
mod tests {
    use tresse_core::stencil::Kernel as _;

    use super::*;

    fn both_compute_the_same<F: CReal>(tolerance: f64) {
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
            layout.row_mut(&mut cells, row).unwrap().copy_from_slice(&ring[1..=columns]);
            *layout.left_mut(&mut cells).nth(row).unwrap() = ring[0];
            *layout.right_mut(&mut cells).nth(row).unwrap() = ring[columns + 1];
        }
        layout.bottom_mut(&mut cells).copy_from_slice(&rows_of_ring.next().unwrap()[1..=columns]);
        let (mut swept, mut dense_next) = (layout, dense.clone());
        let ours = Kernel::best().sweep_with_residual(&mut swept, None, &mut cells);
        let theirs = F::sweep_with_residual([rows, columns], &dense, &mut dense_next);
        assert!((ours - theirs).abs() <= tolerance * theirs, "{ours} {theirs}");
        for (row, ring) in dense_next.chunks(columns + 2).skip(1).take(rows).enumerate() {
            assert_eq!(swept.row(&cells, row).unwrap(), &ring[1..=columns]);
        }
    }

    #[test]
    fn c_and_rust_compute_the_same() {
        both_compute_the_same::<f64>(1e-12);
        both_compute_the_same::<f32>(1e-5);
    }
}
