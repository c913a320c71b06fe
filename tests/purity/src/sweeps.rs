//! The sweep and the residual.

use tresse_core::stencil::{self, Layout, SumOfSquares};

#[inline(never)]
pub fn relax_row_f32(target: &mut [f32], centre: &[f32], other: &[f32], source: Option<&[f32]>) {
    stencil::relax_row(target, centre, other, source);
}

#[inline(never)]
pub fn relax_row_f64(target: &mut [f64], centre: &[f64], other: &[f64], source: Option<&[f64]>) {
    stencil::relax_row(target, centre, other, source);
}

#[inline(never)]
pub fn relax_row_and_square_f32(
    target: &mut [f32],
    centre: &[f32],
    other: &[f32],
    source: Option<&[f32]>,
    changes: &mut SumOfSquares,
) {
    stencil::relax_row_and_square(target, centre, other, source, changes);
}

#[inline(never)]
pub fn relax_row_and_square_f64(
    target: &mut [f64],
    centre: &[f64],
    other: &[f64],
    source: Option<&[f64]>,
    changes: &mut SumOfSquares,
) {
    stencil::relax_row_and_square(target, centre, other, source, changes);
}

#[inline(never)]
pub fn sweep_f32(layout: &mut Layout, source: Option<&[f32]>, cells: &mut [f32]) {
    stencil::sweep(layout, source, cells, relax_row_f32);
}

#[inline(never)]
pub fn sweep_f64(layout: &mut Layout, source: Option<&[f64]>, cells: &mut [f64]) {
    stencil::sweep(layout, source, cells, relax_row_f64);
}

#[inline(never)]
pub fn sweep_with_residual_f32(
    layout: &mut Layout,
    source: Option<&[f32]>,
    cells: &mut [f32],
) -> f64 {
    stencil::sweep_with_residual(layout, source, cells, relax_row_and_square_f32)
}

#[inline(never)]
pub fn sweep_with_residual_f64(
    layout: &mut Layout,
    source: Option<&[f64]>,
    cells: &mut [f64],
) -> f64 {
    stencil::sweep_with_residual(layout, source, cells, relax_row_and_square_f64)
}

#[inline(never)]
pub fn residual_f32(layout: &Layout, source: Option<&[f32]>, cells: &[f32]) -> f64 {
    stencil::residual_sum_of_squares(layout, source, cells)
}

#[inline(never)]
pub fn residual_f64(layout: &Layout, source: Option<&[f64]>, cells: &[f64]) -> f64 {
    stencil::residual_sum_of_squares(layout, source, cells)
}
