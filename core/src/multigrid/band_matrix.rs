//! Symmetric band matrices, factored and solved directly: L·D·Lᵀ, all in double precision.

use crate::base::table::At;

/// The factors of a matrix, and memory for a solution.
///
/// Row `i` of the factors has D of `i`, then L of `i` and `i − 1` to `i − width`.
#[derive(Debug)]
pub struct BandMatrix<'m> {
    width: usize,
    factors: &'m [f64],
    solution: &'m mut [f64],
}

impl<'m> BandMatrix<'m> {
    /// Returns the number of numbers that the factors and the solution take, for so many unknowns,
    /// none of which is coupled with one more than `width` before it.
    pub const fn memory_len(unknowns: usize, width: usize) -> usize {
        unknowns.saturating_mul(width.saturating_add(2))
    }

    /// Factors the matrix in `memory`, of [`BandMatrix::memory_len`] numbers. `entry(unknown,
    /// distance)` is the one in the row of the unknown, `distance` columns before the diagonal.
    pub fn factor(
        unknowns: usize,
        width: usize,
        memory: &mut [f64],
        entry: impl Fn(usize, usize) -> f64,
    ) {
        let stride = width.saturating_add(1);
        for unknown in 0..unknowns {
            if let Some((before, rest)) = memory.split_at_mut_checked(unknown * stride)
                && let Some(row) = rest.get_mut(..stride)
            {
                factor_row(unknown, |distance| entry(unknown, distance), before, row);
            }
        }
    }

    /// Returns the factors that are in `memory` from [`BandMatrix::factor`].
    pub fn resume(unknowns: usize, width: usize, memory: &'m mut [f64]) -> Self {
        let cut = unknowns.saturating_mul(width.saturating_add(1)).min(memory.len());
        let (factors, solution) = memory.split_at_mut(cut);
        Self { width, factors, solution: solution.stretch_mut(..unknowns) }
    }

    /// Solves for a right-hand side, and returns the solution.
    pub fn solve(&mut self, rhs: impl IntoIterator<Item = f64>) -> &[f64] {
        self.solution.iter_mut().zip(rhs).for_each(|(place, rhs)| *place = rhs);
        self.substitute();
        self.solution
    }

    /// Solves L·D·Lᵀ·x = b, in place.
    fn substitute(&mut self) {
        let stride = self.width.saturating_add(1);
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
        for (unknown, factors) in rows().enumerate().rev() {
            let (before, rest) = self.solution.split_at_mut(unknown.min(self.solution.len()));
            if let (Some(known), [_, factors @ ..]) = (rest.first(), factors) {
                for (factor, value) in factors.iter().zip(before.iter_mut().rev()) {
                    *value -= factor * known;
                }
            }
        }
    }
}

/// Writes the row of the factors of an unknown, given those before it.
fn factor_row(unknown: usize, entry: impl Fn(usize) -> f64, before: &[f64], row: &mut [f64]) {
    let stride = row.len();
    let width = stride.saturating_sub(1);
    // First L·D: the matrix' entry less what the unknowns before both have.
    for back in (1..=width.min(unknown)).rev() {
        let other = unknown - back;
        let mut entry = entry(back);
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
    let mut diagonal = entry(0);
    for back in (1..=width.min(unknown)).rev() {
        let other = before.get((unknown - back) * stride).copied().unwrap_or(1.0);
        if let Some(place) = row.get_mut(back) {
            let scaled = *place;
            *place = scaled / other;
            diagonal -= scaled * *place;
        }
    }
    // Nothing is known of an unknown without an equation, and it stays 0.
    let has_equation = diagonal.abs() > 0.0 || diagonal.is_nan();
    if let Some(place) = row.first_mut() {
        *place = if has_equation { diagonal } else { 1.0 };
    }
}
