//! The sweep over one subdomain: Jacobi on the 5-point stencil of Poisson's equation
//! (Zarins & Weiland 2017, section 4.1), with the residual's sum of squares on request.
//!
//! These are plain generic functions that are always inlined, so that a host can compile them
//! again inside functions with wider vectors. Every cell is evaluated in one fixed order, and the
//! sums of squares in a fixed number of lanes: the results are the same to the bit for every
//! vector width and, cell by cell, for every decomposition.
//!
//! Where the coefficient k of −∇·(k∇u) = f is not 1, each face between two cells has a weight
//! ([`Faces`]), and the sweep, in functions of its own, is a weighted sum ([`relax_weighted_row`]).
//! Without one nothing is weighted.

mod fused;
mod kernel;
mod layout;
mod neighbourhood;
mod relax;
mod residual;
mod rows;
mod sum;
mod sweep;
mod terms;
mod weighted;

pub use crate::base::real::Real;
pub use fused::relax_row_and_square;
pub use kernel::{Kernel, Portable};
pub use layout::{ALIGNMENT, Layout};
pub use relax::{relax_row, relax_row_into};
pub use residual::residual_sum_of_squares;
pub use sum::SumOfSquares;
pub use sweep::{sweep, sweep_with_residual};
pub use terms::{Faces, Terms, face_weight};
pub use weighted::{
    RowWeights, relax_weighted_row, relax_weighted_row_and_square, sweep_weighted,
    sweep_weighted_with_residual,
};

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "the naive loops are over indices")]
mod tests;
