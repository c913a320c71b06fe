//! Reads what compiled functions refer to.

pub mod symbols;
