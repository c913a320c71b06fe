//! A sparse matrix of Matrix Market (R. F. Boisvert, R. Pozo, K. A. Remington, *The Matrix Market
//! exchange formats: initial design*, 1996), of which only the places are needed.

use std::io::BufRead;

use super::edges::Edges;
use super::error::{GraphFault, GraphFileError};
use super::lines::Lines;
use crate::escape::excerpt;

const COMMENTS: [char; 1] = ['%'];

/// Reports whether a file that begins with this line is a matrix in Matrix Market's form. Some
/// writers leave out one of the two signs.
pub(super) fn is_one(line: &str) -> bool {
    const MARK: &str = "MatrixMarket";
    let name = line.strip_prefix('%').map(|line| line.strip_prefix('%').unwrap_or(line));
    name.and_then(|name| name.get(..MARK.len())).is_some_and(|name| name.eq_ignore_ascii_case(MARK))
}

/// The statements of a file's first line.
struct Header {
    /// Number of values that follow a place.
    values: usize,
    is_symmetric: bool,
}

/// Reads a whole file.
pub(super) fn read<R: BufRead>(
    lines: &mut Lines<R>,
    edges: &mut Edges,
) -> Result<(), GraphFileError> {
    let header = lines.next()?.map_or(Err(GraphFault::Header(String::new())), header);
    let Header { values, is_symmetric } = header.map_err(|fault| lines.wrong(fault))?;
    edges.both_ways |= is_symmetric;
    let sizes = lines.next_full(&COMMENTS)?.ok_or(GraphFileError::Empty)?;
    let sizes = sizes_of(sizes).and_then(|(vertices, entries)| {
        edges.ensure_vertices(vertices)?;
        Ok((vertices, entries))
    });
    let (vertices, expected) = sizes.map_err(|fault| lines.wrong(fault))?;
    let mut found = 0;
    while let Some(line) = lines.next_full(&COMMENTS)? {
        found += 1;
        let read = if found > expected {
            Err(GraphFault::TooMany(expected))
        } else {
            entry(line, values, vertices).and_then(|(from, to)| edges.add(from, to))
        };
        read.map_err(|fault| lines.wrong(fault))?;
    }
    if found < expected { Err(GraphFileError::CutOff { found, expected }) } else { Ok(()) }
}

/// Parses the first line: what each entry holds, and whether the matrix is symmetric.
fn header(line: &str) -> Result<Header, GraphFault> {
    let words: Vec<String> = line.split_whitespace().skip(1).map(str::to_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let wrong = || GraphFault::Header(excerpt(line));
    let ["matrix", "coordinate", field, symmetry] = *words.as_slice() else { return Err(wrong()) };
    let values = match field {
        "pattern" => 0,
        "integer" | "real" => 1,
        "complex" => 2,
        _ => return Err(wrong()),
    };
    match symmetry {
        "general" => Ok(Header { values, is_symmetric: false }),
        "symmetric" | "skew-symmetric" | "hermitian" => Ok(Header { values, is_symmetric: true }),
        _ => Err(wrong()),
    }
}

/// Reads the numbers of vertices and of entries.
fn sizes_of(line: &str) -> Result<(u32, u64), GraphFault> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let wrong = || GraphFault::Sizes(excerpt(line));
    let [rows, columns, entries] = *fields.as_slice() else { return Err(wrong()) };
    let size = |text: &str| text.parse::<u32>().map_err(|_| wrong());
    let (rows, columns) = (size(rows)?, size(columns)?);
    let entries = entries.parse().map_err(|_| wrong())?;
    if rows == columns { Ok((rows, entries)) } else { Err(GraphFault::NotSquare { rows, columns }) }
}

/// Parses the line of one entry: its row and column, from 1, and then `values` numbers, which are
/// only checked. Returns the two vertices, from 0.
fn entry(line: &str, values: usize, vertices: u32) -> Result<(u32, u32), GraphFault> {
    let wrong = || GraphFault::Entry {
        entry: excerpt(line),
        values: match values {
            0 => "nothing else",
            1 => "a value",
            _ => "the two parts of a value",
        },
    };
    let mut fields = line.split_whitespace();
    let mut vertex = || -> Result<u32, GraphFault> {
        let vertex = fields.next().and_then(|text| text.parse().ok()).ok_or_else(wrong)?;
        if (1..=vertices).contains(&vertex) {
            Ok(vertex - 1)
        } else {
            Err(GraphFault::NoSuchVertex { vertex, vertices })
        }
    };
    let place = (vertex()?, vertex()?);
    let mut found = 0;
    for value in fields {
        value.parse::<f64>().map_err(|_| wrong())?;
        found += 1;
    }
    if found == values { Ok(place) } else { Err(wrong()) }
}
