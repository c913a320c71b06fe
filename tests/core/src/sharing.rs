//! Small worlds of workers and managers, for properties, models and fuzzing: the very types that
//! ship, over a network that keeps no order, or on a virtual machine.

pub mod tasks;
pub mod traversal;
pub mod virtual_pool;
pub mod world;
