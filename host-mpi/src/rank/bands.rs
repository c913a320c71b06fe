//! The field at the end of a run: every rank has the rows that its subdomains started in, so that
//! all can write their part of it at once.

use tresse_core::base::bug::Minus;
use tresse_core::base::id::RankId;
use tresse_core::base::real::Real;
use tresse_core::base::table::At;
use tresse_core::field::grid::{Decomposition, Rectangle};
use tresse_core::parts::halo::Location;

/// Whole rows of the field.
#[derive(Clone, Debug)]
pub struct FieldRows<F> {
    /// Number of the first row.
    pub first_row: usize,
    /// The cells, row after row.
    pub cells: Vec<F>,
}

impl<F: Real> FieldRows<F> {
    /// Returns the band of rows that a rank starts with, all cells 0.
    pub(super) fn empty(own: RankId, cut: &Decomposition, homes: &[Location]) -> Self {
        let parts = cut.ids().zip(homes).filter(|(_, home)| home.rank == own);
        let rows = parts
            .map(|(id, _)| cut.rectangle(id))
            .map(|Rectangle { first_row, size, .. }| first_row..first_row + size.rows);
        let rows = rows.reduce(|all, rows| all.start.min(rows.start)..all.end.max(rows.end));
        let rows = rows.unwrap_or(0..0);
        Self { first_row: rows.start, cells: vec![F::ZERO; rows.len() * cut.grid().columns] }
    }

    /// Copies the cells of one rectangle, row by row, into a band whose rows have `columns` cells.
    pub(super) fn paste(
        &mut self,
        part: Rectangle,
        cells: &mut dyn Iterator<Item = F>,
        columns: usize,
    ) {
        let first = part.first_row.minus(self.first_row);
        for row in first..first + part.size.rows {
            let start = row * columns + part.first_column;
            let places = self.cells.stretch_mut(start..start + part.size.columns);
            places.iter_mut().zip(&mut *cells).for_each(|(place, cell)| *place = cell);
        }
    }
}
