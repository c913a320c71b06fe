//! Scales a field to the size of a picture.

use tresse_core::run::GridSize;

/// Greatest number of blocks on the longer side of a picture.
const MOST: usize = 1600;
/// Least number of pixels on the longer side of a picture.
const LEAST: usize = 600;
/// Least number of pixels on the shorter side, for a field that is only a strip.
const STRIP: usize = 40;

/// Means over square blocks of cells, with the number of pixels of each block.
#[derive(Clone, Debug)]
pub struct Scaled {
    /// Size of the field in cells.
    pub(super) grid: GridSize,
    /// Number of cells on each side of a block.
    pub(super) block: usize,
    /// Number of blocks from top to bottom.
    pub(super) rows: usize,
    /// Number of blocks from left to right.
    pub(super) columns: usize,
    /// Number of pixels of a block from top to bottom.
    pub(super) row_zoom: usize,
    /// Number of pixels of a block from left to right.
    pub(super) column_zoom: usize,
    /// Mean of each block's finite cells, row after row; NaN for a block without any.
    pub(super) means: Vec<f64>,
    /// Least and greatest finite cell, if there is any.
    pub(super) range: Option<(f64, f64)>,
}

/// A field that is being scaled to the size of a picture, row after row.
#[derive(Clone, Debug)]
pub struct Scaling {
    grid: GridSize,
    block: usize,
    /// Number of rows that have been added.
    added: usize,
    /// Sum and number of the finite cells in each block of the band that is being averaged.
    sums: Vec<(f64, u32)>,
    means: Vec<f64>,
    range: Option<(f64, f64)>,
}

impl Scaling {
    /// Begins to scale a field of `grid`, neither side of which is 0.
    pub fn new(grid: GridSize) -> Self {
        let block = grid.rows.max(grid.columns).div_ceil(MOST).max(1);
        let sums = vec![(0.0, 0); grid.columns.div_ceil(block)];
        Self { grid, block, added: 0, sums, means: Vec::new(), range: None }
    }

    /// Adds the next row.
    pub fn add_row<T: Copy + Into<f64>>(&mut self, row: &[T]) {
        for (cells, (sum, count)) in row.chunks(self.block).zip(&mut self.sums) {
            for cell in cells.iter().map(|&cell| cell.into()).filter(|cell| cell.is_finite()) {
                *sum += cell;
                *count += 1;
                let (least, most) = self.range.unwrap_or((cell, cell));
                self.range = Some((cell.min(least), cell.max(most)));
            }
        }
        self.added += 1;
        if self.added.is_multiple_of(self.block) || self.added == self.grid.rows {
            // 0 ÷ 0 is the NaN that is wanted.
            let blocks = self.sums.iter_mut().map(std::mem::take);
            self.means.extend(blocks.map(|(sum, count)| sum / f64::from(count)));
        }
    }

    /// Returns the means, when all rows have been added.
    pub fn finish(self) -> Scaled {
        let GridSize { rows, columns } = self.grid;
        let (rows, columns) = (rows.div_ceil(self.block), columns.div_ceil(self.block));
        let zoom = LEAST.div_ceil(rows.max(columns).max(1));
        Scaled {
            grid: self.grid,
            block: self.block,
            rows,
            columns,
            row_zoom: zoom.max(STRIP.div_ceil(rows.max(1))),
            column_zoom: zoom.max(STRIP.div_ceil(columns.max(1))),
            means: self.means,
            range: self.range,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_means_of_finite_cells() {
        let cells = [1.0, 3.0, 10.0, f64::NAN, 5.0, f64::INFINITY, -7.0, f64::NAN, f64::NAN];
        let mut scaling = Scaling::new(GridSize { rows: 3, columns: 3 });
        scaling.block = 2;
        scaling.sums.truncate(2);
        cells.chunks(3).for_each(|row| scaling.add_row(row));
        let Scaled { means, range, .. } = scaling.finish();
        assert_eq!(means[..3], [3.0, 10.0, -7.0]);
        assert!(means[3].is_nan());
        assert_eq!(range, Some((-7.0, 10.0)));
    }

    #[test]
    fn sizes_are_fit_for_a_screen() {
        let size = |rows, columns| {
            let cells = vec![0.0_f32; rows * columns];
            let mut scaling = Scaling::new(GridSize { rows, columns });
            cells.chunks(columns).for_each(|row| scaling.add_row(row));
            let scaled = scaling.finish();
            assert_eq!(scaled.means.len(), scaled.rows * scaled.columns);
            (scaled.rows * scaled.row_zoom, scaled.columns * scaled.column_zoom)
        };
        assert_eq!(size(3, 2), (600, 400));
        assert_eq!(size(1600, 700), (1600, 700));
        assert_eq!(size(1601, 1500), (801, 750));
        assert_eq!(size(1, 100_000), (40, 1588));
    }
}
