//! What the worker tells the page of a race. What the page asks is what it asks of a single run, of all runs.

use serde::{Deserialize, Serialize};

/// A race at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Nanoseconds.
    pub now: u64,
    /// The runs.
    pub runs: Vec<Run>,
}

/// One run of a race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// In which lane, from 0.
    pub lane: u32,
    /// As the view Solve has it ([`crate::views::solve::frame::Frame`]).
    #[serde(with = "serde_bytes")]
    pub frame: Vec<u8>,
}
