//! Recordings of sweeps and moves.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tresse::engine::threads::Observers;
use tresse::files::recording::{Head, JoinedHead, Part, Source, WorkerTrack};
use tresse::files::stored_cell::StoredCell;
use tresse::report::output::{OutputError, Outputs};
use tresse_core::base::id::RankId;
use tresse_core::run::End;
use tresse_core::run::noise::Noise;

use super::super::error::SolveError;
use super::super::ready::Ready;
use crate::mpi::Entry;
use crate::mpi::agreement::{Refused, together};
use crate::rank::bands::FieldRows;
use crate::rank::noise;
use crate::rank::recording::{RecordingFiles, TogetherError, UnfinishedFiles};

/// The files of a recording that has not begun.
pub struct Prepared(RecordingFiles);

/// A recording of a run that is going on.
pub struct Recording {
    files: UnfinishedFiles,
    /// Head of the recording, on the first rank.
    head: Option<Head>,
}

/// The tracks of a rank: its workers' cores and its noise.
#[derive(Serialize, Deserialize)]
struct Tracks {
    cores: Vec<u32>,
    /// Noise in the grammar of `--noise`, each with its core.
    noise: Vec<(String, u32)>,
}

impl TogetherError for Refused {
    fn together<T>(entry: &mut Entry, own: Result<T, OutputError>) -> Result<T, Self> {
        together(entry, own.map_err(SolveError::from))
    }
}

impl Prepared {
    /// Checks that the files can be written, and that all ranks see the same folder. Collective.
    pub(super) fn new(entry: &mut Entry, outputs: &Outputs, path: &Path) -> Result<Self, Refused> {
        RecordingFiles::prepare(entry, outputs, path).map(Self)
    }

    /// Starts the clocks of all ranks. Collective.
    pub(super) fn start(
        self,
        entry: &mut Entry,
        ready: &Ready,
    ) -> Result<(Observers<WorkerTrack>, Recording), Refused> {
        let sources = together(entry, ready.job().noisy_cores().map_err(failed))?;
        let disturbed = entry.all_gather_u64(sources.len() as u64);
        let tracks = Tracks {
            cores: ready.placement.cores(),
            noise: sources
                .iter()
                .map(|(source, core)| (noise::of_rank(source, entry.rank()).to_string(), *core))
                .collect(),
        };
        let all = entry.gather_bytes(serde_json::to_vec(&tracks).unwrap_or_default());
        let (observers, files) = self.0.start(entry, part(entry.rank(), ready, &disturbed))?;
        let head = all.map(|all| head(ready, &all));
        Ok((observers, Recording { files, head }))
    }
}

impl Recording {
    /// Joins the parts into the recording, once all observers are dropped. Collective.
    pub(super) fn finish<F: StoredCell>(
        self,
        entry: &mut Entry,
        ready: &Ready,
        (band, why): (&FieldRows<F>, End),
    ) -> Result<(), Refused> {
        let columns = ready.resolved.config.grid.columns;
        let head = self.head.as_ref().map(JoinedHead::Run);
        self.files.finish(entry, |part| part.finish_part(&band.cells, columns), (head, why))
    }

    /// Stops the recording without leaving a file.
    pub(super) fn abandon(self) {
        self.files.part.abandon();
    }
}

/// Returns the tracks of a rank: workers come before parasites, and each in the order of ranks.
fn part(rank: RankId, ready: &Ready, disturbed: &[u64]) -> Part {
    let config = &ready.resolved.config;
    let first = rank.0 * config.workers_per_node();
    let (before, rest) = disturbed.split_at(rank.index().min(disturbed.len()));
    let number = |tracks: &u64| u32::try_from(*tracks).unwrap_or(u32::MAX);
    let noise = config.workers + before.iter().map(number).sum::<u32>();
    Part {
        workers: first..first + config.workers_per_node(),
        noise: noise..noise + rest.first().map_or(0, number),
    }
}

/// Returns the head of the joined recording; `all` is the JSON of the tracks of each rank.
fn head(ready: &Ready, all: &[Vec<u8>]) -> Head {
    let (mut cores, mut noise) = (Vec::new(), Vec::new());
    for tracks in all.iter().filter_map(|all| serde_json::from_slice::<Tracks>(all).ok()) {
        cores.extend(tracks.cores);
        noise.extend(tracks.noise.iter().filter_map(|(source, core)| {
            Some(Source { noise: Noise::parse(source).ok()?, core: *core })
        }));
    }
    let resolved = &ready.resolved;
    let head = Head::new(&resolved.config, &resolved.problem, cores, noise);
    Head { about: resolved.field.clone(), ..head }
}

fn failed(error: tresse::engine::threads::EngineError) -> SolveError {
    SolveError::Command(error.into())
}
