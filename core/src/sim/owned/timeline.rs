//! Timelines: the activities of everybody in a pool, with their times.
//!
//! Whoever drives a worker or a manager tells a [`TrackRecorder`] each activity that begins; the
//! clock is the driver's, real or virtual. A recorder keeps a bounded number of spans: where there
//! would be more, neighbours that are shorter than its [resolution](Track::resolution) become one
//! of several activities, of which the time of each is known. So long spans stay as they were, and
//! the sums are right to the nanosecond.

use alloc::vec::Vec;

use crate::base::time::{Duration, Instant};
use crate::tasks::sharing::Activity;

/// The number of activities.
const KINDS: usize = Activity::ALL.len();

/// The most spans of all tracks together: some megabytes.
const ALL_SPANS: usize = 1 << 18;
/// The most spans of one track, and the least that there is always place for.
const SPANS: (usize, usize) = (1 << 14, 256);

/// Length of time, divided by activity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent([Duration; KINDS]);

impl Spent {
    /// Returns the length with these times, by [`Activity::index`].
    pub const fn new(spent: [Duration; KINDS]) -> Self {
        Self(spent)
    }

    /// Returns the time with one activity.
    pub fn with(&self, activity: Activity) -> Duration {
        self.0.get(activity.index()).copied().unwrap_or_default()
    }

    /// Returns all of the time; saturates.
    pub fn total(&self) -> Duration {
        self.0.iter().fold(Duration::ZERO, |total, spent| Duration(total.0.saturating_add(spent.0)))
    }

    /// Returns the activity with most of the time; the first of several.
    pub fn most(&self) -> Activity {
        let first = |most: Activity, next: Activity| {
            if self.with(next) > self.with(most) { next } else { most }
        };
        Activity::ALL.into_iter().reduce(first).unwrap_or(Activity::Idle)
    }

    /// Whether all of the time was spent with one activity.
    pub fn is_only(&self, activity: Activity) -> bool {
        self.with(activity) == self.total()
    }

    /// Returns two lengths together; saturates.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        for (spent, other) in self.0.iter_mut().zip(other.0) {
            spent.0 = spent.0.saturating_add(other.0);
        }
        self
    }

    /// Adds time with an activity; saturates.
    fn add(&mut self, activity: Activity, time: Duration) {
        if let Some(spent) = self.0.get_mut(activity.index()) {
            spent.0 = spent.0.saturating_add(time.0);
        }
    }

    /// Takes at most `by` of the time away, from the last activity on; returns how much that was.
    fn shorten(&mut self, by: Duration) -> Duration {
        let mut left = by.0;
        for spent in self.0.iter_mut().rev() {
            let less = spent.0.min(left);
            (spent.0, left) = (spent.0 - less, left - less);
        }
        Duration(by.0 - left)
    }

    /// Turns at most `most` of the time spent searching into idle time; returns how much that was.
    fn becomes_idle(&mut self, most: Duration) -> Duration {
        let time = self.with(Activity::Searching).min(most);
        if let Some(searching) = self.0.get_mut(Activity::Searching.index()) {
            searching.0 -= time.0;
        }
        self.add(Activity::Idle, time);
        time
    }
}

/// A part of a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Time at which it begins: the end of the span before.
    pub start: Instant,
    /// Time at which it ends; later than it begins.
    pub end: Instant,
    /// Its activities: one, or several that are shorter than the track's resolution.
    pub spent: Spent,
}

/// Activities of one worker or manager, from the beginning of a run to its end, without a gap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Track {
    spans: Vec<Spent>,
    resolution: Duration,
}

impl Track {
    /// Returns a track of spans one after the other; those without length are left out.
    pub fn new(spans: impl IntoIterator<Item = Spent>, resolution: Duration) -> Self {
        let spans = spans.into_iter().filter(|spent| spent.total() > Duration::ZERO);
        Self { spans: spans.collect(), resolution }
    }

    /// Returns the spans, in the order of time.
    pub fn spans(&self) -> impl ExactSizeIterator<Item = Span> {
        let mut end = Instant::ZERO;
        self.spans.iter().map(move |spent| {
            let start = end;
            end = start.after(spent.total());
            Span { start, end, spent: *spent }
        })
    }

