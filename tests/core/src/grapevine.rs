//! Grapevine in any small world: what must hold for every run, the transfer phase written
//! naively, and processors that only have messages.

pub mod network;
pub mod oracle;
pub mod rules;
pub mod world;
