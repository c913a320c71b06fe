//! Memory that ranks share: the one file of this crate with `unsafe`.
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
//! Only windows of MPI's unified memory model are used ([`WindowError::Separate`]): what the processor
//! stores is what others get, without a call, and the other way round. What remains is order.
//! - *Words of this rank that others get* are stored by threads that may not call MPI: heads, edges,
//!   records, the directory. Of each word a get returns an old or a new value; that a second one is
//!   not older than the first rests on release stores and fences here, and on beginning the second
//!   get after the first has completed there. No edge relies on it: it is labelled.
//! - *Words that others are told of* by a word that is written through MPI, as the outbox by an offer,
//!   are stored before [`Window::sync`], which comes before that word: MPI does not know of fences.
//! - *Words that others write through MPI*, as mailboxes, answers and commands, are each complete at the
//!   target when the writer goes on, and are looked at again and again, by acquire loads; what they
//!   announce is fetched, or lies at the writer.
//!
//! # Errors
//!
//! What MPI refuses is an error with its own words. If it fails to complete what it has begun, it
//! may still write to memory that it was lent, so that then all ranks are ended.

#![expect(unsafe_code, reason = "the one room for it: MPI's one-sided calls are C")]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::fmt::Debug;
use std::io::{self, Write as _};
use std::marker::PhantomData;
use std::mem::{self, size_of};
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::{slice, thread};

use mpi::ffi;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{AsRaw, Communicator};
use tresse_core::id::RankId;

use crate::mpi::entry::{Entry, Session};
pub use crate::mpi::error::WindowError;
use crate::mpi::extents::{Extents, Target};
use crate::mpi::library::{Family, Library};

unsafe extern "C" {
    static tresse_mpi_replace: ffi::MPI_Op;
    static tresse_mpi_no_op: ffi::MPI_Op;
    static tresse_mpi_mode_no_check: c_int;
    static tresse_mpi_win_model: c_int;
    static tresse_mpi_win_unified: c_int;
    static tresse_mpi_max_error_string: c_int;
    static tresse_mpi_family: c_int;
    static tresse_mpi_major: c_int;
}

/// The library that this program was compiled for, if it is one that it knows.
pub(crate) fn compiled_for() -> Option<Library> {
    // SAFETY: constants of `constants.c`.
    let (family, major) = unsafe { (tresse_mpi_family, tresse_mpi_major) };
    let family = match family {
        1 => Family::OpenMpi,
        2 => Family::Mpich,
        _ => return None,
    };
    Some(Library { family, major: major.unsigned_abs() })
}

/// A word that ranks share.
///
/// # Safety
/// It lies in memory as MPI's `datatype` does, has interior mutability, and is valid with any bits.
pub unsafe trait Word: Debug + Send + Sync + 'static {
    /// One that is not shared.
    type Plain: Copy;

    /// All bits zero.
    fn zero() -> Self;
    /// Its value, without any ordering.
    fn plain(&self) -> Self::Plain;
    /// MPI's name for it.
    #[doc(hidden)]
    fn datatype() -> ffi::MPI_Datatype;
}

macro_rules! word {
    ($word:ty, $plain:ty, $datatype:ident) => {
        // SAFETY: an atomic has the size and the bits of its plain type, which MPI has a name for,
        // and windows are aligned for the atomic.
        unsafe impl Word for $word {
            type Plain = $plain;

            fn zero() -> Self {
                Self::new(0)
            }

            fn plain(&self) -> $plain {
                self.load(Ordering::Relaxed)
            }

            #[inline]
            fn datatype() -> ffi::MPI_Datatype {
                // SAFETY: a constant of the bindings.
                unsafe { ffi::$datatype }
            }
        }
    };
}
word!(AtomicU64, u64, RSMPI_UINT64_T);
word!(AtomicU32, u32, RSMPI_UINT32_T);

/// A name that MPI gave.
#[derive(Debug)]
struct Handle<T>(T);

// SAFETY: MPI's names are not bound to a thread (the library provides MPI_THREAD_SERIALIZED), and
// they are passed to it only by who holds the `Entry`, one thread at a time.
unsafe impl Send for Handle<ffi::MPI_Win> {}
// SAFETY: as above.
unsafe impl Sync for Handle<ffi::MPI_Win> {}
// SAFETY: as above.
unsafe impl Send for Handle<ffi::MPI_Request> {}

/// A communicator that windows are over, kept for as long as they are: between nodes MPICH 4 takes one
/// window for another, and crashes, where their communicators were freed before them.
#[derive(Debug)]
struct Kept(ffi::MPI_Comm);

