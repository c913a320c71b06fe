//! Reads the pieces of a checkpoint, and checks everything in them.

use std::fs::File;
use std::hash::Hasher as _;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use tresse_core::field::grid::Rectangle;
use tresse_core::run::{GridSize, Precision};
use tresse_files::stored_cell::StoredCell;
use twox_hash::XxHash3_64;

use super::error::{CheckpointError, Fault};
use super::piece::{
    BLOCK, CHECKSUM, HEAD, IS_RECORD, IS_TAIL, MARK, PieceSummary, RAGGED, RECORD, TAIL, VERSION,
    checksum, file_name,
};

/// A subdomain in a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubdomainRecord {
    /// Cells of the subdomain.
    pub part: Rectangle,
    /// Update count of the subdomain.
    pub updates: u64,
    /// Place of the first cell in the file.
    place: u64,
    /// Checksum before the cells, and that after them.
    checksums: [u64; 2],
}

/// Cells of one row of a wanted part.
#[derive(Clone, Copy, Debug)]
pub struct Stretch<'a, F> {
    /// Index of the wanted part.
    pub wanted: usize,
    /// Row within the part.
    pub row: usize,
    /// Column of the first cell within the part.
    pub column: usize,
    /// The cells.
    pub cells: &'a [F],
}

/// The identity that a piece should have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Identity {
    pub(super) number: u64,
    pub(super) rank: u32,
    pub(super) grid: GridSize,
}

/// A piece whose records are known and whose cells are unread.
#[derive(Debug)]
pub(super) struct Piece {
    path: PathBuf,
    precision: Precision,
    records: Vec<SubdomainRecord>,
}

impl Piece {
    /// Reads the head of a piece, and those of all its records.
    pub(super) fn open(
        folder: &Path,
        of: Identity,
        precision: Precision,
        summary: &PieceSummary,
    ) -> Result<Self, CheckpointError> {
        let path = folder.join(file_name(summary.rank));
        match open(&path).and_then(|file| Index::of(&file, of, precision, summary)) {
            Ok(records) => Ok(Self { path, precision, records }),
            Err(fault) => Err(fault.of(&path)),
        }
    }

    pub(super) fn records(&self) -> &[SubdomainRecord] {
        &self.records
    }

    /// Reads every cell to verify its checksum.
    pub(super) fn verify(&self) -> Result<(), CheckpointError> {
        let attempt = || {
            let file = open(&self.path)?;
            self.records.iter().try_for_each(|record| self.stream(&file, record, |_, _| {}))
        };
        attempt().map_err(|fault: Fault| fault.of(&self.path))
    }

