//! The flags of the commands of pools.

mod pool;
mod traverse;
mod uts;

pub use pool::{PoolArgs, PoolOutputArgs, VirtualPool, VirtualPoolArgs};
pub use traverse::{GraphArgs, GraphChoice, TraverseArgs};
pub use uts::{Chosen, TreeArgs, UtsArgs};
