//! A piece that is being written.

use std::fs::File;
use std::hash::Hasher as _;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use tresse_core::field::grid::Rectangle;
use tresse_core::field::subdomain::Subdomain;
use tresse_core::run::GridSize;
use tresse_files::stored_cell::StoredCell;
use twox_hash::XxHash3_64;

use super::folder::failed;
use super::found::unfinished;
use super::piece::{
    BLOCK, CHECKSUM, HEAD, IS_RECORD, IS_TAIL, MARK, PieceSummary, RECORD, TAIL, VERSION, checksum,
    file_name,
};
use crate::files::output::OutputError;

/// Writes the subdomains of one rank to the disk, one after the other.
///
/// A piece that is not finished is nothing: no checkpoint is complete without it.
#[derive(Debug)]
pub struct PieceWriter<F> {
    to: BufWriter<File>,
    path: PathBuf,
    rank: u32,
    records: u64,
    length: u64,
    /// Last checksum.
    last: u64,
    /// Bytes of a row.
    row: Vec<u8>,
    precision: PhantomData<F>,
}

impl<F: StoredCell> PieceWriter<F> {
    /// Begins the piece of a rank in the folder that rank 0 has prepared at `folder`; `number` is
    /// the number that [`super::Folder::begin`] returned there.
    pub fn create(
        folder: &Path,
        number: u64,
        rank: u32,
        grid: GridSize,
    ) -> Result<Self, OutputError> {
        let path = unfinished(folder, number).join(file_name(rank));
        let mut head = Vec::with_capacity(HEAD);
        head.extend(MARK);
        head.extend(VERSION.to_le_bytes());
        head.extend(F::PRECISION.bytes().to_le_bytes());
        head.extend(number.to_le_bytes());
        head.extend(rank.to_le_bytes());
        head.extend([grid.rows, grid.columns].map(word).as_flattened());
        let file = File::create_new(&path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => failed(&path, io::Error::other(UNSEEN)),
            _ => failed(&path, error),
        })?;
        let mut piece = Self {
            to: BufWriter::with_capacity(BLOCK, file),
            path,
            rank,
            records: 0,
            length: 0,
            last: 0,
            row: Vec::new(),
            precision: PhantomData,
        };
        piece.attempt(|piece| piece.append(&head))?;
        Ok(piece)
    }

    /// Writes a subdomain in its present state, with its update count.
    pub fn write(
        &mut self,
        part: Rectangle,
        updates: u64,
        subdomain: &Subdomain<'_, F>,
    ) -> Result<(), OutputError> {
        let layout = subdomain.layout();
        let row = |row| layout.row(subdomain.cells(), row);
        self.write_rows(part, updates, (0..part.size.rows).map(row))
    }

    /// Writes a subdomain with its update count, row by row; refuses rows that do not have the
    /// part's size.
    pub fn write_rows<'a>(
        &mut self,
        part: Rectangle,
        updates: u64,
        rows: impl Iterator<Item = &'a [F]>,
    ) -> Result<(), OutputError> {
        let Rectangle { first_row, first_column, size } = part;
        let mut header = Vec::with_capacity(RECORD);
        header.push(IS_RECORD);
        header.extend(updates.to_le_bytes());
        header.extend([first_row, first_column, size.rows, size.columns].map(word).as_flattened());
        self.attempt(|piece| {
            piece.append(&header)?;
            let mut hasher = XxHash3_64::with_seed(piece.last);
            let mut left = size.rows;
            for cells in rows {
                if cells.len() != size.columns || left == 0 {
                    return Err(misshapen());
                }
                left -= 1;
                F::to_bytes(cells, &mut piece.row);
                hasher.write(&piece.row);
                piece.to.write_all(&piece.row)?;
                piece.length += piece.row.len() as u64;
            }
            if left > 0 {
                return Err(misshapen());
            }
            piece.records += 1;
            piece.end_with(hasher.finish())
        })
    }

    /// Writes the end and waits until the whole piece is on the disk.
    pub fn finish(mut self) -> Result<PieceSummary, OutputError> {
        let mut tail = Vec::with_capacity(TAIL);
        tail.push(IS_TAIL);
        tail.extend(self.records.to_le_bytes());
        self.attempt(|piece| {
            piece.append(&tail)?;
            piece.to.flush()?;
            piece.to.get_ref().sync_all()
        })?;
        Ok(PieceSummary { rank: self.rank, length: self.length, checksum: self.last })
    }

    /// Writes bytes and their checksum.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.to.write_all(bytes)?;
        self.length += bytes.len() as u64;
        self.end_with(checksum(self.last, bytes))
    }

    /// Writes the checksum at the end of a section and keeps it.
    fn end_with(&mut self, checksum: u64) -> io::Result<()> {
        self.last = checksum;
        self.length += CHECKSUM;
        self.to.write_all(&checksum.to_le_bytes())
    }

    /// Writes something; an error gets the path of the piece.
    fn attempt(
        &mut self,
        write: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> Result<(), OutputError> {
        write(self).map_err(|error| failed(&self.path, error))
    }
}

/// Error where the folder that rank 0 has made is not there.
const UNSEEN: &str = "the folder that rank 0 has made is not seen here; all hosts must share it";

/// Returns the error about rows that do not fit their subdomain.
fn misshapen() -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, "rows that are not of the subdomain's size")
}

/// Returns a number as 8 bytes in little-endian.
fn word(number: usize) -> [u8; 8] {
    (number as u64).to_le_bytes()
}
