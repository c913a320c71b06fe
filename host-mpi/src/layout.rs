//! Where in a rank's windows what lies: the same on every rank, so that nobody needs to ask.

use std::ops::Range;

use tresse_core::grid::{Decomposition, Side};
use tresse_core::id::{Berth, NodeId, SubdomainId};
use tresse_core::migration::{Bounds, Packet};
use tresse_core::run::RunConfig;
use tresse_core::shared::{HEAD_WORDS, LABEL_WORDS, SLOTS, head};

use crate::record;

/// The places of everything that ranks see of each other.
///
/// The window of words has, one after the other: the rank's [record], the heads of
/// its berths, its command, the mail and the answers from every rank, the head of its packet, and its
/// directory. The window of cells has the edges of its berths and its outbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    bounds: Bounds,
    /// The most rows and columns of a subdomain.
    rows: usize,
    columns: usize,
}

impl Layout {
    /// For a run on so many ranks as the configuration has nodes.
    pub fn new(config: &RunConfig, cut: &Decomposition) -> Self {
        let sizes = cut.ids().map(|id| cut.part(id).size);
        let (rows, columns) = sizes
            .fold((0, 0), |(rows, columns), size| (rows.max(size.rows), columns.max(size.columns)));
        Self { bounds: Bounds::of(config), rows, columns }
    }

    /// What a word may name.
    pub const fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// The most rows and columns of a subdomain.
    pub const fn size(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// Words of a rank.
    pub const fn words(&self) -> usize {
        self.directory() + self.bounds.subdomains as usize
    }

    /// The words that say how a rank is getting on: its record and the heads of its berths.
    pub const fn overview(&self) -> usize {
        record::WORDS + self.bounds.berths as usize * HEAD_WORDS
    }

    /// The head of a berth.
    pub const fn head(&self, berth: Berth) -> usize {
        record::WORDS + berth.index() * HEAD_WORDS
    }

    /// The words of a head that come with a halo: its version and its tenant.
    pub const fn meta(&self, berth: Berth) -> Range<usize> {
        // They are the first two.
        let start = self.head(berth);
        start + head::VERSION..start + head::TENANT + 1
    }

    /// What the first rank has told this one.
    pub const fn command(&self) -> usize {
        self.overview()
    }

    /// What a rank has offered to this one.
    pub const fn mail(&self, from: NodeId) -> usize {
        self.command() + HEAD_WORDS + from.index()
    }

    /// What a rank has answered to this one.
    pub const fn answer(&self, from: NodeId) -> usize {
        self.command() + HEAD_WORDS + self.bounds.ranks as usize + from.index()
    }

    /// The head of what is in the outbox.
    pub const fn packet(&self) -> Range<usize> {
        let start = self.command() + HEAD_WORDS + 2 * self.bounds.ranks as usize;
        start..start + Packet::WORDS
    }

    /// What this rank says of a subdomain.
    pub const fn entry(&self, id: SubdomainId) -> usize {
        self.directory() + id.index()
    }

    const fn directory(&self) -> usize {
        self.packet().end
    }

    /// Cells of a rank.
    pub const fn cells(&self) -> usize {
        self.outbox(self.rows, self.columns).end
    }

    /// The edge of a berth on one side, all slots.
    pub const fn edge(&self, berth: Berth, side: Side) -> Range<usize> {
        let [row, column] = self.edge_lengths();
        let start = berth.index() * 2 * (row + column);
        match side {
            Side::Top => start..start + row,
            Side::Bottom => start + row..start + 2 * row,
            Side::Left => start + 2 * row..start + 2 * row + column,
            Side::Right => start + 2 * row + column..start + 2 * (row + column),
        }
    }

    /// What is used of the slot that a version of an edge of so many cells is in: its label and them.
    pub fn slot(&self, berth: Berth, side: Side, version: u64, cells: usize) -> Range<usize> {
        let edge = self.edge(berth, side);
        let slot = usize::try_from(version % SLOTS as u64).unwrap_or(0);
        let length = edge.len() / SLOTS;
        let start = edge.start + slot * length;
        start..start + length.min(LABEL_WORDS + cells)
    }

    /// All slots of an edge that is a row, and of one that is a column.
    const fn edge_lengths(&self) -> [usize; 2] {
        [SLOTS * (self.columns + LABEL_WORDS), SLOTS * (self.rows + LABEL_WORDS)]
    }

    /// The cells of a subdomain of so many rows and columns in the outbox, row by row.
    pub const fn outbox(&self, rows: usize, columns: usize) -> Range<usize> {
        let [row, column] = self.edge_lengths();
        let start = self.bounds.berths as usize * 2 * (row + column);
        start..start + rows * columns
    }
}

#[cfg(test)]
mod tests {
    use tresse_core::run::{
        Balance, GridSize, Imbalance, Mode, NodeBalance, Nodes, PlbParams, Precision, Stop,
    };
    use tresse_core::time::Duration;

