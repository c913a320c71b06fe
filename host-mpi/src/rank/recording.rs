//! The files of a recording of all ranks: each writes its part beside the file, and the first one
//! joins them after the run.

use std::fs;
use std::path::{Path, PathBuf};

use tresse::engine::threads::Observers;
use tresse::files::recording::{JoinedHead, Part, Recorder, Unfinished, WorkerTrack, join};
use tresse::report::output::{OutputError, OutputFile, Outputs};
use tresse_core::base::id::RankId;
use tresse_core::run::End;

use crate::mpi::Entry;

/// The end of a run in which a rank has failed.
pub trait TogetherError: Sized {
    /// Returns the result if every rank has one. Collective.
    fn together<T>(entry: &mut Entry, own: Result<T, OutputError>) -> Result<T, Self>;
}

/// The files of a recording, which all ranks have proved to be writable, and the first one has
/// seen.
pub struct RecordingFiles {
    /// Paths of all ranks' parts, which exist until the end.
    parts: Vec<PathBuf>,
    /// The recording itself, on the first rank.
    whole: Option<OutputFile>,
    /// Part of this rank.
    part: OutputFile,
}

/// A recording whose end is not written yet.
pub struct UnfinishedFiles {
    files: RecordingFiles,
    /// This rank's part.
    pub part: Unfinished,
}

/// Reason for which the recording must be a regular file.
const WHY: &str = "ranks leave their parts beside it until the end";

impl RecordingFiles {
    /// Checks that the files can be written, and that all ranks see the same folder. Collective.
    pub fn prepare<E: TogetherError>(
        entry: &mut Entry,
        outputs: &Outputs,
        path: &Path,
    ) -> Result<Self, E> {
        let is_first = entry.rank() == RankId(0);
        let whole = outputs.file("--record", path);
        let target = whole.as_ref().ok().map(|whole| whole.regular(WHY)).transpose();
        let whole = E::together(entry, whole)?;
        let target = E::together(entry, target)?;
        let parts: Vec<_> = (0..entry.ranks())
            .filter_map(|rank| Some(Part::path(target.as_ref()?, rank)))
            .collect();
        let own = parts.get(entry.rank().index()).cloned().unwrap_or_default();
        // For the first rank to find.
        let part =
            outputs.file("--record", &own).and_then(|part| part.write(|_| Ok(())).map(|()| part));
        let part = E::together(entry, part)?;
        let seen = if is_first {
            parts.iter().try_for_each(|part| Part::check_seen(part))
        } else {
            Ok(())
        };
        let seen = E::together(entry, seen);
        remove(&own);
        seen.map(|()| Self { parts, whole: is_first.then_some(whole), part })
    }

    /// Starts the clocks of all ranks, which then agree to about the time of a message. Collective.
    pub fn start<E: TogetherError>(
        self,
        entry: &mut Entry,
        tracks: Part,
    ) -> Result<(Observers<WorkerTrack>, UnfinishedFiles), E> {
        entry.barrier();
        let recorder = E::together(entry, Recorder::start_part(tracks, self.part.clone()))?;
        let (observers, part) = recorder.into_parts();
        Ok((observers, UnfinishedFiles { files: self, part }))
    }
}

impl UnfinishedFiles {
    /// Joins the parts, once all observers are dropped; `finish` writes the end of this rank's, and
    /// the first one has the `head`. Collective.
    pub fn finish<E: TogetherError>(
        self,
        entry: &mut Entry,
        finish: impl FnOnce(Unfinished) -> Result<(), OutputError>,
        (head, why): (Option<JoinedHead<'_>>, End),
    ) -> Result<(), E> {
        let Self { files: RecordingFiles { parts, whole, .. }, part } = self;
        let written = E::together(entry, finish(part));
        let joined = written.and_then(|()| {
            let joined = head.zip(whole).map(|(head, whole)| join(&head, &parts, why, &whole));
            E::together(entry, joined.unwrap_or(Ok(())))
        });
        parts.get(entry.rank().index()).into_iter().for_each(|own| remove(own));
        joined
    }
}

/// Removes a part of this run; a part that is gone already is no error.
fn remove(part: &Path) {
    let _ = fs::remove_file(part);
}
