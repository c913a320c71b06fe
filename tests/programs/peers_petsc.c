/* Poisson's equation with the right-hand side 1 by PETSc, and by hypre through it: one solver of peers.py.
 *
 *   mpirun -n 2 peers_petsc -n 2047 -ksp_type cg -pc_type hypre -ksp_rtol 1e-8
 *
 * The grid has -n cells along each side, and the nodes of the boundary around them, whose equation is 4 u = 0; the
 * equation of the others is 4 u - (the neighbours') = 1. Prints the seconds of the set-up and of the solution, the
 * iterations, and the residual over the right-hand side, as it is calculated here from the cells. */
#include <math.h>
#include <petscdmda.h>
#include <petscksp.h>

static int is_inner(PetscInt i, PetscInt j, PetscInt m) { return i > 0 && j > 0 && i < m - 1 && j < m - 1; }

static PetscErrorCode matrix(KSP ksp, Mat a, Mat p, void *context)
{
  DM            dm;
  DMDALocalInfo info;

  (void)a, (void)context;
  PetscFunctionBeginUser;
  PetscCall(KSPGetDM(ksp, &dm));
  PetscCall(DMDAGetLocalInfo(dm, &info));
  for (PetscInt j = info.ys; j < info.ys + info.ym; j++) {
    for (PetscInt i = info.xs; i < info.xs + info.xm; i++) {
      const PetscInt to[4][2] = {{i - 1, j}, {i + 1, j}, {i, j - 1}, {i, j + 1}};
      MatStencil     row = {.i = i, .j = j}, columns[5] = {{.i = i, .j = j}};
      PetscScalar    values[5] = {4.0};
      PetscInt       number = 1;
      if (is_inner(i, j, info.mx)) {
        for (int k = 0; k < 4; k++) {
          if (!is_inner(to[k][0], to[k][1], info.mx)) continue;
          columns[number] = (MatStencil){.i = to[k][0], .j = to[k][1]};
          values[number++] = -1.0;
        }
      }
      PetscCall(MatSetValuesStencil(p, 1, &row, number, columns, values, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(p, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(p, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

static PetscErrorCode right_hand_side(KSP ksp, Vec b, void *context)
{
  DM             dm;
  DMDALocalInfo  info;
  PetscScalar  **cells;

  (void)context;
  PetscFunctionBeginUser;
  PetscCall(KSPGetDM(ksp, &dm));
  PetscCall(DMDAGetLocalInfo(dm, &info));
  PetscCall(DMDAVecGetArray(dm, b, &cells));
  for (PetscInt j = info.ys; j < info.ys + info.ym; j++)
    for (PetscInt i = info.xs; i < info.xs + info.xm; i++) cells[j][i] = is_inner(i, j, info.mx) ? 1.0 : 0.0;
  PetscCall(DMDAVecRestoreArray(dm, b, &cells));
  PetscFunctionReturn(0);
}

/* The norm of the residual over that of the right-hand side. */
static PetscErrorCode residual(DM dm, Vec x, PetscReal *relative)
{
  DMDALocalInfo  info;
  Vec            local;
  PetscScalar  **u;
  PetscReal      own = 0.0, all;

  PetscFunctionBeginUser;
  PetscCall(DMDAGetLocalInfo(dm, &info));
  PetscCall(DMGetLocalVector(dm, &local));
  PetscCall(DMGlobalToLocal(dm, x, INSERT_VALUES, local));
  PetscCall(DMDAVecGetArrayRead(dm, local, &u));
  for (PetscInt j = info.ys; j < info.ys + info.ym; j++) {
    for (PetscInt i = info.xs; i < info.xs + info.xm; i++) {
      if (!is_inner(i, j, info.mx)) continue;
      const PetscReal r = 1.0 + u[j][i - 1] + u[j][i + 1] + u[j - 1][i] + u[j + 1][i] - 4.0 * u[j][i];
      own += r * r;
    }
  }
  PetscCall(DMDAVecRestoreArrayRead(dm, local, &u));
  PetscCall(DMRestoreLocalVector(dm, &local));
  PetscCallMPI(MPI_Allreduce(&own, &all, 1, MPIU_REAL, MPI_SUM, PETSC_COMM_WORLD));
  *relative = sqrt(all) / (info.mx - 2);
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  KSP            ksp;
  DM             dm, of_matrix;
  Vec            x;
  PetscInt       n = 2047, iterations;
  PetscReal      relative;
  PetscLogDouble begin, ready, end;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, n + 2, n + 2,
                         PETSC_DECIDE, PETSC_DECIDE, 1, 1, NULL, NULL, &dm));
  PetscCall(DMSetFromOptions(dm));
  PetscCall(DMSetUp(dm));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetDM(ksp, dm));
  PetscCall(KSPSetComputeOperators(ksp, matrix, NULL));
  PetscCall(KSPSetComputeRHS(ksp, right_hand_side, NULL));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(PetscTime(&begin));
  PetscCall(KSPSetUp(ksp));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(PetscTime(&ready));
  PetscCall(KSPSolve(ksp, NULL, NULL));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(PetscTime(&end));
  PetscCall(KSPGetSolution(ksp, &x));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(KSPGetDM(ksp, &of_matrix));
  PetscCall(residual(of_matrix, x, &relative));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "{\"setup\": %g, \"seconds\": %g, \"iterations\": %d, \"residual\": %g}\n",
                        ready - begin, end - ready, (int)iterations, (double)relative));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(DMDestroy(&dm));
  return PetscFinalize();
}
