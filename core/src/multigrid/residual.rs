//! The residual that ends a run, apart from the pass that the visits make: in double precision, whatever the
//! type of a cell, of the cells as they are.

use super::finest::{Fixed, row_of};
use super::hierarchy::Level;
use crate::bug::OrBug;
use crate::real::Real;

/// Lanes of a sum of squares.
const LANES: usize = 16;

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
    let around = (above, stored(row), below, fixed.ends(row));
    let (Some(above), Some(centre), Some(below), Some([left, right])) = around else {
        false.or_bug("a residual is of fewer rows than the grid");
        return 0.0;
    };
    let source = fixed.source_row(row, columns).unwrap_or_default();
    let lefts = [left].into_iter().chain(centre.iter().copied());
    let rights = centre.iter().copied().skip(1).chain([right]);
    let sources = source.iter().copied().map(F::to_f64).chain(core::iter::repeat(0.0));
    let mut lanes = [0.0; LANES];
    let cells = above.iter().zip(below).zip(lefts.zip(rights)).zip(centre.iter().zip(sources));
    for (index, (((above, below), (left, right)), (centre, source))) in cells.enumerate() {
        let neighbours = (above.to_f64() + below.to_f64()) + (left.to_f64() + right.to_f64());
        let residual = neighbours + source - 4.0 * centre.to_f64();
        if let Some(lane) = lanes.get_mut(index % LANES) {
            *lane += residual * residual;
        }
    }
    lanes.iter().sum()
}

/// Returns the sum of the sums of all rows, in their order: the same for any number of bands.
pub fn total(rows: &[f64]) -> f64 {
    rows.iter().sum()
}
