//! One row of a sweep together with its share of the residual, in one pass.
//!
//! Cells are taken [`LANES`] at a time, as one vector or several, and squares are summed lane by
//! lane: cell `i` of a block of [`BLOCK`] cells goes to lane `i % LANES`, whatever the width of the
//! vectors.

use core::hint::black_box;

use super::relax::relax_row;
use super::sum::{BLOCK, LANES, SumOfSquares};
use crate::base::real::Real;
use crate::base::table::At;

/// One number a lane.
type Lanes<F> = [F; LANES];

/// Numbers aligned to a cache line, so that no vector of them straddles two.
#[repr(align(64))]
struct InLines<T>(T);

/// Relaxes a row as [`relax_row`] does, and adds the squares of the cells' changes to `changes`; a
/// change is a quarter of the residual.
#[inline(always)]
pub fn relax_row_and_square<F: Real>(
    target: &mut [F],
    centre: &[F],
    other: &[F],
    source: Option<&[F]>,
    changes: &mut SumOfSquares,
) {
    for (index, target) in target.chunks_mut(BLOCK).enumerate() {
        let around = Around::block(index * BLOCK, target.len(), centre, other, source);
        if target.len() < LANES {
            relax_row(target, around.centre, around.other, around.source);
            changes.add_change_of_each(target, around.old);
            continue;
        }
        // Told apart here, the two are loops without a branch.
        let squares = match around.source {
            None => relax_block(target, &Around { source: None, ..around }),
            Some(source) => relax_block(target, &Around { source: Some(source), ..around }),
        };
        // What becomes of the lanes next is done in double precision, so with fewer lanes a vector:
        // the compiler, if it saw that, would take as few of `f32` in the loop.
        changes.add(&black_box(&InLines(squares)).0);
    }
}

/// The rows from which a block is relaxed; as long as the block, but for `centre`, which has a
/// ghost cell more at each end.
#[derive(Clone, Copy)]
struct Around<'a, F> {
    centre: &'a [F],
    left: &'a [F],
    old: &'a [F],
    right: &'a [F],
    other: &'a [F],
    source: Option<&'a [F]>,
}

impl<'a, F> Around<'a, F> {
    /// Returns the rows of a block of `cells` cells that begins at cell `start`.
    #[inline(always)]
    fn block(
        start: usize,
        cells: usize,
        centre: &'a [F],
        other: &'a [F],
        source: Option<&'a [F]>,
    ) -> Self {
        let cut = |row: &'a [F], start: usize| row.stretch(start..).stretch(..cells);
        Self {
            centre: centre.stretch(start..).stretch(..cells + 2),
            left: cut(centre, start),
            old: cut(centre, start + 1),
            right: cut(centre, start + 2),
            other: cut(other, start),
            source: source.map(|source| cut(source, start)),
        }
    }

    /// Returns the last [`LANES`] cells of the block; none where it has fewer.
    #[inline(always)]
    fn last(&self) -> Option<Cells<'a, F>> {
        Some(Cells {
            left: self.left.last_chunk()?,
            old: self.old.last_chunk()?,
            right: self.right.last_chunk()?,
            other: self.other.last_chunk()?,
            source: match self.source {
                Some(source) => Some(source.last_chunk()?),
                None => None,
            },
        })
    }
}

/// The cells from which [`LANES`] adjacent cells are relaxed.
struct Cells<'a, F> {
    left: &'a Lanes<F>,
    old: &'a Lanes<F>,
    right: &'a Lanes<F>,
    other: &'a Lanes<F>,
    source: Option<&'a Lanes<F>>,
}

