//! What the view shows: a schedule with its description.

use tresse_core::field::grid::Decomposition;

use super::schedule::Schedule;

/// A schedule with its description.
pub struct Recorded {
    /// Description of the recording, in words.
    pub title: String,
    /// Names of the tracks, in words.
    pub tracks: Vec<String>,
    /// Number of the tracks that are of workers.
    pub workers: u32,
    /// Cut of the grid; `None` for a pool of tasks, which has no subdomains.
    pub decomposition: Option<Decomposition>,
    /// Events of all tracks.
    pub schedule: Schedule,
    /// Command line that shows the same recording, or makes the same run.
    pub command: String,
}
