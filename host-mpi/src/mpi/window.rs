//! Memory that ranks share: the one module of this crate with `unsafe`, but for the constants of C.
//!
//! Every rank lends words to the others, for as long as the [`Window`] lives, and enters one
//! passive epoch for all that time. Ranks on the same node read and write each other's words
//! directly; any rank does so through MPI, where each call returns only when it is complete at its
//! target (other than [`Window::start_get`]).
//!
//! # What is shared is atomic
//!
//! Words are atomics, and nobody gets another view of them, so this program has no data race with
//! itself. What another process does to them, or MPI for it, is outside its memory model: of words
//! that lie as these do, such an access reads or writes each whole, but not several at once. So
//! several words that belong together need a version. MPI's own atomic operations are not atomic
//! with the processor's: a word that several write is to be written either by [`Window::store`],
//! [`Window::fetch_add`] and [`Window::compare_and_swap`] or through memory, by all.
//!
//! # What is seen when
//!
//! Only windows of MPI's unified memory model are used ([`WindowError::Separate`]): what the
//! processor stores is what others get, without a call, and the other way round. What remains is
//! order.
//! - *Words of this rank that others get* are stored by threads that may not call MPI: heads,
//!   edges, records, the directory. Of each word a get returns an old or a new value; that a second
//!   one is not older than the first rests on release stores and fences here, and on beginning the
//!   second get after the first has completed there. No edge relies on it: it is labelled.
//! - *Words that others are told of* by a word that is written through MPI, as the outbox by an
//!   offer, are stored before [`Window::sync`], which comes before that word: MPI does not know of
//!   fences.
//! - *Words that others write through MPI*, as mailboxes, answers and commands, are each complete
//!   at the target when the writer goes on, and are looked at again and again, by acquire loads;
//!   what they announce is fetched, or lies at the writer.
//!
//! # Errors
//!
//! What MPI refuses is an error with its own words. If it fails to complete what it has begun, it
//! may still write to memory that it was lent, so that then all ranks are ended.

#![expect(unsafe_code, reason = "the module for it: MPI's one-sided calls are C")]

mod atomics;
mod call;
mod memory;

pub(super) use call::Handle;
pub use call::Word;

use std::ffi::c_int;
use std::io::{self, Write as _};
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::Arc;
use std::{slice, thread};

use mpi::ffi;
use mpi::traits::Communicator as _;
use tresse_core::base::id::RankId;

use crate::mpi::entry::{Entry, Session};
use crate::mpi::error::WindowError;
use crate::mpi::extents::{Extents, Target};

use call::{KeptCommunicator, address, check};
use memory::{Segment, allocate_shared, create_over_all, open};

/// Words of every rank that every rank may read and write.
///
/// To be given back by [`free`](Self::free), by all ranks; one that is dropped instead stays with
/// MPI until the process ends.
#[derive(Debug)]
pub struct Window<W: Word> {
    /// Window over all ranks.
    all: Handle<ffi::MPI_Win>,
    /// Window over the ranks of this node, which the memory comes from, where the node has other
    /// ranks.
    node: Option<Handle<ffi::MPI_Win>>,
    communicators: Vec<KeptCommunicator>,
    /// Segments of the ranks of this node, by rank.
    segments: Vec<Option<Segment<W>>>,
    extents: Extents,
    own: RankId,
    /// Counter that each [`Get`] under way shares.
    gets: Arc<()>,
    freed: bool,
    /// Session that keeps MPI, and with it the memory, from ending before.
    _session: Arc<Session>,
}

impl<W: Word> Window<W> {
    /// Allocates a number of words on this rank, all zero. Collective over all ranks, which may ask
    /// for different numbers.
    pub fn allocate(entry: &mut Entry, words: usize) -> Result<Self, WindowError> {
        let lengths = entry.all_gather_u64(words as u64);
        let extents = Extents::new(&lengths, size_of::<W>())?;
        let world = entry.world();
        // Ranks keep their order in it.
        let node = world.split_shared(world.rank());
        let allocated = allocate_shared::<W>(&node, words);
        let (shared, segments) = entry.together("MPI_Win_allocate_shared", allocated)?;
        let own = segments.get(usize::try_from(node.rank()).unwrap_or(0));
        let mut communicators = vec![KeptCommunicator::new(node)];
        let created = if entry.nodes().number() == 1 {
            Ok((shared, None))
        } else {
            let all = world.duplicate();
            let created = create_over_all(&all, own).map(|all| (all, Some(shared)));
            communicators.push(KeptCommunicator::new(all));
            created
        };
        let (all, node) = entry.together("MPI_Win_create", created)?;
        let opened = [Some(&all), node.as_ref()].into_iter().flatten().try_for_each(open);
        entry.together("MPI_Win_lock_all", opened)?;
        let mut by_rank: Vec<_> = lengths.iter().map(|_| None).collect();
        for (rank, mut segment) in entry.nodes().with(entry.rank()).zip(segments) {
            segment.words = segment.words.min(extents.length(rank));
            if let Some(place) = by_rank.get_mut(rank.index()) {
                *place = Some(segment);
            }
        }
        Ok(Self {
            all,
            node,
            communicators,
            segments: by_rank,
            extents,
            own: entry.rank(),
            gets: Arc::new(()),
            freed: false,
            _session: entry.session(),
        })
    }

