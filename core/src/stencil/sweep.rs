//! One Jacobi sweep, alone or with the residual of what it read.

use super::layout::Layout;
use super::neighbourhood::Neighbourhood;
use super::real::Real;
use super::residual::{BLOCK, LANES, SumOfSquares};

/// Sets every interior cell of `next` to a quarter of (up + down + left + right + source) of
/// `current`; the ring of `next` stays as it is.
///
/// All slices have the same `layout`. `source` is the right-hand side f of −Δu = f, already
/// multiplied by the squared mesh width; none is zero. Each cell is evaluated as
/// `((up + down) + (left + right) + source) * 0.25`.
#[inline(always)]
pub fn sweep<F: Real>(layout: &Layout, source: Option<&[F]>, current: &[F], next: &mut [F]) {
    for (row, next) in Neighbourhood::rows(layout, source, current).zip(layout.rows_of_mut(next)) {
        relax(row, next);
    }
}

/// [`sweep`], and the sum of squares of the residual of `current` on the interior:
/// up + down + left + right + source − 4 · centre.
///
/// Squares are summed in `F` over at most 65 cells of a lane, then in double precision: the
/// relative error of the sum is below 1e-5 for single precision however large the grid is.
#[inline(always)]
pub fn sweep_with_residual<F: Real>(
    layout: &Layout,
    source: Option<&[F]>,
    current: &[F],
    next: &mut [F],
) -> f64 {
    let mut changes = SumOfSquares::default();
    for (row, next) in Neighbourhood::rows(layout, source, current).zip(layout.rows_of_mut(next)) {
        // Cutting would cost a short row a third of its speed.
        if next.len() <= BLOCK {
            relax_and_square(row, next, &mut changes);
        } else {
            for (block, next) in row.blocks::<BLOCK>().zip(next.chunks_mut(BLOCK)) {
                relax_and_square(block, next, &mut changes);
            }
        }
    }
    // A quarter is exact, so a change is a quarter of the residual to the bit (above the smallest
    // numbers).
    16.0 * changes.total()
}

#[inline(always)]
fn relax<F: Real>(row: Neighbourhood<&[F]>, next: &mut [F]) {
    let around = row.up.iter().zip(row.down).zip(row.left.iter().zip(row.right));
    let sums = around.map(|((up, down), (left, right))| (*up + *down) + (*left + *right));
    match row.source {
        None => {
            for (next, sum) in next.iter_mut().zip(sums) {
                *next = sum * F::QUARTER;
            }
        }
        Some(source) => {
            for ((next, sum), source) in next.iter_mut().zip(sums).zip(source) {
                *next = (sum + *source) * F::QUARTER;
            }
        }
    }
}

/// Relaxes at most [`BLOCK`] cells of a row and adds the squares of their changes.
#[inline(always)]
fn relax_and_square<F: Real>(
    block: Neighbourhood<&[F]>,
    next: &mut [F],
    changes: &mut SumOfSquares,
) {
    match block.source {
        None => relax_and_square_vectors::<F, false>(block, next, changes),
        Some(_) => relax_and_square_vectors::<F, true>(block, next, changes),
    }
}

/// [`relax_and_square`], vector by vector.
#[inline(always)]
fn relax_and_square_vectors<F: Real, const SOURCE: bool>(
    block: Neighbourhood<&[F]>,
    next: &mut [F],
    changes: &mut SumOfSquares,
) {
    let (Some(last), left_over) = (block.last_vector::<LANES>(), next.len() % LANES) else {
        return relax_and_square_few(block, next, changes);
    };
    let mut squares = [F::ZERO; LANES];
    for (vector, next) in block.vectors::<LANES, SOURCE>().zip(next.as_chunks_mut().0) {
        relax_vector(vector, next, &mut squares, 0);
    }
    // Less than a vector is left over: take the last whole one, and count only the new cells.
    if left_over > 0
        && let Some(next) = next.last_chunk_mut()
    {
        relax_vector(last, next, &mut squares, LANES - left_over);
    }
    changes.add(squares);
}

/// [`relax_and_square`] of fewer cells than there are lanes.
#[inline(always)]
fn relax_and_square_few<F: Real>(
    block: Neighbourhood<&[F]>,
    next: &mut [F],
    changes: &mut SumOfSquares,
) {
    relax(block, next);
    let mut squares = [F::ZERO; LANES];
    for ((square, next), centre) in squares.iter_mut().zip(next).zip(block.centre) {
        let change = *next - *centre;
        *square = change * change;
    }
    changes.add(squares);
}

/// Relaxes one vector, and adds the squares of the changes of the lanes from `first` on.
#[inline(always)]
fn relax_vector<F: Real>(
    vector: Neighbourhood<&[F; LANES]>,
    next: &mut [F; LANES],
    squares: &mut [F; LANES],
    first: usize,
) {
    let Neighbourhood { up, down, left, right, centre, source } = vector;
    let add = |left: F, right: F| left + right;
    let mut sums = lanes(&lanes(up, down, add), &lanes(left, right, add), add);
    if let Some(source) = source {
        sums = lanes(&sums, source, add);
    }
    let relaxed = sums.map(|sum| sum * F::QUARTER);
    *next = relaxed;
    let changes = lanes(&relaxed, centre, |relaxed, centre| relaxed - centre);
    let mut new = lanes(&changes, &changes, |change, same| change * same);
    for (lane, square) in new.iter_mut().enumerate() {
        *square = if lane < first { F::ZERO } else { *square };
    }
    *squares = lanes(squares, &new, add);
}

/// `combine` in every lane.
#[inline(always)]
fn lanes<F: Real>(
    left: &[F; LANES],
    right: &[F; LANES],
    combine: impl Fn(F, F) -> F,
) -> [F; LANES] {
    let mut result = [F::ZERO; LANES];
    for ((result, left), right) in result.iter_mut().zip(left).zip(right) {
        *result = combine(*left, *right);
    }
    result
}
