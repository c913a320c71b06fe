//! Gossip: processors tell each other of underloaded ones, with tables of bounded size ([`Tables`])
//! or with [full knowledge](full_knowledge).

pub mod full_knowledge;
mod knowledge;
pub mod known;
mod tables;

pub use knowledge::Knowledge;
pub use tables::{NOBODY, Rounds, Tables, Told, choose_targets};
