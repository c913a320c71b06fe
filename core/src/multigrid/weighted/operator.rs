//! Nine-point operators, and what is done to rows with them.
//!
//! An array of a level has a ring of zeros around its cells, row by row, so that no cell is a special case.

/// Rows and columns of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Its rows.
    pub rows: usize,
    /// Its columns.
    pub columns: usize,
}

impl Size {
    /// Returns the number of numbers from one row of an array to the next.
    pub const fn stride(self) -> usize {
        self.columns.saturating_add(2)
    }

    /// Returns the number of its cells.
    pub const fn cells(self) -> usize {
        self.rows.saturating_mul(self.columns)
    }

    /// Returns the number of numbers of an array.
    #[expect(clippy::len_without_is_empty, reason = "a level is never empty")]
    pub const fn len(self) -> usize {
        self.stride().saturating_mul(self.rows.saturating_add(2))
    }

    /// Whether this is the coarsest level: of at most `coarsest` cells, or of a single row or column.
    pub const fn is_coarsest(self, coarsest: usize) -> bool {
        self.rows < 2 || self.columns < 2 || self.cells() <= coarsest
    }

    /// Returns the cells from one of the next coarser level to the next, in a column and in a row: 2 where that level
    /// has every second one, the first left out; 1 where it has all.
    pub const fn steps(self, coarser: Self) -> [usize; 2] {
        let rows = if coarser.rows < self.rows { 2 } else { 1 };
        [rows, if coarser.columns < self.columns { 2 } else { 1 }]
    }
}

/// Returns the levels of a grid, the finest first, down to [the coarsest](Size::is_coarsest).
///
/// A level has every second cell of every second row of the one above. Where cells are `cell_ratio` times as high as
/// wide, and that is not about 1, only the direction with the shorter sides is coarsened, until it is: smoothing evens
/// nothing out along the longer sides, across which cells are hardly coupled.
pub fn sizes(finest: Size, cell_ratio: f64, coarsest: usize) -> impl Iterator<Item = Size> {
    // Couplings in columns over those in rows; a factor of 4 is one of 2 in the sides.
    let coupling = 1.0 / (cell_ratio * cell_ratio);
    let next = move |&(size, coupling): &(Size, f64)| {
        let Size { rows, columns } = size;
        let coarser = if coupling > 2.0 {
            (Size { rows: rows / 2, columns }, coupling / 4.0)
        } else if coupling < 0.5 {
            (Size { rows, columns: columns / 2 }, coupling * 4.0)
        } else {
            (Size { rows: rows / 2, columns: columns / 2 }, coupling)
        };
        (!size.is_coarsest(coarsest)).then_some(coarser)
    };
    core::iter::successors(Some((finest, coupling)), next).map(|(size, _)| size)
}

/// Returns a row of an array, the ring counted; empty beyond its end.
pub fn row_of(array: &[f64], size: Size, row: usize) -> &[f64] {
    let start = row.saturating_mul(size.stride());
    array.get(start..).and_then(|rows| rows.get(..size.stride())).unwrap_or_default()
}

/// A symmetric operator whose diagonal is `centre`; what else it has for two cells beside each other is minus their
/// coupling, which is stored with the first of them. Arrays as [`Size::len`] says.
#[derive(Clone, Copy, Debug)]
pub struct Operator<T> {
    /// The diagonal.
    pub centre: T,
    /// Coupling with the next cell of the row.
    pub right: T,
    /// Coupling with the cell of the next row and the column before.
    pub below_left: T,
    /// Coupling with the cell of the next row.
    pub below: T,
    /// Coupling with the cell of the next row and column.
    pub below_right: T,
}

/// What an operator has for a cell and those around it: its diagonal in the middle, couplings elsewhere.
pub type Around = [[f64; 3]; 3];

impl Operator<&[f64]> {
    /// Returns the diagonal and the couplings of the cell in this row and column, the ring counted; zeros outside.
    pub fn around(&self, size: Size, row: usize, column: usize) -> Around {
        let at = |array: &[f64], row: usize, column: usize| {
            row_of(array, size, row).get(column).copied().unwrap_or_default()
        };
        let (above, left) = (row.wrapping_sub(1), column.wrapping_sub(1));
        [
            [
                at(self.below_right, above, left),
                at(self.below, above, column),
                at(self.below_left, above, column + 1),
            ],
            [at(self.right, row, left), at(self.centre, row, column), at(self.right, row, column)],
            [
                at(self.below_left, row, column),
                at(self.below, row, column),
                at(self.below_right, row, column),
            ],
        ]
    }

    /// Writes the right-hand side minus the operator's product with `x` for a row, the ring counted: `target` is
    /// a row of an array.
    #[inline(always)]
    pub fn residual_row(&self, size: Size, row: usize, x: &[f64], rhs: &[f64], target: &mut [f64]) {
        let columns = size.columns;
        let Some(target) = target.get_mut(1..).and_then(|row| row.get_mut(..columns)) else {
            return;
        };
        let at = |array, row: usize, column: usize| {
            let cells: &[f64] = row_of(array, size, row);
            cells.get(column..).and_then(|row| row.get(..columns)).unwrap_or_default()
        };
        let [above, below] = [row.wrapping_sub(1), row + 1];
        let centre = at(rhs, row, 1).iter().zip(at(self.centre, row, 1)).zip(at(x, row, 1));
        for (target, ((rhs, centre), x)) in target.iter_mut().zip(centre) {
            *target = rhs - centre * x;
        }
        for [(coupling, one), (other_coupling, other)] in [
            [(at(self.right, row, 0), at(x, row, 0)), (at(self.right, row, 1), at(x, row, 2))],
            [
                (at(self.below, above, 1), at(x, above, 1)),
                (at(self.below, row, 1), at(x, below, 1)),
            ],
            [
                (at(self.below_right, above, 0), at(x, above, 0)),
                (at(self.below_right, row, 1), at(x, below, 2)),
            ],
            [
                (at(self.below_left, above, 2), at(x, above, 2)),
                (at(self.below_left, row, 1), at(x, below, 0)),
            ],
        ] {
            let pairs = coupling.iter().zip(one).zip(other_coupling.iter().zip(other));
            for (target, ((coupling, one), (other_coupling, other))) in target.iter_mut().zip(pairs)
            {
                *target += coupling * one + other_coupling * other;
            }
        }
    }

    /// Writes, for a row, twice the reciprocals of the sums of magnitudes in the operator's rows: what a smoother
    /// multiplies residuals by. No eigenvalue of the product is above 2, whatever the signs of the couplings; where
    /// none is negative and the diagonal is their sum, it is the diagonal's reciprocal.
    pub fn scale_row(&self, size: Size, row: usize, target: &mut [f64]) {
        for (column, target) in target.iter_mut().enumerate().skip(1).take(size.columns) {
            let around = self.around(size, row, column);
            let sum: f64 = around.iter().flatten().map(|value| value.abs()).sum();
            *target = 2.0 / sum;
        }
    }
}
