//! What calls of MPI take and return: its names, types, numbers, errors and hints.

use std::ffi::{CStr, c_char, c_int};
use std::fmt::Debug;
use std::mem;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use mpi::ffi;
use mpi::topology::SimpleCommunicator;
use mpi::traits::AsRaw as _;

use crate::mpi::constants::tresse_mpi_max_error_string;
use crate::mpi::error::WindowError;

/// A name that MPI gave.
#[derive(Debug)]
pub(in crate::mpi) struct Handle<T>(pub(in crate::mpi) T);

// SAFETY: MPI's names are not bound to a thread (the library provides MPI_THREAD_SERIALIZED), and
// they are passed to it only by who holds the `Entry`, one thread at a time.
unsafe impl Send for Handle<ffi::MPI_Win> {}
// SAFETY: as above.
unsafe impl Sync for Handle<ffi::MPI_Win> {}
// SAFETY: as above.
unsafe impl Send for Handle<ffi::MPI_Request> {}
// SAFETY: as above.
unsafe impl Send for Handle<SimpleCommunicator> {}
// SAFETY: as above.
unsafe impl Sync for Handle<SimpleCommunicator> {}

/// A communicator that windows are over, kept for as long as they are: between nodes MPICH 4 takes
/// one window for another, and crashes, where their communicators were freed before them.
#[derive(Debug)]
pub(super) struct KeptCommunicator(pub(super) ffi::MPI_Comm);

// SAFETY: as for the other names.
unsafe impl Send for KeptCommunicator {}
// SAFETY: as above.
unsafe impl Sync for KeptCommunicator {}

impl KeptCommunicator {
    /// Takes the raw name of a communicator, which is never freed.
    pub(super) fn new(communicator: SimpleCommunicator) -> Self {
        let name = communicator.as_raw();
        mem::forget(communicator);
        Self(name)
    }
}

/// A word that ranks share.
///
/// # Safety
/// It lies in memory as MPI's `datatype` does, has interior mutability, and is valid with any bits.
pub unsafe trait Word: Debug + Send + Sync + 'static {
    /// Type of a value that is not shared.
    type Plain: Copy;

    /// Returns the word with all bits zero.
    fn zero() -> Self;
    /// Returns the word's value, without any ordering.
    fn plain(&self) -> Self::Plain;
    /// Returns MPI's type for the word.
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

/// Returns a number of bytes or words in MPI's type; [`Extents`] has checked that it fits.
#[inline]
pub(super) fn address(number: usize) -> ffi::MPI_Aint {
    number.cast_signed() as ffi::MPI_Aint
}

/// Returns the number of bytes of a word.
pub(super) fn unit<W>() -> c_int {
    c_int::try_from(size_of::<W>()).unwrap_or(c_int::MAX)
}

/// Makes failing calls return errors; otherwise they would end all ranks.
pub(super) fn return_errors(communicator: &SimpleCommunicator) -> Result<(), WindowError> {
    // SAFETY: a live communicator, and a constant of the bindings.
    let code =
        unsafe { ffi::MPI_Comm_set_errhandler(communicator.as_raw(), ffi::RSMPI_ERRORS_RETURN) };
    check("MPI_Comm_set_errhandler", code)
}

/// Returns an error if a call's code is one. To be called only by a caller that may call MPI.
#[inline]
pub(super) fn check(call: &'static str, code: c_int) -> Result<(), WindowError> {
    const SUCCESS: c_int = 0;
    if code == SUCCESS { Ok(()) } else { Err(WindowError::Mpi { call, text: text(code) }) }
}

/// Returns the text that MPI has for an error.
#[cold]
fn text(code: c_int) -> String {
    let mut text = vec![0_u8; usize::try_from(tresse_mpi_max_error_string).unwrap_or(0) + 1];
    let mut length = 0;
    // SAFETY: there is room for the longest text and its end, and MPI writes its length.
    unsafe { ffi::MPI_Error_string(code, text.as_mut_ptr().cast::<c_char>(), &raw mut length) };
    text.truncate(usize::try_from(length).unwrap_or(0));
    String::from_utf8_lossy(&text).trim_end().to_owned()
}

/// A hint that MPI may follow.
pub(super) struct Info(pub(super) ffi::MPI_Info);

impl Info {
    /// Creates an info object of MPI with one key and its value.
    pub(super) fn new(key: &CStr, value: &CStr) -> Result<Self, WindowError> {
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