// SAFETY: as for the other names.
unsafe impl Send for Kept {}
// SAFETY: as above.
unsafe impl Sync for Kept {}

impl Kept {
    fn new(communicator: SimpleCommunicator) -> Self {
        let name = communicator.as_raw();
        mem::forget(communicator);
        Self(name)
    }
}

/// A rank's words, where this process can address them.
#[derive(Debug)]
struct Segment<W> {
    start: NonNull<W>,
    words: usize,
}

// SAFETY: it lends out no more than `&[W]`.
unsafe impl<W: Word> Send for Segment<W> {}
// SAFETY: as above.
unsafe impl<W: Word> Sync for Segment<W> {}

/// Words of every rank that every rank may read and write.
///
/// To be given back by [`free`](Self::free), by all ranks; one that is dropped instead stays with
/// MPI until the process ends.
#[derive(Debug)]
pub struct Window<W: Word> {
    /// Over all ranks.
    all: Handle<ffi::MPI_Win>,
    /// Over those of this node, which the memory comes from, where there are others.
    node: Option<Handle<ffi::MPI_Win>>,
    communicators: Vec<Kept>,
    /// By rank, for those of this node.
    segments: Vec<Option<Segment<W>>>,
    extents: Extents,
    own: RankId,
    /// Shared with each [`Get`] that is under way.
    gets: Arc<()>,
    freed: bool,
    /// MPI, and with it the memory, does not end before.
    _session: Arc<Session>,
}