impl<F: Real> Cells<'_, F> {
    /// Relaxes `target` in the order of [`relax_row`], and returns the change of each cell.
    #[inline(always)]
    fn relax(&self, target: &mut Lanes<F>) -> Lanes<F> {
        let vertical = combine_lanes(target, self.other, |target, other| target + other);
        let horizontal = combine_lanes(self.left, self.right, |left, right| left + right);
        let mut sum =
            combine_lanes(&vertical, &horizontal, |vertical, horizontal| vertical + horizontal);
        if let Some(source) = self.source {
            sum = combine_lanes(&sum, source, |sum, source| sum + source);
        }
        *target = sum.map(|sum| sum * F::QUARTER);
        combine_lanes(target, self.old, |new, old| new - old)
    }
}

/// Relaxes a block of at least [`LANES`] cells; returns, by lane, the sums of the squares of the
/// changes.
///
/// The last [`LANES`] cells, which include what is left over, are relaxed as one vector before the
/// loop overwrites some of them. That avoids a loop over single cells.
#[inline(always)]
fn relax_block<F: Real>(target: &mut [F], around: &Around<'_, F>) -> Lanes<F> {
    let rest = target.len() % LANES;
    if rest == 0 {
        return relax_whole_lanes(target, around);
    }
    let (Some(last), Some(cells)) = (target.last_chunk(), around.last()) else {
        return [F::ZERO; LANES];
    };
    let mut last = *last;
    // The changes of the last cells, the left-over ones at the end; then nothing.
    let mut changes = InLines([F::ZERO; 2 * LANES]);
    if let Some(of_last) = changes.0.first_chunk_mut() {
        *of_last = cells.relax(&mut last);
    }
    let mut squares = relax_whole_lanes(target, around);
    let left_over = changes.0.get(LANES - rest..).and_then(|changes| changes.first_chunk());
    if let (Some(left_over), Some(place)) = (left_over, target.last_chunk_mut()) {
        squares = combine_lanes(&squares, left_over, add_square);
        *place = last;
    }
    squares
}

/// Relaxes the cells of a block that fill whole vectors of [`LANES`]; returns, by lane, the sums of
/// the squares of their changes.
#[inline(always)]
fn relax_whole_lanes<F: Real>(target: &mut [F], around: &Around<'_, F>) -> Lanes<F> {
    let Around { left, old, right, other, source, .. } = around;
    let (target, _) = target.as_chunks_mut();
    let beside = whole_vectors(left)
        .zip(whole_vectors(old))
        .zip(whole_vectors(right))
        .zip(whole_vectors(other));
    match source {
        None => accumulate(
            target,
            beside.map(|(((left, old), right), other)| Cells {
                left,
                old,
                right,
                other,
                source: None,
            }),
        ),
        Some(source) => accumulate(
            target,
            beside.zip(whole_vectors(source)).map(|((((left, old), right), other), source)| {
                Cells { left, old, right, other, source: Some(source) }
            }),
        ),
    }
}

/// Returns the whole vectors of [`LANES`] cells in a row.
#[inline(always)]
fn whole_vectors<F>(row: &[F]) -> impl ExactSizeIterator<Item = &Lanes<F>> {
    row.as_chunks().0.iter()
}

/// Relaxes vectors of cells one by one; returns, by lane, the sums of the squares of their changes.
#[inline(always)]
fn accumulate<'a, F: Real>(
    target: &mut [Lanes<F>],
    cells: impl Iterator<Item = Cells<'a, F>>,
) -> Lanes<F> {
    let mut squares = [F::ZERO; LANES];
    for (target, cells) in target.iter_mut().zip(cells) {
        squares = combine_lanes(&squares, &cells.relax(target), add_square);
    }
    squares
}

/// Returns the sum with the square of a change added.
#[inline(always)]
fn add_square<F: Real>(sum: F, change: F) -> F {
    sum + change * change
}

/// Combines two vectors lane by lane.
#[inline(always)]
fn combine_lanes<F: Real>(
    one: &Lanes<F>,
    other: &Lanes<F>,
    combine: impl Fn(F, F) -> F,
) -> Lanes<F> {
    let mut result = [F::ZERO; LANES];
    for ((result, one), other) in result.iter_mut().zip(one).zip(other) {
        *result = combine(*one, *other);
    }
    result
}
