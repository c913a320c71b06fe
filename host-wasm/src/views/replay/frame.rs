//! The messages of the worker to the page about a recording.

use serde::{Deserialize, Serialize};

use super::kind::KINDS;

/// The part of the state that does not change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// Number of the scene among all of the page.
    #[serde(skip)]
    pub number: u32,
    /// Description of the recording, in words.
    pub title: String,
    /// Names of the tracks, in words.
    pub tracks: Vec<String>,
    /// Number of the tracks that are of workers.
    pub workers: u32,
    /// End of the last event, in nanoseconds.
    pub end: u64,
    /// Number of sweeps of all workers.
    pub sweeps: u64,
    /// Shares of the workers' time that were spent with each kind (`kind::Kind`), in thousandths.
    pub shares: [u32; KINDS],
    /// Numbers of rows and columns of cells.
    pub grid: (u32, u32),
    /// First row of each row of subdomains, and the end of the last; empty where there are no
    /// subdomains.
    pub rows: Vec<u32>,
    /// First column of each column of subdomains, and the end of the last.
    pub columns: Vec<u32>,
    /// Nanoseconds between two points of the braid.
    pub every: u64,
    /// Subdomains that have a line in the braid, with the worker that they begin with.
    pub lines: Vec<(u32, u32)>,
    /// Updates ahead of the mean, line by line.
    pub braid: Vec<Vec<f32>>,
    /// Command line that shows the same recording, or makes the same run.
    pub command: String,
}

impl Scene {
    /// Reports whether the recording is of a pool of tasks, which has no subdomains.
    pub const fn is_of_pool(&self) -> bool {
        self.rows.is_empty()
    }
}

/// A recording at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Unchanging state, in the first frame only.
    pub scene: Option<Scene>,
    /// Nanoseconds since the start.
    pub now: u64,
    /// Beginning and end of the time that the timeline shows.
    pub window: (u64, u64),
    /// Number of the timeline's columns.
    pub columns: u32,
    /// For each track and column, the kind (`kind::Kind`) that took most of the time there, and its
    /// share of the time, of 255. Empty where window and columns are those of the frame before.
    #[serde(with = "serde_bytes")]
    pub rows: Vec<u8>,
    /// Worker that swept each subdomain last.
    pub owners: Vec<u32>,
    /// Updates of each subdomain above the lowest count.
    pub above: Vec<u32>,
    /// Number of all updates.
    pub updates: u64,
}

/// The requests of the page besides going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Act {
    /// Sets the window of the timeline: beginning, end, and number of columns.
    Window(u64, u64, u32),
    /// Returns the event of a track at a time.
    Event(u32, u64),
    /// Returns the counts at all moments as a table; for a pool, the times that everybody spent
    /// with each kind.
    Table,
}

/// The answer to an [`Act`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// The request is done, without a result.
    Done,
    /// An event, in words.
    Did(String),
    /// A table.
    Text(String),
}
