//! The memory that ranks of a node share, from its allocation to its addresses, and the window over
//! all ranks with the epoch that it stays in.

use std::ffi::{c_int, c_void};
use std::ptr::{self, NonNull};

use mpi::ffi;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{AsRaw as _, Communicator as _};

use super::call::{Handle, Info, Word, address, check, return_errors, unit};
use crate::mpi::constants::{
    tresse_mpi_mode_no_check, tresse_mpi_win_model, tresse_mpi_win_unified,
};
use crate::mpi::error::WindowError;

/// A rank's words, where this process can address them.
#[derive(Debug)]
pub(super) struct Segment<W> {
    pub(super) start: NonNull<W>,
    pub(super) words: usize,
}

// SAFETY: it lends out no more than `&[W]`.
unsafe impl<W: Word> Send for Segment<W> {}
// SAFETY: as above.
unsafe impl<W: Word> Sync for Segment<W> {}

/// Allocates memory on this node for a number of words of this rank, zeroed; returns the window and
/// the segments of the node's ranks. Collective over the node.
pub(super) fn allocate_shared<W: Word>(
    node: &SimpleCommunicator,
    words: usize,
) -> Result<(Handle<ffi::MPI_Win>, Vec<Segment<W>>), WindowError> {
    return_errors(node)?;
    let hint = Info::new(c"alloc_shared_noncontig", c"true")?;
    let bytes = address(words.saturating_mul(size_of::<W>()));
    let mut start: *mut c_void = ptr::null_mut();
    let into = (&raw mut start).cast();
    // SAFETY: a constant of the bindings.
    let mut window = unsafe { ffi::RSMPI_WIN_NULL };
    let (name, unit) = (&raw mut window, unit::<W>());
    // SAFETY: the communicator is of ranks that share memory; MPI writes the address of the memory
    // and the window's name to where the last two arguments say.
    let code =
        unsafe { ffi::MPI_Win_allocate_shared(bytes, unit, hint.0, node.as_raw(), into, name) };
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

/// Returns the segment of a rank of the node.
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

/// Creates a window over all ranks, of this rank's part of the memory that its node shares.
/// Collective.
pub(super) fn create_over_all<W: Word>(
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

/// Makes a new window ready: errors are returned as values, and the epoch is begun.
pub(super) fn open(window: &Handle<ffi::MPI_Win>) -> Result<(), WindowError> {
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
