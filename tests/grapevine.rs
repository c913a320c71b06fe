//! Grapevine in any small world: what must hold for every run, and the transfer phase written
//! naively.

pub mod oracle;
pub mod rules;
pub mod world;
