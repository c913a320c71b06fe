//! Grapevine: gossip, then transfers from overloaded processors to those that they heard of
//! (P. P. Pébaÿ & J. Lifflander, *Recent results in distributed load balancing*, 17th Workshop on
//! Charm++, 2019; the gossip is that of H. Menon & L. Kalé, SC'13).
//!
//! An iteration: the underloaded processors are gossiped about ([`gossip`], or [`full_knowledge`]
//! without a bound on memory), then every overloaded one gives away objects ([`turn`]: lines 1 to 11)
//! while the [`criterion`] admits it. With live loads they take turns ([`sequential`]), as in the
//! slides' simulation; with gossiped ones they act at once, and the [`receiver`] may refuse what would
//! overfill it, or offer an exchange ([`concurrent`]). [`run()`] makes iterations and trials in one
//! memory; [`protocol`] makes the same decisions where each processor has only messages.
//!
//! Every draw comes from a generator of its own for each processor and step, and whatever is put
//! together from several processors does not depend on its order, so that threads, and their
//! timing, change nothing.

pub mod attempt;
pub mod cmf;
pub mod concurrent;
mod config;
pub mod criterion;
pub mod full_knowledge;
pub mod gossip;
mod group;
mod knowledge;
pub mod known;
mod memory;
mod moment;
mod names;
pub mod offering;
pub mod offers;
pub mod order;
mod outer_iterations;
pub mod parallel;
pub mod protocol;
pub mod receiver;
mod run;
pub mod sequential;
mod tally;
pub mod turn;

pub use config::{
    Cmf, CmfUpdate, Config, ConfigError, Criterion, FANOUT_MAX, Order, Pass, SenderLoad, Threshold,
    View,
};
pub use knowledge::Knowledge;
pub use memory::{GrapevineMemory, Lengths, PeerMemory, WrongLength};
pub use moment::{Moment, Stage};
pub use names::Names;
pub use run::{BalanceOutcome, Problem, RunError, run};
pub use tally::{Iteration, Tally};
