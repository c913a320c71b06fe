//! The separate residual that ends a run, not that of the cycles' pass: in double precision,
//! whatever the type of a cell, of the cells as they are.

use super::finest::{Fixed, row_of};
use super::hierarchy::Level;
use super::rows::{LANES, squares_onto};
use crate::base::bug::stop;
use crate::base::real::Real;

/// Cells whose residuals are calculated before they are squared: a multiple of the lanes of the
/// sum.
const BLOCK: usize = 512;

/// Returns the sum of squares of the residual of one row of the finest level,
/// `(above + below) + (left + right) + h²f − 4 · centre`. `cells` are those of the whole grid.
#[inline(always)]
pub fn residual_squares<F: Real>(
    level: Level,
    row: usize,
    cells: &[F],
    fixed: Fixed<'_, F>,
) -> f64 {
    let (rows, columns) = (level.rows.cells(), level.columns.cells());
    let stored = |row: usize| row_of(cells, row, columns);
    let [top, bottom] = fixed.top_and_bottom;
    let above = row.checked_sub(1).map_or(Some(top), stored);
    let below = if row + 1 < rows { stored(row + 1) } else { Some(bottom) };
    let (Some(above), Some(centre), Some(below)) = (above, stored(row), below) else {
        stop("a residual is of fewer rows than the grid");
    };
    let (ends, source) = (fixed.ends(row), fixed.source_row(row, columns));
    let mut lanes = [0.0; LANES];
    let mut buffer = [0.0; BLOCK];
    for start in (0..columns).step_by(BLOCK) {
        let target = buffer.get_mut(..BLOCK.min(columns - start)).unwrap_or_default();
        horizontal(target, centre, start, ends);
        for (target, (above, below)) in
            target.iter_mut().zip(from(above, start).iter().zip(from(below, start)))
        {
            *target += above.to_f64() + below.to_f64();
        }
        for (target, source) in
            target.iter_mut().zip(source.map(|source| from(source, start)).unwrap_or_default())
        {
            *target += source.to_f64();
        }
        for (target, centre) in target.iter_mut().zip(from(centre, start)) {
            *target -= 4.0 * centre.to_f64();
        }
        squares_onto(&mut lanes, target);
    }
    lanes.iter().sum()
}

/// Returns the rest of a row from `start` on.
fn from<F>(row: &[F], start: usize) -> &[F] {
    row.get(start..).unwrap_or_default()
}

/// Writes the sums of the neighbours to the left and to the right of the cells from `start` on.
#[inline(always)]
fn horizontal<F: Real>(target: &mut [f64], centre: &[F], start: usize, [left, right]: [F; 2]) {
    let before = start.checked_sub(1).and_then(|before| centre.get(before)).unwrap_or(&left);
    if let Some((first, others)) = target.split_first_mut() {
        *first = before.to_f64();
        let lefts = centre.get(start..).unwrap_or_default();
        others.iter_mut().zip(lefts).for_each(|(target, left)| *target = left.to_f64());
    }
    let rights = centre.get(start + 1..).unwrap_or_default();
    target.iter_mut().zip(rights).for_each(|(target, right)| *target += right.to_f64());
    // The last cell of the row has the boundary to its right.
    if let Some(last) = target.get_mut(rights.len()) {
        *last += right.to_f64();
    }
}

/// Returns the sum of the sums of all rows, in their order: the same for any number of bands.
pub fn total(rows: &[f64]) -> f64 {
    rows.iter().sum()
}
