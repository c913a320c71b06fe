//! Grapevine: gossip, then transfers from overloaded processors to those that they heard of
//! (P. P. Pébaÿ & J. Lifflander, *Recent results in distributed load balancing*, 17th Workshop on
//! Charm++, 2019; the gossip is that of H. Menon & L. Kalé, SC'13).
//!
//! An iteration: the underloaded processors are gossiped about ([`gossip`]), then every overloaded
//! one gives away objects while the criterion admits it ([`transfer`]: lines 1 to 11). [`rounds`]
//! makes iterations and trials in one memory; [`protocol`] makes the same decisions where each
//! processor has only messages.
//!
//! Every draw comes from a generator of its own for each processor and step, and whatever is put
//! together from several processors does not depend on its order, so that threads, and their
//! timing, change nothing.

mod config;
pub mod gossip;
mod group;
mod moment;
pub mod parallel;
pub mod protocol;
pub mod rounds;
pub mod transfer;

pub use config::{
    Cmf, CmfUpdate, Config, ConfigError, Criterion, FANOUT_MAX, KNOWN_MAX, Order, Pass, SenderLoad,
    Threshold, View,
};
pub use gossip::Knowledge;
pub use moment::{Moment, Stage};
pub use rounds::{
    BalanceOutcome, GrapevineMemory, Iteration, Lengths, PeerMemory, Problem, RunError, Seen,
    Tally, WrongLength, run, run_seen,
};
