/* The competitor: Jacobi on the 5-point stencil as one writes it down in C, with two arrays of
 * (rows + 2) x (columns + 2) cells, ring included; the same formula in the same order as
 * tresse_core::field::stencil. The residual's sum may be vectorised, which C forbids without the pragma.
 * F64 and F32 are the names of the functions: the file is compiled for several vectors. */

#include <stddef.h>

#define JACOBI(REAL, NAME)                                                                        \
    void NAME##_sweep(size_t rows, size_t columns, const REAL *restrict current,                  \
                      REAL *restrict next)                                                        \
    {                                                                                             \
        const size_t stride = columns + 2;                                                        \
        for (size_t row = 1; row <= rows; row++) {                                                \
            for (size_t column = 1; column <= columns; column++) {                                \
                const REAL *centre = current + row * stride + column;                             \
                next[row * stride + column] =                                                     \
                    ((centre[-(ptrdiff_t)stride] + centre[stride]) + (centre[-1] + centre[1])) *  \
                    (REAL)0.25;                                                                   \
            }                                                                                     \
        }                                                                                         \
    }                                                                                             \
                                                                                                  \
    double NAME##_sweep_with_residual(size_t rows, size_t columns, const REAL *restrict current,  \
                                      REAL *restrict next)                                        \
    {                                                                                             \
        const size_t stride = columns + 2;                                                        \
        double total = 0;                                                                         \
        for (size_t row = 1; row <= rows; row++) {                                                \
            REAL squares = 0;                                                                     \
            _Pragma("omp simd reduction(+ : squares)")                                            \
            for (size_t column = 1; column <= columns; column++) {                                \
                const REAL *centre = current + row * stride + column;                             \
                const REAL sum =                                                                  \
                    (centre[-(ptrdiff_t)stride] + centre[stride]) + (centre[-1] + centre[1]);     \
                const REAL residual = sum - 4 * centre[0];                                        \
                next[row * stride + column] = sum * (REAL)0.25;                                   \
                squares += residual * residual;                                                   \
            }                                                                                     \
            total += squares;                                                                     \
        }                                                                                         \
        return total;                                                                             \
    }

#define NAMED(REAL, NAME) JACOBI(REAL, NAME)
NAMED(double, F64)
NAMED(float, F32)
