//! Graphs: a list of edges, or a matrix in Matrix Market's coordinate form, whose places are edges.
//!
//! A list has two numbers a line, from 0 on: where an edge leads from, and where to. A third is its weight,
//! which nothing here needs. `#` and `%` begin comments. A matrix has its `%%MatrixMarket` line, its sizes,
//! and the places, whose numbers are from 1 on; a value in row `i` and column `j` is an edge from `i` to `j`,
//! and in a symmetric matrix one back as well.

mod edge_list;
mod error;
mod lines;
mod matrix_market;

use std::io::BufRead;

use serde::Serialize;
use tresse_core::owned::OwnedGraph;

pub use error::{GraphFault, GraphFileError};

use self::lines::Lines;

/// The forms that the file of a graph can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GraphForm {
    /// A list of edges, two numbers a line.
    EdgeList,
    /// A matrix in Matrix Market's form.
    MatrixMarket,
}

impl GraphForm {
    /// Returns the form's name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EdgeList => "edge list",
            Self::MatrixMarket => "Matrix Market",
        }
    }

    /// Returns the number that the form gives to the first vertex.
    pub const fn first(self) -> u32 {
        match self {
            Self::EdgeList => 0,
            Self::MatrixMarket => 1,
        }
    }
}

/// A graph read from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphFile {
    /// The form of the file.
    pub form: GraphForm,
    /// The graph; its vertices are numbered from 0, and each direction of an edge is an arc.
    pub graph: OwnedGraph,
    /// The vertex that the first edge in the file leads from, counted from 0; vertex 0 where the file has
    /// no edges.
    pub first: u32,
}

/// The edges read so far.
struct Edges {
    vertices: u32,
    arcs: Vec<(u32, u32)>,
    /// Whether each edge also leads back.
    both_ways: bool,
    /// Bytes of memory that the graph may take.
    most: u64,
}

impl GraphFile {
    /// Reads a file of either form. With `undirected`, the edges of a list, or of a matrix that is not
    /// symmetric, lead both ways too. The graph takes at most `most` bytes.
    pub fn read(from: impl BufRead, undirected: bool, most: u64) -> Result<Self, GraphFileError> {
        let mut lines = Lines::new(from);
        let is_matrix = lines.next()?.is_some_and(matrix_market::is_one);
        let form = if is_matrix { GraphForm::MatrixMarket } else { GraphForm::EdgeList };
        let mut edges = Edges { vertices: 0, arcs: vec![], both_ways: undirected, most };
        if is_matrix {
            matrix_market::read(&mut lines, &mut edges)?;
        } else {
            edge_list::read(&mut lines, &mut edges)?;
        }
        let first = edges.arcs.first().map_or(0, |(from, _)| *from);
        Ok(Self { form, graph: OwnedGraph::new(edges.vertices, edges.arcs), first })
    }
}

impl Edges {
    /// Adds an edge between vertices that are counted from 0.
    fn add(&mut self, from: u32, to: u32) -> Result<(), GraphFault> {
        let arcs = if self.both_ways { 2 } else { 1 };
        if self.arcs.len() + arcs > self.arcs.capacity() {
            self.grow()?;
        }
        self.arcs.push((from, to));
        if self.both_ways {
            self.arcs.push((to, from));
        }
        Ok(())
    }

    /// Makes room for as many arcs again, or for an eighth of that where the memory allows no more.
    fn grow(&mut self) -> Result<(), GraphFault> {
        let more = self.arcs.len().max(1 << 10);
        let fits = |more: usize| {
            let arcs = (self.arcs.len() + more) as u64;
            OwnedGraph::bytes(self.vertices.into(), arcs) <= self.most
        };
        let more = [more, more / 8].into_iter().find(|more| fits(*more));
        let arcs = self.arcs.len() as u64;
        let more = more.ok_or(GraphFault::Edges { arcs, most: self.most })?;
        let grown = self.arcs.try_reserve_exact(more.max(2));
        grown.map_err(|_| GraphFault::Edges { arcs, most: self.most })
    }

    /// Raises the number of vertices to at least `vertices`.
    fn has(&mut self, vertices: u32) -> Result<(), GraphFault> {
        if vertices > self.vertices {
            if OwnedGraph::bytes(vertices.into(), self.arcs.len() as u64) > self.most {
                return Err(GraphFault::Vertices { vertices, most: self.most });
            }
            self.vertices = vertices;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
