//! What each thread of a pool is at, where that is recorded.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tresse_core::base::time::{Duration, Instant};
use tresse_core::sim::owned::timeline::{Timeline, TrackRecorder};
use tresse_core::tasks::sharing::Activity;

use tresse_platform::clock::Clock;

/// The time of a run, and the tracks of its threads; without tracks nothing is recorded.
#[derive(Debug, Default)]
pub struct TaskTracks {
    pub(super) clock: Clock,
    /// Nanoseconds of this time in which the pool has done tasks that follow from each other.
    worked: AtomicU64,
    tracks: Vec<Mutex<TrackRecorder>>,
}

impl TaskTracks {
    /// Returns the tracks of some of `all` threads, before a run.
    pub fn of_threads(number: usize, all: usize) -> Self {
        let most = Timeline::spans_each(all);
        let track = |_| Mutex::new(TrackRecorder::new(Activity::Searching, most));
        Self { tracks: (0..number).map(track).collect(), ..Self::default() }
    }

    /// Lets the pool do tasks that follow from each other, and counts the time.
    pub(super) fn working(&self, work: impl FnOnce()) {
        let begun = self.clock.now();
        work();
        self.worked.fetch_add(self.clock.now().since(begun).0, Ordering::Relaxed);
    }

    /// Returns the time that was counted.
    pub(super) fn worked(&self) -> Duration {
        Duration(self.worked.load(Ordering::Relaxed))
    }

    /// Does something on a thread of the pool, which is at `activity` meanwhile.
    pub fn during<R>(&self, activity: Activity, work: impl FnOnce() -> R) -> R {
        let track = rayon::current_thread_index().and_then(|thread| self.tracks.get(thread));
        let Some(track) = track else { return work() };
        own(track).turn_to(activity, self.clock.now());
        let done = work();
        own(track).turn_to(Activity::Searching, self.clock.now());
        done
    }

    /// Returns what all threads were at, from the start of the clock to the end of the run.
    pub fn finish(self, end: Instant) -> Timeline {
        let finished = |track: Mutex<TrackRecorder>| {
            track.into_inner().unwrap_or_else(PoisonError::into_inner).finish(end)
        };
        Timeline { workers: self.tracks.into_iter().map(finished).collect(), managers: Vec::new() }
    }
}

/// Locks the track of this thread, which no other one uses.
fn own(track: &Mutex<TrackRecorder>) -> MutexGuard<'_, TrackRecorder> {
    track.lock().unwrap_or_else(PoisonError::into_inner)
}
