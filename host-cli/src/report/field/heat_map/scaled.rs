//! A field at the size of a picture.

use super::super::{Cells, FieldView};
use crate::report::statistics::extremes;

/// Blocks on the longer side of the largest picture.
const MOST: usize = 1600;
/// Pixels on the longer side of the smallest picture.
const LEAST: usize = 600;
/// Pixels on the shorter side, where the field is only a strip.
const STRIP: usize = 40;

/// Means over square blocks of cells, and how many pixels each is to have.
pub(super) struct Scaled {
    /// Cells on each side of a block.
    pub block: usize,
    /// Blocks from top to bottom.
    pub rows: usize,
    /// Blocks from left to right.
    pub columns: usize,
    /// Pixels of a block from top to bottom.
    pub row_zoom: usize,
    /// Pixels of a block from left to right.
    pub column_zoom: usize,
    /// The mean of each block's finite cells, row after row; NaN where it has none.
    pub means: Vec<f64>,
    /// Least and greatest finite cell, if there is any.
    pub range: Option<(f64, f64)>,
}

impl Scaled {
    /// Averages the field down, in one pass and without a copy of it.
    pub fn of(field: FieldView<'_>) -> Self {
        let block = field.rows.max(field.columns).div_ceil(MOST).max(1);
        let (rows, columns) = (field.rows.div_ceil(block), field.columns.div_ceil(block));
        let zoom = LEAST.div_ceil(rows.max(columns).max(1));
        let (means, range) = match field.cells {
            Cells::F32(cells) => average(cells, field.columns, block),
            Cells::F64(cells) => average(cells, field.columns, block),
        };
        Self {
            block,
            rows,
            columns,
            row_zoom: zoom.max(STRIP.div_ceil(rows.max(1))),
            column_zoom: zoom.max(STRIP.div_ceil(columns.max(1))),
            means,
            range,
        }
    }
}

/// The means of all blocks, and the extremes of all cells.
fn average<T: Copy + Into<f64>>(
    cells: &[T],
    columns: usize,
    block: usize,
) -> (Vec<f64>, Option<(f64, f64)>) {
    let mut means = Vec::new();
    let mut ends = Vec::new();
    for band in cells.chunks(columns.saturating_mul(block).max(1)) {
        let mut sums = vec![(0.0, 0_u32); columns.div_ceil(block)];
        for row in band.chunks(columns.max(1)) {
            for (cells, (sum, count)) in row.chunks(block).zip(&mut sums) {
                for cell in cells.iter().map(|&cell| cell.into()).filter(|c| c.is_finite()) {
                    *sum += cell;
                    *count += 1;
                }
            }
        }
        // 0 ÷ 0 is the NaN that is wanted.
        means.extend(sums.into_iter().map(|(sum, count)| sum / f64::from(count)));
        let found = extremes(band.iter().map(|&cell| cell.into()));
        ends.extend(found.into_iter().flat_map(<[f64; 2]>::from));
    }
    (means, extremes(ends))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_means_of_finite_cells() {
        let cells = [1.0, 3.0, 10.0, f64::NAN, 5.0, f64::INFINITY, -7.0, f64::NAN, f64::NAN];
        let (means, range) = average(&cells, 3, 2);
        assert_eq!(means[..3], [3.0, 10.0, -7.0]);
        assert!(means[3].is_nan());
        assert_eq!(range, Some((-7.0, 10.0)));
    }

    #[test]
    fn sizes_are_fit_for_a_screen() {
        let size = |rows, columns| {
            let cells = vec![0.0_f32; rows * columns];
            let scaled = Scaled::of(FieldView::new(rows, columns, &cells[..]).unwrap());
            assert_eq!(scaled.means.len(), scaled.rows * scaled.columns);
            (scaled.rows * scaled.row_zoom, scaled.columns * scaled.column_zoom)
        };
        assert_eq!(size(3, 2), (600, 400));
        assert_eq!(size(1600, 700), (1600, 700));
        assert_eq!(size(1601, 1500), (801, 750));
        assert_eq!(size(1, 100_000), (40, 1588));
    }
}
