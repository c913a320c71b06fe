//! Recordings of sweeps and moves.
//!
//! Each rank writes its part beside the file, and the first one joins them after the run. The times
//! of the ranks agree to about the time of a message: all clocks start after a barrier.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tresse::engine::threads::Observers;
use tresse::files::recording::{Head, Part, Recorder, Source, Unfinished, WorkerTrack, join};
use tresse::files::stored_cell::StoredCell;
use tresse::report::output::{OutputFile, Outputs};
use tresse_core::base::id::RankId;
use tresse_core::run::End;
use tresse_core::run::noise::Noise;

use super::super::error::SolveError;
use super::super::ready::Ready;
use crate::mpi::Entry;
use crate::mpi::agreement::{Refused, together};
use crate::rank::bands::FieldRows;
use crate::rank::noise;

/// The files of a recording, which all ranks have proved to be writable, and the first one has
/// seen.
pub struct Prepared {
    /// Paths of all ranks' parts, which exist until the end.
    parts: Vec<PathBuf>,
    /// The recording itself, on the first rank.
    whole: Option<OutputFile>,
    /// Part of this rank.
    part: OutputFile,
}

/// A recording of a run that is going on.
pub struct Recording {
    prepared: Prepared,
    /// Head of the recording, on the first rank.
    head: Option<Head>,
    unfinished: Unfinished,
}

/// The tracks of a rank: its workers' cores and its noise.
#[derive(Serialize, Deserialize)]
struct Tracks {
    cores: Vec<u32>,
    /// Noise in the grammar of `--noise`, each with its core.
    noise: Vec<(String, u32)>,
}

/// Reason for which the recording must be a regular file.
const WHY: &str = "ranks leave their parts beside it until the end";

impl Prepared {
    /// Checks that the files can be written, and that all ranks see the same folder. Collective.
    pub(super) fn new(entry: &mut Entry, outputs: &Outputs, path: &Path) -> Result<Self, Refused> {
        let is_first = entry.rank() == RankId(0);
        let whole = outputs.file("--record", path);
        let target = whole.as_ref().ok().map(|whole| whole.regular(WHY)).transpose();
        let whole = together(entry, whole.map_err(SolveError::from))?;
        let target = together(entry, target.map_err(SolveError::from))?;
        let parts: Vec<_> = (0..entry.ranks())
            .filter_map(|rank| Some(Part::path(target.as_ref()?, rank)))
            .collect();
        let own = parts.get(entry.rank().index()).cloned().unwrap_or_default();
        // For the first rank to find.
        let part =
            outputs.file("--record", &own).and_then(|part| part.write(|_| Ok(())).map(|()| part));
        let part = together(entry, part.map_err(SolveError::from))?;
        let seen = if is_first {
            parts.iter().try_for_each(|part| Part::check_seen(part))
        } else {
            Ok(())
        };
        let seen = together(entry, seen.map_err(SolveError::from));
        remove(&own);
        seen.map(|()| Self { parts, whole: is_first.then_some(whole), part })
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
        let part = part(entry.rank(), ready, &disturbed);
        entry.barrier();
        let recorder = Recorder::start_part(part, self.part.clone());
        let recorder = together(entry, recorder.map_err(SolveError::from))?;
        let (observers, unfinished) = recorder.into_parts();
        let head = all.map(|all| head(ready, &all));
        Ok((observers, Recording { prepared: self, head, unfinished }))
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
        let Self { prepared: Prepared { parts, whole, .. }, head, unfinished } = self;
        let written = unfinished.finish_part(&band.cells, ready.resolved.config.grid.columns);
        let written = together(entry, written.map_err(SolveError::from));
        let joined = match (&written, head, whole) {
            (Ok(()), Some(head), Some(whole)) => join(&head, &parts, why, &whole),
            _ => Ok(()),
        };
        let joined = written.and_then(|()| together(entry, joined.map_err(SolveError::from)));
        parts.get(entry.rank().index()).into_iter().for_each(|own| remove(own));
        joined
    }

    /// Stops the recording without leaving a file.
    pub(super) fn abandon(self) {
        self.unfinished.abandon();
    }
}

/// Removes a part of this run; a part that is gone already is no error.
fn remove(part: &Path) {
    let _ = fs::remove_file(part);
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
