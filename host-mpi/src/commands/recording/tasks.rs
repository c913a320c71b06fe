//! Recordings of what each worker is at during a run by multigrid.
//!
//! Ranks keep their tracks in memory, and the first one writes them all. Their clocks start after
//! all have taken the first residual together, so their times agree to about the time of a message.

use std::path::Path;

use tresse::commands::solve::tasks_head;
use tresse::engine::threads::TaskTracks;
use tresse::files::recording::pool::{self, PoolRecording};
use tresse::files::recording::{PoolHead, RecordingError};
use tresse::report::output::{OutputFile, Outputs};
use tresse_core::base::id::RankId;
use tresse_core::base::time::{Duration, Instant};
use tresse_core::sim::owned::timeline::Timeline;

use super::super::error::SolveError;
use super::super::ready::Ready;
use crate::mpi::Entry;
use crate::mpi::agreement::{Refused, together};

/// The file, which the first rank has proved to be writable.
pub struct Prepared(Option<OutputFile>);

/// The tracks of this rank's workers.
pub struct Recording {
    file: Option<OutputFile>,
    tracks: TaskTracks,
}

impl Prepared {
    /// Proves that the file can be written. Collective.
    pub(super) fn new(entry: &mut Entry, outputs: &Outputs, path: &Path) -> Result<Self, Refused> {
        let is_first = entry.rank() == RankId(0);
        let file = is_first.then(|| outputs.file("--record", path)).transpose();
        together(entry, file.map_err(SolveError::from)).map(Self)
    }

    /// Returns tracks that are empty.
    pub(super) fn start(self, ready: &Ready) -> Recording {
        let all = ready.resolved.config.workers as usize;
        let tracks = TaskTracks::of_threads(ready.placement.seats.len(), all);
        Recording { file: self.0, tracks }
    }
}

impl Recording {
    pub(super) const fn tracks(&self) -> &TaskTracks {
        &self.tracks
    }

    /// Writes the tracks of all ranks, whose runs took `elapsed`. Collective.
    pub(super) fn finish(
        self,
        entry: &mut Entry,
        ready: &Ready,
        elapsed: Duration,
    ) -> Result<(), Refused> {
        let end = Instant(entry.max_u64(elapsed.0));
        let Self { file, tracks } = self;
        let machine = ready.machine_report();
        let head = |workers, cores| PoolHead {
            workers,
            ..tasks_head(&ready.resolved.config, cores, machine)
        };
        let own = head(ready.own.workers_per_node(), ready.placement.cores());
        let mut bytes = Vec::new();
        let written = pool::write(&own, &tracks.finish(end), 0, &mut bytes);
        together(entry, written.map_err(|error| SolveError::Tracks(error.into())))?;
        let all = entry.gather_bytes(bytes);
        let joined = all.zip(file).map(|(all, file)| {
            let (cores, timeline) = join(&all)?;
            let head = head(ready.resolved.config.workers, cores);
            Ok::<_, SolveError>(file.write(|to| pool::write(&head, &timeline, 0, to))?)
        });
        together(entry, joined.unwrap_or(Ok(())))
    }
}

/// Returns the cores and the tracks of all ranks' workers, rank by rank.
fn join(all: &[Vec<u8>]) -> Result<(Vec<u32>, Timeline), RecordingError> {
    let (mut cores, mut timeline) = (Vec::new(), Timeline::default());
    for bytes in all {
        let of_rank = PoolRecording::read(bytes.as_slice(), u64::MAX)?;
        cores.extend(of_rank.head.cores);
        timeline.workers.extend(of_rank.timeline.workers);
    }
    Ok((cores, timeline))
}
