//! Reads lists of edges.

use std::io::BufRead;

use super::Edges;
use super::error::{GraphFault, GraphFileError};
use super::lines::Lines;
use crate::escape::one_line;

const COMMENTS: [char; 2] = ['#', '%'];

/// Reads all lines, including the line that was inspected to find the form.
pub(super) fn read<R: BufRead>(
    lines: &mut Lines<R>,
    edges: &mut Edges,
) -> Result<(), GraphFileError> {
    lines.again();
    while let Some(line) = lines.next_full(&COMMENTS)? {
        let read = edge(line).and_then(|(from, to)| {
            edges.has(from.max(to) + 1)?;
            edges.add(from, to)
        });
        read.map_err(|fault| lines.wrong(fault))?;
    }
    if edges.arcs.is_empty() { Err(GraphFileError::Empty) } else { Ok(()) }
}

fn edge(line: &str) -> Result<(u32, u32), GraphFault> {
    let wrong = || GraphFault::Edge(one_line(line));
    let mut fields = line.split_whitespace();
    let (Some(from), Some(to)) = (fields.next(), fields.next()) else { return Err(wrong()) };
    let weight = fields.next().is_none_or(|weight| weight.parse::<f64>().is_ok());
    if !weight || fields.next().is_some() {
        return Err(wrong());
    }
    let vertex = |text: &str| {
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(wrong());
        }
        // There are fewer vertices than numbers.
        let number = text.parse().ok().filter(|number| *number < u32::MAX);
        number.ok_or_else(|| GraphFault::TooLarge(one_line(text)))
    };
    Ok((vertex(from)?, vertex(to)?))
}
