//! What the worker tells the page of both runs.

use serde::{Deserialize, Serialize};

/// What does not change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// Where the objects are from.
    pub title: String,
    /// How many processors there are.
    pub processors: u32,
    /// The average load of a processor, in seconds.
    pub average: f64,
    /// The load above which a processor gives, at the start, in seconds.
    pub threshold: f64,
    /// The lanes' command lines.
    pub commands: [String; 2],
    /// The lanes' iterations, the start first.
    pub rows: [Vec<Row>; 2],
}

/// An iteration in numbers, as the slides' tables have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Objects that were transferred.
    pub transfers: u64,
    /// Proposals that the criterion rejected.
    pub rejected: u64,
    /// Messages of gossip.
    pub messages: u64,
    /// The highest load over the average, minus one.
    pub imbalance: f64,
}

/// Both runs after an iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// In the first frame.
    pub scene: Option<Scene>,
    /// After which iteration.
    pub now: u64,
    /// The lanes.
    pub lanes: [Lane; 2],
}

/// One run after an iteration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lane {
    /// The load of each processor, in seconds.
    pub loads: Vec<f32>,
    /// What was transferred in the iteration: from, to, and how many objects; of many the largest.
    pub moved: Vec<(u32, u32, u32)>,
    /// Whom the chosen processor had heard of.
    pub known: Vec<u32>,
    /// Whether that was kept.
    pub knows: bool,
}

/// What the page asks besides going on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Act {
    /// Chooses a processor.
    Choose(u32),
    /// Both runs as a table.
    Table,
    /// The placement that was come to, as a table.
    Placement,
    /// What was decided, as a text that is the same everywhere.
    Hash,
}

/// The answer to an [`Act`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// Nothing to say.
    Done,
    /// A table, or another text.
    Text(String),
}
