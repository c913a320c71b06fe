//! Atomic operations on one word of a rank.

use std::sync::atomic::AtomicU64;

use mpi::ffi;
use tresse_core::base::id::RankId;

use super::Window;
use super::call::{Word as _, address, check};
use crate::mpi::constants::{tresse_mpi_no_op, tresse_mpi_replace};
use crate::mpi::entry::Entry;
use crate::mpi::error::WindowError;
use crate::mpi::extents::Target;

impl Window<AtomicU64> {
    /// Writes a word of a rank atomically.
    pub fn store(
        &self,
        entry: &mut Entry,
        rank: RankId,
        offset: usize,
        value: u64,
    ) -> Result<(), WindowError> {
        self.fetch(entry, (rank, offset), value, tresse_mpi_replace).map(|_| ())
    }

    /// Reads a word of a rank atomically.
    pub fn load(&self, entry: &mut Entry, rank: RankId, offset: usize) -> Result<u64, WindowError> {
        self.fetch(entry, (rank, offset), 0, tresse_mpi_no_op)
    }

    /// Adds to a word of a rank atomically, modulo 2⁶⁴, and returns its value before.
    pub fn fetch_add(
        &self,
        entry: &mut Entry,
        rank: RankId,
        offset: usize,
        value: u64,
    ) -> Result<u64, WindowError> {
        // SAFETY: a constant of the bindings.
        self.fetch(entry, (rank, offset), value, unsafe { ffi::RSMPI_SUM })
    }

    /// Replaces a word of a rank atomically if it is `expected`, and returns its value before.
    pub fn compare_and_swap(
        &self,
        entry: &mut Entry,
        rank: RankId,
        offset: usize,
        expected: u64,
        new: u64,
    ) -> Result<u64, WindowError> {
        let Target { rank, displacement, .. } = self.extents.target(rank, offset, 1)?;
        let (word, place) = (AtomicU64::datatype(), address(displacement));
        let mut before = 0_u64;
        let [new, expected] = [&raw const new, &raw const expected].map(<*const u64>::cast);
        let into = (&raw mut before).cast();
        // SAFETY: three words of this datatype, which live until `complete` returns, and one at the
        // target.
        let code = unsafe {
            ffi::MPI_Compare_and_swap(new, expected, into, word, rank, place, self.all.0)
        };
        check("MPI_Compare_and_swap", code)?;
        self.complete(entry, rank);
        Ok(before)
    }

    /// Combines a word of a rank with `value` by an operation, atomically, and returns the word
    /// before.
    fn fetch(
        &self,
        entry: &mut Entry,
        (rank, offset): (RankId, usize),
        value: u64,
        operation: ffi::MPI_Op,
    ) -> Result<u64, WindowError> {
        let Target { rank, displacement, .. } = self.extents.target(rank, offset, 1)?;
        let (word, place) = (AtomicU64::datatype(), address(displacement));
        let mut before = 0_u64;
        let (with, into) = ((&raw const value).cast(), (&raw mut before).cast());
        // SAFETY: two words of this datatype, which live until `complete` returns, and one at the
        // target; the operation is one of MPI's own, for integers.
        let code =
            unsafe { ffi::MPI_Fetch_and_op(with, into, word, rank, place, operation, self.all.0) };
        check("MPI_Fetch_and_op", code)?;
        self.complete(entry, rank);
        Ok(before)
    }
}
