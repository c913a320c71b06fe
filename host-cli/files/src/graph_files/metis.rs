//! The form of METIS (G. Karypis, *METIS: a software package for partitioning unstructured graphs,
//! version 5.1.0*, 2013), which Chaco, `KaHIP` and the DIMACS challenges read too: the numbers of
//! vertices and edges, then a line for each vertex with its neighbours. Weights and sizes are read
//! over.

use std::io::BufRead;

use super::error::{GraphFault, GraphFileError};
use super::lines::Lines;
use crate::escape::excerpt;

/// Bytes of the longest line: the neighbours of one vertex.
const LONGEST: u64 = 1 << 26;

/// A part of the graph.
#[derive(Clone, Copy)]
pub(super) enum Event {
    /// The number of vertices.
    Vertices(u32),
    /// A vertex and one of its neighbours, counted from 0.
    Neighbour(u32, u32),
}

/// The first line: `n m [fmt [ncon]]`.
struct Header {
    vertices: u32,
    edges: u64,
    /// Numbers before the first neighbour: a size and weights.
    before: usize,
    /// Whether a weight follows each neighbour.
    is_weighted: bool,
}

/// Reads a whole file and passes vertices and neighbours to `tell`; a file of another form is an
/// error.
pub(super) fn read<R: BufRead>(
    lines: &mut Lines<R>,
    tell: &mut dyn FnMut(Event) -> Result<(), GraphFault>,
) -> Result<(), GraphFileError> {
    lines.allow(LONGEST);
    let first = lines.next_full(&['%'])?.ok_or(GraphFileError::Empty)?;
    let header = Header::parse(first).ok_or_else(|| GraphFault::MetisHeader(excerpt(first)));
    let header = header.and_then(|header| tell(Event::Vertices(header.vertices)).map(|()| header));
    let header = header.map_err(|fault| lines.wrong(fault))?;
    let mut neighbours = 0_u64;
    for vertex in 0..header.vertices {
        let Some(line) = lines.next_uncommented('%')? else {
            let (found, expected) = (u64::from(vertex), u64::from(header.vertices));
            return Err(GraphFileError::CutOff { found, expected });
        };
        let read = header.neighbours(line, vertex, &mut |other| {
            neighbours += 1;
            tell(Event::Neighbour(vertex, other))
        });
        read.map_err(|fault| lines.wrong(fault))?;
    }
    if let Some(line) = lines.next_full(&['%'])? {
        let fault = GraphFault::MetisMore { line: excerpt(line), vertices: header.vertices };
        return Err(lines.wrong(fault));
    }
    let edges = header.edges;
    if edges.checked_mul(2) == Some(neighbours) {
        Ok(())
    } else {
        Err(GraphFileError::MetisCount { neighbours, edges })
    }
}

/// Reports whether a first line has a format that is written as no weight is: three digits, of
/// which the first is 0.
pub(super) fn has_format(line: &str) -> bool {
    let format = line.split_whitespace().nth(2).filter(|format| format.len() == 3);
    format.is_some_and(|format| format.starts_with('0')) && Header::parse(line).is_some()
}

impl Header {
    /// Parses the first line; `None` where it is not in the form.
    fn parse(line: &str) -> Option<Self> {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (vertices, edges, format, constraints) = match *fields.as_slice() {
            [vertices, edges] => (vertices, edges, "0", "1"),
            [vertices, edges, format] => (vertices, edges, format, "1"),
            [vertices, edges, format, constraints] => (vertices, edges, format, constraints),
            _ => return None,
        };
        let is_set = |place: usize| format.bytes().rev().nth(place) == Some(b'1');
        if format.len() > 3 || format.bytes().any(|byte| !matches!(byte, b'0' | b'1')) {
            return None;
        }
        let weights = if is_set(1) { constraints.parse::<u16>().ok()? } else { 0 };
        Some(Self {
            vertices: vertices.parse().ok().filter(|vertices| *vertices > 0)?,
            edges: edges.parse().ok()?,
            before: usize::from(is_set(2)) + usize::from(weights),
            is_weighted: is_set(0),
        })
    }

    /// Passes the neighbours of a vertex, which are on its line, to `tell`.
    fn neighbours(
        &self,
        line: &str,
        vertex: u32,
        tell: &mut dyn FnMut(u32) -> Result<(), GraphFault>,
    ) -> Result<(), GraphFault> {
        let wrong = || GraphFault::MetisLine { line: excerpt(line), vertices: self.vertices };
        let mut fields = line.split_whitespace();
        for _ in 0..self.before {
            let number = fields.next().and_then(|field| field.parse::<u64>().ok());
            number.ok_or_else(wrong)?;
        }
        while let Some(field) = fields.next() {
            let number = field.parse::<u32>().ok().filter(|number| *number <= self.vertices);
            let other = number.and_then(|number| number.checked_sub(1)).ok_or_else(wrong)?;
            if other == vertex {
                return Err(GraphFault::MetisLoop(vertex + 1));
            }
            if self.is_weighted {
                let weight = fields.next().and_then(|field| field.parse::<f64>().ok());
                weight.ok_or_else(wrong)?;
            }
            tell(other)?;
        }
        Ok(())
    }
}
