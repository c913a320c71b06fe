//! `--record`: records the workers of all ranks in one file.

mod events;
mod tasks;

use std::path::Path;

use tresse::engine::solvers::Method;
use tresse::engine::threads::{Observers, RunRecord, TaskTracks};
use tresse::files::recording::WorkerTrack;
use tresse::files::stored_cell::StoredCell;
use tresse::report::output::Outputs;

use super::ready::Ready;
use crate::mpi::Entry;
use crate::mpi::agreement::Refused;
use crate::rank::bands::FieldRows;

/// The files of a recording that has not begun.
pub(super) enum Prepared {
    /// Of sweeps and moves, with which a run can be made again.
    Events(events::Prepared),
    /// Of what each worker is at, by multigrid.
    Tasks(tasks::Prepared),
}

/// A recording of a run that is going on.
pub(super) enum Recording {
    /// Of sweeps and moves.
    Events(Box<events::Recording>),
    /// Of what each worker is at.
    Tasks(tasks::Recording),
}

/// What this rank's workers tell what they do.
#[derive(Default)]
pub(super) struct Told<'r> {
    /// Observers of sweeps and moves.
    pub(super) observers: Option<Observers<WorkerTrack>>,
    /// Tracks of tasks.
    pub(super) tracks: Option<&'r TaskTracks>,
}

impl Prepared {
    /// Checks that the files can be written, before the run. Collective.
    pub(super) fn new(
        entry: &mut Entry,
        outputs: &Outputs,
        (path, method): (&Path, Method),
    ) -> Result<Self, Refused> {
        match method {
            Method::Jacobi => events::Prepared::new(entry, outputs, path).map(Self::Events),
            Method::Multigrid(_) => tasks::Prepared::new(entry, outputs, path).map(Self::Tasks),
        }
    }

    /// Starts the recording; where it is of events, with the clocks of all ranks. Collective.
    pub(super) fn start(
        self,
        entry: &mut Entry,
        ready: &Ready,
    ) -> Result<(Option<Observers<WorkerTrack>>, Recording), Refused> {
        match self {
            Self::Events(prepared) => {
                let (observers, recording) = prepared.start(entry, ready)?;
                Ok((Some(observers), Recording::Events(Box::new(recording))))
            }
            Self::Tasks(prepared) => Ok((None, Recording::Tasks(prepared.start(ready)))),
        }
    }
}

impl Recording {
    /// Returns the tracks of this rank's workers, where tasks are recorded.
    pub(super) const fn tracks(&self) -> Option<&TaskTracks> {
        match self {
            Self::Events(_) => None,
            Self::Tasks(recording) => Some(recording.tracks()),
        }
    }

    /// Writes the recording, once all observers are dropped. Collective.
    pub(super) fn finish<F: StoredCell>(
        self,
        entry: &mut Entry,
        ready: &Ready,
        (band, record): (&FieldRows<F>, &RunRecord),
    ) -> Result<(), Refused> {
        match self {
            Self::Events(recording) => recording.finish(entry, ready, (band, record.end)),
            Self::Tasks(recording) => recording.finish(entry, ready, record.elapsed),
        }
    }

    /// Stops the recording without leaving a file.
    pub(super) fn abandon(self) {
        match self {
            Self::Events(recording) => recording.abandon(),
            Self::Tasks(_) => {}
        }
    }
}
