//! Measurements: of this machine ([`calibrate`], [`mod@bench`]), of one way of solving against
//! another ([`comparison`]), of balancing a load trace ([`balancing`]), and the papers' evaluations
//! ([`reproduce`]).

pub use tresse_engine::experiments::{bench, calibrate, comparison};
pub use tresse_papers as reproduce;
pub use tresse_traces::balancing;
