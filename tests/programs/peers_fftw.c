/* Poisson's equation with the right-hand side 1 by sine transforms: the direct solver of peers.py, for a constant
 * coefficient on a rectangle only.
 *
 *   peers_fftw 2047 2
 *
 * Takes the cells along each side and the threads. Prints the seconds of planning and of the solution, and the residual
 * over the right-hand side. */
#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

int main(int argc, char **argv)
{
  const int n = argc > 1 ? atoi(argv[1]) : 2047, threads = argc > 2 ? atoi(argv[2]) : 1;
  double   *u = fftw_alloc_real((size_t)n * n), *of_mode = malloc(n * sizeof *of_mode);
  if (!u || !of_mode || !fftw_init_threads()) return 1;
  fftw_plan_with_nthreads(threads);
  const double begin = now();
  fftw_plan    plan = fftw_plan_r2r_2d(n, n, u, u, FFTW_RODFT00, FFTW_RODFT00, FFTW_MEASURE);
  const double planned = now();
  for (size_t k = 0; k < (size_t)n * n; k++) u[k] = 1.0;
  for (int k = 0; k < n; k++) of_mode[k] = 2.0 - 2.0 * cos(M_PI * (k + 1) / (n + 1));
  const double start = now();
  fftw_execute(plan);
  const double scale = 1.0 / (4.0 * (n + 1.0) * (n + 1.0));
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) u[(size_t)j * n + i] *= scale / (of_mode[i] + of_mode[j]);
  fftw_execute(plan);
  const double end = now();
  double       sum = 0.0;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) {
      const double *c = u + (size_t)j * n + i;
      const double  around = (i ? c[-1] : 0.0) + (i + 1 < n ? c[1] : 0.0) + (j ? c[-n] : 0.0) + (j + 1 < n ? c[n] : 0.0);
      const double  r = 1.0 + around - 4.0 * *c;
      sum += r * r;
    }
  }
  printf("{\"setup\": %g, \"seconds\": %g, \"iterations\": 1, \"residual\": %g}\n", planned - begin, end - start, sqrt(sum) / n);
  return 0;
}
