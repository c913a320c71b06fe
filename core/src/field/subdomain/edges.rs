//! Edges and halos of a rectangle of cells: published on its sides, and read there.

use crate::base::real::Real;
use crate::base::table::At;
use crate::field::grid::Side;
use crate::field::stencil::Layout;
use crate::parts::halo::{EdgeReader, EdgeWriter};

/// Returns a function that writes the edge of `cells` along the side of a link ([`Side::index`])
/// into a buffer.
#[inline(always)]
pub fn edges_of<F: Real>(layout: &Layout, cells: &[F]) -> impl Fn(usize, EdgeWriter<'_, F>) {
    move |link, edge| {
        let side = *Side::ALL.at(link);
        debug_assert!(edge.has_room(layout.side(side)), "the memory for an edge is too short");
        let last = |length: usize| length.saturating_sub(1);
        let row = |row| layout.row(cells, row);
        let column = |column| layout.column(cells, column).copied();
        match side {
            Side::Top => edge.copy_from(row(0)),
            Side::Bottom => edge.copy_from(row(last(layout.rows()))),
            Side::Left => edge.write(column(0)),
            Side::Right => edge.write(column(last(layout.columns()))),
        }
    }
}

/// Returns a function that reads a neighbour's edge into the halo of `cells` on `side`.
#[inline(always)]
pub fn halo_of<F: Real>(
    side: Side,
    layout: &Layout,
    cells: &mut [F],
) -> impl FnMut(EdgeReader<'_, F>) {
    move |edge| {
        debug_assert!(edge.has(layout.side(side)), "an edge is read that has no memory");
        debug_assert!(cells.len() >= layout.len(), "there are fewer cells than a layout has");
        match side {
            Side::Top => edge.copy_to(layout.top_mut(cells)),
            Side::Bottom => edge.copy_to(layout.bottom_mut(cells)),
            Side::Left => super::set_each(layout.left_mut(cells), edge.cells()),
            Side::Right => super::set_each(layout.right_mut(cells), edge.cells()),
        }
    }
}
