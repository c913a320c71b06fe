//! Times the activities of workers and managers by a real clock.

use tresse_core::base::time::Instant;
use tresse_core::sim::owned::timeline::TrackRecorder;
use tresse_core::tasks::sharing::{Activity, Step};
use tresse_platform::clock::Clock;

/// Records a worker's activities; the clock is read only where the activity changes.
#[derive(Debug)]
pub struct Stopwatch<'c> {
    clock: &'c Clock,
    recorder: TrackRecorder,
}

impl<'c> Stopwatch<'c> {
    /// Returns a stopwatch that records searching for tasks since the start of the clock.
    pub const fn new(clock: &'c Clock, most_spans: usize) -> Self {
        Self { clock, recorder: TrackRecorder::new(Activity::Searching, most_spans) }
    }

    /// Notes the activity that follows from the worker's last step.
    pub fn turn_to(&mut self, step: Step) {
        self.begins(match step {
            Step::Executed(_) => Activity::Tasks,
            Step::Speculated => Activity::Copies,
            Step::Waits | Step::Ended => Activity::Searching,
        });
    }

    /// Notes that another activity begins now.
    fn begins(&mut self, activity: Activity) {
        if activity != self.recorder.at() {
            self.recorder.turn_to(activity, self.clock.now());
        }
    }

    /// Does a manager's work by `act`, and notes its times for the manager and for the worker.
    pub fn manages<R>(&mut self, act: impl FnOnce(&mut Managed<'c>) -> R) -> R {
        let before = self.recorder.at();
        let mut managed = Managed::begin(self.clock);
        self.recorder.turn_to(Activity::Managing, managed.since);
        let done = act(&mut managed);
        self.recorder.turn_to(before, managed.since);
        done
    }

    /// Returns the recorder with the recorded times.
    pub fn into_recorder(self) -> TrackRecorder {
        self.recorder
    }
}

/// Records the times at which the managers' work is done, one manager after the other.
#[derive(Debug)]
pub struct Managed<'c> {
    clock: &'c Clock,
    since: Instant,
}

impl<'c> Managed<'c> {
    /// Begins to record now.
    pub fn begin(clock: &'c Clock) -> Self {
        Self { clock, since: clock.now() }
    }

    /// Ends the work of one manager, whose times go to `recorder`; it began where the work before
    /// ended.
    pub fn by(&mut self, recorder: &mut TrackRecorder) {
        recorder.turn_to(Activity::Managing, self.since);
        self.since = self.clock.now();
        recorder.turn_to(Activity::Idle, self.since);
    }
}
