//! The whole system: the blocks of all parts, and their graph.

use std::collections::BTreeMap;

use rayon::iter::{
    IndexedParallelIterator as _, IntoParallelRefMutIterator as _, ParallelIterator as _,
};
use tresse_core::base::id::SubdomainId;
use tresse_core::base::table::At as _;
use tresse_core::parts::GraphError;
use tresse_core::parts::owned::{Edge, GraphMemory};

use crate::block::Block;
use crate::partition::partition;
use crate::rows::SparseRows;
use crate::subdomain::Subdomain;

/// A system that cannot be cut and factorised.
#[derive(Debug, thiserror::Error)]
pub enum SystemError {
    /// Some parts would be empty.
    #[error("{parts} parts are more than the {rows} rows of the matrix")]
    TooManyParts {
        /// Parts that were asked for.
        parts: u32,
        /// Rows of the matrix.
        rows: u32,
    },
    /// The block of a part has no inverse.
    #[error(
        "the block of part {part} is singular: {rows} rows from {first} to {last}, its overlap included"
    )]
    Singular {
        /// The part, from 0.
        part: usize,
        /// Rows of the block.
        rows: usize,
        /// Its first row, from 1.
        first: u32,
        /// Its last row, from 1.
        last: u32,
    },
    /// Never for a graph of ours.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

/// A system that is cut into parts, whose blocks are factorised.
#[derive(Debug)]
pub struct System {
    rows: u32,
    blocks: Vec<Block>,
    exchanges: Vec<Vec<Exchange>>,
    graph: GraphMemory,
}

/// What goes over a link of a part, by the numbers of its values.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    /// Values that the part publishes.
    pub sent: Vec<u32>,
    /// Values that it reads.
    pub received: Vec<u32>,
}

/// The processes of a run, each of which factorises the blocks of the parts that start there.
pub trait Processes {
    /// Whether a part starts in this process.
    fn starts_here(&self, part: SubdomainId) -> bool;

    /// Adds to each number those that the other processes have at its place. Collective.
    fn sum(&mut self, numbers: &mut [u64]);
}

/// The only process of a run.
#[derive(Clone, Copy, Debug)]
pub struct OneProcess;

impl Processes for OneProcess {
    fn starts_here(&self, _: SubdomainId) -> bool {
        true
    }

    fn sum(&mut self, _: &mut [u64]) {}
}

impl System {
    /// Cuts the system A x = b into parts and factorises their blocks, beside each other; `overlap`
    /// is the number of layers of the matrix's graph by which the rows of a part are extended.
    pub fn new(
        matrix: &SparseRows,
        rhs: &[f64],
        start: &[f64],
        parts: u32,
        overlap: u32,
    ) -> Result<Self, SystemError> {
        Self::across(&mut OneProcess, (matrix, rhs, start), parts, overlap)
    }

    /// Cuts a system as [`System::new`] does, in each of several processes, and factorises the
    /// blocks of the parts that start in this one. Collective.
    pub fn across(
        processes: &mut impl Processes,
        (matrix, rhs, start): (&SparseRows, &[f64], &[f64]),
        parts: u32,
        overlap: u32,
    ) -> Result<Self, SystemError> {
        let rows = matrix.len();
        if parts == 0 || parts > rows {
            return Err(SystemError::TooManyParts { parts, rows });
        }
        let graph = matrix.graph();
        let cut = partition(&graph, parts);
        let made = cut.iter().map(|own| Block::new(matrix, &graph, rhs, start, own, overlap));
        let mut blocks: Vec<_> = made.collect();
        factorise(processes, &cut, &mut blocks)?;
        let exchanges = exchanges(rows, &cut, &blocks);
        let edges = exchanges.iter().enumerate().flat_map(|(part, links)| {
            links.iter().map(move |(&to, exchange)| Edge {
                from: number(part),
                to: number(to),
                units: u32::try_from(exchange.sent.len()).unwrap_or(u32::MAX),
            })
        });
        let cells = blocks.iter().map(Block::cells).collect();
        let graph = GraphMemory::new(cells, edges)?;
        let exchanges = exchanges.into_iter().map(|links| links.into_values().collect()).collect();
        Ok(Self { rows, blocks, exchanges, graph })
    }

    /// Returns the number of parts.
    pub fn parts(&self) -> usize {
        self.blocks.len()
    }

    /// Returns the number of rows of the matrix.
    pub const fn rows(&self) -> u32 {
        self.rows
    }

    /// Returns the graph of the parts.
    pub const fn graph(&self) -> &GraphMemory {
        &self.graph
    }