    /// Shows `sink` the cells of the wanted parts in these records, whose checksums are verified
    /// again.
    pub(super) fn read<F: StoredCell>(
        &self,
        wanted: &[Rectangle],
        sink: &mut dyn FnMut(Stretch<'_, F>),
    ) -> Result<(), CheckpointError> {
        let mut cells = Vec::new();
        let mut attempt = || {
            let mut file = None;
            for record in &self.records {
                if !wanted.iter().any(|part| overlap(part, &record.part).is_some()) {
                    continue;
                }
                let file = match &file {
                    Some(file) => file,
                    None => file.insert(open(&self.path)?),
                };
                self.stream(file, record, |row, bytes| {
                    F::from_bytes(bytes, &mut cells);
                    show(record, row, &cells, wanted, sink);
                })?;
            }
            Ok(())
        };
        attempt().map_err(|fault: Fault| fault.of(&self.path))
    }

    /// Shows the rows of a record, counted from its own first, as bytes; fails where the checksum
    /// at the end is wrong.
    fn stream(
        &self,
        file: &File,
        record: &SubdomainRecord,
        mut show: impl FnMut(usize, &[u8]),
    ) -> Result<(), Fault> {
        let GridSize { rows, columns } = record.part.size;
        // The index has found that this number of bytes is there.
        let row_bytes = columns * size_of_cell(self.precision);
        let rows_at_once = (BLOCK / row_bytes).clamp(1, rows);
        let mut block = vec![0; rows_at_once * row_bytes];
        let [before, after] = record.checksums;
        let mut hasher = XxHash3_64::with_seed(before);
        let (mut row, mut place) = (0, record.place);
        while row < rows {
            block.truncate((rows - row).min(rows_at_once) * row_bytes);
            read_exact(file, &mut block, place)?;
            hasher.write(&block);
            for bytes in block.chunks_exact(row_bytes) {
                show(row, bytes);
                row += 1;
            }
            place += block.len() as u64;
        }
        if hasher.finish() == after { Ok(()) } else { Err(Fault::Damaged(record.place)) }
    }
}

/// Shows the cells of each wanted part in a record's row.
fn show<F>(
    record: &SubdomainRecord,
    row: usize,
    cells: &[F],
    wanted: &[Rectangle],
    sink: &mut dyn FnMut(Stretch<'_, F>),
) {
    let row = record.part.first_row + row;
    for (index, part) in wanted.iter().enumerate() {
        let Some((rows, columns)) = overlap(part, &record.part) else { continue };
        let first = record.part.first_column;
        let cells = cells.get(columns.start - first..columns.end - first);
        if let Some(cells) = cells.filter(|_| rows.contains(&row)) {
            sink(Stretch {
                wanted: index,
                row: row - part.first_row,
                column: columns.start - part.first_column,
                cells,
            });
        }
    }
}

/// Returns the rows and columns of the grid that both rectangles have in common, if there are any.
pub(super) fn overlap(one: &Rectangle, other: &Rectangle) -> Option<(Range<usize>, Range<usize>)> {
    let common = |one: Range<usize>, other: Range<usize>| {
        let range = one.start.max(other.start)..one.end.min(other.end);
        (!range.is_empty()).then_some(range)
    };
    Some((common(rows_of(one), rows_of(other))?, common(columns_of(one), columns_of(other))?))
}

/// Returns the rows of the grid that a part has.
pub(super) const fn rows_of(part: &Rectangle) -> Range<usize> {
    part.first_row..part.first_row.saturating_add(part.size.rows)
}

/// Returns the columns of the grid that a part has.
pub(super) const fn columns_of(part: &Rectangle) -> Range<usize> {
    part.first_column..part.first_column.saturating_add(part.size.columns)
}

/// A reader that goes through a piece from one head of a record to the next.
struct Index<'f> {
    file: &'f File,
    length: u64,
    place: u64,
    last: u64,
}

impl<'f> Index<'f> {
    /// Lists the subdomains of a piece, whose cells are not read, and checks it against the
    /// manifest's summary.
    fn of(
        file: &'f File,
        of: Identity,
        precision: Precision,
        summary: &PieceSummary,
    ) -> Result<Vec<SubdomainRecord>, Fault> {
        let length = file.metadata()?.len();
        let mut index = Self { file, length, place: 0, last: 0 };
        index.read_head(of, precision)?;
        let mut records = Vec::new();
        while let Some(record) = index.next(of.grid, precision)? {
            records.push(record);
        }
        if index.tail()? != records.len() as u64 {
            return Err(Fault::nonsense("subdomains that are not counted"));
        }
        if index.place != length {
            return Err(Fault::Damaged(index.place));
        }
        let found = PieceSummary { rank: of.rank, length, checksum: index.last };
        if found == *summary { Ok(records) } else { Err(Fault::Mistaken) }
    }

    /// Reads the head, and checks that it is that of the piece that is expected.
    fn read_head(&mut self, of: Identity, precision: Precision) -> Result<(), Fault> {
        let start: [u8; 12] = self.peek()?;
        let version = start.strip_prefix(&MARK).ok_or(Fault::Foreign)?;
        match u32::from_le_bytes(version.try_into().unwrap_or_default()) {
            VERSION => {}
            found => return Err(Fault::Format { found }),
        }
        let head: [u8; HEAD] = self.take()?;
        let mut fields = Fields(head.get(start.len()..).unwrap_or_default());
        let cell = fields.next();
        let number = fields.next();
        let (rank, grid) = (fields.next_u32(), [fields.next(), fields.next()]);
        let expected = [of.grid.rows, of.grid.columns].map(|length| length as u64);
        if (cell, number, rank, grid) == (precision.bytes(), of.number, of.rank, expected) {
            Ok(())
        } else {
            Err(Fault::Mistaken)
        }
    }

