//! Gets of words: reading a rank without waiting.

use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::Arc;

use mpi::ffi;
use tresse_core::id::RankId;

use super::Window;
use super::call::{Handle, address, check};
use super::word::Word;
use crate::mpi::entry::Entry;
use crate::mpi::error::WindowError;
use crate::mpi::extents::Target;

impl<W: Word> Window<W> {
    /// Begins to read words of a rank into `buffer`, as many as it has; the buffer comes back with them.
    pub fn start_get(
        &self,
        _entry: &mut Entry,
        rank: RankId,
        offset: usize,
        buffer: Box<[W]>,
    ) -> Result<Get<W>, WindowError> {
        let Target { rank, displacement, count } =
            self.extents.target(rank, offset, buffer.len())?;
        let (word, place) = (W::datatype(), address(displacement));
        let words = NonNull::from(Box::leak(buffer));
        let start = words.as_ptr().cast();
        // SAFETY: a constant of the bindings.
        let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
        // SAFETY: `words` has `count` words of this datatype, which nobody reaches until the
        // request is complete (and which are leaked if it never is), and as many are at the target.
        let code = unsafe {
            ffi::MPI_Rget(
                start,
                count,
                word,
                rank,
                place,
                count,
                word,
                self.all.0,
                &raw mut request,
            )
        };
        check("MPI_Rget", code)?;
        Ok(Get { request: Handle(request), words, owned: PhantomData, _window: self.gets.clone() })
    }
}

/// Words on their way from another rank.
///
/// Dropping it leaks their memory, which MPI may still write to.
#[derive(Debug)]
pub struct Get<W: Word> {
    request: Handle<ffi::MPI_Request>,
    words: NonNull<[W]>,
    owned: PhantomData<Box<[W]>>,
    _window: Arc<()>,
}

// SAFETY: nobody else has the words, and they may be sent (see `Handle` for the request).
unsafe impl<W: Word> Send for Get<W> {}

/// The progress of a [`Get`].
#[derive(Debug)]
pub enum Progress<W: Word> {
    /// The words have arrived.
    Done(Box<[W]>),
    /// The words are still on their way.
    Pending(Get<W>),
}

impl<W: Word> Get<W> {
    /// Reports whether the words have arrived; does not wait.
    pub fn test(mut self, _entry: &mut Entry) -> Result<Progress<W>, WindowError> {
        let mut done = 0;
        // SAFETY: a request that has not been found complete before, since that ends the `Get`;
        // without a status, nothing else is written.
        let code = unsafe {
            ffi::MPI_Test(&raw mut self.request.0, &raw mut done, ffi::RSMPI_STATUS_IGNORE)
        };
        check("MPI_Test", code)?;
        Ok(if done == 0 { Progress::Pending(self) } else { Progress::Done(self.into_words()) })
    }

    /// Waits for the words.
    pub fn wait(mut self, _entry: &mut Entry) -> Result<Box<[W]>, WindowError> {
        // SAFETY: as in `test`.
        let code = unsafe { ffi::MPI_Wait(&raw mut self.request.0, ffi::RSMPI_STATUS_IGNORE) };
        check("MPI_Wait", code)?;
        Ok(self.into_words())
    }

    /// Returns the words; to be called when the request is complete.
    fn into_words(self) -> Box<[W]> {
        // SAFETY: they come from a box in `start_get`, and MPI has done with them.
        unsafe { Box::from_raw(self.words.as_ptr()) }
    }
}
