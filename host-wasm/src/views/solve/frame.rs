//! What the worker tells the page of a run.

use serde::{Deserialize, Serialize};
use tresse_core::machine::{Effect, Intervention};
use tresse_core::noise::NoisePlace;

use super::track::News;

/// What does not change while a run goes on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// Rows and columns of cells.
    pub grid: (u32, u32),
    /// The first row of each row of subdomains, and the end of the last.
    pub rows: Vec<u32>,
    /// The first column of each column of subdomains, and the end of the last.
    pub columns: Vec<u32>,
    /// Node, socket (counted over all nodes) and core (likewise) of each worker.
    pub places: Vec<(u32, u32, u32)>,
    /// The worker that each subdomain starts with.
    pub first_owners: Vec<u32>,
    /// Subdomains that have a line in the braid.
    pub lines: Vec<u32>,
    /// Subdomains of each worker at the start, and the thresholds of the balancer.
    pub split: u32,
    /// A worker keeps as many.
    pub low: u32,
    /// A worker takes none with as many.
    pub high: u32,
    /// Mode and balancer, as in `async + split:0.001`.
    pub method: String,
    /// Whether subdomains move at all.
    pub is_balanced: bool,
    /// The machine in a few words.
    pub machine: String,
    /// Where the run ends, relative to the initial residual.
    pub tolerance: Option<f64>,
    /// The command line of the same run.
    pub command: String,
}

/// What a worker does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Activity {
    /// Sweeps a subdomain, or balances.
    Works,
    /// Waits for all others at the barrier.
    AtBarrier,
    /// Waits for its neighbours.
    ForNeighbours,
}

/// What slows a worker's core down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Burden {
    /// Nothing but what is there at rest.
    None,
    /// Noise that the run was asked for.
    Noise,
    /// Somebody slows it down.
    Slowed,
    /// Somebody has stopped it.
    Stopped,
}

/// A run at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// In the first frame of a run.
    pub scene: Option<Scene>,
    /// Nanoseconds.
    pub now: u64,
    /// How the run has ended, as a sentence.
    pub end: Option<String>,
    /// Whether that is at its tolerance.
    pub has_converged: bool,
    /// Sweeps in all.
    pub updates: u64,
    /// The residual's l2 norm relative to the initial one, as it is published.
    pub residual: f64,
    /// Subdomains that changed hands, and that changed nodes, so far.
    pub moves: (u64, u64),
    /// Mean and greatest version gap at which halos were read.
    pub staleness: (f64, u64),
    /// The lowest update count.
    pub least: u64,
    /// For each subdomain its count above that.
    pub above: Vec<u32>,
    /// For each subdomain its owner; beyond the workers' numbers while it is between nodes.
    pub owners: Vec<u32>,
    /// For each subdomain the residual's published sum of squares, where that is asked for.
    pub residuals: Vec<f32>,
    /// What each worker does.
    pub activities: Vec<Activity>,
    /// What slows each worker's core down.
    pub burdens: Vec<Burden>,
    /// The share of the time that each worker has waited so far, in thousandths.
    pub waited: Vec<u16>,
    /// The last moves since the frame before: subdomain, from and to.
    pub moved: Vec<(u32, u32, u32)>,
    /// Rows and columns of the field's picture.
    pub size: (u32, u32),
    /// Its lowest and highest number.
    pub range: (f64, f64),
    /// The picture, row by row: 0 is the lowest, 254 the highest, 255 is no number.
    #[serde(with = "serde_bytes")]
    pub field: Vec<u8>,
    /// Samples since the frame before.
    pub news: News,
}

/// What the page asks of a run besides going on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Act {
    /// Changes what some cores do, from now on.
    Intervene(PlaceForm, EffectForm),
    /// How the field is to be shown.
    Look(Look),
    /// What exactly is at a cell, by its row and column.
    Probe(u32, u32),
    /// How the run went, as a table.
    History,
    /// The update counts over time, as a table.
    Braid,
    /// The hash of field and counters.
    Hash,
}

/// The answer to an [`Act`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// Nothing to say.
    Done,
    /// An intervention, in its grammar.
    Intervened(String),
    /// What is at a cell.
    Probed {
        /// Its value.
        value: f64,
        /// Its subdomain.
        subdomain: u32,
    },
    /// A table, or another text.
    Text(String),
}

/// How the field is to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look {
    /// The most rows and columns of its picture.
    pub pixels: u32,
    /// Whether the field is shown at all.
    pub field: bool,
    /// Whether the residuals of the subdomains are.
    pub residuals: bool,
}

/// A place in its grammar.
pub type PlaceForm = String;
/// An effect in its grammar.
pub type EffectForm = String;

/// Reads both. An error is a sentence.
pub(super) fn read(place: &str, effect: &str) -> Result<(NoisePlace, Effect), String> {
    let place = NoisePlace::parse(place);
    let effect = Effect::parse(effect);
    place
        .and_then(|place| Ok((place, effect?)))
        .map_err(|error| format!("This was not understood: {error}."))
}

/// Returns the next moment that is short to write down, in whole microseconds.
pub(super) fn at(now: u64, place: NoisePlace, effect: Effect) -> Intervention {
    let at = tresse_core::time::Instant(now.div_ceil(1_000) * 1_000);
    Intervention { at, place, effect }
}
