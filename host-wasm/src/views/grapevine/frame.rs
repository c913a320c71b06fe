//! The messages of the worker to the page about both runs.

use serde::{Deserialize, Serialize};

/// The part of the state that does not change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// Origin of the objects.
    pub title: String,
    /// Number of processors.
    pub processors: u32,
    /// Average load of a processor, in seconds.
    pub average: f64,
    /// Load above which a processor gives objects away, at the start, in seconds.
    pub threshold: f64,
    /// Command lines of the lanes.
    pub commands: [String; 2],
    /// Iterations of the lanes, the start first.
    pub rows: [Vec<Row>; 2],
}

/// An iteration in numbers, as the slides' tables have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Number of objects that were transferred.
    pub transfers: u64,
    /// Number of proposals that the criterion rejected.
    pub rejected: u64,
    /// Number of messages of gossip.
    pub messages: u64,
    /// Highest load over the average, minus one.
    pub imbalance: f64,
}

/// Both runs after an iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Unchanging state, in the first frame only.
    pub scene: Option<Scene>,
    /// Number of the iteration.
    pub now: u64,
    /// The lanes.
    pub lanes: [Lane; 2],
}

/// One run after an iteration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lane {
    /// Load of each processor, in seconds.
    pub loads: Vec<f32>,
    /// Transfers of the iteration: from, to, and number of objects; only the largest where there
    /// are many.
    pub moved: Vec<(u32, u32, u32)>,
    /// Processors that the chosen processor had heard of.
    pub known: Vec<u32>,
    /// Whether the knowledge of processors was kept.
    pub knows: bool,
}

/// The requests of the page besides going on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Act {
    /// Chooses a processor.
    Choose(u32),
    /// Returns both runs as a table.
    Table,
    /// Returns the present placement as a table.
    Placement,
    /// Returns the decisions as a text that is the same on every platform.
    Hash,
}

/// The answer to an [`Act`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// The request is done, without a result.
    Done,
    /// A table, or another text.
    Text(String),
}
