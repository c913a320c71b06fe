//! The messages of the worker to the page about both pools.

use serde::{Deserialize, Serialize};

/// The part of the state that does not change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// Parent of each node; the root is its own parent.
    pub parents: Vec<u32>,
    /// Distance of each node from the root.
    pub heights: Vec<u32>,
    /// Position of each node from left to right, from 0 to 1.
    pub across: Vec<f32>,
    /// Number of workers.
    pub workers: u32,
    /// Methods of the lanes.
    pub methods: [String; 2],
    /// Lines for a shell that make the same runs.
    pub commands: String,
}

/// Both pools at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Unchanging state, in the first frame only.
    pub scene: Option<Scene>,
    /// Nanoseconds since the start.
    pub now: u64,
    /// The lanes.
    pub lanes: [Lane; 2],
}

/// One pool at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lane {
    /// Time at which all workers had heard of the end.
    pub ended: Option<u64>,
    /// Reason for which the pool does not go on, as a sentence.
    pub problem: Option<String>,
    /// Worker that has executed each node (`grow`).
    #[serde(with = "serde_bytes")]
    pub marks: Vec<u8>,
    /// Workers, and then managers.
    pub ranks: Vec<Rank>,
    /// Messages on their way.
    pub messages: Vec<MessageInFlight>,
    /// Counts of the pool.
    pub counts: Counts,
    /// Activity of each worker in each interval of time so far, worker by worker (the number of
    /// [`Doing`]).
    pub past: Past,
}

/// The activities of all workers over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Past {
    /// Nanoseconds between two columns.
    pub interval: u64,
    /// Activities, column by column.
    #[serde(with = "serde_bytes")]
    pub columns: Vec<u8>,
}

/// The activities of a worker or a manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub enum Doing {
    /// Waiting.
    Waits,
    /// Executing tasks of its own.
    Executes,
    /// Executing tasks of a copy.
    Speculates,
    /// Sending or reading messages.
    Writes,
    /// Having heard of the end.
    Ended,
}

/// A worker or a manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rank {
    /// Present activity.
    pub doing: Doing,
    /// Number of tasks that it has.
    pub tasks: u32,
}

/// A message on its way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MessageInFlight {
    /// Rank that has sent the message.
    pub from: u32,
    /// Rank that gets the message.
    pub to: u32,
    /// Number of tasks in the message.
    pub tasks: u32,
    /// Whether some of the tasks are copies.
    pub has_copies: bool,
    /// Share of the way that the message has made.
    pub share: f32,
}

/// The counts of all workers together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Number of tasks executed, those of copies only where they became a worker's own.
    pub done: u64,
    /// Number of tasks that wait.
    pub queued: u64,
    /// Number of messages.
    pub messages: u64,
    /// Number of tasks of copies that were executed.
    pub speculated: u64,
    /// The number of speculated tasks that were committed.
    pub committed: u64,
    /// The number of speculated tasks that were rolled back.
    pub rolled_back: u64,
}

/// The requests of the page besides going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Act {
    /// Returns the activities of all workers as a table.
    Past,
    /// Returns the decisions as a text that is the same on every platform.
    Hash,
}
