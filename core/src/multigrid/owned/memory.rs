//! What a multigrid solver owns: of the problem, and of each coarser level.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use crate::base::real::Real;
use crate::field::grid::Side;
use crate::field::problem::{CellValues, Problem, side_length};
use crate::multigrid::{Cycle, Fixed, LentRows, Level, RowStates};
use crate::run::GridSize;

/// What no cycle changes: the source term and the boundary.
#[derive(Debug)]
pub(super) struct OwnedFixed<F> {
    /// As [`Fixed::source`] is.
    pub source: Option<Vec<F>>,
    /// In the order of [`Side::ALL`].
    pub sides: [Vec<F>; 4],
}

/// An array of rows that are lent.
#[derive(Debug)]
pub(super) struct OwnedRows<T> {
    pub values: Vec<T>,
    stride: usize,
    states: Vec<RowStates>,
}

impl<T: Copy> OwnedRows<T> {
    /// Returns rows of `stride` values.
    pub fn new(values: Vec<T>, stride: usize) -> Self {
        let mut rows = Self { values, stride, states: Vec::new() };
        rows.extend_states();
        rows
    }

    fn rows(&self) -> usize {
        self.values.len().checked_div(self.stride).unwrap_or(0)
    }

    /// Adds states for rows that have none.
    fn extend_states(&mut self) {
        self.states.resize_with(RowStates::number(self.rows()), RowStates::default);
    }

    /// Appends rows filled with `value` until there are `rows` rows.
    pub fn extend_to(&mut self, rows: usize, value: T) {
        if rows > self.rows() {
            self.values.resize(rows.saturating_mul(self.stride), value);
            self.extend_states();
        }
    }

    /// Lends all rows, each of which is then borrowed by itself.
    pub fn lend(&mut self) -> LentRows<'_, T> {
        LentRows::new(&mut self.values, self.stride, &mut self.states)
    }
}

/// What a level below the finest one has.
#[derive(Debug)]
pub(super) struct OwnedCoarse<F> {
    pub rhs: OwnedRows<F>,
    pub correction: OwnedRows<F>,
    /// Empty where the level has one cycle.
    pub other: OwnedRows<F>,
}

impl<F: Real> OwnedCoarse<F> {
    /// Returns a level's arrays, filled with zeros. A second correction is needed only for several
    /// cycles.
    pub fn new(level: Level, cycles: usize) -> Self {
        let correction = |length| OwnedRows::new(vec![F::ZERO; length], level.stride());
        Self {
            rhs: OwnedRows::new(vec![F::ZERO; level.cells()], level.columns.cells()),
            correction: correction(level.correction_len()),
            other: correction(if cycles > 1 { level.correction_len() } else { 0 }),
        }
    }

    /// Returns the correction that a cycle of the level has written.
    pub fn written(&mut self, cycle: Cycle) -> &mut OwnedRows<F> {
        if cycle.writes_correction() { &mut self.correction } else { &mut self.other }
    }

    /// Lends the rows of all arrays of the level.
    pub fn lend(&mut self) -> LentCoarse<'_, F> {
        let Self { rhs, correction, other } = self;
        let [correction, other] = [correction, other].map(OwnedRows::lend);
        LentCoarse { rhs: rhs.lend(), correction, other }
    }
}

/// What is lent of a level below the finest one.
#[derive(Debug)]
pub(super) struct LentCoarse<'m, F> {
    pub rhs: LentRows<'m, F>,
    pub correction: LentRows<'m, F>,
    pub other: LentRows<'m, F>,
}

impl<F: Real> OwnedFixed<F> {
    /// Returns h²·f in the rows `own`, and the boundary's values, rounded to the type of a cell.
    pub fn new(problem: &Problem, own: Range<usize>) -> Self {
        let GridSize { rows, columns } = problem.grid;
        let at = |row, column| F::from_f64(problem.source.at(row, column));
        let source = match problem.source {
            _ if problem.source.is_zero() => None,
            CellValues::Constant(_) => Some(vec![at(0, 0); columns]),
            CellValues::Values { .. } => Some(filled(problem.grid, own, at)),
        };
        let sides = Side::ALL.map(|side| {
            let length = side_length(side, GridSize { rows, columns });
            let value = |index| F::from_f64(problem.boundary.value(side, index, length));
            (0..length).map(value).collect()
        });
        Self { source, sides }
    }

    /// Lends the source term and the boundary to be read.
    pub fn lent(&self) -> Fixed<'_, F> {
        let side = |side: Side| self.sides.get(side.index()).map(Vec::as_slice).unwrap_or_default();
        Fixed {
            source: self.source.as_deref(),
            top_and_bottom: [side(Side::Top), side(Side::Bottom)],
            left_and_right: [side(Side::Left), side(Side::Right)],
        }
    }
}

/// Returns the cells of a whole grid, with `value(row, column)` in the given rows and zeros in all
/// others.
pub(super) fn filled<F: Real>(
    grid: GridSize,
    rows: Range<usize>,
    value: impl Fn(usize, usize) -> F,
) -> Vec<F> {
    // Zeros come from the system without being written, where the memory for them does.
    let mut cells = vec![F::ZERO; grid.rows * grid.columns];
    let own = cells.chunks_exact_mut(grid.columns.max(1)).enumerate();
    for (row, cells) in own.skip(rows.start).take(rows.len()) {
        cells.iter_mut().enumerate().for_each(|(column, cell)| *cell = value(row, column));
    }
    cells
}
