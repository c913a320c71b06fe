//! What the worker tells the page of both pools.

use serde::{Deserialize, Serialize};

/// What does not change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// The parent of each node; the root is its own.
    pub parents: Vec<u32>,
    /// The distance of each from the root.
    pub heights: Vec<u32>,
    /// Where each is from left to right, from 0 to 1.
    pub across: Vec<f32>,
    /// Workers.
    pub workers: u32,
    /// The lanes' methods.
    pub methods: [String; 2],
    /// Lines for a shell that make the same runs.
    pub commands: String,
}

/// Both pools at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// In the first frame.
    pub scene: Option<Scene>,
    /// Nanoseconds.
    pub now: u64,
    /// The lanes.
    pub lanes: [Lane; 2],
}

/// One pool at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lane {
    /// When all workers had heard of the end.
    pub ended: Option<u64>,
    /// Why it does not go on, as a sentence.
    pub problem: Option<String>,
    /// The worker that has executed each node (`grow`).
    #[serde(with = "serde_bytes")]
    pub marks: Vec<u8>,
    /// Workers, then managers.
    pub ranks: Vec<Rank>,
    /// Messages on their way.
    pub letters: Vec<Letter>,
    /// What was counted.
    pub counts: Counts,
    /// For each interval of time so far, what each worker did, worker by worker ([`Doing`]'s number).
    pub past: Past,
}

/// What everybody did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Past {
    /// Nanoseconds between two columns.
    pub interval: u64,
    /// Column by column.
    #[serde(with = "serde_bytes")]
    pub columns: Vec<u8>,
}

/// What somebody does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub enum Doing {
    /// It waits.
    Waits,
    /// It executes tasks of its own.
    Executes,
    /// It executes tasks of a copy.
    Speculates,
    /// It sends or reads.
    Writes,
    /// It has heard of the end.
    Ended,
}

/// Somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rank {
    /// What it does.
    pub doing: Doing,
    /// Tasks that it has.
    pub tasks: u32,
}

/// A message on its way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Letter {
    /// The rank that has sent it.
    pub from: u32,
    /// The rank that gets it.
    pub to: u32,
    /// Tasks that it carries.
    pub tasks: u32,
    /// Whether some are copies.
    pub has_copies: bool,
    /// The share of the way that it has made.
    pub share: f32,
}

/// What all workers have done together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Tasks executed, those of copies only where they became somebody's own.
    pub done: u64,
    /// Tasks that wait.
    pub queued: u64,
    /// Messages.
    pub messages: u64,
    /// Tasks of copies that were executed.
    pub speculated: u64,
    /// The number of speculated tasks that were committed.
    pub committed: u64,
    /// The number of speculated tasks that were rolled back.
    pub rolled_back: u64,
}

/// What the page asks besides going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Act {
    /// What everybody did, as a table.
    Past,
    /// What was decided, as a text that is the same everywhere.
    Hash,
}