    /// Returns the next record, or `None` at the tail.
    fn next(
        &mut self,
        grid: GridSize,
        precision: Precision,
    ) -> Result<Option<SubdomainRecord>, Fault> {
        match self.peek()? {
            [IS_RECORD] => {}
            [IS_TAIL] => return Ok(None),
            [_] => return Err(Fault::Damaged(self.place)),
        }
        let header: [u8; RECORD] = self.take()?;
        let mut fields = Fields(header.get(1..).unwrap_or_default());
        let updates = fields.next();
        let [first_row, first_column, rows, columns] =
            [(); 4].map(|()| usize::try_from(fields.next()).unwrap_or(usize::MAX));
        let part = Rectangle { first_row, first_column, size: GridSize { rows, columns } };
        let is_within = |range: Range<usize>, end| !range.is_empty() && range.end <= end;
        let is_row = (rows, first_column) == (1, 0);
        let end = if grid.columns == RAGGED && is_row { usize::MAX } else { grid.columns };
        if !is_within(rows_of(&part), grid.rows) || !is_within(columns_of(&part), end) {
            return Err(Fault::nonsense("a subdomain beyond the grid"));
        }
        let bytes = (rows as u128) * (columns as u128) * u128::from(precision.bytes());
        let place = self.place;
        let left = self.length.saturating_sub(place);
        let bytes = u64::try_from(bytes).ok().filter(|&bytes| bytes <= left);
        self.place += bytes.ok_or(Fault::CutOff(self.length))?;
        let before = self.last;
        self.last = u64::from_le_bytes(self.peek()?);
        self.place += CHECKSUM;
        Ok(Some(SubdomainRecord { part, updates, place, checksums: [before, self.last] }))
    }

    /// Returns the number of records.
    fn tail(&mut self) -> Result<u64, Fault> {
        let tail: [u8; TAIL] = self.take()?;
        Ok(Fields(tail.get(1..).unwrap_or_default()).next())
    }

    /// Reads bytes, and verifies the checksum that follows them.
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let start = self.place;
        let bytes: [u8; N] = self.peek()?;
        self.place += N as u64;
        let expected = checksum(self.last, &bytes);
        self.last = u64::from_le_bytes(self.peek()?);
        self.place += CHECKSUM;
        if self.last == expected { Ok(bytes) } else { Err(Fault::Damaged(start)) }
    }

    /// Reads the next bytes without moving on.
    fn peek<const N: usize>(&self) -> Result<[u8; N], Fault> {
        let mut bytes = [0; N];
        read_exact(self.file, &mut bytes, self.place)?;
        Ok(bytes)
    }
}

/// Integers one after the other; 0 beyond the end.
struct Fields<'b>(&'b [u8]);

impl Fields<'_> {
    /// Takes the next field, a number of 8 bytes.
    fn next(&mut self) -> u64 {
        u64::from_le_bytes(self.bytes())
    }

    /// Takes the next field, a number of 4 bytes.
    fn next_u32(&mut self) -> u32 {
        u32::from_le_bytes(self.bytes())
    }

    /// Takes the next bytes, or zeros where there are not as many.
    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let (bytes, rest) = self.0.split_first_chunk().unwrap_or((&[0; N], &[]));
        self.0 = rest;
        *bytes
    }
}

/// Returns the number of bytes of a cell.
fn size_of_cell(precision: Precision) -> usize {
    match precision {
        Precision::F32 => size_of::<f32>(),
        Precision::F64 => size_of::<f64>(),
    }
}

/// Opens a regular file.
pub(super) fn open(path: &Path) -> Result<File, Fault> {
    // Looked at before it is opened: opening a pipe would wait for its other end.
    if !std::fs::metadata(path)?.is_file() {
        return Err(Fault::Foreign);
    }
    Ok(File::open(path)?)
}

/// Reads bytes at a place; a file that ends before is cut off.
fn read_exact(file: &File, bytes: &mut [u8], place: u64) -> Result<(), Fault> {
    file.read_exact_at(bytes, place).map_err(|error: io::Error| match error.kind() {
        ErrorKind::UnexpectedEof => Fault::CutOff(file.metadata().map_or(place, |data| data.len())),
        _ => Fault::Unreadable(error),
    })
}
