//! Measurements: of this machine ([`calibrate`], [`mod@bench`]), of one way of solving against
//! another ([`comparison`]), of balancing a load trace ([`balancing`]), and the papers' evaluations
//! ([`reproduce`]).

pub mod bench;
pub mod calibrate;
pub mod comparison;
pub(crate) mod methods;
pub mod reproduce;

pub use tresse_traces::balancing;
