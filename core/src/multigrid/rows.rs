//! What is done to one row, as plain functions that a host compiles again for wider vectors.
//!
//! They must stay functions of their own, with the slices as parameters, where a host compiles
//! them: only so does the compiler know that the row that is written overlaps none that is read.

use crate::base::real::Real;

/// Lanes of a sum of squares: cell `i` of a row goes to lane `i % LANES`, and lanes are added in
/// order.
pub(super) const LANES: usize = 16;

/// Makes one step of damped Jacobi on a row: each cell becomes `centre + scale · ((above + below) +
/// (left + right) + rhs − 4 · centre)`, in this order, where `scale` is the step's weight ÷ the
/// diagonal.
///
/// `target` holds the row above before and the new row after; `centre` has a ghost cell at each
/// end.
/// The cells at the ends may have another diagonal: the caller replaces them.
#[inline(always)]
pub fn smooth_row<F: Real>(
    target: &mut [F],
    centre: &[F],
    below: &[F],
    rhs: Option<&[F]>,
    scale: F,
) {
    each_cell(target, centre, below, rhs, |centre, residual| centre + scale * residual);
}

/// Computes the residual of a row: each cell becomes `(above + below) + (left + right) + rhs − 4 ·
/// centre`, in this order; rows as in [`smooth_row`].
#[inline(always)]
pub fn residual_row<F: Real>(target: &mut [F], centre: &[F], below: &[F], rhs: Option<&[F]>) {
    each_cell(target, centre, below, rhs, |_, residual| residual);
}

/// Writes `value(centre, residual)` into each cell of a row. `target` holds the row above before;
/// `centre` has one ghost cell at each end.
#[inline(always)]
fn each_cell<F: Real>(
    target: &mut [F],
    centre: &[F],
    below: &[F],
    rhs: Option<&[F]>,
    value: impl Fn(F, F) -> F,
) {
    debug_assert!(
        centre.len() == target.len() + 2 && below.len() == target.len(),
        "rows that are smoothed together have different lengths"
    );
    debug_assert!(
        rhs.is_none_or(|rhs| rhs.len() == target.len()),
        "a row has another length than its right-hand side"
    );
    let (middle, right) =
        (centre.get(1..).unwrap_or_default(), centre.get(2..).unwrap_or_default());
    let around = below.iter().zip(centre.iter().zip(middle.iter().zip(right)));
    match rhs {
        None => {
            for (target, (below, (left, (centre, right)))) in target.iter_mut().zip(around) {
                let neighbours = (*target + *below) + (*left + *right);
                *target = value(*centre, neighbours - F::FOUR * *centre);
            }
        }
        Some(rhs) => {
            for ((target, (below, (left, (centre, right)))), rhs) in
                target.iter_mut().zip(around).zip(rhs)
            {
                let neighbours = (*target + *below) + (*left + *right);
                *target = value(*centre, neighbours + *rhs - F::FOUR * *centre);
            }
        }
    }
}

/// Interpolates between two rows of a coarser level: ¾ of the nearer one and ¼ of the farther one.
#[inline(always)]
pub fn blend_rows<F: Real>(target: &mut [F], near: &[F], far: &[F]) {
    let three_quarters = F::from_f64(0.75);
    for (target, (near, far)) in target.iter_mut().zip(near.iter().zip(far)) {
        *target = three_quarters * *near + F::QUARTER * *far;
    }
}

/// Interpolates a row between the cells of `blended`, a coarser row with one cell more at each end:
/// each cell becomes ¾ of the nearer one and ¼ of the farther one, added to that of `base`, a row
/// as long, where there is one.
#[inline(always)]
pub fn interpolate_row<F: Real>(target: &mut [F], base: Option<&[F]>, blended: &[F]) {
    let three_quarters = F::from_f64(0.75);
    let between = |near: F, far: F| three_quarters * near + F::QUARTER * far;
    let (centre, right) =
        (blended.get(1..).unwrap_or_default(), blended.get(2..).unwrap_or_default());
    debug_assert!(
        base.is_none_or(|base| base.len() == target.len()),
        "a row is added to another length"
    );
    let whole = target.len() / 2;
    let around = blended.iter().zip(centre).zip(right);
    let (pairs, rest) = target.as_chunks_mut::<2>();
    let last = (rest.first_mut(), centre.get(whole), blended.get(whole));
    match base {
        None => {
            for (pair, ((left, centre), right)) in pairs.iter_mut().zip(around) {
                *pair = [between(*centre, *left), between(*centre, *right)];
            }
            if let (Some(last), Some(near), Some(far)) = last {
                *last = between(*near, *far);
            }
        }
        Some(base) => {
            let (bases, base_rest) = base.as_chunks::<2>();
            for ((pair, [even, odd]), ((left, centre), right)) in
                pairs.iter_mut().zip(bases).zip(around)
            {
                *pair = [*even + between(*centre, *left), *odd + between(*centre, *right)];
            }
            if let (Some(last), Some(near), Some(far)) = last {
                *last = base_rest.first().copied().unwrap_or_default() + between(*near, *far);
            }
        }
    }
}

/// Adds the sum of each pair of cells of `fine` to its cell of `coarse`. A last cell without a
/// partner is added alone, or left out where there is no coarser cell.
#[inline(always)]
pub fn add_pairs<F: Real>(coarse: &mut [F], fine: &[F]) {
    let (pairs, rest) = fine.as_chunks::<2>();
    for (coarse, [even, odd]) in coarse.iter_mut().zip(pairs) {
        *coarse += *even + *odd;
    }
    if let ([last], Some(coarse)) = (rest, coarse.get_mut(pairs.len())) {
        *coarse += *last;
    }
}

/// Returns the sum of squares of a row, in double precision.
#[inline(always)]
pub fn squares<F: Real>(row: &[F]) -> f64 {
    let mut lanes = [0.0; LANES];
    squares_onto(&mut lanes, row);
    lanes.iter().sum()
}

/// Adds the squares of a row to the lanes of a sum. A part of a row must begin at a multiple of the
/// lanes.
#[inline(always)]
pub(super) fn squares_onto<F: Real>(lanes: &mut [f64; LANES], row: &[F]) {
    let (whole, rest) = row.as_chunks::<LANES>();
    for values in whole {
        for (lane, value) in lanes.iter_mut().zip(values) {
            let value = value.to_f64();
            *lane += value * value;
        }
    }
    for (lane, value) in lanes.iter_mut().zip(rest) {
        let value = value.to_f64();
        *lane += value * value;
    }
}
