//! Balancers: from progress counts, or loads, and owners to moves.

#![deny(clippy::float_arithmetic)]

mod balancer;
pub mod borrow;
pub mod central;
pub mod dplb;
pub mod footprint;
pub mod grapevine;
mod mean;
pub mod measured;
pub mod objects;
pub mod plb;

pub use balancer::{Balancer, Lent, Observed};
pub use mean::Mean;