    use super::*;

    fn layout(balance: NodeBalance) -> Layout {
        let config = RunConfig {
            grid: GridSize { rows: 97, columns: 53 },
            workers: 6,
            split: 3,
            mode: Mode::Async,
            balance: Balance::None,
            plb: PlbParams::default(),
            nodes: Nodes { number: 3, balance, ..Nodes::ONE },
            imbalance: Imbalance::default(),
            stop: Stop { tolerance: None, iterations: Some(1) },
            precision: Precision::F64,
            seed: 1,
            noise: heapless::Vec::new(),
        };
        Layout::new(&config, &Decomposition::new(&config).unwrap())
    }

    /// Nothing overlaps, nothing is beyond the end, and nothing is left over but padding.
    #[test]
    fn everything_has_a_place_of_its_own() {
        for balance in [NodeBalance::None, NodeBalance::Chaos { seed: 1 }] {
            let layout = layout(balance);
            let Bounds { subdomains, ranks, berths } = layout.bounds();
            let ranks = || (0..ranks).map(NodeId);
            let berths = || (0..berths).map(Berth);
            let heads =
                berths().map(|berth| layout.head(berth)).map(|head| head..head + HEAD_WORDS);
            let mail = ranks().flat_map(|rank| [layout.mail(rank), layout.answer(rank)]);
            let entries = (0..subdomains).map(|id| layout.entry(SubdomainId(id)));
            let single = mail.chain(entries).map(|word| word..word + 1);
            let command = layout.command()..layout.command() + HEAD_WORDS;
            let words = [0..record::WORDS, command, layout.packet()];
            assert_eq!(cover(words.into_iter().chain(heads).chain(single)), layout.words());
            let edges = berths().flat_map(|berth| Side::ALL.map(|side| layout.edge(berth, side)));
            let (rows, columns) = layout.size();
            let outbox = layout.outbox(rows, columns);
            assert_eq!(cover(edges.chain([outbox])), layout.cells());
        }
    }

    /// Where ranges that cover everything from 0 without overlapping end.
    fn cover(ranges: impl Iterator<Item = Range<usize>>) -> usize {
        let mut ranges: Vec<_> = ranges.collect();
        ranges.sort_by_key(|range| range.start);
        ranges.iter().fold(0, |end, range| {
            assert_eq!(range.start, end);
            range.end
        })
    }

    #[test]
    fn a_slot_is_where_a_publication_puts_it() {
        let layout = layout(NodeBalance::None);
        let edge = layout.edge(Berth(2), Side::Left);
        let length = edge.len() / SLOTS;
        for version in 0..7 {
            let slot = |cells| layout.slot(Berth(2), Side::Left, version, cells);
            let place = usize::try_from(version).unwrap() % SLOTS;
            let start = edge.start + place * length;
            assert_eq!(slot(length - LABEL_WORDS), start..start + length);
            assert_eq!(slot(3), start..start + LABEL_WORDS + 3);
            assert_eq!(slot(usize::MAX - LABEL_WORDS), start..start + length);
        }
    }

    #[test]
    fn there_are_berths_for_what_may_come() {
        assert_eq!(layout(NodeBalance::None).bounds().berths, 6);
        let dplb = NodeBalance::Dplb { period: Duration::from_millis(1), threshold: 1 };
        assert!(layout(dplb).bounds().berths >= 12);
        assert_eq!(layout(NodeBalance::Chaos { seed: 1 }).bounds().berths, 18);
    }
}
