//! One row of a sweep: what a host compiles again for wider vectors.
//!
//! A sweep writes new cells over the row beyond, which is the last place where that row's old
//! cells are needed: `target` holds the old cells above (or below) before, the new cells after.
//! `centre` is the row itself with one halo cell at each end, `other` the row on the other side.
//!
//! These functions must stay functions of their own, with the four slices as parameters, where a
//! host compiles them: only so does the compiler know that `target` overlaps none of the others.

use super::real::Real;
use super::residual::{BLOCK, LANES, SumOfSquares};

/// Relaxes a row: `((target + other) + (left + right) + source) * 0.25` in this order.
#[inline(always)]
pub fn relax_row<F: Real>(target: &mut [F], centre: &[F], other: &[F], source: Option<&[F]>) {
    let right = centre.get(2..).unwrap_or_default();
    let around = other.iter().zip(centre.iter().zip(right));
    match source {
        None => {
            for (target, (other, (left, right))) in target.iter_mut().zip(around) {
                *target = ((*target + *other) + (*left + *right)) * F::QUARTER;
            }
        }
        Some(source) => {
            for ((target, (other, (left, right))), source) in
                target.iter_mut().zip(around).zip(source)
            {
                *target = ((*target + *other) + (*left + *right) + *source) * F::QUARTER;
            }
        }
    }
}

/// [`relax_row`], and adds the squares of the cells' changes to `changes`.
#[inline(always)]
pub fn relax_row_and_square<F: Real>(
    target: &mut [F],
    centre: &[F],
    other: &[F],
    source: Option<&[F]>,
    changes: &mut SumOfSquares,
) {
    let left = centre;
    let (centre, right) = (left.get(1..).unwrap_or_default(), left.get(2..).unwrap_or_default());
    let row = Row { left, centre, right, other, source };
    // Cutting would cost a short row a third of its speed.
    if target.len() <= BLOCK {
        return relax_block(target, row, changes);
    }
    let mut start = 0;
    for target in target.chunks_mut(BLOCK) {
        relax_block(target, row.from(start), changes);
        start += BLOCK;
    }
}

/// What is read of a row and of its other side; each as long as the target at least.
#[derive(Clone, Copy)]
struct Row<'a, F> {
    left: &'a [F],
    centre: &'a [F],
    right: &'a [F],
    other: &'a [F],
    source: Option<&'a [F]>,
}

impl<'a, F> Row<'a, F> {
    fn map(self, change: impl Fn(&'a [F]) -> &'a [F]) -> Self {
        Self {
            left: change(self.left),
            centre: change(self.centre),
            right: change(self.right),
            other: change(self.other),
            source: self.source.map(change),
        }
    }

    #[inline(always)]
    fn from(self, start: usize) -> Self {
        self.map(|cells| cells.get(start..).unwrap_or_default())
    }
}

/// At most [`BLOCK`] cells, whose squares are summed in `F`.
#[inline(always)]
fn relax_block<F: Real>(target: &mut [F], row: Row<'_, F>, changes: &mut SumOfSquares) {
    match row.source {
        None => relax_vectors::<F, false>(target, row, changes),
        Some(_) => relax_vectors::<F, true>(target, row, changes),
    }
}

/// Vector by vector; the compiler is told by `SOURCE` what a loop then need not ask again.
#[inline(always)]
fn relax_vectors<F: Real, const SOURCE: bool>(
    target: &mut [F],
    row: Row<'_, F>,
    changes: &mut SumOfSquares,
) {
    let left_over = target.len() % LANES;
    // Less than a vector is left over at the end: the last whole vector, of which only the new
    // cells count. It is computed first, while the old cells are there.
    let end = target.len();
    let whole = row.map(|cells| cells.get(..end).unwrap_or(cells));
    let Some(last) = last_vector::<F, SOURCE>(target, whole) else {
        return relax_few(target, row, changes);
    };
    let mut squares = [F::ZERO; LANES];
    let source = row.source.unwrap_or(row.centre);
    let vectors = target.as_chunks_mut().0.iter_mut();
    let sides = row.left.as_chunks().0.iter().zip(row.right.as_chunks().0);
    let middle = row.centre.as_chunks().0.iter().zip(source.as_chunks().0);
    for (((target, other), (left, right)), (centre, source)) in
        vectors.zip(row.other.as_chunks().0).zip(sides).zip(middle)
    {
        let source = SOURCE.then_some(source);
        *target = relaxed(target, other, left, right, source);
        squares = lanes(&squares, &squared_change(target, centre), |sum, new| sum + new);
    }
    if left_over > 0
        && let Some(target) = target.last_chunk_mut()
        && let Some(centre) = whole.centre.last_chunk()
    {
        *target = last;
        let mut new = squared_change(target, centre);
        for (lane, square) in new.iter_mut().enumerate() {
            *square = if lane < LANES - left_over { F::ZERO } else { *square };
        }
        squares = lanes(&squares, &new, |sum, new| sum + new);
    }
    changes.add(squares);
}

/// The new cells of the last whole vector; none where there is none.
#[inline(always)]
fn last_vector<F: Real, const SOURCE: bool>(target: &[F], row: Row<'_, F>) -> Option<[F; LANES]> {
    let source = if SOURCE { Some(row.source?.last_chunk()?) } else { None };
    let (left, right) = (row.left.last_chunk()?, row.right.last_chunk()?);
    Some(relaxed(target.last_chunk()?, row.other.last_chunk()?, left, right, source))
}

/// Fewer cells than there are lanes.
#[inline(always)]
fn relax_few<F: Real>(target: &mut [F], row: Row<'_, F>, changes: &mut SumOfSquares) {
    relax_row(target, row.left, row.other, row.source);
    let mut squares = [F::ZERO; LANES];
    for ((square, target), centre) in squares.iter_mut().zip(target).zip(row.centre) {
        let change = *target - *centre;
        *square = change * change;
    }
    changes.add(squares);
}

#[inline(always)]
fn relaxed<F: Real>(
    target: &[F; LANES],
    other: &[F; LANES],
    left: &[F; LANES],
    right: &[F; LANES],
    source: Option<&[F; LANES]>,
) -> [F; LANES] {
    let add = |one: F, other: F| one + other;
    let mut sums = lanes(&lanes(target, other, add), &lanes(left, right, add), add);
    if let Some(source) = source {
        sums = lanes(&sums, source, add);
    }
    sums.map(|sum| sum * F::QUARTER)
}

#[inline(always)]
fn squared_change<F: Real>(new: &[F; LANES], old: &[F; LANES]) -> [F; LANES] {
    let change = lanes(new, old, |new, old| new - old);
    lanes(&change, &change, |change, same| change * same)
}

/// `combine` in every lane.
#[inline(always)]
fn lanes<F: Real>(one: &[F; LANES], other: &[F; LANES], combine: impl Fn(F, F) -> F) -> [F; LANES] {
    let mut result = [F::ZERO; LANES];
    for ((result, one), other) in result.iter_mut().zip(one).zip(other) {
        *result = combine(*one, *other);
    }
    result
}
