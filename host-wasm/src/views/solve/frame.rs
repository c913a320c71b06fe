//! The messages of the worker to the page about a run.

use serde::{Deserialize, Serialize};
use tresse_core::run::noise::NoisePlace;
use tresse_core::sim::machine::Effect;

use super::track::News;

/// The part of the state that does not change while a run goes on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// Numbers of rows and columns of cells.
    pub grid: (u32, u32),
    /// First row of each row of subdomains, and the end of the last.
    pub rows: Vec<u32>,
    /// First column of each column of subdomains, and the end of the last.
    pub columns: Vec<u32>,
    /// Core of each worker.
    pub places: Vec<CorePlace>,
    /// Worker that each subdomain starts with.
    pub first_owners: Vec<u32>,
    /// Subdomains that have a line in the braid.
    pub lines: Vec<u32>,
    /// Number of subdomains of each worker at the start.
    pub split: u32,
    /// Number of subdomains that a worker keeps.
    pub low: u32,
    /// Number of subdomains at which a worker takes no more.
    pub high: u32,
    /// Mode and balancer, as in `async + split:0.001`.
    pub method: String,
    /// Whether subdomains move at all.
    pub is_balanced: bool,
    /// Description of the machine in a few words.
    pub machine: String,
    /// Relative residual at which the run ends.
    pub tolerance: Option<f64>,
    /// Command line of the same run.
    pub command: String,
}

/// The place of a core in the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorePlace {
    /// Number of the node.
    pub node: u32,
    /// Number of the socket, counted over all nodes.
    pub socket: u32,
    /// Number of the core, counted over all nodes.
    pub core: u32,
}

/// The activities of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Activity {
    /// Sweeping a subdomain, or balancing.
    Works,
    /// Waiting for all others at the barrier.
    AtBarrier,
    /// Waiting for neighbours.
    ForNeighbours,
}

/// The burdens that slow a worker's core down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Burden {
    /// No burden beside that of a machine at rest.
    None,
    /// Noise that the run was asked for.
    Noise,
    /// Slowed down by a person.
    Slowed,
    /// Stopped by a person.
    Stopped,
}

/// A run at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Unchanging state, in the first frame of a run only.
    pub scene: Option<Scene>,
    /// Nanoseconds since the start.
    pub now: u64,
    /// End of the run, as a sentence.
    pub end: Option<String>,
    /// Whether the run has ended at its tolerance.
    pub has_converged: bool,
    /// Number of all sweeps.
    pub updates: u64,
    /// Published l2 norm of the residual, relative to the initial one.
    pub residual: f64,
    /// Numbers of subdomains that changed hands, and that changed nodes, so far.
    pub moves: (u64, u64),
    /// Mean and greatest version gap at which halos were read.
    pub staleness: (f64, u64),
    /// Lowest update count.
    pub least: u64,
    /// Update count of each subdomain above the lowest.
    pub above: Vec<u32>,
    /// Owner of each subdomain; beyond the workers' numbers while the subdomain is between nodes.
    pub owners: Vec<u32>,
    /// Published sum of squares of each subdomain's residual, where that is asked for.
    pub residuals: Vec<f32>,
    /// Activity of each worker.
    pub activities: Vec<Activity>,
    /// Burden of each worker's core.
    pub burdens: Vec<Burden>,
    /// Share of the time that each worker has waited so far, in thousandths.
    pub waited: Vec<u16>,
    /// Last moves since the frame before: subdomain, from and to.
    pub moved: Vec<(u32, u32, u32)>,
    /// Numbers of rows and columns of the field's picture.
    pub size: (u32, u32),
    /// Lowest and highest number of the field.
    pub range: (f64, f64),
    /// Picture of the field, row by row: 0 is the lowest number, 254 the highest, and 255 is not a
    /// number.
    #[serde(with = "serde_bytes")]
    pub field: Vec<u8>,
    /// Samples since the frame before.
    pub news: News,
}

/// The requests of the page about a run besides going on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Act {
    /// Changes the speed of some cores, from now on.
    Intervene(PlaceForm, EffectForm),
    /// Sets the way in which the field is shown.
    Look(Look),
    /// Returns the value and the subdomain of a cell, by its row and column.
    Probe(u32, u32),
    /// Returns the history of the run as a table.
    History,
    /// Returns the update counts over time as a table.
    Braid,
    /// Returns the hash of field and counters.
    Hash,
}

/// The answer to an [`Act`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// The request is done, without a result.
    Done,
    /// An intervention, in its grammar.
    Intervened(String),
    /// The value and the subdomain of a cell.
    Probed {
        /// Value of the cell.
        value: f64,
        /// Subdomain of the cell.
        subdomain: u32,
    },
    /// A table, or another text.
    Text(String),
}

/// The way in which the field is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look {
    /// Greatest number of rows and columns of the picture.
    pub pixels: u32,
    /// Whether the field is shown at all.
    pub field: bool,
    /// Whether the residuals of the subdomains are shown.
    pub residuals: bool,
}

/// A place in its grammar.
pub type PlaceForm = String;
/// An effect in its grammar.
pub type EffectForm = String;

/// Reads a place and an effect. An error is a sentence.
pub(super) fn read(place: &str, effect: &str) -> Result<(NoisePlace, Effect), String> {
    let place = NoisePlace::parse(place);
    let effect = Effect::parse(effect);
    place
        .and_then(|place| Ok((place, effect?)))
        .map_err(|error| format!("This was not understood: {error}."))
}
