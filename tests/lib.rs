//! Shared pieces of the test suites.

#[cfg(feature = "c-kernel")]
pub mod c_kernel;
