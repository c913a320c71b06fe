//! The recording of parts of one's own, which only their program can make again.
//!
//! It begins with a frame of [`Kind::Parts`], and has no problem. At its end is the hash of what
//! all parts have packed.

use std::hash::Hasher as _;
use std::io::{self, BufReader, Read, Seek};

use serde::{Deserialize, Serialize};
use tresse_core::base::id::SubdomainId;
use tresse_core::base::unit::Unit;
use tresse_core::parts::{Graph, Part};
use tresse_core::run::RunConfig;
use twox_hash::XxHash3_64;

use super::error::RecordingError;
use super::format::{self, FrameWriter, Kind, PREFIX};
use super::reader::Recording;
use super::replay::replay_parts;
use crate::config_form::ConfigForm;
use crate::field::{FieldHash, FieldHasher};

/// The head: configuration, graph and tracks of a recorded run.
#[derive(Clone, Debug, PartialEq)]
pub struct PartsHead {
    /// Version of the program that wrote the recording.
    pub program: String,
    /// The effective configuration; valid.
    pub config: RunConfig,
    /// The most links of a part.
    pub links: usize,
    /// Hash of the graph ([`graph_hash`]); none in recordings of older programs.
    pub graph: Option<u64>,
    /// Cores of the workers, by their numbers; a worker's track has its number.
    pub cores: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PartsForm {
    program: String,
    config: ConfigForm,
    links: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    graph: Option<u64>,
    cores: Vec<u32>,
}

/// The result of a replay.
#[derive(Debug)]
pub struct ReplayedParts<T> {
    /// The parts after their last sweeps, in the order of their numbers.
    pub parts: Vec<T>,
    /// Number of sweeps that were made.
    pub sweeps: u64,
    /// Whether the parts are packed as those of the recorded run were.
    pub is_equal: bool,
}

impl PartsHead {
    /// Writes the head.
    pub fn write(&self, frames: &mut FrameWriter<'_>) -> io::Result<()> {
        let Self { program, config, links, graph, cores } = self.clone();
        let form = PartsForm { program, config: ConfigForm::of(&config), links, graph, cores };
        frames.write(Kind::Parts, 0, &serde_json::to_vec(&form)?)
    }

    fn from_json(json: &[u8]) -> Result<Self, RecordingError> {
        let form: PartsForm = serde_json::from_slice(json)
            .map_err(|error| RecordingError::nonsense(format!("its head: {error}")))?;
        let config = form.config.read().ok_or_else(|| RecordingError::nonsense("its method"))?;
        config.validate()?;
        if form.cores.len() != config.workers as usize {
            return Err(RecordingError::nonsense("workers without a core"));
        }
        let PartsForm { program, links, graph, cores, .. } = form;
        Ok(Self { program, config, links, graph, cores })
    }
}

impl<R: Read + Seek> Recording<R, PartsHead> {
    /// Reads the head, and checks every checksum.
    pub fn open_parts(source: R) -> Result<Self, RecordingError> {
        let mut source = BufReader::new(source);
        format::read_prefix(&mut source)?;
        let frame = format::read_frame(&mut source, PREFIX)?;
        let place = frame.end;
        match frame.kind {
            Kind::Parts => {}
            Kind::Head => return Err(RecordingError::OfRun),
            Kind::Pool => return Err(RecordingError::OfPool),
            _ => return Err(RecordingError::nonsense("its parts are in disorder")),
        }
        let head = PartsHead::from_json(&frame.unpack()?)?;
        let tracks = head.cores.len();
        Self::index(source, place, head, tracks)
    }

    /// Makes all sweeps again, of parts that are as the run began with them; keeps at most
    /// `available` bytes of edges.
    pub fn replay<T: Part, G: Graph<N>, const N: usize>(
        &mut self,
        graph: &G,
        parts: Vec<T>,
        available: u64,
    ) -> Result<ReplayedParts<T>, RecordingError> {
        let PartsHead { config, links, graph: recorded, cores, .. } = self.head();
        if *links != N || config.subdomains() != parts.len() as u64 {
            let (saved, found) = (config.subdomains(), parts.len());
            return Err(RecordingError::OtherParts { saved, links: *links, found, most: N });
        }
        if recorded.is_some_and(|recorded| recorded != graph_hash(graph)) {
            return Err(RecordingError::OtherGraph);
        }
        let tracks = cores.len();
        let (mut parts, sweeps) = replay_parts(self, tracks, graph, parts, available)?;
        let is_equal = hash(graph, &mut parts) == self.field();
        Ok(ReplayedParts { parts, sweeps, is_equal })
    }
}

/// Returns the hash (XXH3, 64 bits) of a graph of parts: of all links, and of the units on each.
pub fn graph_hash<G: Graph<N>, const N: usize>(graph: &G) -> u64 {
    let mut hasher = XxHash3_64::new();
    for id in (0..graph.parts()).map(SubdomainId) {
        for (link, neighbour) in graph.neighbours(id).into_iter().enumerate() {
            let of = |there: SubdomainId| [there.0 + 1, graph.edge(graph.size(id), link)];
            let words = neighbour.map_or([0, 0], of);
            hasher.write(words.map(u32::to_le_bytes).as_flattened());
        }
    }
    hasher.finish()
}

/// Returns the hash of what parts, in the order of their numbers, pack once each has read what its
/// neighbours have last published. A run has let them do so before it ends; a replay has not.
pub fn hash<T: Part, G: Graph<N>, const N: usize>(graph: &G, parts: &mut [T]) -> FieldHash {
    let mut edge = Vec::new();
    for id in (0..graph.parts()).map(SubdomainId) {
        for (link, neighbour) in graph.neighbours(id).into_iter().enumerate() {
            let Some(neighbour) = neighbour else { continue };
            let both = [id.index(), neighbour.index()];
            let Ok([part, other]) = parts.get_disjoint_mut(both) else { continue };
            let back = graph.back(id, link);
            let units = graph.edge(graph.size(neighbour), back);
            edge.resize_with(units as usize, T::Unit::shared_zero);
            part.copy(link, other, back, &edge);
        }
    }
    let mut hasher = FieldHasher::new(parts.len(), 0);
    for (id, part) in (0..).map(SubdomainId).zip(&*parts) {
        let mut units = 0_u64;
        for unit in part.pack() {
            hasher.add(&unit.bits().to_le_bytes());
            units += 1;
        }
        hasher.add(&[u64::from(id.0), units].map(u64::to_le_bytes).concat());
    }
    hasher.finish()
}
