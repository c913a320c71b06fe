/* A halo get as it is written in C, for the comparison in halo_get.rs. */
#include <mpi.h>
#include <stdint.h>

static MPI_Win window;

/* A number of words on every rank, zero. Collective. */
int halo_get_open(int words) {
    uint64_t *start;
    MPI_Win_allocate(words * sizeof(uint64_t), sizeof(uint64_t), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &start, &window);
    for (int word = 0; word < words; word++) {
        start[word] = 0;
    }
    return MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
}

/* Reads the first words of a rank. */
int halo_get(int rank, int words, uint64_t *into) {
    MPI_Get(into, words, MPI_UINT64_T, rank, 0, words, MPI_UINT64_T, window);
    return MPI_Win_flush(rank, window);
}

/* Collective. */
int halo_get_close(void) {
    MPI_Win_unlock_all(window);
    return MPI_Win_free(&window);
}
