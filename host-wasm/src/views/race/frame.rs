//! The messages of the worker to the page about a race. The page asks all runs what it would ask a
//! single run.

use serde::{Deserialize, Serialize};

/// A race at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Nanoseconds since the start.
    pub now: u64,
    /// The runs.
    pub runs: Vec<Run>,
}

/// One run of a race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Number of the lane, from 0.
    pub lane: u32,
    /// Frame of the view Solve ([`crate::views::solve::frame::Frame`]).
    #[serde(with = "serde_bytes")]
    pub frame: Vec<u8>,
}
