//! What somebody in a pool is at, by a real clock.

use tresse_core::owned::timeline::TrackRecorder;
use tresse_core::sharing::{Activity, Step};
use tresse_core::time::Instant;

use crate::engine::clock::Clock;

/// What a worker is at; the clock is read only where that changes.
#[derive(Debug)]
pub struct Stopwatch<'c> {
    clock: &'c Clock,
    recorder: TrackRecorder,
}

impl<'c> Stopwatch<'c> {
    /// With nothing, since the start of the clock.
    pub const fn new(clock: &'c Clock, most_spans: usize) -> Self {
        Self { clock, recorder: TrackRecorder::new(Activity::Searching, most_spans) }
    }

    /// What its worker has done, and goes on with.
    pub fn is_at(&mut self, step: Step) {
        self.begins(match step {
            Step::Executed(_) => Activity::Tasks,
            Step::Speculated => Activity::Copies,
            Step::Waits | Step::Ended => Activity::Searching,
        });
    }

    fn begins(&mut self, activity: Activity) {
        if activity != self.recorder.at() {
            self.recorder.is_at(activity, self.clock.now());
        }
    }

    /// Does what a manager does, and notes the same times for that one and its worker.
    pub fn manages<R>(&mut self, act: impl FnOnce(&mut Managed<'c>) -> R) -> R {
        let before = self.recorder.at();
        let mut managed = Managed::begin(self.clock);
        self.recorder.is_at(Activity::Managing, managed.since);
        let done = act(&mut managed);
        self.recorder.is_at(before, managed.since);
        done
    }

    /// What was written down.
    pub fn into_recorder(self) -> TrackRecorder {
        self.recorder
    }
}

/// The time that managers take, one after the other.
#[derive(Debug)]
pub struct Managed<'c> {
    clock: &'c Clock,
    since: Instant,
}

impl<'c> Managed<'c> {
    /// From now on.
    pub fn begin(clock: &'c Clock) -> Self {
        Self { clock, since: clock.now() }
    }

    /// One of them has done what it does since the one before.
    pub fn by(&mut self, recorder: &mut TrackRecorder) {
        recorder.is_at(Activity::Managing, self.since);
        self.since = self.clock.now();
        recorder.is_at(Activity::Idle, self.since);
    }
}
