//! A whole run with all processors in one memory: [trials and their iterations](run()), each with
//! one phase of gossip and some attempts to transfer. With live loads the processors take turns
//! ([`sequential`]), as in the slides' simulation; with gossiped ones they act at once
//! ([`concurrent`]).

pub mod attempt;
pub mod concurrent;
mod memory;
pub mod offers;
pub(super) mod outer_iterations;
mod run;
pub mod sequential;
mod tally;

pub use memory::{GrapevineMemory, Lengths, PeerMemory, WrongLength};
pub use run::{BalanceOutcome, Problem, RunError, Seen, run, run_seen};
pub use tally::{Iteration, Tally};
