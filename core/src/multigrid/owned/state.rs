//! What the next cycle starts from, for whoever keeps it.

use core::ops::Range;

use super::{Multigrid, Processes, scaled};
use crate::base::real::Real;

/// A solver whose next cycle starts from some fields, and from nothing else that its problem does
/// not say.
pub trait SolverState {
    /// Type of the fields' numbers.
    type Number;

    /// Number of the fields, the first of which is the solution so far.
    const FIELDS: usize;

    /// Returns the rows that this process has; all processes together have each row once.
    fn own(&self) -> &Range<usize>;

    /// Returns the rows that this process needs for its next cycle.
    fn needed(&self) -> &Range<usize>;

    /// Returns a row of the field of this number; empty where this process does not need it.
    fn row(&self, field: usize, row: usize) -> &[Self::Number];

    /// Returns a row of the field of this number, to be set before the first cycle.
    fn row_mut(&mut self, field: usize, row: usize) -> &mut [Self::Number];

    /// Returns the product of residual and correction before the last step of conjugate gradients;
    /// none before the first one, and for other solvers.
    fn last_product(&self) -> Option<f64> {
        None
    }

    /// Sets that product before the first cycle.
    fn set_last_product(&mut self, _: Option<f64>) {}
}

/// The cells.
impl<F: Real + Send + Sync, P: Processes<F>> SolverState for Multigrid<F, P> {
    type Number = F;

    const FIELDS: usize = 1;

    fn own(&self) -> &Range<usize> {
        self.rows()
    }

    fn needed(&self) -> &Range<usize> {
        self.rows()
    }

    fn row(&self, _: usize, row: usize) -> &[F] {
        self.cells.values.get(self.places(row)).unwrap_or_default()
    }

    fn row_mut(&mut self, _: usize, row: usize) -> &mut [F] {
        let places = self.places(row);
        self.cells.values.get_mut(places).unwrap_or_default()
    }
}

impl<F, P> Multigrid<F, P> {
    /// Returns the places of a row's cells.
    fn places(&self, row: usize) -> Range<usize> {
        let columns = self.hierarchy.levels().first().map_or(0, |level| level.columns.cells());
        scaled(&(row..row + 1), columns)
    }
}
