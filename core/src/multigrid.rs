//! Geometric multigrid for the equation of [`stencil`](crate::field::stencil): a fixed number of
//! cycles of each cell, whatever the size of the grid, where Jacobi needs more iterations the
//! larger it is.
//!
//! It knows nothing of parts or owners: workers share a level by bands of rows. Read [`Level`]
//! first, then [`Cycle`], then, with the feature `alloc`, `owned::Multigrid`.
//!
//! The finest level is the 5-point stencil of the problem as it is, so that its residual and its
//! solution are those of Jacobi. Each coarser one has cells of twice the width, whose unknowns are
//! a correction of the finer one. A *cycle* goes down and up, without smoothing on its way down:
//!
//! 1. Down: the residual of the finest level, `h²f + neighbours − 4u`, is summed over 2 × 2 cells
//!    from level to level ([`add_pairs`]); each sum is the right-hand side of its level's equation,
//!    which has the same stencil.
//! 2. The coarsest level, of a few unknowns, is solved directly ([`Coarsest`]).
//! 3. Up: the correction of the coarser level is interpolated bilinearly ([`interpolate_row`]),
//!    added, and smoothed by a few Chebyshev–Jacobi steps ([`Smoothing`]), on the finest level
//!    together with its residual and the first sums, all in one pass through memory
//!    ([`smooth_finest`]).
//!
//! The level below the finest one is cycled through twice before its correction goes on: with one
//! cycle, a V-cycle, what it leaves of its equation decides how fast all converges. The pass over a
//! [`Band`] begins and ends some rows beyond it ([`overlap`]), which it evaluates again; so every
//! cell is the same to the bit for any number of bands, and so is the residual, whose sums of
//! squares are one a row ([`total`]). A coefficient other than 1 is in [`weighted`]. Rows are plain
//! functions that a host compiles again for wider vectors ([`Kernel`]).
//!
//! Sources: A. Brandt, *Multi-level adaptive solutions to boundary-value problems*, 1977; M. Adams
//! et al., *Parallel multigrid smoothing: polynomial versus Gauss–Seidel*, 2003, for the weights.

mod band;
mod band_matrix;
mod coarse;
mod coarsest;
mod ending;
mod finest;
mod hierarchy;
mod kernel;
#[cfg(target_has_atomic = "64")]
mod lent_rows;
mod level_axis;
#[cfg(feature = "alloc")]
pub mod owned;
mod pipeline;
mod residual;
mod rows;
mod smoothing;
pub mod weighted;

pub use band::{Band, bands, bands_within, overlap};
pub use coarse::{Coarse, Cycle, MAX_CYCLES, Prolongation, prolongate, restrict, solve_coarse};
pub use coarsest::Coarsest;
pub use ending::{Ending, Finding, Gains};
pub use finest::{Finest, Fixed, restrict_residual, smooth_finest};
pub use hierarchy::{Correction, Hierarchy, Level, MAX_COARSEST, MAX_LEVELS, Rows};
pub use kernel::{Kernel, Portable};
#[cfg(target_has_atomic = "64")]
pub use lent_rows::{LentRows, MOST_READERS, RowStates, RowsRead, RowsWritten};
pub use level_axis::{BoundaryClosure, LevelAxis};
pub use pipeline::workspace_len;
pub use residual::{residual_squares, total};
pub use rows::{add_pairs, blend_rows, interpolate_row, residual_row, smooth_row, squares};
pub use smoothing::{MAX_STEPS, Smoothing};