    /// Returns the length below which neighbours may have become one span; zero where none have.
    pub const fn resolution(&self) -> Duration {
        self.resolution
    }

    /// Returns all of its time.
    pub fn spent(&self) -> Spent {
        self.spans.iter().fold(Spent::default(), Spent::and)
    }
}

/// Activities of everybody.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// Tracks of the workers.
    pub workers: Vec<Track>,
    /// Tracks of the managers.
    pub managers: Vec<Track>,
}

impl Timeline {
    /// Returns the most spans of each of several tracks.
    pub fn spans_each(tracks: usize) -> usize {
        let (most, least) = SPANS;
        ALL_SPANS.checked_div(tracks).unwrap_or(most).clamp(least, most)
    }

    /// Returns all tracks: those of workers, then those of managers.
    pub fn tracks(&self) -> impl Iterator<Item = &Track> {
        self.workers.iter().chain(&self.managers)
    }

    /// Returns the time at which the last track ends, which is the end of the run.
    pub fn end(&self) -> Instant {
        let ends = self.tracks().map(|track| Instant::ZERO.after(track.spent().total()));
        ends.max().unwrap_or(Instant::ZERO)
    }
}

/// A recorder of the activities of a worker or a manager.
#[derive(Clone, Debug)]
pub struct TrackRecorder {
    spans: Vec<Spent>,
    /// Spans at most.
    most: usize,
    /// Length below which neighbours become one span.
    resolution: Duration,
    /// The present activity.
    at: Activity,
    /// Time at which it began, or up to which it is recorded.
    since: Instant,
    /// The time without tasks since the last one: nobody knows yet whether some come.
    without: Duration,
}

impl TrackRecorder {
    /// Returns a recorder for a worker or a manager that has nothing to do, from the beginning of a
    /// run on, in at most `most` spans, and no fewer than two.
    pub const fn new(at: Activity, most: usize) -> Self {
        let most = if most < 2 { 2 } else { most };
        Self {
            spans: Vec::new(),
            most,
            resolution: Duration::ZERO,
            at,
            since: Instant::ZERO,
            without: Duration::ZERO,
        }
    }

    /// Returns the present activity.
    pub const fn at(&self) -> Activity {
        self.at
    }

    /// Begins an activity now, and ends the one before. A worker that waits is
    /// [searching](Activity::Searching); that no task came is found out at the end.
    #[inline]
    pub fn turn_to(&mut self, activity: Activity, now: Instant) {
        if activity != self.at {
            self.record_until(now);
            self.at = activity;
        }
    }

    /// Records the present activity up to `now`.
    #[inline(never)]
    fn record_until(&mut self, now: Instant) {
        let time = now.since(self.since);
        self.since = self.since.max(now);
        match self.at {
            Activity::Tasks | Activity::Copies => self.without = Duration::ZERO,
            Activity::Searching => self.without.0 += time.0,
            _ => {}
        }
        if time > Duration::ZERO {
            self.push(time);
        }
    }

    /// Records a span of the present activity. A short one joins the last span, if that is short,
    /// too, or of the same activity.
    fn push(&mut self, time: Duration) {
        let resolution = self.resolution;
        if let Some(last) = self.spans.last_mut() {
            let is_short = time < resolution && last.total() < resolution;
            if is_short || last.is_only(self.at) {
                return last.add(self.at, time);
            }
        }
        if self.spans.len() >= self.most {
            self.coarsen();
        }
        let mut span = Spent::default();
        span.add(self.at, time);
        self.spans.push(span);
    }

    /// Doubles the resolution until at most half of the spans are left: neighbours that are shorter
    /// become one.
    #[cold]
    fn coarsen(&mut self) {
        while self.spans.len() > self.most / 2 {
            self.resolution = Duration(self.resolution.0.saturating_mul(2).max(1 << 7));
            let resolution = self.resolution;
            self.spans.dedup_by(|next, last| {
                let are_short = next.total() < resolution && last.total() < resolution;
                if are_short {
                    *last = last.and(next);
                }
                are_short
            });
        }
    }

