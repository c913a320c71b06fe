//! A window over all ranks, and the epoch that it stays in.

use std::ffi::{c_int, c_void};
use std::ptr;

use mpi::ffi;
use mpi::topology::SimpleCommunicator;
use mpi::traits::AsRaw as _;

use super::call::{Handle, address, check, return_errors, unit};
use super::memory::Segment;
use super::word::Word;
use crate::mpi::constants::{
    tresse_mpi_mode_no_check, tresse_mpi_win_model, tresse_mpi_win_unified,
};
use crate::mpi::error::WindowError;

/// Creates a window over all ranks, of this rank's part of the memory that its node shares. Collective.
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
