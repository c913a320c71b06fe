//! A subdomain in a replay, and the edges around it.

use tresse_core::base::id::SubdomainId;
use tresse_core::field::grid::Side;
use tresse_core::field::stencil::{Kernel, Layout, Real};
use tresse_core::field::subdomain::Subdomain;

use super::inbox::Inbox;

/// A subdomain, and the edges around it.
pub(super) struct ReplayedSubdomain<'m, F> {
    pub(super) own: Subdomain<'m, F>,
    pub(super) version: u64,
    pub(super) neighbours: [Option<SubdomainId>; 4],
    /// Edges of the neighbour on each side, by the side's index.
    pub(super) inboxes: [Inbox<F>; 4],
    /// Lanes that are checked again when this subdomain has been swept, or has read edges.
    pub(super) watched_by: Vec<usize>,
}

impl<'m, F: Real> ReplayedSubdomain<'m, F> {
    /// Returns a subdomain before its first sweep.
    pub(super) const fn new(own: Subdomain<'m, F>, neighbours: [Option<SubdomainId>; 4]) -> Self {
        let inboxes = [const { Inbox::EMPTY }; 4];
        Self { own, version: 0, neighbours, inboxes, watched_by: Vec::new() }
    }

    /// Makes a sweep with halos of these versions, all of which are in the inboxes.
    pub(super) fn sweep(&mut self, kernel: &impl Kernel<F>, halos: &[Option<u64>; 4]) {
        let Self { own, inboxes, .. } = self;
        for ((side, inbox), halo) in Side::ALL.into_iter().zip(inboxes).zip(halos) {
            if let Some(edge) = halo.and_then(|halo| inbox.get(halo)) {
                own.set_halo(side, edge);
            }
        }
        own.sweep(|layout, terms, cells| kernel.sweep(layout, terms, cells));
        self.version += 1;
    }

    /// Sends the newest edge along a side to the neighbour there, and returns the number of its
    /// bytes.
    pub(super) fn send(&self, side: Side, to: &mut Self) -> u64 {
        let inbox = &mut to.inboxes[side.opposite().index()];
        inbox.add(self.version, |edge| copy_edge(self.own.layout(), self.own.cells(), side, edge))
    }
}

/// Appends the outermost cells along a side.
fn copy_edge<F: Real>(layout: &Layout, cells: &[F], side: Side, to: &mut Vec<F>) {
    match side {
        Side::Top => to.extend(layout.row(cells, 0)),
        Side::Bottom => to.extend(layout.row(cells, layout.rows() - 1)),
        Side::Left => to.extend(layout.column(cells, 0)),
        Side::Right => to.extend(layout.column(cells, layout.columns() - 1)),
    }
}
