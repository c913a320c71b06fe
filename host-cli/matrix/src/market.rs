//! Matrix Market (R. F. Boisvert, R. Pozo, K. A. Remington, *The Matrix Market exchange formats:
//! initial design*, 1996), with the values: systems and vectors.
//!
//! The reader is our own: those of `sprs`, `nalgebra-sparse` and `matrix-market-rs` do not name the
//! line that is wrong.

use std::io::{self, BufRead, Read as _, Write};

use tresse_files::escape::excerpt;

use crate::rows::{Entry, SparseRows};

/// Bytes of the longest line that is read.
const LONGEST: u64 = 1 << 12;

/// A file that is no system, or no vector; prints as one line, which does not name the file.
#[derive(Debug, thiserror::Error)]
pub enum MarketError {
    /// The file cannot be read.
    #[error("cannot be read ({0}): check the path")]
    Unreadable(#[from] io::Error),
    /// A line is wrong.
    #[error("line {line}: {fault}")]
    Line {
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        fault: MarketFault,
    },
    /// There are fewer entries than the sizes say.
    #[error("ends after {found} of {expected} entries: the file is cut off")]
    CutOff {
        /// Entries in the file.
        found: u64,
        /// Entries that there should be.
        expected: u64,
    },
    /// A row of the matrix is empty, so that the system has no single solution.
    #[error("row {0} has no entry other than 0: the matrix is singular")]
    EmptyRow(u32),
    /// Entries of one place have an infinite sum.
    #[error("row {0}: entries of one place have a sum that is not finite: scale the system down")]
    Sum(u32),
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MarketFault {
    /// The line is no text, or too long.
    #[error("is no line of text: give Matrix Market's form, not compressed")]
    NotText,
    /// The first line is another one.
    #[error(
        "\"{0}\" does not begin Matrix Market's form: expected %%MatrixMarket matrix, then coordinate or array, \
         real or integer, and general, symmetric or skew-symmetric"
    )]
    Header(String),
    /// The numbers are complex.
    #[error("the values are complex: only real systems are solved")]
    Complex,
    /// There are no values.
    #[error("a pattern has no values, and so is no system: give a file with real values")]
    Pattern,
    /// The sizes are wrong.
    #[error(
        "\"{0}\" are no sizes: expected numbers of rows and columns, and of entries in coordinate form"
    )]
    Sizes(String),
    /// The matrix is not square, or has no rows.
    #[error("{rows} rows and {columns} columns: a system is a square matrix with at least one row")]
    NotSquare {
        /// Rows.
        rows: u32,
        /// Columns.
        columns: u32,
    },
    /// The matrix is no vector, or one of another length.
    #[error(
        "{rows} rows and {columns} columns: the system needs a vector of {length} rows and one column"
    )]
    NotVector {
        /// Rows.
        rows: u32,
        /// Columns.
        columns: u32,
        /// Rows of the system.
        length: u32,
    },
    /// The line is no entry.
    #[error("\"{entry}\" is no entry: expected {expected}")]
    Entry {
        /// The line.
        entry: String,
        /// What it should be.
        expected: &'static str,
    },
    /// The place is beyond the matrix.
    #[error(
        "row {row}, column {column} is not in the matrix, whose last are {rows} and {columns}, counted from 1"
    )]
    Beyond {
        /// Row of the entry.
        row: u64,
        /// Column of the entry.
        column: u64,
        /// Rows of the matrix.
        rows: u32,
        /// Columns of the matrix.
        columns: u32,
    },
    /// A symmetric file has entries on both sides of the diagonal.
    #[error(
        "row {0}, column {1} is on the other side of the diagonal than entries before: a symmetric file has one side, which stands for both; give the form \"general\", or half of the entries"
    )]
    BothSides(u32, u32),
    /// The value is NaN or infinite.
    #[error("the value {0} is not finite")]
    NotFinite(String),
    /// There are more entries than the sizes say.
    #[error("is one more entry than the {0} that there should be")]
    TooMany(u64),
}

/// The symmetries, by which entries below the diagonal stand for those above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Symmetry {
    General,
    Symmetric,
    Skew,
}

/// The first two lines: what the entries look like, and how many there are.
struct Header {
    is_array: bool,
    symmetry: Symmetry,
    rows: u32,
    columns: u32,
    /// Lines with an entry.
    expected: u64,
}

