//! What the worker tells the page of a recording.

use serde::{Deserialize, Serialize};

use super::schedule::KINDS;

/// What does not change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// Counts the scenes on the page.
    #[serde(skip)]
    pub number: u32,
    /// What it is of, in words.
    pub title: String,
    /// The tracks, in words.
    pub tracks: Vec<String>,
    /// How many of them are workers.
    pub workers: u32,
    /// When the last event ends, in nanoseconds.
    pub end: u64,
    /// Sweeps of all workers.
    pub sweeps: u64,
    /// The shares of the workers' time that they spent with each kind (`schedule::Kind`), in thousandths.
    pub shares: [u32; KINDS],
    /// Rows and columns of cells.
    pub grid: (u32, u32),
    /// The first row of each row of subdomains, and the end of the last; nothing where there are no subdomains.
    pub rows: Vec<u32>,
    /// The first column of each column of subdomains, and the end of the last.
    pub columns: Vec<u32>,
    /// Nanoseconds between two points of the braid.
    pub every: u64,
    /// The subdomains that have a line in it, with the worker that they begin with.
    pub lines: Vec<(u32, u32)>,
    /// Updates ahead of the mean, line by line.
    pub braid: Vec<Vec<f32>>,
    /// The command line that shows or makes the same.
    pub command: String,
}

impl Scene {
    /// Reports whether it is of a pool of tasks, which has no subdomains.
    pub const fn is_of_pool(&self) -> bool {
        self.rows.is_empty()
    }
}

/// A recording at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// In the first frame.
    pub scene: Option<Scene>,
    /// Nanoseconds.
    pub now: u64,
    /// What the timeline shows: from when to when.
    pub window: (u64, u64),
    /// Its columns.
    pub columns: u32,
    /// For each track and column, what it did there most of the time (`schedule::Kind`) and the share of the
    /// time that this took, of 255. Nothing where window and columns are those of the frame before.
    #[serde(with = "serde_bytes")]
    pub rows: Vec<u8>,
    /// Who swept each subdomain last.
    pub owners: Vec<u32>,
    /// Updates of each subdomain above the lowest.
    pub above: Vec<u32>,
    /// Updates in all.
    pub updates: u64,
}

/// What the page asks besides going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Act {
    /// What the timeline shows: from when to when, in this number of columns.
    Window(u64, u64, u32),
    /// What a track did at a time.
    Event(u32, u64),
    /// The counts at all moments, as a table; of a pool, what everybody spent their time with.
    Table,
}

/// The answer to an [`Act`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// Nothing to say.
    Done,
    /// What it did, in words.
    Did(String),
    /// A table.
    Text(String),
}
