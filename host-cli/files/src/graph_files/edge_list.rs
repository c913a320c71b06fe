//! Reads lists of edges.

use std::io::BufRead;

use super::edges::Edges;
use super::error::{GraphFault, GraphFileError};
use super::lines::Lines;
use crate::escape::excerpt;

const COMMENTS: [char; 2] = ['#', '%'];

/// Reads a whole file: each line has the numbers of two vertices, and perhaps a weight.
pub(super) fn read<R: BufRead>(
    lines: &mut Lines<R>,
    edges: &mut Edges,
) -> Result<(), GraphFileError> {
    let konect = lines.next()?.map_or(Ok(None), konect).map_err(|fault| lines.wrong(fault))?;
    lines.again();
    edges.both_ways |= konect == Some(Konect::Symmetric);
    // Weights, and the times that KONECT has after them.
    let numbers = if konect.is_some() { 2 } else { 1 };
    while let Some(line) = lines.next_full(&COMMENTS)? {
        let read = edge(line, numbers).and_then(|(from, to)| edges.add_named(from, to));
        read.map_err(|fault| lines.wrong(fault))?;
    }
    Ok(())
}

/// The kinds of KONECT's networks that are graphs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Konect {
    Symmetric,
    Asymmetric,
}

/// Reads the first line of KONECT's files, such as `% asym positive`; `None` where it is of another
/// kind.
fn konect(line: &str) -> Result<Option<Konect>, GraphFault> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match *words.as_slice() {
        ["%", "sym", _] => Ok(Some(Konect::Symmetric)),
        ["%", "asym", _] => Ok(Some(Konect::Asymmetric)),
        // The two columns are numbered each by itself.
        ["%", "bip", _] => Err(GraphFault::Bipartite),
        _ => Ok(None),
    }
}

/// Reads two vertices, and at most this many numbers after them.
fn edge(line: &str, numbers: usize) -> Result<(u64, u64), GraphFault> {
    let wrong = || GraphFault::Edge(excerpt(line));
    let mut fields = line.split_whitespace();
    let (Some(from), Some(to)) = (fields.next(), fields.next()) else { return Err(wrong()) };
    let mut count = 0;
    for number in fields {
        number.parse::<f64>().map_err(|_| wrong())?;
        count += 1;
    }
    if count > numbers {
        return Err(wrong());
    }
    let vertex = |text: &str| {
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(wrong());
        }
        text.parse().map_err(|_| GraphFault::TooLarge(excerpt(text)))
    };
    Ok((vertex(from)?, vertex(to)?))
}
