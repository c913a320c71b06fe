//! The flags of the command.

mod reproduce;

pub use reproduce::ReproduceArgs;
