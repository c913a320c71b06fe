/* What mpi.h defines by macros that cannot be read from Rust. */
#include <mpi.h>

const MPI_Op tresse_mpi_replace = MPI_REPLACE;
const MPI_Op tresse_mpi_no_op = MPI_NO_OP;
const int tresse_mpi_mode_no_check = MPI_MODE_NOCHECK;
const int tresse_mpi_win_model = MPI_WIN_MODEL;
const int tresse_mpi_win_unified = MPI_WIN_UNIFIED;
const int tresse_mpi_max_error_string = MPI_MAX_ERROR_STRING;

/* The library that this is compiled for: 1 is Open MPI, 2 is MPICH itself, 0 is anything else. */
#if defined(OPEN_MPI)
const int tresse_mpi_family = 1;
const int tresse_mpi_major = OMPI_MAJOR_VERSION;
#elif defined(MPICH_NUMVERSION) && !defined(I_MPI_VERSION) && !defined(MVAPICH2_VERSION) \
    && !defined(CRAY_MPICH_VERSION)
const int tresse_mpi_family = 2;
const int tresse_mpi_major = MPICH_NUMVERSION / 10000000;
#else
const int tresse_mpi_family = 0;
const int tresse_mpi_major = 0;
#endif
