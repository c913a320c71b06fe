//! Sparse linear systems A x = b as parts for Tresse: asynchronous restricted additive Schwarz.
//!
//! The rows of the matrix are cut into parts. A part holds its own rows, extended by some layers of
//! the matrix's graph (the *overlap*), and the factors of the block that these rows have on the
//! diagonal. An update solves for the correction of the extended rows, with the values that were
//! last read of the others, and keeps that of its own rows (X.-C. Cai and M. Sarkis, *A restricted
//! additive Schwarz preconditioner for general sparse linear systems*, SIAM J. Sci. Comput. 21,
//! 1999). It converges without any order of the updates where A is an H-matrix (A. Frommer and
//! D. B. Szyld, *An algebraic convergence theory for restricted additive Schwarz methods using
//! weighted max norms*, SIAM J. Numer. Anal. 39, 2001), which [`dominance`] looks for.
//!
//! There is no coarse level. With one constant a part, `RᵀAR c = Rᵀr`, the residual is two versions
//! old or more before all have applied the correction. A model of 100 × 100 cells in 64 parts then
//! takes 540 to 776 iterations in place of 1091 where half of the correction is applied, and more
//! than without, or none at all, where the whole is.
//!
//! # Map
//!
//! - [`market`] reads Matrix Market, [`vector`] a vector in that or `NumPy`'s form: from bytes, as
//!   nothing here opens a path.
//! - [`rows`] is the matrix, in compressed sparse rows.
//! - [`partition`] cuts the rows into parts.
//! - [`factors`] are those of a block, and [`block`] is what a part knows of the system.
//! - [`system`] has the blocks and their graph; [`subdomain`] is the part that is iterated.
//!
//! ```
//! use tresse_matrix::rows::SparseRows;
//! use tresse_matrix::system::System;
//!
//! // A chain of springs, cut into two parts.
//! let beside = (0..9).flat_map(|row| [(row, row + 1, -1.0), (row + 1, row, -1.0)]);
//! let entries = (0..10).map(|row| (row, row, 2.0)).chain(beside).collect();
//! let system = System::new(&SparseRows::new(10, entries), &[1.0; 10], &[0.0; 10], 2, 1)?;
//! assert_eq!((system.parts(), system.degree()), (2, 1));
//! # Ok::<(), tresse_matrix::system::SystemError>(())
//! ```

pub mod block;
pub mod dominance;
pub mod factors;
pub mod market;
pub mod partition;
pub mod rows;
pub mod subdomain;
pub mod system;
pub mod vector;
