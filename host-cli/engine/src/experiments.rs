//! Measurements: of this machine ([`calibrate`], [`mod@bench`]), and of one way of solving against
//! another ([`comparison`]) by the paper's [`methods`], beside what is [`published`] of them.

pub mod bench;
pub mod calibrate;
pub mod comparison;
pub mod methods;
pub mod published;
