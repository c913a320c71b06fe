//! What the next step starts from.

use core::ops::Range;

use super::super::{Processes, SolverState};
use super::ConjugateGradients;
use super::share::rows_mut;
use crate::base::real::Real;
use crate::multigrid::weighted::row_of;

/// The solution, and the direction of the last step: in double precision, whatever the cells are
/// rounded to.
impl<F: Real + Send + Sync, P: Processes<f64>> SolverState for ConjugateGradients<F, P> {
    type Number = f64;

    const FIELDS: usize = 2;

    fn own(&self) -> &Range<usize> {
        self.rows()
    }

    fn needed(&self) -> &Range<usize> {
        &self.share.rows
    }

    fn row(&self, field: usize, row: usize) -> &[f64] {
        let (size, fields) = (self.share.size, [&self.problem.solution, &self.direction]);
        let row = fields.get(field).map(|field| row_of(field, size, row + 1));
        row.and_then(|row| row.get(1..=size.columns)).unwrap_or_default()
    }

    fn row_mut(&mut self, field: usize, row: usize) -> &mut [f64] {
        let (size, fields) = (self.share.size, [&mut self.problem.solution, &mut self.direction]);
        let row = fields.into_iter().nth(field).map(|field| rows_mut(size, &(row..row + 1), field));
        row.and_then(|row| row.get_mut(1..=size.columns)).unwrap_or_default()
    }

    fn last_product(&self) -> Option<f64> {
        self.last.map(|in_units| in_units * self.problem.unit)
    }

    fn set_last_product(&mut self, last: Option<f64>) {
        self.last = last.map(|last| last / self.problem.unit);
    }
}
