//! Balancers: from progress counts, or loads, and owners to moves.
//!
//! They decide and no more: they measure nothing, carry no message, and never touch a cell. All is
//! integer arithmetic with explicit ties; every owner changes through
//! [`Ownership`](crate::parts::ownership::Ownership), which checks the thresholds again.
//!
//! Read [`Balancer`] first, which makes a round of whatever a run is balanced by, then [`plb`].
//!
//! | file | what is in it |
//! |---|---|
//! | [`plb`] | Algorithm 1, joint, split and hybrid, by update counts |
//! | [`borrow`] | what is behind is borrowed |
//! | [`dplb`] | between nodes, by mean counts |
//! | [`measured`] | the times of sweeps as loads, for what follows |
//! | [`grapevine`], [`central`], [`objects`] | loads of any objects on processors |
//! | [`footprint`] | bytes that moves may need |
//! | [`advice`] | configurations by which nothing moves |
//! | `owned` | the memory of measured balancers and of Grapevine (with `alloc`) |

#![deny(clippy::float_arithmetic)]

pub mod advice;
mod balancer;
pub mod borrow;
pub mod central;
pub mod dplb;
pub mod footprint;
pub mod grapevine;
mod mean;
pub mod measured;
pub mod objects;
#[cfg(feature = "alloc")]
pub mod owned;
pub mod plb;

pub use balancer::{Balancer, Lent, Observed};
pub use mean::Mean;
