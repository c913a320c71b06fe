//! The sweeps of one worker, in their order.

use std::io::{Read, Seek};

use crate::recording::error::RecordingError;
use crate::recording::event::{Swept, What};
use crate::recording::reader::{Cursor, Recording};

/// What becomes of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LaneState {
    /// Its next sweep may be possible.
    Ready,
    /// It waits for another subdomain.
    Waits,
    /// It waits for somebody to read; it could go on at the cost of memory.
    Crowds,
    /// All its sweeps are made.
    Done,
}

/// One worker's sweeps.
pub(super) struct Lane {
    pub(super) cursor: Cursor,
    /// The next one.
    pub(super) next: Option<Swept>,
    pub(super) state: LaneState,
    /// Whether it is among those that could go on at the cost of memory.
    pub(super) is_listed: bool,
}

impl Lane {
    /// Before the first sweep of a worker.
    pub(super) const fn new(worker: usize) -> Self {
        Self { cursor: Cursor::new(worker), next: None, state: LaneState::Ready, is_listed: false }
    }

    /// Goes on to the next sweep, and answers it.
    pub(super) fn advance<R: Read + Seek>(
        &mut self,
        recording: &mut Recording<R>,
    ) -> Result<Option<Swept>, RecordingError> {
        self.next = loop {
            match self.cursor.next(recording)?.map(|event| event.what) {
                Some(What::Sweep(swept)) => break Some(swept),
                Some(_) => {}
                None => break None,
            }
        };
        Ok(self.next)
    }
}
