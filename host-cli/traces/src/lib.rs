//! Load traces of applications, and their balancing.
//!
//! # Map
//!
//! - [`load_traces`]: traces on the disk; what is in them, as bytes, is in
//!   [`tresse_files::load_traces`].
//! - [`load_statistics`]: the figures of their loads.
//! - [`balancing`]: one door to all balancers of loads.
//! - Behind the feature `program`: the `commands` `traces`, `balance`, and `decide`, which answers
//!   for single decisions. [`wording`] names their flags in errors.

pub mod balancing;
#[cfg(feature = "program")]
pub mod commands;
pub mod load_statistics;
pub mod load_traces;
pub mod wording;
