//! Balancing objects on this machine: memory and threads for the core's balancers of loads, and one
//! door to all of them.

mod balance;
mod error;
mod instance;
mod method;
mod threads;

pub use balance::{Balanced, balance};
pub use error::BalancingError;
pub use instance::{Instance, InstanceError, Moved};
pub use method::{Contender, Method, contenders};
pub use threads::Rayon;
