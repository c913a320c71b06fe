//! Memory that ranks share: the one file of this crate with `unsafe`.

#![expect(unsafe_code, reason = "the one room for it: MPI's one-sided calls are C")]

use std::ffi::c_int;

use crate::library::{Family, Library};

unsafe extern "C" {
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