/// Reads the matrix of a system: square, and without an empty row.
pub fn read_system(from: impl BufRead) -> Result<SparseRows, MarketError> {
    let mut lines = Lines { from, bytes: vec![], number: 0 };
    let header = header(&mut lines)?;
    let Header { rows, columns, .. } = header;
    if rows != columns || rows == 0 {
        return Err(lines.wrong(MarketFault::NotSquare { rows, columns }));
    }
    let entries = entries(&mut lines, &header)?;
    // Before memory is taken for rows that only the sizes speak of.
    if u64::from(rows) > entries.len() as u64 {
        return Err(MarketError::EmptyRow(first_missing(&entries)));
    }
    let matrix = SparseRows::new(rows, entries);
    for row in 0..rows {
        if matrix.columns(row).is_empty() {
            return Err(MarketError::EmptyRow(row + 1));
        }
        if matrix.row(row).any(|(_, value)| !value.is_finite()) {
            return Err(MarketError::Sum(row + 1));
        }
    }
    Ok(matrix)
}

/// Returns the first row without an entry, from 1; there are fewer entries than rows.
fn first_missing(entries: &[Entry]) -> u32 {
    let mut is_filled = vec![false; entries.len() + 1];
    for &(row, _, _) in entries {
        is_filled.get_mut(row as usize).into_iter().for_each(|is_filled| *is_filled = true);
    }
    let first = is_filled.iter().position(|is_filled| !is_filled).unwrap_or(0);
    u32::try_from(first + 1).unwrap_or(u32::MAX)
}

/// Reads a vector of this length: a matrix of one column.
pub fn read_vector(from: impl BufRead, length: u32) -> Result<Vec<f64>, MarketError> {
    let mut lines = Lines { from, bytes: vec![], number: 0 };
    let header = header(&mut lines)?;
    let Header { rows, columns, .. } = header;
    if (rows, columns) != (length, 1) {
        return Err(lines.wrong(MarketFault::NotVector { rows, columns, length }));
    }
    let entries = entries(&mut lines, &header)?;
    let mut values = vec![0.0; length as usize];
    for (row, _, value) in entries {
        values.get_mut(row as usize).into_iter().for_each(|sum| *sum += value);
    }
    Ok(values)
}

/// Writes a vector in array form, each value such that it is read back to the bit.
pub fn write_vector(values: &[f64], mut w: impl Write) -> io::Result<()> {
    writeln!(w, "%%MatrixMarket matrix array real general\n{} 1", values.len())?;
    values.iter().try_for_each(|value| writeln!(w, "{value:e}"))
}

/// Reads the first line and the sizes.
fn header(lines: &mut Lines<impl BufRead>) -> Result<Header, MarketError> {
    lines.advance()?;
    let (is_array, symmetry) = statements(lines.line()).map_err(|fault| lines.wrong(fault))?;
    let sizes = lines.next_full()?.unwrap_or_default().to_owned();
    let numbers: Option<Vec<u64>> =
        sizes.split_whitespace().map(|word| word.parse().ok()).collect();
    let wrong = || lines.wrong(MarketFault::Sizes(excerpt(&sizes)));
    let (rows, columns, entries) = match numbers.as_deref() {
        Some(&[rows, columns]) if is_array => (rows, columns, None),
        Some(&[rows, columns, entries]) if !is_array => (rows, columns, Some(entries)),
        _ => return Err(wrong()),
    };
    let expected = entries.unwrap_or(match symmetry {
        Symmetry::General => rows.saturating_mul(columns),
        Symmetry::Symmetric => rows.saturating_mul(rows.saturating_add(1)) / 2,
        Symmetry::Skew => rows.saturating_mul(rows.saturating_sub(1)) / 2,
    });
    let size = |size: u64| u32::try_from(size).map_err(|_| wrong());
    Ok(Header { is_array, symmetry, rows: size(rows)?, columns: size(columns)?, expected })
}

/// Parses the words of the first line: whether the form is that of an array, and the symmetry.
fn statements(line: &str) -> Result<(bool, Symmetry), MarketFault> {
    let wrong = || MarketFault::Header(excerpt(line));
    let lower = line.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let [mark, "matrix", form, field, symmetry] = *words else { return Err(wrong()) };
    let is_array = match form {
        "array" => true,
        "coordinate" => false,
        _ => return Err(wrong()),
    };
    if mark.trim_start_matches('%') != "matrixmarket" || mark.len() == "matrixmarket".len() {
        return Err(wrong());
    }
    let symmetry = match (field, symmetry) {
        ("complex", _) | (_, "hermitian") => return Err(MarketFault::Complex),
        ("pattern", _) => return Err(MarketFault::Pattern),
        ("real" | "integer" | "double", "general") => Symmetry::General,
        ("real" | "integer" | "double", "symmetric") => Symmetry::Symmetric,
        ("real" | "integer" | "double", "skew-symmetric") => Symmetry::Skew,
        _ => return Err(wrong()),
    };
    Ok((is_array, symmetry))
}