    /// Returns this rank's words.
    pub fn local(&self) -> &[W] {
        self.of(self.own).unwrap_or_default()
    }

    /// Returns the words of a rank of this node, or `None` for a rank of another node.
    pub fn of(&self, rank: RankId) -> Option<&[W]> {
        let segment = self.segments.get(rank.index())?.as_ref()?;
        // SAFETY: the memory was given for this number of words (see `query`), which are zeroed
        // before the first of them is lent, and stays until the window is freed, which takes
        // `self`, or MPI ends, which `_session` keeps it from. Words are changed through `&` only.
        Some(unsafe { slice::from_raw_parts(segment.start.as_ptr(), segment.words) })
    }

    /// Returns the number of words of a rank; 0 for a rank that does not exist.
    pub fn words(&self, rank: RankId) -> usize {
        self.extents.length(rank)
    }

    /// Reads words of a rank, and waits for them.
    #[inline]
    pub fn get(
        &self,
        entry: &mut Entry,
        rank: RankId,
        offset: usize,
        into: &mut [W],
    ) -> Result<(), WindowError> {
        let Target { rank, displacement, count } = self.extents.target(rank, offset, into.len())?;
        let (word, place) = (W::datatype(), address(displacement));
        let start = into.as_mut_ptr().cast();
        // SAFETY: `into` has `count` words of this datatype, borrowed alone until `complete`
        // returns, and as many are at the target.
        let code =
            unsafe { ffi::MPI_Get(start, count, word, rank, place, count, word, self.all.0) };
        check("MPI_Get", code)?;
        self.complete(entry, rank);
        Ok(())
    }

    /// Begins to read words of a rank into `buffer`, as many as it has; the buffer comes back with
    /// them.
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

    /// Writes words of a rank, and waits until they have arrived.
    pub fn put(
        &self,
        entry: &mut Entry,
        rank: RankId,
        offset: usize,
        words: &[W],
    ) -> Result<(), WindowError> {
        let Target { rank, displacement, count } =
            self.extents.target(rank, offset, words.len())?;
        let (word, place) = (W::datatype(), address(displacement));
        // MPI does not read them as atomics.
        let plain: Vec<_> = words.iter().map(W::plain).collect();
        let start = plain.as_ptr().cast();
        // SAFETY: `plain` has `count` words of this datatype, and lives until `complete` returns;
        // as many are at the target.
        let code =
            unsafe { ffi::MPI_Put(start, count, word, rank, place, count, word, self.all.0) };
        check("MPI_Put", code)?;
        self.complete(entry, rank);
        Ok(())
    }

    /// Makes the words that this rank has stored visible to every rank that is told of them after
    /// this, and those that others have written visible here.
    pub fn sync(&self, _entry: &mut Entry) -> Result<(), WindowError> {
        for window in [Some(&self.all), self.node.as_ref()].into_iter().flatten() {
            // SAFETY: a live window that is locked.
            check("MPI_Win_sync", unsafe { ffi::MPI_Win_sync(window.0) })?;
        }
        Ok(())
    }

    /// Gives the memory back. Collective over all ranks; refused on all ranks, and the memory left
    /// to MPI, if a [`Get`] is under way on any rank.
    pub fn free(mut self, entry: &mut Entry) -> Result<(), WindowError> {
        self.freed = true;
        if entry.sum_u64(u64::from(Arc::strong_count(&self.gets) > 1)) > 0 {
            return Err(WindowError::Busy);
        }
        for window in [Some(&mut self.all), self.node.as_mut()].into_iter().flatten() {
            // SAFETY: a live window, locked by `open`; nothing of it is lent out, since this owns
            // it, and the same holds on the other ranks, which free it too.
            check("MPI_Win_unlock_all", unsafe { ffi::MPI_Win_unlock_all(window.0) })?;
            // SAFETY: as above.
            check("MPI_Win_free", unsafe { ffi::MPI_Win_free(&raw mut window.0) })?;
        }
        for KeptCommunicator(communicator) in &mut self.communicators {
            // SAFETY: this one's own, which no window is over any more.
            check("MPI_Comm_free", unsafe { ffi::MPI_Comm_free(communicator) })?;
        }
        Ok(())
    }

    /// Waits until the operations begun at a rank are complete there and here.
    #[inline]
    fn complete(&self, entry: &mut Entry, rank: c_int) {
        // SAFETY: a live window that is locked for all ranks.
        let code = unsafe { ffi::MPI_Win_flush(rank, self.all.0) };
        if let Err(error) = check("MPI_Win_flush", code) {
            // MPI may go on to use memory that it was lent for this call.
            let _ = writeln!(io::stderr(), "rank {}: {error}", self.own);
            entry.abort(1);
        }
    }
}

impl<W: Word> Drop for Window<W> {
    fn drop(&mut self) {
        if !self.freed && !thread::panicking() {
            let _ = writeln!(
                io::stderr(),
                "rank {}: a window is dropped without being freed",
                self.own
            );
        }
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
