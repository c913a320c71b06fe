//! The field at the end of a run: every rank gets the rows that its subdomains started in, whatever
//! ranks these are on now, so that all can write their part of it at once.

use tresse::engine::threads::{Cells, Slots};
use tresse::files::stored_cell::StoredCell;
use tresse_core::base::bug::OrBug;
use tresse_core::base::id::{RankId, SubdomainId};
use tresse_core::base::real::Real;
use tresse_core::base::table::At;
use tresse_core::field::grid::{Decomposition, Rectangle};
use tresse_core::node::shared::Grip;
use tresse_core::parts::halo::Location;

use crate::mpi::Entry;

/// The bug that cells are of no row
/// of the band.
const OUTSIDE: &str = "a subdomain lies outside the rows of its rank";

/// Whole rows of the field.
#[derive(Clone, Debug)]
pub struct FieldRows<F> {
    /// Number of the first row.
    pub first_row: usize,
    /// The cells, row after row.
    pub cells: Vec<F>,
}

/// Brings every subdomain to the rank that it started on. Collective, when nobody holds one.
///
/// A subdomain of which no rank has sent the cells would leave zeros; a build with assertions stops
/// there.
pub(crate) fn gather<'r, F: Real + StoredCell>(
    entry: &mut Entry,
    (cut, homes): (&Decomposition, &[Location]),
    slots: &Slots<'r, Cells<'r, F>>,
    grip: &mut Grip<'r, Cells<'r, F>>,
) -> FieldRows<F> {
    let mut messages: Vec<Vec<u8>> = (0..entry.ranks()).map(|_| Vec::new()).collect();
    for (id, _) in slots.table.here() {
        let home = homes.get(id.index()).map(|home| home.rank.index());
        if let Some(message) = home.and_then(|home| messages.get_mut(home)) {
            pack(id, (slots, grip), message);
        }
    }
    let received = entry.all_to_all_bytes(messages);
    let mut band = empty(entry.rank(), cut, homes);
    for message in received {
        unpack(&message, cut, &mut band);
    }
    band
}

/// Appends a subdomain as bytes: its number, and its cells row by row.
fn pack<'r, F: Real + StoredCell>(
    id: SubdomainId,
    (slots, grip): (&Slots<'r, Cells<'r, F>>, &mut Grip<'r, Cells<'r, F>>),
    to: &mut Vec<u8>,
) {
    let mut bytes = Vec::new();
    to.extend(id.0.to_le_bytes());
    let packed = slots.with(id, grip, |subdomain| {
        let layout = subdomain.layout();
        for row in 0..layout.rows() {
            F::to_bytes(layout.row(subdomain.cells(), row), &mut bytes);
            to.extend(&bytes);
        }
    });
    packed.or_bug("a subdomain of this rank is not at hand");
}

/// Returns the band of rows that a rank starts with, all cells 0.
fn empty<F: StoredCell>(own: RankId, cut: &Decomposition, homes: &[Location]) -> FieldRows<F> {
    let parts = cut.ids().zip(homes).filter(|(_, home)| home.rank == own);
    let rows = parts
        .map(|(id, _)| cut.rectangle(id))
        .map(|Rectangle { first_row, size, .. }| first_row..first_row + size.rows);
    let rows = rows.reduce(|all, rows| all.start.min(rows.start)..all.end.max(rows.end));
    let rows = rows.unwrap_or(0..0);
    FieldRows { first_row: rows.start, cells: vec![F::ZERO; rows.len() * cut.grid().columns] }
}

/// Writes the subdomains of a message into the band. Each is its number, 4 bytes in little-endian,
/// and then its cells row by row.
fn unpack<F: StoredCell>(message: &[u8], cut: &Decomposition, band: &mut FieldRows<F>) {
    let (mut rest, mut cells) = (message, Vec::new());
    while let Some((id, after)) = rest.split_first_chunk() {
        let part = cut.rectangle(SubdomainId(u32::from_le_bytes(*id)));
        let bytes = part.size.rows * part.size.columns * size_of::<F>();
        let (own, after) = after.cut(bytes);
        F::from_bytes(own, &mut cells);
        paste(&cells, part, cut.grid().columns, band);
        rest = after;
    }
}

/// Copies the cells of one rectangle into a band whose rows have `columns` cells.
fn paste<F: Copy>(cells: &[F], part: Rectangle, columns: usize, band: &mut FieldRows<F>) {
    let first = part.first_row.checked_sub(band.first_row);
    let first = first.or_bug(OUTSIDE);
    let rows = cells.chunks_exact(part.size.columns.max(1));
    for (row, cells) in (first..).zip(rows) {
        let start = row * columns + part.first_column;
        band.cells.stretch_mut(start..start + part.size.columns).copy_from_slice(cells);
    }
}
