/* Poisson's equation with the right-hand side 1 by hypre's multigrid for structured grids, PFMG: one solver of peers.py.
 *
 *   mpirun -n 2 peers_hypre 2047 1e-8
 *
 * Takes the cells along each side and the tolerance; each rank has consecutive rows. Prints the seconds of the set-up and
 * of the solution, the iterations, and the residual over the right-hand side, as it is calculated here from the cells. */
#include <HYPRE_struct_ls.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, ranks;

/* Sets every value of this rank's rows, four of a cell's entries being 0 at the boundary. */
static HYPRE_StructMatrix matrix(HYPRE_StructGrid grid, int n, int *first, int *last)
{
  int                 offsets[5][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}}, entries[5] = {0, 1, 2, 3, 4};
  HYPRE_StructStencil stencil;
  HYPRE_StructMatrix  a;
  double             *values = malloc(5 * sizeof *values * n), *at = values;

  HYPRE_StructStencilCreate(2, 5, &stencil);
  for (int k = 0; k < 5; k++) HYPRE_StructStencilSetElement(stencil, k, offsets[k]);
  HYPRE_StructMatrixCreate(MPI_COMM_WORLD, grid, stencil, &a);
  HYPRE_StructMatrixInitialize(a);
  for (int j = first[1]; j <= last[1]; j++) {
    int from[2] = {0, j}, to[2] = {n - 1, j};
    at = values;
    for (int i = 0; i < n; i++) {
      *at++ = 4.0;
      *at++ = i > 0 ? -1.0 : 0.0;
      *at++ = i < n - 1 ? -1.0 : 0.0;
      *at++ = j > 0 ? -1.0 : 0.0;
      *at++ = j < n - 1 ? -1.0 : 0.0;
    }
    HYPRE_StructMatrixSetBoxValues(a, from, to, 5, entries, values);
  }
  HYPRE_StructMatrixAssemble(a);
  free(values);
  return a;
}

static HYPRE_StructVector vector(HYPRE_StructGrid grid, int *first, int *last, double *values)
{
  HYPRE_StructVector v;
  HYPRE_StructVectorCreate(MPI_COMM_WORLD, grid, &v);
  HYPRE_StructVectorInitialize(v);
  HYPRE_StructVectorSetBoxValues(v, first, last, values);
  HYPRE_StructVectorAssemble(v);
  return v;
}

/* The norm of the residual over that of the right-hand side; `u` has a row more above and below. */
static double residual(double *u, int n, int rows)
{
  const int above = rank > 0 ? rank - 1 : MPI_PROC_NULL, below = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
  double    own = 0.0, all;

  MPI_Sendrecv(u + n, n, MPI_DOUBLE, above, 0, u + (size_t)n * (rows + 1), n, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(u + (size_t)n * rows, n, MPI_DOUBLE, below, 1, u, n, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int j = 1; j <= rows; j++) {
    for (int i = 0; i < n; i++) {
      const double *c = u + (size_t)j * n + i;
      const double  r = 1.0 + (i > 0 ? c[-1] : 0.0) + (i < n - 1 ? c[1] : 0.0) + c[-n] + c[n] - 4.0 * *c;
      own += r * r;
    }
  }
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sqrt(all) / n;
}

int main(int argc, char **argv)
{
  const int          n = argc > 1 ? atoi(argv[1]) : 2047;
  const double       tolerance = argc > 2 ? atof(argv[2]) : 1e-8;
  HYPRE_StructGrid   grid;
  HYPRE_StructSolver solver;
  int                iterations;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  HYPRE_Init();
  int       first[2] = {0, (int)((long)n * rank / ranks)}, last[2] = {n - 1, (int)((long)n * (rank + 1) / ranks) - 1};
  const int rows = last[1] - first[1] + 1;
  double   *ones = malloc(sizeof *ones * n * rows), *u = calloc((size_t)n * (rows + 2), sizeof *u);
  for (size_t k = 0; k < (size_t)n * rows; k++) ones[k] = 1.0;
  HYPRE_StructGridCreate(MPI_COMM_WORLD, 2, &grid);
  HYPRE_StructGridSetExtents(grid, first, last);
  HYPRE_StructGridAssemble(grid);
  HYPRE_StructMatrix a = matrix(grid, n, first, last);
  HYPRE_StructVector b = vector(grid, first, last, ones), x = vector(grid, first, last, u);
  HYPRE_StructPFMGCreate(MPI_COMM_WORLD, &solver);
  HYPRE_StructPFMGSetTol(solver, tolerance);
  HYPRE_StructPFMGSetMaxIter(solver, 200);
  HYPRE_StructPFMGSetRelaxType(solver, 2); /* red and black */
  HYPRE_StructPFMGSetRAPType(solver, 1);   /* five points on every level */
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  HYPRE_StructPFMGSetup(solver, a, b, x);
  MPI_Barrier(MPI_COMM_WORLD);
  const double ready = MPI_Wtime();
  HYPRE_StructPFMGSolve(solver, a, b, x);
  MPI_Barrier(MPI_COMM_WORLD);
  const double end = MPI_Wtime();
  HYPRE_StructPFMGGetNumIterations(solver, &iterations);
  HYPRE_StructVectorGetBoxValues(x, first, last, u + n);
  const double relative = residual(u, n, rows);
  if (rank == 0)
    printf("{\"setup\": %g, \"seconds\": %g, \"iterations\": %d, \"residual\": %g}\n", ready - begin, end - ready, iterations, relative);
  HYPRE_Finalize();
  MPI_Finalize();
  return 0;
}
