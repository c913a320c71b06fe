//! The constants of MPI that only C knows (`constants.c`), and the library that they were compiled
//! for.

#![expect(unsafe_code, reason = "constants of C, declared here")]

use std::ffi::c_int;

use mpi::ffi;

use crate::mpi::library::{Family, Library};

// SAFETY: `constants.c` defines each with this type, and nothing writes to them.
unsafe extern "C" {
    pub(super) safe static tresse_mpi_replace: ffi::MPI_Op;
    pub(super) safe static tresse_mpi_no_op: ffi::MPI_Op;
    pub(super) safe static tresse_mpi_mode_no_check: c_int;
    pub(super) safe static tresse_mpi_win_model: c_int;
    pub(super) safe static tresse_mpi_win_unified: c_int;
    pub(super) safe static tresse_mpi_max_error_string: c_int;
    safe static tresse_mpi_family: c_int;
    safe static tresse_mpi_major: c_int;
}

/// Returns the library that this program was compiled for, if it is a known one.
pub(super) fn compiled_for() -> Option<Library> {
    let family = match tresse_mpi_family {
        1 => Family::OpenMpi,
        2 => Family::Mpich,
        _ => return None,
    };
    Some(Library { family, major: tresse_mpi_major.unsigned_abs() })
}