    /// Drops what was recorded after the end of the run.
    fn cut(&mut self, end: Instant) {
        let mut over = self.since.since(end);
        while over > Duration::ZERO
            && let Some(last) = self.spans.last_mut()
        {
            over.0 -= last.shorten(over).0;
            if last.total() == Duration::ZERO {
                self.spans.pop();
            }
        }
        self.since = self.since.min(end);
    }

    /// Returns the track, up to the end of the run. A worker that had no tasks any more has been
    /// idle since its last one.
    pub fn finish(mut self, end: Instant) -> Track {
        self.cut(end);
        self.record_until(end);
        let mut left = self.without;
        for span in self.spans.iter_mut().rev() {
            if left == Duration::ZERO {
                break;
            }
            left.0 -= span.becomes_idle(left).0;
        }
        Track { spans: self.spans, resolution: self.resolution }
    }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::base::rng::Rng;
    use Activity::{Copies, Idle, Managing, Searching, Tasks};

    fn recorded(most: usize, changes: &[(Activity, u64)], end: u64) -> Track {
        let mut recorder = TrackRecorder::new(Searching, most);
        for &(activity, at) in changes {
            recorder.turn_to(activity, Instant(at));
        }
        recorder.finish(Instant(end))
    }

    #[test]
    fn who_waits_is_idle_once_nothing_comes_any_more() {
        let changes = [
            (Tasks, 10),
            (Searching, 30),
            (Copies, 35),
            (Searching, 50),
            (Managing, 60),
            (Searching, 62),
        ];
        let track = recorded(99, &changes, 70);
        let spans: Vec<_> = track.spans().map(|span| (span.spent.most(), span.end.0)).collect();
        let expected = [
            (Searching, 10),
            (Tasks, 30),
            (Searching, 35),
            (Copies, 50),
            (Idle, 60),
            (Managing, 62),
            (Idle, 70),
        ];
        assert_eq!(spans, expected);
        assert_eq!(track.spent().with(Idle), Duration(18));
        assert_eq!(track.resolution(), Duration::ZERO);
    }

    #[test]
    fn what_takes_no_time_leaves_no_span() {
        let track = recorded(9, &[(Tasks, 0), (Searching, 5), (Managing, 5), (Searching, 5)], 5);
        assert_eq!(track.spans().len(), 1);
        assert_eq!(recorded(9, &[], 0).spans().len(), 0);
        // Activities after the end are none of the run's.
        let track = recorded(9, &[(Tasks, 2), (Managing, 5), (Idle, 9)], 4);
        assert_eq!((track.spent().total(), track.spans().len()), (Duration(4), 2));
        // A clock that goes backwards is one that stands still.
        let track = recorded(9, &[(Tasks, 7), (Searching, 3), (Tasks, 9)], 9);
        assert_eq!(track.spent().total(), Duration(9));
    }

    /// However few spans there may be: no more, one after the other, the same sums, and whatever is
    /// long enough is as it was.
    #[test]
    fn few_spans_have_the_same_sums_as_many() {
        let mut rng = Rng::new(3, 1);
        for most in [2, 3, 16, 100] {
            let (mut now, mut changes) = (0, Vec::new());
            for _ in 0..5_000 {
                let long = if rng.below(50) == 0 { 100_000 } else { 500 };
                now += u64::from(rng.below(long));
                let next = [Tasks, Copies, Searching, Managing];
                changes.push((next[rng.below(4) as usize], now));
            }
            let (few, all) =
                (recorded(most, &changes, now + 9), recorded(usize::MAX, &changes, now + 9));
            assert!(few.spans().len() <= most && all.spans().len() > 1_000);
            assert_eq!(few.spent(), all.spent());
            assert_eq!(few.spent().total(), Duration(now + 9));
            for track in [&few, &all] {
                let mut end = Instant::ZERO;
                for span in track.spans() {
                    assert_eq!((span.start, span.end), (end, end.after(span.spent.total())));
                    assert!(span.end > span.start);
                    end = span.end;
                }
            }
            let long = |track: &Track| {
                let long =
                    track.spans().filter(|span| span.end.since(span.start) >= few.resolution());
                long.filter(|span| span.spent.is_only(span.spent.most())).collect::<Vec<_>>()
            };
            let kept = long(&few);
            assert!(long(&all).iter().all(|span| kept.contains(span)), "{most}");
        }
    }
}
