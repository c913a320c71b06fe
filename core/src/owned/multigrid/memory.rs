//! What a multigrid solver owns: of the problem, of each coarser level, and of each band.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use crate::bug::OrBug;
use crate::grid::Side;
use crate::multigrid::{Band, Coarse, Fixed, Level, Smoothing, Visit, overlap, workspace_len};
use crate::problem::{Problem, side_length};
use crate::real::Real;
use crate::run::GridSize;

#[derive(Debug)]
pub(super) struct OwnedFixed<F> {
    pub source: Option<Vec<F>>,
    /// In the order of [`Side::ALL`].
    pub sides: [Vec<F>; 4],
}

#[derive(Debug)]
pub(super) struct OwnedCoarse<F> {
    pub rhs: Vec<F>,
    pub correction: Vec<F>,
    /// Empty where the level is visited once.
    pub other: Vec<F>,
}

impl<F: Real> OwnedCoarse<F> {
    pub fn new(level: Level, visits: usize) -> Self {
        let correction = || vec![F::ZERO; level.correction_len()];
        Self {
            rhs: vec![F::ZERO; level.cells()],
            correction: correction(),
            other: if visits > 1 { correction() } else { Vec::new() },
        }
    }

    /// Returns the correction that a visit of the level has written.
    pub fn written(&mut self, visit: Visit) -> &mut Vec<F> {
        if visit.writes_correction() { &mut self.correction } else { &mut self.other }
    }

    pub fn lent(&mut self) -> Coarse<'_, F> {
        let Self { rhs, correction, other } = self;
        Coarse { rhs, correction, other }
    }
}

/// What one task has of its own.
#[derive(Debug)]
pub(super) struct OwnedBand<F> {
    /// Band of the finest level.
    pub band: Band,
    pub above: Vec<F>,
    pub below: Vec<F>,
    pub workspace: Vec<F>,
}

impl<F: Real> OwnedFixed<F> {
    pub fn new(problem: &Problem, own: Range<usize>) -> Self {
        let GridSize { rows, columns } = problem.grid;
        let source = (!problem.source.is_zero()).then(|| {
            filled(problem.grid, own, |row, column| F::from_f64(problem.source.at(row, column)))
        });
        let sides = Side::ALL.map(|side| {
            let length = side_length(side, GridSize { rows, columns });
            let value = |index| F::from_f64(problem.boundary.value(side, index, length));
            (0..length).map(value).collect()
        });
        Self { source, sides }
    }

    pub fn lent(&self) -> Fixed<'_, F> {
        let side = |side: Side| self.sides.get(side.index()).map(Vec::as_slice).unwrap_or_default();
        Fixed {
            source: self.source.as_deref(),
            top_and_bottom: [side(Side::Top), side(Side::Bottom)],
            left_and_right: [side(Side::Left), side(Side::Right)],
        }
    }
}

impl<F: Real> OwnedBand<F> {
    pub fn new(band: Band, level: Level, coarser: Level, smoothing: &Smoothing) -> Self {
        let (columns, overlap) = (level.columns.cells(), overlap(smoothing.weights().len()));
        let above = overlap.min(band.first);
        let below = overlap.min(level.rows.cells() - band.end);
        Self {
            band,
            above: vec![F::ZERO; above * columns],
            below: vec![F::ZERO; below * columns],
            workspace: vec![F::ZERO; workspace_len(level, coarser, smoothing)],
        }
    }

    /// Copies the rows beside the band.
    pub fn refresh(&mut self, cells: &[F], columns: usize) {
        let (first, end) = (self.band.first * columns, self.band.end * columns);
        let rows = [first - self.above.len()..first, end..end + self.below.len()];
        for (target, rows) in [&mut self.above, &mut self.below].into_iter().zip(rows) {
            let rows = cells.get(rows).or_bug("a band ends beyond the grid").unwrap_or_default();
            target.iter_mut().zip(rows).for_each(|(target, cell)| *target = *cell);
        }
    }
}

/// Returns the cells of a grid, of which these rows have a value.
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
