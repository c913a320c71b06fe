//! The field of the papers: Poisson's equation on a grid of cells, cut into subdomains that are
//! swept by the 5-point stencil.
//!
//! It computes one subdomain's sweep at a time, from what it is given. It never says which
//! subdomain is swept, by whom or when, and its results are the same to the bit on every platform.
//!
//! Read [`subdomain::Subdomain`] first, then [`stencil::sweep()`]. [`subdomain::StencilPart`] is
//! the field as a [`Part`](crate::parts::Part).
//!
//! | file | what is in it |
//! |---|---|
//! | [`grid`] | the cut into rectangles, their sides, and what surrounds them |
//! | [`stencil`] | the sweep, the residual, and how cells lie in memory |
//! | [`subdomain`] | one subdomain's memory, and its edges |
//! | `problem` | boundary, coefficient and source in memory (with `alloc`) |
//! | [`paper`], [`choices`] | the run of the paper; what a person asks for in its place |
//! | `owned` | the memory of all subdomains' cells (with `alloc`) |

pub mod choices;
pub mod grid;
#[cfg(feature = "alloc")]
pub mod owned;
pub mod paper;
#[cfg(feature = "alloc")]
pub mod problem;
pub mod stencil;
pub mod subdomain;
