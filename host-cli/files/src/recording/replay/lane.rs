//! The sweeps of one worker, in their order.

use std::io::{Read, Seek};

use crate::recording::error::RecordingError;
use crate::recording::event::{Swept, What};
use crate::recording::reader::{Cursor, Recording};

/// The states of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LaneState {
    /// The lane's next sweep may be possible.
    Ready,
    /// The lane waits for another subdomain.
    Waits,
    /// The lane waits for a subdomain to read edges; it could go on at the cost of memory.
    Crowds,
    /// All sweeps of the lane are made.
    Done,
}

/// One worker's sweeps.
pub(super) struct Lane<const N: usize> {
    pub(super) cursor: Cursor,
    /// The next sweep.
    pub(super) next: Option<Swept<N>>,
    pub(super) state: LaneState,
    /// Whether the lane is in the list of lanes that could go on at the cost of memory.
    pub(super) is_listed: bool,
}

impl<const N: usize> Lane<N> {
    /// Returns the lane of a worker, before its first sweep.
    pub(super) const fn new(worker: usize) -> Self {
        Self { cursor: Cursor::new(worker), next: None, state: LaneState::Ready, is_listed: false }
    }

    /// Reads the next sweep of the track, if there is one, and returns it.
    pub(super) fn advance<R: Read + Seek, H>(
        &mut self,
        recording: &mut Recording<R, H>,
    ) -> Result<Option<Swept<N>>, RecordingError> {
        self.next = loop {
            match self.cursor.next_of_parts(recording)?.map(|event| event.what) {
                Some(What::Sweep(swept)) => break Some(swept),
                Some(_) => {}
                None => break None,
            }
        };
        Ok(self.next)
    }
}
