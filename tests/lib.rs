//! Shared pieces of the test suites: a naive oracle beside each decision, the worlds that they are
//! compared in, and the steps that lead from one world to the next.

#[cfg(feature = "c-kernel")]
pub mod c_kernel;
pub mod fuzzing;
pub mod oracle;
pub mod program;
pub mod small;
pub mod step;
pub mod symbols;
pub mod world;
