//! The layout of a rank's windows, which is the same on every rank, so that no rank needs to ask
//! for it.

use std::ops::Range;

use tresse_core::base::id::{RankId, SlotId, SubdomainId};
use tresse_core::base::table::At;
use tresse_core::parts::Graph;
use tresse_core::parts::halo::{Bounds, EDGE_BUFFERS, HEAD_WORDS, LABEL_WORDS, head};
use tresse_core::ranks::migration::Packet;
use tresse_core::ranks::{CellsAt, Place, RankRecord, head_in_overview};
use tresse_core::run::RunConfig;

/// The places of everything that ranks see of each other.
///
/// The window of words has, one after the other: the rank's [record](RankRecord), the heads of its
/// slots, its command, the mailboxes and the answers of every rank, the head of its packet, and its
/// directory. The window of units has the edges of its slots and its outbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout<const N: usize = 4> {
    bounds: Bounds,
    /// Units of the longest edge on each link of a subdomain.
    edges: [usize; N],
    /// Units of the largest subdomain as it is packed.
    packed: usize,
}

impl<const N: usize> Layout<N> {
    /// Returns the layout for a run on as many ranks as the configuration has nodes, where no
    /// subdomain is packed in more units than `packed`.
    pub fn new(config: &RunConfig, graph: &impl Graph<N>, packed: usize) -> Self {
        let mut edges = [0; N];
        for id in (0..graph.parts()).map(SubdomainId) {
            let links = graph.neighbours(id).into_iter().enumerate().zip(&mut edges);
            for ((link, neighbour), longest) in links {
                let edge = neighbour.map_or(0, |_| graph.edge(graph.size(id), link));
                *longest = (*longest).max(edge as usize);
            }
        }
        Self { bounds: Bounds::of(config), edges, packed }
    }

    /// Returns the bounds of the numbers that a word may name.
    pub const fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Returns the units of the longest edge of all.
    pub fn longest_edge(&self) -> usize {
        self.edges.into_iter().fold(0, usize::max)
    }

    /// Returns the units of the largest subdomain that a packet has room for.
    pub const fn packed(&self) -> usize {
        self.packed
    }

    /// Returns the number of words of a rank.
    pub const fn words(&self) -> usize {
        self.directory() + self.bounds.subdomains as usize
    }

    /// Returns the word of a place in a rank's window, as a range.
    pub const fn words_of(&self, place: Place) -> Range<usize> {
        let start = match place {
            Place::Record => return 0..RankRecord::WORDS,
            Place::Overview => return 0..self.overview(),
            Place::Head(slot) => return self.meta(slot),
            Place::Packet => return self.packet(),
            Place::Command => self.command(),
            Place::Asked => self.command() + 1,
            Place::Mailbox(from) => self.mailbox(from),
            Place::Answer(from) => self.answer(from),
            Place::Entry(id) => self.entry(id),
        };
        start..start + 1
    }

    /// Returns the range of these units in a rank's window of units.
    pub fn cells_of(&self, cells: CellsAt) -> Range<usize> {
        match cells {
            CellsAt::Edge { slot, link, version, units } => {
                self.buffer(slot, link, version, units as usize)
            }
            CellsAt::Outbox(units) => self.outbox(units),
        }
    }

    /// Returns the number of words that describe the progress of a rank: its record and the heads
    /// of its slots.
    pub const fn overview(&self) -> usize {
        RankRecord::WORDS + self.bounds.slots as usize * HEAD_WORDS
    }

    /// Returns the place of the head of a slot.
    pub const fn head(&self, slot: SlotId) -> usize {
        head_in_overview(slot)
    }

    /// Returns the range of a head's words that belong to a halo: its version and its halo tag.
    pub const fn meta(&self, slot: SlotId) -> Range<usize> {
        // They are the first two.
        let start = self.head(slot);
        start + head::VERSION..start + head::HALO_TAG + 1
    }

    /// Returns the place of the command of the first rank to this one; what it asks for is the next
    /// word.
    pub const fn command(&self) -> usize {
        self.overview()
    }

    /// Returns the place of a rank's offer to this one.
    pub const fn mailbox(&self, from: RankId) -> usize {
        self.command() + HEAD_WORDS + from.index()
    }

    /// Returns the place of a rank's answer to this one.
    pub const fn answer(&self, from: RankId) -> usize {
        self.command() + HEAD_WORDS + self.bounds.ranks as usize + from.index()
    }

    /// Returns the range of the head of the subdomain in the outbox.
    pub const fn packet(&self) -> Range<usize> {
        let start = self.command() + HEAD_WORDS + 2 * self.bounds.ranks as usize;
        start..start + Packet::<N>::WORDS
    }

    /// Returns the place of this rank's directory entry of a subdomain.
    pub const fn entry(&self, id: SubdomainId) -> usize {
        self.directory() + id.index()
    }

    /// Returns the place of the directory's first entry.
    const fn directory(&self) -> usize {
        self.packet().end
    }

    /// Returns the number of units of a rank.
    pub fn cells(&self) -> usize {
        self.outbox(u64::MAX).end
    }

    /// Returns the range, in a rank's window of units, of the edge that the subdomain in a slot
    /// shows to its neighbour on one link: its [`EDGE_BUFFERS`] buffers, for versions in turn, with
    /// their labels.
    pub fn edge(&self, slot: SlotId, link: usize) -> Range<usize> {
        let before = self.edges.iter().take(link).map(|edge| buffers(*edge)).sum::<usize>();
        let start = slot.index() * self.edges_of_a_slot() + before;
        start..start + buffers(*self.edges.at(link))
    }

