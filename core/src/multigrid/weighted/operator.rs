//! Nine-point operators, and what is done to rows with them.
//!
//! An array of a level has a ring of zeros around its cells, row by row, so that no cell is a
//! special case.

use crate::base::real::Real;

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

    /// Whether this is the coarsest level: of at most `coarsest` cells, or of a single row or
    /// column.
    pub const fn is_coarsest(self, coarsest: usize) -> bool {
        self.rows < 2 || self.columns < 2 || self.cells() <= coarsest
    }

    /// Returns the cells from one of the next coarser level to the next, in a column and in a row:
    /// 2 where that level has every second one, the first left out; 1 where it has all.
    pub const fn steps(self, coarser: Self) -> [usize; 2] {
        let rows = if coarser.rows < self.rows { 2 } else { 1 };
        [rows, if coarser.columns < self.columns { 2 } else { 1 }]
    }
}

/// Returns the levels of a grid, the finest first, down to [the coarsest](Size::is_coarsest).
///
/// A level has every second cell of every second row of the one above. Where cells are `cell_ratio`
/// times as high as wide, and that is not about 1, only the direction with the shorter sides is
/// coarsened, until it is: smoothing evens nothing out along the longer sides, across which cells
/// are hardly coupled.
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
pub fn row_of<T>(array: &[T], size: Size, row: usize) -> &[T] {
    let start = row.saturating_mul(size.stride());
    array.get(start..).and_then(|rows| rows.get(..size.stride())).unwrap_or_default()
}

/// A symmetric operator, of whose product with `x` a cell has the sum of its couplings with the
/// eight cells around it, each times the difference between its own `x` and that of the other. Each
/// coupling is stored with the first of both cells. Arrays as [`Size::len`] says; empty ones are
/// zero.
///
/// So no digits are lost where couplings are large and differences small, and where couplings are
/// rounded, the operator stays within that of what it was: in the diagonal their sum would be
/// rounded, and what is left of it.
#[derive(Clone, Copy, Debug)]
pub struct Operator<T> {
    /// What a cell has of its own `x`: couplings with the boundary, unless they are in the other
    /// arrays as couplings with the ring, where `x` is 0.
    pub beyond: T,
    /// Coupling with the next cell of the row.
    pub right: T,
    /// Coupling with the cell of the next row and the column before.
    pub below_left: T,
    /// Coupling with the cell of the next row.
    pub below: T,
    /// Coupling with the cell of the next row and column.
    pub below_right: T,
}

/// What an operator has for a cell and those around it: its diagonal in the middle, couplings
/// elsewhere.
pub type Around = [[f64; 3]; 3];

impl<T: Real> Operator<&[T]> {
    /// Returns the diagonal and the couplings of the cell in this row and column, the ring counted;
    /// zeros outside.
    pub fn around(&self, size: Size, row: usize, column: usize) -> Around {
        let is_inside = |row: usize, column: usize| {
            (1..=size.rows).contains(&row) && (1..=size.columns).contains(&column)
        };
        if !is_inside(row, column) {
            return [[0.0; 3]; 3];
        }
        let at = |array: &[T], row: usize, column: usize| {
            row_of(array, size, row).get(column).copied().unwrap_or_default().to_f64()
        };
        let (above, left) = (row - 1, column - 1);
        let mut around = [
            [
                at(self.below_right, above, left),
                at(self.below, above, column),
                at(self.below_left, above, column + 1),
            ],
            [at(self.right, row, left), 0.0, at(self.right, row, column)],
            [
                at(self.below_left, row, column),
                at(self.below, row, column),
                at(self.below_right, row, column),
            ],
        ];
        let diagonal = at(self.beyond, row, column) + around.iter().flatten().sum::<f64>();
        for (place_down, couplings) in around.iter_mut().enumerate() {
            for (place_right, coupling) in couplings.iter_mut().enumerate() {
                if !is_inside(above + place_down, left + place_right) {
                    *coupling = 0.0;
                } else if (place_down, place_right) == (1, 1) {
                    *coupling = diagonal;
                }
            }
        }
        around
    }

    /// Writes `rhs − A·x` for a row, or `−A·x` without a right-hand side. Rows are counted with the
    /// ring, and `target` is one row of an array.
    #[inline(always)]
    pub fn residual_row(
        &self,
        size: Size,
        row: usize,
        x: &[f64],
        rhs: Option<&[f64]>,
        target: &mut [f64],
    ) {
        let columns = size.columns;
        let Some(target) = target.get_mut(1..).and_then(|row| row.get_mut(..columns)) else {
            return;
        };
        let [above, below] = [row.wrapping_sub(1), row + 1];
        let centre = part(x, size, row, 1);
        match rhs {
            None => target.fill(0.0),
            Some(rhs) => {
                let rhs = part(rhs, size, row, 1);
                target.iter_mut().zip(rhs).for_each(|(target, rhs)| *target = *rhs);
            }
        }
        let own = part(self.beyond, size, row, 1).iter().zip(centre);
        for (target, (beyond, x)) in target.iter_mut().zip(own) {
            *target -= beyond.to_f64() * x;
        }
        for [(coupling, one), (other_coupling, other)] in [
            [
                (part(self.right, size, row, 0), part(x, size, row, 0)),
                (part(self.right, size, row, 1), part(x, size, row, 2)),
            ],
            [
                (part(self.below, size, above, 1), part(x, size, above, 1)),
                (part(self.below, size, row, 1), part(x, size, below, 1)),
            ],
            [
                (part(self.below_right, size, above, 0), part(x, size, above, 0)),
                (part(self.below_right, size, row, 1), part(x, size, below, 2)),
            ],
            [
                (part(self.below_left, size, above, 2), part(x, size, above, 2)),
                (part(self.below_left, size, row, 1), part(x, size, below, 0)),
            ],
        ] {
            let pairs = coupling.iter().zip(one).zip(other_coupling.iter().zip(other)).zip(centre);
            for (target, (((coupling, one), (other_coupling, other)), x)) in
                target.iter_mut().zip(pairs)
            {
                *target += coupling.to_f64() * (one - x) + other_coupling.to_f64() * (other - x);
            }
        }
    }

    /// Writes, for a row, twice the reciprocals of the sums of magnitudes in the operator's rows:
    /// what a smoother multiplies residuals by. No eigenvalue of the product is above 2, whatever
    /// the signs of the couplings; where none is negative and the diagonal is their sum, it is the
    /// diagonal's reciprocal.
    pub fn scale_row(&self, size: Size, row: usize, target: &mut [f32]) {
        for (column, target) in target.iter_mut().enumerate().skip(1).take(size.columns) {
            let around = self.around(size, row, column);
            let sum: f64 = around.iter().flatten().map(|value| value.abs()).sum();
            *target = f32::from_f64((2.0 / sum).min(f32::MAX.into()));
        }
    }
}

/// Returns the numbers of a row from `first` on, the ring counted: as many as the level has
/// columns.
#[inline(always)]
fn part<T>(array: &[T], size: Size, row: usize, first: usize) -> &[T] {
    let cells = row_of(array, size, row);
    cells.get(first..).and_then(|row| row.get(..size.columns)).unwrap_or_default()
}
