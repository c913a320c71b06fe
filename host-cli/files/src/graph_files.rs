//! Graphs: a list of edges, a matrix in Matrix Market's coordinate form, whose places are edges, or
//! the lists of neighbours that METIS reads.
//!
//! A list has two numbers a line: where an edge leads from, and where to. A third is its weight,
//! which nothing here needs. `#` and `%` begin comments. The numbers are names: any up to 2⁶⁴, with
//! or without gaps. KONECT's lists are such lists; their first line says whether edges lead both
//! ways, and a fourth number is a time.
//!
//! A matrix has its `%%MatrixMarket` line, its sizes, and the places, whose numbers are from 1 on;
//! a value in row `i` and column `j` is an edge from `i` to `j`, and in a symmetric matrix one back
//! as well.
//!
//! METIS's form has the numbers of vertices and of edges, then a line a vertex with its neighbours,
//! from 1 on.

mod edge_list;
mod edges;
mod error;
mod lines;
mod matrix_market;
mod metis;

use std::io::{BufRead, Seek};

use serde::Serialize;
use tresse_core::tasks::owned::OwnedGraph;

pub use error::{GraphFault, GraphFileError};

use self::edges::Edges;
use self::lines::Lines;

/// The forms that the file of a graph can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GraphForm {
    /// A list of edges, two numbers a line.
    EdgeList,
    /// A matrix in Matrix Market's form.
    MatrixMarket,
    /// The neighbours of each vertex, as METIS reads them.
    Metis,
}

impl GraphForm {
    /// Returns the form's name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EdgeList => "edge list",
            Self::MatrixMarket => "Matrix Market",
            Self::Metis => "METIS",
        }
    }

    /// Returns the form that a file with this ending of its name must have, if the ending says so.
    pub fn of_ending(ending: &str) -> Option<Self> {
        let is_metis = ["graph", "metis"].iter().any(|own| ending.eq_ignore_ascii_case(own));
        is_metis.then_some(Self::Metis)
    }
}

/// What is known of a graph's file before it is read.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// The form that the file must have; otherwise its content says which it has.
    pub form: Option<GraphForm>,
    /// Whether the edges of a list, or of a matrix that is not symmetric, lead both ways too.
    pub undirected: bool,
    /// Bytes that the graph may take.
    pub most: u64,
}

/// A graph read from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphFile {
    /// The form of the file.
    pub form: GraphForm,
    /// The graph; its vertices are counted from 0 in the order of their numbers in the file, and
    /// each direction of an edge is an arc.
    pub graph: OwnedGraph,
    /// The vertex that the first edge in the file leads from, counted from 0; vertex 0 where the
    /// file has no edges.
    pub first: u32,
    /// The numbers of the vertices in the file.
    pub numbers: Numbers,
}

/// The numbers that a file has for its vertices, which are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// Numbers without gaps, from this one on.
    From(u32),
    /// The number of each vertex, in ascending order.
    Listed(Vec<u64>),
}

impl Numbers {
    /// Returns the number that the file has for a vertex.
    pub fn of(&self, vertex: u32) -> u64 {
        match self {
            Self::From(first) => u64::from(*first) + u64::from(vertex),
            Self::Listed(numbers) => numbers.get(vertex as usize).copied().unwrap_or(u64::MAX),
        }
    }

    /// Returns the vertex that the file has a number for, if it is one of `vertices`.
    pub fn vertex(&self, number: u64, vertices: u32) -> Option<u32> {
        let place = match self {
            Self::From(first) => number.checked_sub(u64::from(*first))?,
            Self::Listed(numbers) => numbers.binary_search(&number).ok()? as u64,
        };
        u32::try_from(place).ok().filter(|vertex| *vertex < vertices)
    }
}

impl GraphFile {
    /// Reads a file of any form, from its start.
    pub fn read(from: impl BufRead + Seek, reading: Reading) -> Result<Self, GraphFileError> {
        let mut lines = Lines::new(from);
        let form = match reading.form {
            Some(form) => form,
            None => form_of(&mut lines)?,
        };
        let mut edges = Edges::new(reading);
        match form {
            GraphForm::MatrixMarket => matrix_market::read(&mut lines, &mut edges)?,
            GraphForm::EdgeList => edge_list::read(&mut lines, &mut edges)?,
            GraphForm::Metis => {
                // Each edge is there from both sides.
                edges.both_ways = false;
                metis::read(&mut lines, &mut |event| edges.take(event))?;
            }
        }
        let (arcs, vertices, numbers) = edges.finish(form);
        let Some(&(first, _)) = arcs.first() else { return Err(GraphFileError::Empty) };
        Ok(Self { form, graph: OwnedGraph::new(vertices, arcs), first, numbers })
    }
}

/// Finds the form by the content, and goes back to the start.
fn form_of(lines: &mut Lines<impl BufRead + Seek>) -> Result<GraphForm, GraphFileError> {
    let is_matrix = lines.next()?.is_some_and(matrix_market::is_one);
    lines.rewind()?;
    if is_matrix {
        return Ok(GraphForm::MatrixMarket);
    }
    // Its first lines could be edges as well: only the whole file tells, or the first line that is
    // wrong. A format such as 011 is no weight.
    let is_metis = metis::read(lines, &mut |_| Ok(())).is_ok();
    lines.rewind()?;
    let has_format = lines.next_full(&['%', '#'])?.is_some_and(metis::has_format);
    lines.rewind()?;
    Ok(if is_metis || has_format { GraphForm::Metis } else { GraphForm::EdgeList })
}

#[cfg(test)]
mod tests;
