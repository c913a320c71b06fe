//! Subdomains between the memories of several ranks, word by word: what the model checker explores
//! in a small system, and properties in larger ones. The ranks are the shipped ones.

pub mod asking;
pub mod bytes;
pub mod checks;
pub mod delayed;
pub mod graph;
pub mod halting;
pub mod lives;
pub mod net;
pub mod rank;
pub mod system;
