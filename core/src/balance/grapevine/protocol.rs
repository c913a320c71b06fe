//! Grapevine where each processor knows only what it is told: a state machine for each, driven by
//! messages that may be delayed and overtake each other, but are neither lost nor doubled.
//!
//! A run goes in steps: gossip, offers, answers. The end of each is detected (`detection`), so that
//! everything that was sent in a step has arrived before the next one begins; with the detection
//! come the sum and the maximum of the loads, by which processor 0 decides how to go on. What is to
//! be sent goes to a function that the host lends, and so does the memory; nothing waits, and no
//! clock is read. The decisions are those of the driver in memory: the same functions.
//!
//! In [`Mode::Rounds`] a run ends with the very placement that [`super::run()`] comes to with
//! gossiped loads, whatever the order in which messages arrive, as long as nobody's memory is full.
//! In [`Mode::Messages`] everything is answered at once, which takes fewer steps, and the result
//! depends on the order; but in either mode every object is on one processor at the end, and where
//! receivers may refuse, no iteration raises the maximum load.
//!
//! Processors are known by their names alone, which are 0 and up. Objects are tokens: the host
//! moves what they stand for at the end. There is one trial, and no bound on memory: the sender of
//! an exchange would have to agree once more.

mod detection;
mod heard;
mod message;
mod negotiation;
mod offers;
mod peer;
mod setting;
mod store;

pub use message::{Answer, Begin, Candidates, Counts, Message, Offer, Phase, Rumour, Step, Token};
pub use peer::Peer;
pub use setting::{Mode, Setting, SettingError};
pub use store::{Lengths, ProtocolMemory, Request};
