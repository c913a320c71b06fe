//! Access to an edge: the part writes it, and its neighbour reads it.

use super::label::{self, BufferFormat};
use super::row;
use super::shared_real::SharedReal;
use crate::shared::sync::{AtomicU64, Ordering};

/// Memory to which a part writes the edge that one of its neighbours reads.
#[derive(Debug)]
pub struct EdgeWriter<'e, F: SharedReal> {
    format: BufferFormat,
    buffer: &'e [F::Shared],
    /// Number of the subdomain whose edge it is, and the version.
    label: (&'e AtomicU64, u64),
}

impl<'e, F: SharedReal> EdgeWriter<'e, F> {
    #[inline(always)]
    pub(super) const fn new(
        format: BufferFormat,
        buffer: &'e [F::Shared],
        label: (&'e AtomicU64, u64),
    ) -> Self {
        Self { format, buffer, label }
    }

    /// Whether there is memory for this number of cells, or for none, as nobody reads them.
    #[inline(always)]
    pub fn has_room(&self, cells: usize) -> bool {
        let taken = if self.format == BufferFormat::Plain { 0 } else { label::LABEL_WORDS };
        self.buffer.is_empty() || self.buffer.len() >= taken + cells
    }

    /// Writes the cells, as many as there is memory for, in one piece.
    #[inline(always)]
    pub fn copy_from(self, cells: &[F]) {
        match self.format {
            BufferFormat::Plain => row::write(self.buffer, cells),
            BufferFormat::Spaced => row::write(label::cells(self.buffer), cells),
            BufferFormat::Labelled => self.write(cells.iter().copied()),
        }
    }

    /// Writes the cells, one by one, as many as there is memory for.
    #[inline(always)]
    pub fn write(self, cells: impl IntoIterator<Item = F>) {
        match self.format {
            BufferFormat::Plain => write(self.buffer, cells),
            BufferFormat::Spaced => write(label::cells(self.buffer), cells),
            BufferFormat::Labelled => {
                let (subdomain, version) = self.label;
                let subdomain = subdomain.load(Ordering::Relaxed);
                label::write(self.buffer, (subdomain, version), cells);
            }
        }
    }
}

#[inline(always)]
fn write<F: SharedReal>(buffer: &[F::Shared], cells: impl IntoIterator<Item = F>) {
    for (shared, cell) in buffer.iter().zip(cells) {
        F::store(shared, cell);
    }
}

/// Memory from which a part reads the edge that one of its neighbours has written.
#[derive(Debug)]
pub struct EdgeReader<'e, F: SharedReal> {
    cells: &'e [F::Shared],
}

impl<'e, F: SharedReal> EdgeReader<'e, F> {
    #[inline(always)]
    pub(super) const fn new(cells: &'e [F::Shared]) -> Self {
        Self { cells }
    }

    /// Whether there are this many cells.
    #[inline(always)]
    pub const fn has(&self, cells: usize) -> bool {
        self.cells.len() >= cells
    }

    /// Copies as many cells as there are on both sides, in one piece.
    #[inline(always)]
    pub fn copy_to(self, cells: &mut [F]) {
        row::read(self.cells, cells);
    }

    /// Returns the cells, one by one; there may be some more than the neighbour wrote.
    #[inline(always)]
    pub fn cells(self) -> impl Iterator<Item = F> + use<'e, F> {
        self.cells.iter().map(F::load)
    }
}
