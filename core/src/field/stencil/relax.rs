//! One row of a sweep, which a host compiles again for wider vectors.
//!
//! A sweep writes new cells over the row beyond, which is the last place where that row's old
//! cells are needed: `target` holds the old cells above (or below) before, the new cells after.
//! `centre` is the row itself with one halo cell at each end, `other` the row on the other side.
//!
//! These functions must stay functions of their own, with the four slices as parameters, where a
//! host compiles them: only so does the compiler know that `target` overlaps none of the others.

use crate::base::real::Real;
use crate::base::table::At;

/// Relaxes a row onto the row beyond it: each cell becomes `((target + other) + (left + right) +
/// source) * 0.25` in this order. `target` holds the old row beyond before, and the new row after;
/// `centre` is the old row with a ghost cell at each end; `other` is the old row on the other side.
#[inline(always)]
pub fn relax_row<F: Real>(target: &mut [F], centre: &[F], other: &[F], source: Option<&[F]>) {
    debug_assert!(
        centre.len() == target.len() + 2 && other.len() == target.len(),
        "rows that are relaxed together have different lengths"
    );
    debug_assert!(
        source.is_none_or(|source| source.len() == target.len()),
        "a row has another length than its source"
    );
    let right = centre.stretch(2..);
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

/// Relaxes a row as [`relax_row`] does, but reads the old row beyond from `beyond` instead of
/// `target`: each cell becomes `((beyond + other) + (left + right) + source) * 0.25`.
#[inline(always)]
pub fn relax_row_into<F: Real>(
    target: &mut [F],
    beyond: &[F],
    centre: &[F],
    other: &[F],
    source: Option<&[F]>,
) {
    debug_assert!(
        centre.len() == target.len() + 2
            && other.len() == target.len()
            && beyond.len() == target.len(),
        "rows that are relaxed together have different lengths"
    );
    let right = centre.stretch(2..);
    let around = beyond.iter().zip(other).zip(centre.iter().zip(right));
    match source {
        None => {
            for (target, ((beyond, other), (left, right))) in target.iter_mut().zip(around) {
                *target = ((*beyond + *other) + (*left + *right)) * F::QUARTER;
            }
        }
        Some(source) => {
            for ((target, ((beyond, other), (left, right))), source) in
                target.iter_mut().zip(around).zip(source)
            {
                *target = ((*beyond + *other) + (*left + *right) + *source) * F::QUARTER;
            }
        }
    }
}
