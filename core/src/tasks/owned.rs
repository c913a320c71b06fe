//! Memory that pools, graphs and trees are lent, for hosts with an allocator.

mod sharing;
mod traversal;
mod uts;

pub use sharing::{OwnedManager, OwnedWorker, everybody};
pub use traversal::{OwnedGraph, Survey, breadth_first};
pub use uts::OwnedTree;
