//! Blocks of a sparse matrix as parts: a graph in slices, in which each direction of a link has a
//! length of its own.

use std::collections::BTreeMap;

use tresse::files::machine_files::VirtualMachine;
use tresse::{Iterated, Run};
use tresse_core::base::id::SubdomainId;
use tresse_core::parts::halo::{EdgeReader, EdgeWriter};
use tresse_core::parts::owned::{Edge, GraphMemory};
use tresse_core::parts::{GraphError, Part, SliceGraph};
use tresse_core::run::{Balance, Mode, RunConfig, Stop};
use tresse_tests::problems::{Failure, iterations};

const BLOCKS: u32 = 8;
/// Rows of a block, and of all.
const ROWS: usize = 3;
const ALL: usize = 24;

/// Returns the columns of a row beside the diagonal, each with weight .3.
fn columns(row: usize) -> [usize; 3] {
    [7 * row + 5, 11 * row + 2, row + 1].map(|column| column % ALL)
}

/// Returns what a row becomes, where `value` returns the others.
fn next(row: usize, value: impl Fn(usize) -> f64) -> f64 {
    columns(row).into_iter().map(|column| 0.3 * value(column)).fold(row as f64, |sum, x| sum + x)
}

fn rows(block: SubdomainId) -> std::ops::Range<usize> {
    block.index() * ROWS..(block.index() + 1) * ROWS
}

/// Returns the rows of the block `from` that the block `to` reads.
fn read_of(from: SubdomainId, to: SubdomainId) -> Vec<usize> {
    rows(from).filter(|row| rows(to).any(|reader| columns(reader).contains(row))).collect()
}

fn graph() -> Result<GraphMemory, GraphError> {
    let blocks = || (0..BLOCKS).map(SubdomainId);
    let pairs = blocks().flat_map(|from| blocks().map(move |to| (from, to)));
    let edges = pairs.filter(|(from, to)| from != to).filter_map(|(from, to)| {
        let units = u32::try_from(read_of(from, to).len()).ok()?;
        (units > 0).then_some(Edge { from, to, units })
    });
    GraphMemory::new(vec![3; BLOCKS as usize], edges)
}

struct Block<'g> {
    id: SubdomainId,
    links: SliceGraph<'g, 7>,
    /// The values of all rows that it knows: its own ones, and those that it reads.
    values: BTreeMap<usize, f64>,
}

impl<'g> Block<'g> {
    fn new(id: SubdomainId, links: SliceGraph<'g, 7>) -> Self {
        Self { id, links, values: (0..ALL).map(|row| (row, 0.0)).collect() }
    }

    fn to(&self, link: usize) -> SubdomainId {
        self.links.links(self.id)[link].to
    }
}

impl Part for Block<'_> {
    type Unit = f64;

    fn publish(&self, link: usize, edge: EdgeWriter<'_, f64>) {
        edge.write(read_of(self.id, self.to(link)).into_iter().map(|row| self.values[&row]));
    }

    fn read(&mut self, link: usize, edge: EdgeReader<'_, f64>) {
        self.values.extend(read_of(self.to(link), self.id).into_iter().zip(edge.cells()));
    }

    fn update(&mut self, with_residual: bool) -> Option<f64> {
        let residual = with_residual.then(|| self.residual());
        let new: Vec<_> =
            rows(self.id).map(|row| (row, next(row, |column| self.values[&column]))).collect();
        self.values.extend(new);
        residual
    }

    fn residual(&mut self) -> f64 {
        let of_row = |row| next(row, |column| self.values[&column]) - self.values[&row];
        rows(self.id).map(|row| of_row(row).powi(2)).sum()
    }

    fn pack(&self) -> impl Iterator<Item = f64> {
        self.values.values().copied()
    }

    fn unpack(&mut self, id: SubdomainId, units: impl Iterator<Item = f64>) -> bool {
        self.id = id;
        self.values.values_mut().zip(units).map(|(value, unit)| *value = unit).count() == ALL
    }
}

/// Returns the values of all rows.
fn values(run: &Iterated<Block<'_>>) -> Vec<f64> {
    run.parts.iter().flat_map(|block| rows(block.id).map(|row| block.values[&row])).collect()
}

fn plainly(iterations: u32) -> Vec<f64> {
    let mut values = vec![0.0; ALL];
    for _ in 0..iterations {
        values = (0..ALL).map(|row| next(row, |column| values[column])).collect();
    }
    values
}

#[test]
fn blocks_of_a_matrix_agree_with_a_plain_loop() -> Result<(), Failure> {
    let (memory, laptop) = (graph()?, VirtualMachine::shipped("laptop")?);
    let graph = memory.lend::<7>()?;
    let lengths =
        (0..BLOCKS).map(SubdomainId).flat_map(|id| graph.links(id)).map(|link| link.units);
    assert!(lengths.clone().min() < lengths.max(), "every direction is as long");
    let make = |id| Block::new(id, graph);
    let base = RunConfig { workers: 2, split: 4, ..RunConfig::paper(2) };
    for (mode, balance, always_help) in
        [(Mode::Sync, Balance::None, false), (Mode::Exact, Balance::Pull(0), true)]
    {
        let config = RunConfig { mode, balance, always_help, stop: iterations(40), ..base.clone() };
        let run = Run::new(config, &graph, make);
        for found in [run.on_threads()?, run.in_virtual_time(&laptop)?] {
            let bits = |values: Vec<f64>| values.into_iter().map(f64::to_bits).collect::<Vec<_>>();
            assert_eq!(bits(values(&found)), bits(plainly(40)), "{mode}");
        }
    }
    let stop = Stop { tolerance: Some(1e-10), ..Stop::NEVER };
    let run = Run::new(RunConfig { stop, ..base }, &graph, make);
    let settled = plainly(2_000);
    for found in [run.on_threads()?, run.in_virtual_time(&laptop)?] {
        let far = values(&found).into_iter().zip(&settled).map(|(found, exact)| found - exact);
        assert!(far.fold(0.0, |most: f64, far| most.max(far.abs())) < 1e-6);
    }
    Ok(())
}