    /// Returns the used range of the buffer for a version of an edge of this many units: the label
    /// and the units.
    pub fn buffer(&self, slot: SlotId, link: usize, version: u64, units: usize) -> Range<usize> {
        let edge = self.edge(slot, link);
        let buffer = usize::try_from(version % EDGE_BUFFERS as u64).unwrap_or(0);
        let length = edge.len() / EDGE_BUFFERS;
        let start = edge.start + buffer * length;
        start..start + length.min(LABEL_WORDS + units)
    }

    /// Returns the units of all edges of a slot.
    fn edges_of_a_slot(&self) -> usize {
        self.edges.into_iter().map(buffers).sum()
    }

    /// Returns the range that a packet of this many units uses of the outbox, as far as there is
    /// room: the label, then the units.
    pub fn outbox(&self, units: u64) -> Range<usize> {
        let start = self.bounds.slots as usize * self.edges_of_a_slot();
        let units = usize::try_from(units).map_or(self.packed, |units| units.min(self.packed));
        start..start + LABEL_WORDS + units
    }
}

/// Returns the units of all buffers of an edge of this many units.
const fn buffers(edge: usize) -> usize {
    EDGE_BUFFERS * (edge + LABEL_WORDS)
}

#[cfg(test)]
mod tests {
    use std::array;

    use tresse_core::base::time::Duration;
    use tresse_core::field::grid::{Decomposition, Side};
    use tresse_core::run::{
        Balance, GridSize, Imbalance, Mode, NodeBalance, Nodes, PlbParams, Precision, Stop,
    };

    use super::*;

    fn layout(balance: NodeBalance) -> Layout {
        let config = RunConfig {
            grid: GridSize { rows: 97, columns: 53 },
            workers: 6,
            split: 3,
            mode: Mode::Async,
            balance: Balance::None,
            help: true,
            always_help: false,
            plb: PlbParams::default(),
            nodes: Nodes { number: 3, balance, ..Nodes::ONE },
            imbalance: Imbalance::default(),
            stop: Stop { iterations: Some(1), ..Stop::NEVER },
            precision: Precision::F64,
            seed: 1,
            noise: heapless::Vec::new(),
        };
        Layout::new(&config, &Decomposition::new(&config).unwrap(), 700)
    }

    /// Checks that no places overlap or lie beyond the end, and that only padding is left over.
    #[test]
    fn everything_has_a_place_of_its_own() {
        for balance in [NodeBalance::None, NodeBalance::Chaos { seed: 1 }] {
            let layout = layout(balance);
            let Bounds { subdomains, ranks, slots } = layout.bounds();
            let ranks = || (0..ranks).map(RankId);
            let slots = || (0..slots).map(SlotId);
            let heads = slots().map(|slot| layout.head(slot)).map(|head| head..head + HEAD_WORDS);
            let mailbox = ranks().flat_map(|rank| [layout.mailbox(rank), layout.answer(rank)]);
            let entries = (0..subdomains).map(|id| layout.entry(SubdomainId(id)));
            let single = mailbox.chain(entries).map(|word| word..word + 1);
            let command = layout.command()..layout.command() + HEAD_WORDS;
            let words = [0..RankRecord::WORDS, command, layout.packet()];
            assert_eq!(cover(words.into_iter().chain(heads).chain(single)), layout.words());
            let edges =
                slots().flat_map(|slot| array::from_fn::<_, 4, _>(|link| layout.edge(slot, link)));
            let outbox = layout.outbox(700);
            assert_eq!(
                (layout.outbox(701), layout.outbox(3).len()),
                (outbox.clone(), LABEL_WORDS + 3)
            );
            assert_eq!(cover(edges.chain([outbox])), layout.cells());
        }
    }

    /// Returns the end of ranges that cover everything from 0 without overlapping.
    fn cover(ranges: impl Iterator<Item = Range<usize>>) -> usize {
        let mut ranges: Vec<_> = ranges.collect();
        ranges.sort_by_key(|range| range.start);
        ranges.iter().fold(0, |end, range| {
            assert_eq!(range.start, end);
            range.end
        })
    }

    #[test]
    fn a_buffer_is_where_a_publication_puts_it() {
        let layout = layout(NodeBalance::None);
        let top = Side::Top.index();
        let edge = layout.edge(SlotId(2), top);
        let length = edge.len() / EDGE_BUFFERS;
        for version in 0..7 {
            let buffer = |cells| layout.buffer(SlotId(2), top, version, cells);
            let place = usize::try_from(version).unwrap() % EDGE_BUFFERS;
            let start = edge.start + place * length;
            assert_eq!(buffer(length - LABEL_WORDS), start..start + length);
            assert_eq!(buffer(3), start..start + LABEL_WORDS + 3);
            assert_eq!(buffer(usize::MAX - LABEL_WORDS), start..start + length);
        }
    }

    #[test]
    fn there_are_slots_for_what_may_come() {
        assert_eq!(layout(NodeBalance::None).bounds().slots, 6);
        let dplb = NodeBalance::Dplb { period: Duration::from_millis(1), threshold: 1 };
        assert!(layout(dplb).bounds().slots >= 12);
        assert_eq!(layout(NodeBalance::Chaos { seed: 1 }).bounds().slots, 18);
    }
}