impl<W: Word> Window<W> {
    /// A number of words on this rank, all zero. Collective over all ranks, which may ask for
    /// different numbers.
    pub fn allocate(entry: &mut Entry, words: usize) -> Result<Self, WindowError> {
        let lengths = entry.all_gather_u64(words as u64);
        let extents = Extents::new(&lengths, size_of::<W>())?;
        let world = entry.world();
        // Ranks keep their order in it.
        let node = world.split_shared(world.rank());
        let allocated = allocate_shared::<W>(&node, words);
        let (shared, segments) = entry.together("MPI_Win_allocate_shared", allocated)?;
        let own = segments.get(usize::try_from(node.rank()).unwrap_or(0));
        let mut communicators = vec![Kept::new(node)];
        let created = if entry.nodes().number() == 1 {
            Ok((shared, None))
        } else {
            let all = world.duplicate();
            let created = create_over_all(&all, own).map(|all| (all, Some(shared)));
            communicators.push(Kept::new(all));
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

    /// This rank's words.
    pub fn local(&self) -> &[W] {
        self.of(self.own).unwrap_or_default()
    }

    /// The words of a rank of this node; none of one on another node.
    pub fn of(&self, rank: RankId) -> Option<&[W]> {
        let segment = self.segments.get(rank.index())?.as_ref()?;
        // SAFETY: the memory was given for this number of words (see `query`), which are zeroed before
        // the first of them is lent, and stays until the window is freed, which takes `self`, or
        // MPI ends, which `_session` keeps it from. Words are changed through `&` only.
        Some(unsafe { slice::from_raw_parts(segment.start.as_ptr(), segment.words) })
    }

    /// How many words a rank has; 0 of no such rank.
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

    /// Begins to read words of a rank, as many as `buffer` has, which comes back with them.
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

    /// Writes words of a rank, and waits until they are there.
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

    /// Lets what this rank has stored to its words be seen by everybody who is told of it after this,
    /// and what others have written be seen here.
    pub fn sync(&self, _entry: &mut Entry) -> Result<(), WindowError> {
        for window in [Some(&self.all), self.node.as_ref()].into_iter().flatten() {
            // SAFETY: a live window that is locked.
            check("MPI_Win_sync", unsafe { ffi::MPI_Win_sync(window.0) })?;
        }
        Ok(())
    }

    /// Gives the memory back. Collective over all ranks; refused on all, and the memory left to MPI, if
    /// a [`Get`] is under way on any.
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
        for Kept(communicator) in &mut self.communicators {
            // SAFETY: this one's own, which no window is over any more.
            check("MPI_Comm_free", unsafe { ffi::MPI_Comm_free(communicator) })?;
        }
        Ok(())
    }

    /// Waits until what was begun at a rank is complete there and here.
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

impl Window<AtomicU64> {
    /// Writes a word of a rank atomically.
    pub fn store(
        &self,
        entry: &mut Entry,
        rank: RankId,
        offset: usize,
        value: u64,
    ) -> Result<(), WindowError> {
        // SAFETY: a constant of `constants.c`.
        self.fetch(entry, (rank, offset), value, unsafe { tresse_mpi_replace }).map(|_| ())
    }

    /// Reads a word of a rank atomically.
    pub fn load(&self, entry: &mut Entry, rank: RankId, offset: usize) -> Result<u64, WindowError> {
        // SAFETY: a constant of `constants.c`.
        self.fetch(entry, (rank, offset), 0, unsafe { tresse_mpi_no_op })
    }

    /// Adds to a word of a rank atomically, modulo 2⁶⁴, and returns what it was before.
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

    /// Replaces a word of a rank atomically if it is `expected`, and returns what it was before.
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

    /// Replaces a word of a rank by the operation's result, and returns what it was before.
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

/// How far a [`Get`] is.
#[derive(Debug)]
pub enum Progress<W: Word> {
    /// The words are there.
    Done(Box<[W]>),
    /// They are still on their way.
    Pending(Get<W>),
}

impl<W: Word> Get<W> {
    /// Whether the words are there; does not wait.
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

    /// To be called when the request is complete.
    fn into_words(self) -> Box<[W]> {
        // SAFETY: they come from a box in `start_get`, and MPI has done with them.
        unsafe { Box::from_raw(self.words.as_ptr()) }
    }
}

/// Memory on this node for a number of words of this rank, zeroed, and where its ranks' words are.
/// Collective over the node.
fn allocate_shared<W: Word>(
    node: &SimpleCommunicator,
    words: usize,
) -> Result<(Handle<ffi::MPI_Win>, Vec<Segment<W>>), WindowError> {
    return_errors(node)?;
    let wish = Info::new(c"alloc_shared_noncontig", c"true")?;
    let bytes = address(words.saturating_mul(size_of::<W>()));
    let mut start: *mut c_void = ptr::null_mut();
    let into = (&raw mut start).cast();
    // SAFETY: a constant of the bindings.
    let mut window = unsafe { ffi::RSMPI_WIN_NULL };
    let (name, unit) = (&raw mut window, unit::<W>());
    // SAFETY: the communicator is of ranks that share memory; MPI writes the address of the memory
    // and the window's name to where the last two arguments say.
    let code =
        unsafe { ffi::MPI_Win_allocate_shared(bytes, unit, wish.0, node.as_raw(), into, name) };
    check("MPI_Win_allocate_shared", code)?;
    let window = Handle(window);
    let segments = (0..node.size()).map(|rank| query(&window, rank));
    let segments = segments.collect::<Result<Vec<Segment<W>>, _>>()?;
    if let Some(own) = segments.get(usize::try_from(node.rank()).unwrap_or(usize::MAX)) {
        // SAFETY: this rank's part, which nobody else has been told of before `allocate` returns
        // on some rank, which is after a reduction over all ranks that this one has still to enter.
        unsafe { own.start.as_ptr().write_bytes(0, own.words.min(words)) };
    }
    Ok((window, segments))
}

/// Where the words of a rank of the node are.
fn query<W: Word>(window: &Handle<ffi::MPI_Win>, rank: c_int) -> Result<Segment<W>, WindowError> {
    let (mut bytes, mut unit): (ffi::MPI_Aint, c_int) = (0, 0);
    let mut start: *mut W = ptr::null_mut();
    let into = (&raw mut start).cast();
    // SAFETY: a live window of shared memory; MPI writes three values to where the arguments say.
    let code =
        unsafe { ffi::MPI_Win_shared_query(window.0, rank, &raw mut bytes, &raw mut unit, into) };
    check("MPI_Win_shared_query", code)?;
    let words = usize::try_from(bytes).unwrap_or(0) / size_of::<W>();
    let start = NonNull::new(start).filter(|_| words > 0).unwrap_or(NonNull::dangling());
    if start.as_ptr().is_aligned() {
        Ok(Segment { start, words })
    } else {
        Err(WindowError::Misaligned)
    }
}

/// A number of bytes or words in the type that MPI has for it; [`Extents`] has seen that it fits.
#[inline]
fn address(number: usize) -> ffi::MPI_Aint {
    number.cast_signed() as ffi::MPI_Aint
}

/// The bytes of a word.
fn unit<W>() -> c_int {
    c_int::try_from(size_of::<W>()).unwrap_or(c_int::MAX)
}

/// A window over all ranks, of this rank's part of the memory that its node shares. Collective.
fn create_over_all<W: Word>(
    world: &SimpleCommunicator,
    own: Option<&Segment<W>>,
) -> Result<Handle<ffi::MPI_Win>, WindowError> {
    return_errors(world)?;
    let (start, words) = own.map_or((ptr::null_mut(), 0), |own| (own.start.as_ptr(), own.words));
    // SAFETY: constants of the bindings.
    let (mut window, info) = unsafe { (ffi::RSMPI_WIN_NULL, ffi::RSMPI_INFO_NULL) };
    let (bytes, unit, name) = (address(words * size_of::<W>()), unit::<W>(), &raw mut window);
    // SAFETY: the memory is this rank's, and the window that it is from is freed after this one.
    let code =
        unsafe { ffi::MPI_Win_create(start.cast(), bytes, unit, info, world.as_raw(), name) };
    check("MPI_Win_create", code)?;
    Ok(Handle(window))
}

/// Makes a new window ready: errors are values, the epoch is begun.
fn open(window: &Handle<ffi::MPI_Win>) -> Result<(), WindowError> {
    // SAFETY: a live window, and a constant of the bindings.
    let code = unsafe { ffi::MPI_Win_set_errhandler(window.0, ffi::RSMPI_ERRORS_RETURN) };
    check("MPI_Win_set_errhandler", code)?;
    let mut model: *const c_int = ptr::null();
    let mut found = 0;
    let into = (&raw mut model).cast::<c_void>();
    // SAFETY: MPI writes the address of the attribute, an int of its own.
    let code =
        unsafe { ffi::MPI_Win_get_attr(window.0, tresse_mpi_win_model, into, &raw mut found) };
    check("MPI_Win_get_attr", code)?;
    // SAFETY: if it was found, then the address is that of an int; the rest are constants.
    if found == 0 || model.is_null() || unsafe { *model != tresse_mpi_win_unified } {
        return Err(WindowError::Separate);
    }
    // SAFETY: a live window that is not locked; nobody locks it exclusively, so nothing needs to be
    // checked.
    let code = unsafe { ffi::MPI_Win_lock_all(tresse_mpi_mode_no_check, window.0) };
    check("MPI_Win_lock_all", code)?;
    // What this rank has written, the zeros, is there for all from now on.
    // SAFETY: a live window that is locked.
    check("MPI_Win_sync", unsafe { ffi::MPI_Win_sync(window.0) })
}

/// Has calls that fail say so; otherwise they end all ranks.
fn return_errors(communicator: &SimpleCommunicator) -> Result<(), WindowError> {
    // SAFETY: a live communicator, and a constant of the bindings.
    let code =
        unsafe { ffi::MPI_Comm_set_errhandler(communicator.as_raw(), ffi::RSMPI_ERRORS_RETURN) };
    check("MPI_Comm_set_errhandler", code)
}

/// An error if a call's code is one. To be called only by who may call MPI.
#[inline]
fn check(call: &'static str, code: c_int) -> Result<(), WindowError> {
    const SUCCESS: c_int = 0;
    if code == SUCCESS { Ok(()) } else { Err(WindowError::Mpi { call, text: text(code) }) }
}

/// An error in MPI's own words.
#[cold]
fn text(code: c_int) -> String {
    // SAFETY: a constant of `constants.c`.
    let longest = unsafe { tresse_mpi_max_error_string };
    let mut text = vec![0_u8; usize::try_from(longest).unwrap_or(0) + 1];
    let mut length = 0;
    // SAFETY: there is room for the longest text and its end, and MPI writes its length.
    unsafe { ffi::MPI_Error_string(code, text.as_mut_ptr().cast::<c_char>(), &raw mut length) };
    text.truncate(usize::try_from(length).unwrap_or(0));
    String::from_utf8_lossy(&text).trim_end().to_owned()
}

/// A wish that MPI may grant.
struct Info(ffi::MPI_Info);

impl Info {
    fn new(key: &CStr, value: &CStr) -> Result<Self, WindowError> {
        // SAFETY: a constant of the bindings.
        let mut info = unsafe { ffi::RSMPI_INFO_NULL };
        // SAFETY: MPI writes the new one's name.
        check("MPI_Info_create", unsafe { ffi::MPI_Info_create(&raw mut info) })?;
        let info = Self(info);
        // SAFETY: a live one, and two strings with an end.
        check("MPI_Info_set", unsafe { ffi::MPI_Info_set(info.0, key.as_ptr(), value.as_ptr()) })?;
        Ok(info)
    }
}

impl Drop for Info {
    fn drop(&mut self) {
        // SAFETY: it is live, and MPI has copied what it uses.
        unsafe { ffi::MPI_Info_free(&raw mut self.0) };
    }
}
