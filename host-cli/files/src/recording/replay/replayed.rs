//! A part in a replay, and the edges that its neighbours have sent.

use tresse_core::base::id::SubdomainId;
use tresse_core::base::unit::Unit;
use tresse_core::parts::halo::{EdgeReader, EdgeWriter};
use tresse_core::parts::{Graph, Part, SharedUnit};

use super::inbox::Inbox;

/// A link of a part.
#[derive(Clone, Copy)]
pub(super) struct Link {
    pub(super) neighbour: SubdomainId,
    /// The neighbour's link that leads back.
    pub(super) back: usize,
    /// Units of the edge for the neighbour.
    units: u32,
}

/// A part, and the edges that its neighbours have sent.
pub(super) struct ReplayedPart<T: Part, const N: usize> {
    pub(super) own: T,
    pub(super) version: u64,
    pub(super) links: [Option<Link>; N],
    /// Edges of the neighbour on each link.
    pub(super) inboxes: [Inbox<SharedUnit<T>>; N],
    /// Lanes that are checked again when this part has been swept, or has read edges.
    pub(super) watched_by: Vec<usize>,
}

impl<T: Part, const N: usize> ReplayedPart<T, N> {
    /// Returns a part of a graph before its first sweep.
    pub(super) fn new(own: T, id: SubdomainId, graph: &impl Graph<N>) -> Self {
        let mut link = 0;
        let links = graph.neighbours(id).map(|neighbour| {
            let number = link;
            link += 1;
            neighbour.map(|neighbour| Link {
                neighbour,
                back: graph.back(id, number),
                units: graph.edge(graph.size(id), number),
            })
        });
        let inboxes = [const { Inbox::EMPTY }; N];
        Self { own, version: 0, links, inboxes, watched_by: Vec::new() }
    }

    /// Makes a sweep with halos of these versions, all of which are in the inboxes.
    pub(super) fn sweep(&mut self, halos: &[Option<u64>; N]) {
        let Self { own, inboxes, .. } = self;
        for (link, (inbox, halo)) in inboxes.iter().zip(halos).enumerate() {
            if let Some(edge) = halo.and_then(|halo| inbox.get(halo)) {
                own.read(link, EdgeReader::new(edge));
            }
        }
        own.update(false);
        self.version += 1;
    }

    /// Sends the newest edge on a link to the neighbour there, and returns the number of its bytes.
    pub(super) fn send(&self, number: usize, link: Link, to: &mut Self) -> u64 {
        let Some(inbox) = to.inboxes.get_mut(link.back) else { return 0 };
        inbox.add(self.version, |edge| {
            edge.resize_with(link.units as usize, T::Unit::shared_zero);
            self.own.publish(number, EdgeWriter::through(edge));
        })
    }
}
