//! The coarsest level, solved directly: L·D·Lᵀ of a band matrix, all in double precision.

use super::hierarchy::Level;
use super::pipeline::{continue_ends, continue_row};
use crate::bug::OrBug;
use crate::real::Real;

/// The factors of a level's matrix, and memory for its solution.
///
/// Unknowns are numbered along the shorter direction first, so that the other neighbour is `width` unknowns away,
/// the shorter direction's cells. Row `i` of the factors has D of `i`, then L of `i` and `i − 1` to `i − width`.
#[derive(Debug)]
pub struct Coarsest<'m> {
    level: Level,
    width: usize,
    factors: &'m [f64],
    solution: &'m mut [f64],
}

impl<'m> Coarsest<'m> {
    /// Returns the number of numbers that the factors of a level take, and the solution.
    pub const fn memory_len(level: Level) -> usize {
        level.cells().saturating_mul(width(level).saturating_add(2))
    }

    /// Factors the matrix of a level in `memory`, of [`Coarsest::memory_len`] numbers.
    pub fn new(level: Level, memory: &'m mut [f64]) -> Self {
        let stride = width(level).saturating_add(1);
        for (unknown, place) in places(level).enumerate() {
            let start = unknown * stride;
            if let Some((before, rest)) = memory.split_at_mut_checked(start)
                && let Some(row) = rest.get_mut(..stride)
            {
                factor_row(level, (unknown, place), before, row);
            }
        }
        Self::resume(level, memory)
    }

    /// Returns the factors that are in `memory` from [`Coarsest::new`].
    pub fn resume(level: Level, memory: &'m mut [f64]) -> Self {
        let width = width(level);
        let cut = level.cells().saturating_mul(width + 1).min(memory.len());
        let (factors, solution) = memory.split_at_mut(cut);
        (solution.len() >= level.cells()).or_bug("the coarsest level is lent less than it needs");
        Self { level, width, factors, solution }
    }

    /// Solves the equation of the level, and writes its correction with what is beyond the boundary.
    pub fn solve<F: Real>(&mut self, rhs: &[F], correction: &mut [F]) {
        let (level, columns) = (self.level, self.level.columns.cells());
        for (place, [row, column]) in self.solution.iter_mut().zip(places(level)) {
            let rhs = rhs.get(row * columns + column).copied().unwrap_or_default();
            *place = rhs.to_f64();
        }
        self.substitute();
        let stride = level.stride();
        for (value, [row, column]) in self.solution.iter().zip(places(level)) {
            if let Some(place) = correction.get_mut((row + 1) * stride + column + 1) {
                *place = F::from_f64(*value);
            }
        }
        for values in correction.chunks_exact_mut(stride).skip(1).take(level.rows.cells()) {
            continue_ends(values, level.columns.alphas());
        }
        continue_rows(correction, level);
    }

    /// Solves L·D·Lᵀ·x = b, in place.
    fn substitute(&mut self) {
        let (stride, cells) = (self.width.saturating_add(1), self.level.cells());
        let rows = || self.factors.chunks_exact(stride.max(1));
        for (unknown, factors) in rows().enumerate() {
            let (before, rest) = self.solution.split_at_mut(unknown.min(self.solution.len()));
            if let (Some(value), [_, factors @ ..]) = (rest.first_mut(), factors) {
                for (factor, known) in factors.iter().zip(before.iter().rev()) {
                    *value -= factor * known;
                }
            }
        }
        for (value, factors) in self.solution.iter_mut().zip(rows()) {
            *value /= factors.first().copied().unwrap_or(1.0);
        }
        for (unknown, factors) in (0..cells).zip(rows()).rev() {
            let (before, rest) = self.solution.split_at_mut(unknown.min(self.solution.len()));
            if let (Some(known), [_, factors @ ..]) = (rest.first(), factors) {
                for (factor, value) in factors.iter().zip(before.iter_mut().rev()) {
                    *value -= factor * known;
                }
            }
        }
    }
}

/// Writes the rows of a correction beyond the top and the bottom.
fn continue_rows<F: Real>(correction: &mut [F], level: Level) {
    let (stride, [above, below]) = (level.stride(), level.rows.alphas());
    if let Some((top, rows)) = correction.split_at_mut_checked(stride) {
        continue_row(top, rows, None, above);
    }
    let behind = stride * (level.rows.cells() + 1);
    if let Some((rows, bottom)) = correction.split_at_mut_checked(behind) {
        continue_row(bottom, rows.rchunks(stride).next().unwrap_or_default(), None, below);
    }
}

/// Returns the number of unknowns from one to its neighbour in the longer direction.
const fn width(level: Level) -> usize {
    let (rows, columns) = (level.rows.cells(), level.columns.cells());
    if rows < columns { rows } else { columns }
}

/// Returns row and column of the unknowns, in their order.
fn places(level: Level) -> impl Iterator<Item = [usize; 2]> {
    let (rows, columns) = (level.rows.cells(), level.columns.cells());
    let by_columns = rows < columns;
    let (longer, shorter) = if by_columns { (columns, rows) } else { (rows, columns) };
    let all = (0..longer).flat_map(move |far| (0..shorter).map(move |near| [far, near]));
    all.map(move |[far, near]| if by_columns { [near, far] } else { [far, near] })
}

/// Writes the row of the factors of an unknown at a place, given those before it.
fn factor_row(
    level: Level,
    (unknown, [of_row, of_column]): (usize, [usize; 2]),
    before: &[f64],
    row: &mut [f64],
) {
    let stride = row.len();
    let width = stride.saturating_sub(1);
    let by_columns = level.rows.cells() < level.columns.cells();
    let is_first = if by_columns { of_row == 0 } else { of_column == 0 };
    // First L·D: the matrix' entry less what the unknowns before both have.
    for back in (1..=width.min(unknown)).rev() {
        let neighbour = if back == width { -1.0 } else { 0.0 };
        let beside = if back == 1 && !is_first { -1.0 } else { 0.0 };
        let other = unknown - back;
        let mut entry = neighbour + beside;
        let of_other =
            before.get(other * stride..).and_then(|rows| rows.get(..stride)).unwrap_or_default();
        for further in (back + 1..=width.min(unknown)).rev() {
            let mine = row.get(further).copied().unwrap_or_default();
            let theirs = of_other.get(further - back).copied().unwrap_or_default();
            entry -= mine * theirs;
        }
        if let Some(place) = row.get_mut(back) {
            *place = entry;
        }
    }
    // Then D, and L by what each has.
    let mut diagonal = 4.0 + level.rows.excess(of_row) + level.columns.excess(of_column);
    for back in (1..=width.min(unknown)).rev() {
        let other = before.get((unknown - back) * stride).copied().unwrap_or(1.0);
        if let Some(place) = row.get_mut(back) {
            let scaled = *place;
            *place = scaled / other;
            diagonal -= scaled * *place;
        }
    }
    if let Some(place) = row.first_mut() {
        *place = diagonal;
    }
}