    /// Returns the most links that a part has.
    pub fn degree(&self) -> usize {
        self.exchanges.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// Returns the blocks of all parts.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Returns the exchanges over a part's links.
    pub(crate) fn exchanges(&self, part: SubdomainId) -> &[Exchange] {
        self.exchanges.at(part)
    }

    /// Returns the solution that all parts have together.
    pub fn assembled(&self, parts: &[Subdomain<'_>]) -> Vec<f64> {
        let mut solution = vec![0.0; self.rows as usize];
        for (row, value) in self.values((0..).map(SubdomainId).zip(parts)) {
            solution.get_mut(row as usize).into_iter().for_each(|to| *to = value);
        }
        solution
    }

    /// Returns the values of some parts' own rows, with the rows' numbers.
    pub fn values<'p>(
        &self,
        parts: impl Iterator<Item = (SubdomainId, &'p Subdomain<'p>)>,
    ) -> impl Iterator<Item = (u32, f64)> {
        parts.flat_map(|(id, part)| {
            let globals = self.blocks.get(id.index()).map_or(&[][..], Block::globals);
            globals.iter().copied().zip(part.own_values().iter().copied())
        })
    }
}

fn number(part: usize) -> SubdomainId {
    SubdomainId(u32::try_from(part).unwrap_or(u32::MAX))
}

/// Factorises the blocks of the parts that start in this process, beside each other, and lets all
/// know how many nonzeros the factors of each have. Collective, also where a block has no inverse.
fn factorise(
    processes: &mut impl Processes,
    cut: &[Vec<u32>],
    blocks: &mut [Block],
) -> Result<(), SystemError> {
    let here: Vec<_> = (0..blocks.len()).map(|part| processes.starts_here(number(part))).collect();
    let made = blocks.par_iter_mut().zip(&here).map(|(block, is_here)| match is_here {
        true => block.factorise(),
        false => Ok(()),
    });
    // All of them, so that the error is that of the first part.
    let made: Vec<_> = made.collect();
    let mut entries: Vec<_> = blocks.iter().map(|block| block.factor_entries() as u64).collect();
    processes.sum(&mut entries);
    for (block, entries) in blocks.iter_mut().zip(entries) {
        block.set_factor_entries(usize::try_from(entries).unwrap_or(usize::MAX));
    }
    let failed = made.iter().zip(cut).enumerate().find(|(_, (made, _))| made.is_err());
    failed.map_or(Ok(()), |(part, (_, own))| Err(singular(part, own)))
}

/// Returns the error about a singular block.
fn singular(part: usize, own: &[u32]) -> SystemError {
    let row = |row: Option<&u32>| row.map_or(0, |row| row + 1);
    let (first, last) = (row(own.first()), row(own.last()));
    SystemError::Singular { part, rows: own.len(), first, last }
}

/// Returns what each part exchanges with each of its neighbours, in the order of their numbers.
fn exchanges(rows: u32, cut: &[Vec<u32>], blocks: &[Block]) -> Vec<BTreeMap<usize, Exchange>> {
    // The part of each row, and the row's number there.
    let mut places = vec![(0, 0); rows as usize];
    for (part, own) in cut.iter().enumerate() {
        for (number, &row) in (0..).zip(own) {
            places[row as usize] = (part, number);
        }
    }
    let mut exchanges = vec![BTreeMap::<usize, Exchange>::new(); blocks.len()];
    for (reader, block) in blocks.iter().enumerate() {
        for (received, &global) in (0..).zip(block.globals()).skip(block.own()) {
            let (part, sent) = places[global as usize];
            exchanges[reader].entry(part).or_default().received.push(received);
            exchanges[part].entry(reader).or_default().sent.push(sent);
        }
    }
    connect(&mut exchanges);
    exchanges
}

/// Connects parts that do not read of each other by empty links: the engine keeps parts together
/// along links, so that each must be reachable from every other.
fn connect(exchanges: &mut [BTreeMap<usize, Exchange>]) {
    let mut is_reached = vec![false; exchanges.len()];
    let mut before = None;
    for first in 0..exchanges.len() {
        if is_reached[first] {
            continue;
        }
        let mut open = vec![first];
        while let Some(part) = open.pop() {
            if !std::mem::replace(&mut is_reached[part], true) {
                open.extend(exchanges[part].keys());
            }
        }
        if let Some(before) = before.replace(first) {
            exchanges[before].entry(first).or_default();
            exchanges[first].entry(before).or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use tresse_core::parts::{Part as _, check};
    use tresse_core::run::RunConfig;

    use super::*;

    /// A ring of rows, each of which reads the one after it and the one three before it.
    fn ring(rows: u32) -> SparseRows {
        let entries = (0..rows).flat_map(|row| {
            [(row, row, 3.0), (row, (row + 1) % rows, -1.0), (row, (row + rows - 3) % rows, -1.0)]
        });
        SparseRows::new(rows, entries.collect())
    }

    #[test]
    fn each_direction_has_what_is_read_there() {
        let matrix = ring(40);
        for overlap in [0, 1, 3] {
            let system = System::new(&matrix, &[1.0; 40], &[0.0; 40], 8, overlap).unwrap();
            let graph = system.graph().lend::<7>().unwrap();
            assert_eq!(check(&graph, 8, &RunConfig::paper(2)), Ok(()), "{overlap}");
            for (part, block) in (0..).map(SubdomainId).zip(system.blocks()) {
                let exchanges = system.exchanges(part);
                let received: usize =
                    exchanges.iter().map(|exchange| exchange.received.len()).sum();
                assert_eq!(received, block.globals().len() - block.own());
                for (link, exchange) in graph.links(part).iter().zip(exchanges) {
                    let other = &system.exchanges(link.to)[link.back as usize];
                    let there = &system.blocks()[link.to.index()];
                    let rows = |block: &Block, numbers: &[u32]| -> Vec<u32> {
                        numbers.iter().map(|&number| block.globals()[number as usize]).collect()
                    };
                    assert_eq!(rows(block, &exchange.sent), rows(there, &other.received));
                    assert_eq!(link.units as usize, exchange.sent.len());
                }
            }
        }
    }

    #[test]
    fn parts_that_read_nothing_are_connected() {
        let diagonal = SparseRows::new(40, (0..40).map(|row| (row, row, 1.0)).collect());
        let system = System::new(&diagonal, &[1.0; 40], &[0.0; 40], 8, 1).unwrap();
        let graph = system.graph().lend::<2>().unwrap();
        assert_eq!(check(&graph, 8, &RunConfig::paper(2)), Ok(()));
        let links = (0..8).flat_map(|part| graph.links(SubdomainId(part)));
        assert_eq!(links.clone().count(), 14);
        assert!(links.clone().all(|link| link.units == 0));
    }

    /// Every other part, and the nonzeros of the factors of the rest.
    struct Half(Vec<u64>);

    impl Processes for Half {
        fn starts_here(&self, part: SubdomainId) -> bool {
            part.0.is_multiple_of(2)
        }

        fn sum(&mut self, numbers: &mut [u64]) {
            let odd = numbers.iter_mut().zip(&self.0).skip(1).step_by(2);
            odd.for_each(|(number, other)| *number += other);
        }
    }

    #[test]
    fn a_block_that_comes_from_another_process_is_factorised_then() {
        let (matrix, rhs, start) = (ring(40), [1.0; 40], [0.5; 40]);
        let whole = System::new(&matrix, &rhs, &start, 8, 1).unwrap();
        let entries = |system: &System| -> Vec<_> {
            system.blocks().iter().map(|block| block.factor_entries() as u64).collect()
        };
        let mut half = Half(entries(&whole));
        let half = System::across(&mut half, (&matrix, &rhs, &start), 8, 1).unwrap();
        assert_eq!(entries(&half), entries(&whole));
        let cells = |system: &System| system.blocks().iter().map(Block::cells).collect::<Vec<_>>();
        assert_eq!(cells(&half), cells(&whole));
        for id in (0..8).map(SubdomainId) {
            let updated = |system| {
                let mut part = Subdomain::new(system, id);
                part.update(false);
                part.own_values().to_vec()
            };
            assert_eq!(updated(&half), updated(&whole), "{id}");
        }
    }

    #[test]
    fn what_cannot_be_cut_or_factorised_is_named() {
        let made = |matrix: &SparseRows, parts| {
            let zeros = vec![0.0; matrix.len() as usize];
            System::new(matrix, &zeros, &zeros, parts, 0).map(|system| system.parts())
        };
        assert_eq!(made(&ring(40), 40).unwrap(), 40);
        for parts in [0, 41] {
            assert!(matches!(made(&ring(40), parts), Err(SystemError::TooManyParts { .. })));
        }
        let singular = SparseRows::new(4, vec![(0, 0, 1.0), (1, 1, 1.0), (2, 3, 1.0), (3, 2, 1.0)]);
        assert_eq!(made(&singular, 2).unwrap(), 2);
        let error = made(&singular, 4).unwrap_err().to_string();
        assert!(error.contains("part") && error.contains("singular"), "{error}");
    }
}