/// Reads all entries, with those that a symmetry adds.
fn entries(lines: &mut Lines<impl BufRead>, header: &Header) -> Result<Vec<Entry>, MarketError> {
    let &Header { is_array, symmetry, rows, expected, .. } = header;
    let (mut entries, mut found) = (Vec::new(), 0);
    let first_row = |column: u32| match symmetry {
        Symmetry::General => 0,
        Symmetry::Symmetric => column,
        Symmetry::Skew => column + 1,
    };
    let (mut place, mut side) = ((first_row(0), 0), None);
    while let Some(line) = lines.next_full()? {
        found += 1;
        let read = match is_array {
            _ if found > expected => Err(MarketFault::TooMany(expected)),
            true => value(line).map(|value| (place.0, place.1, value)),
            false => entry(line, header),
        };
        let entry = read.map_err(|fault| lines.wrong(fault))?;
        entries.push(entry);
        if symmetry != Symmetry::General && entry.0 != entry.1 {
            let is_below = entry.0 > entry.1;
            if *side.get_or_insert(is_below) != is_below {
                return Err(lines.wrong(MarketFault::BothSides(entry.0 + 1, entry.1 + 1)));
            }
            let mirrored = if symmetry == Symmetry::Skew { -entry.2 } else { entry.2 };
            entries.push((entry.1, entry.0, mirrored));
        }
        place.0 += 1;
        if is_array && place.0 >= rows {
            place = (first_row(place.1 + 1), place.1 + 1);
        }
    }
    if found < expected { Err(MarketError::CutOff { found, expected }) } else { Ok(entries) }
}

/// Parses the value of an array.
fn value(line: &str) -> Result<f64, MarketFault> {
    let wrong = || MarketFault::Entry { entry: excerpt(line), expected: "one number" };
    number(line).ok_or_else(wrong).and_then(finite)
}

/// Parses an entry in coordinate form: row, column and value; rows and columns are from 1 there.
fn entry(line: &str, header: &Header) -> Result<Entry, MarketFault> {
    let expected = "a row, a column and a value";
    let wrong = || MarketFault::Entry { entry: excerpt(line), expected };
    let mut words = line.split_whitespace();
    let mut word = || words.next().ok_or_else(wrong);
    let (row, column, value) = (word()?, word()?, word()?);
    let [row, column] = [row, column].map(|word| word.parse::<u64>().map_err(|_| wrong()));
    let (row, column, value) = (row?, column?, number(value).ok_or_else(wrong)?);
    if words.next().is_some() {
        return Err(wrong());
    }
    let &Header { rows, columns, .. } = header;
    let from_1 = |place: u64, size: u32| {
        let place = u32::try_from(place).ok().filter(|place| (1..=size).contains(place));
        place.map(|place| place - 1)
    };
    let place = from_1(row, rows).zip(from_1(column, columns));
    let (row, column) = place.ok_or(MarketFault::Beyond { row, column, rows, columns })?;
    Ok((row, column, finite(value)?))
}

/// Parses a number; one of Fortran may have `d` where others have `e`.
fn number(word: &str) -> Option<f64> {
    word.parse().ok().or_else(|| word.replace(['d', 'D'], "e").parse().ok())
}

fn finite(value: f64) -> Result<f64, MarketFault> {
    if value.is_finite() { Ok(value) } else { Err(MarketFault::NotFinite(value.to_string())) }
}

/// Lines of a text, counted.
struct Lines<R> {
    from: R,
    bytes: Vec<u8>,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    /// Returns an error about the line that was read last.
    fn wrong(&self, fault: MarketFault) -> MarketError {
        MarketError::Line { line: self.number.max(1), fault }
    }

    /// Goes to the next line, and reports whether there is one.
    fn advance(&mut self) -> Result<bool, MarketError> {
        self.bytes.clear();
        if (&mut self.from).take(LONGEST).read_until(b'\n', &mut self.bytes)? == 0 {
            return Ok(false);
        }
        self.number += 1;
        let is_long = self.bytes.len() as u64 == LONGEST && self.bytes.last() != Some(&b'\n');
        if is_long || std::str::from_utf8(&self.bytes).is_err() {
            return Err(self.wrong(MarketFault::NotText));
        }
        Ok(true)
    }

    /// Returns the present line without the blanks around it, and a mark of its encoding.
    fn line(&self) -> &str {
        std::str::from_utf8(&self.bytes).unwrap_or_default().trim_start_matches('\u{feff}').trim()
    }

    /// Returns the next line that is neither empty nor a comment, if there is one.
    fn next_full(&mut self) -> Result<Option<&str>, MarketError> {
        while self.advance()? {
            if !self.line().is_empty() && !self.line().starts_with('%') {
                return Ok(Some(self.line()));
            }
        }
        Ok(None)
    }
}
