//! The coarsest level, solved directly.

use super::band_matrix::BandMatrix;
use super::hierarchy::Level;
use super::pipeline::{set_ghost_ends, set_ghost_row};
use crate::base::real::Real;

/// The factors of a level's matrix, and memory for its solution.
///
/// Unknowns are numbered along the shorter direction first, so that the other neighbour is `width`
/// unknowns away, the shorter direction's cells.
#[derive(Debug)]
pub struct Coarsest<'m> {
    level: Level,
    matrix: BandMatrix<'m>,
}

impl<'m> Coarsest<'m> {
    /// Returns the number of numbers that the factors of a level take, and the solution.
    pub const fn memory_len(level: Level) -> usize {
        BandMatrix::memory_len(level.cells(), width(level))
    }

    /// Factors the matrix of a level in `memory`, of [`Coarsest::memory_len`] numbers.
    pub fn new(level: Level, memory: &'m mut [f64]) -> Self {
        let (level, width) = (level.linear(), width(level));
        BandMatrix::factor(level.cells(), width, memory, |unknown, distance| {
            entry(level, width, place(level, unknown), distance)
        });
        Self::resume(level, memory)
    }

    /// Returns the factors that are in `memory` from [`Coarsest::new`].
    pub fn resume(level: Level, memory: &'m mut [f64]) -> Self {
        let level = level.linear();
        Self { level, matrix: BandMatrix::resume(level.cells(), width(level), memory) }
    }

    /// Solves the equation of the level directly, and writes its correction with the ghost cells.
    pub fn solve<F: Real>(&mut self, rhs: &[F], correction: &mut [F]) {
        let (level, columns) = (self.level, self.level.columns.cells());
        let rhs = places(level).map(|[row, column]| {
            rhs.get(row * columns + column).copied().unwrap_or_default().to_f64()
        });
        let solution = self.matrix.solve(rhs);
        let stride = level.stride();
        for (value, [row, column]) in solution.iter().zip(places(level)) {
            if let Some(place) = correction.get_mut((row + 1) * stride + column + 1) {
                *place = F::from_f64(*value);
            }
        }
        for values in correction.chunks_exact_mut(stride).skip(1).take(level.rows.cells()) {
            set_ghost_ends(values, level.columns.closures());
        }
        set_ghost_rows(correction, level);
    }
}

/// Writes the ghost rows of a correction at the top and the bottom.
fn set_ghost_rows<F: Real>(correction: &mut [F], level: Level) {
    let (stride, [above, below]) = (level.stride(), level.rows.closures());
    if let Some((top, rows)) = correction.split_at_mut_checked(stride) {
        set_ghost_row(top, rows, &[], above);
    }
    let behind = stride * (level.rows.cells() + 1);
    if let Some((rows, bottom)) = correction.split_at_mut_checked(behind) {
        set_ghost_row(bottom, rows.rchunks(stride).next().unwrap_or_default(), &[], below);
    }
}

/// Returns the number of unknowns from one to its neighbour in the longer direction.
const fn width(level: Level) -> usize {
    let (rows, columns) = (level.rows.cells(), level.columns.cells());
    if rows < columns { rows } else { columns }
}

/// Returns row and column of an unknown. Unknowns are numbered along the shorter direction first.
fn place(level: Level, unknown: usize) -> [usize; 2] {
    let (rows, columns) = (level.rows.cells(), level.columns.cells());
    let shorter = rows.min(columns);
    let far = unknown.checked_div(shorter).unwrap_or_default();
    let near = unknown.checked_rem(shorter).unwrap_or_default();
    if rows < columns { [near, far] } else { [far, near] }
}

/// Returns row and column of the unknowns, in their order.
fn places(level: Level) -> impl Iterator<Item = [usize; 2]> {
    (0..level.cells()).map(move |unknown| place(level, unknown))
}

/// Returns the matrix entry in the row of the unknown at a place, `distance` columns before the
/// diagonal.
fn entry(level: Level, width: usize, [row, column]: [usize; 2], distance: usize) -> f64 {
    if distance == 0 {
        return 4.0 + level.rows.excess(row) + level.columns.excess(column);
    }
    let is_first = if level.rows.cells() < level.columns.cells() { row == 0 } else { column == 0 };
    let across = if distance == width { -1.0 } else { 0.0 };
    let beside = if distance == 1 && !is_first { -1.0 } else { 0.0 };
    across + beside
}
