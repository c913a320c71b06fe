//! The queue of events: a heap of the events of today, and a calendar of those of the days after.

#[cfg(feature = "alloc")]
use alloc::boxed::Box;
use core::ops::DerefMut;

pub use crate::base::heap::Entry as Pending;

use super::calendar::{self, Calendar, CalendarState, Page};
use crate::base::heap::{Heap, HeapState, LentHeap, SPARE};
use crate::base::table::At;
use crate::base::time::{Duration, Instant};

/// Events in order of time, at equal times in that of the actors' numbers.
///
/// A worker's next event is mostly later than nearly all that are pending: in a heap of all of many
/// workers each would sink to the bottom, through places that no cache holds. So the heap has only
/// the events that are due today, and those that are too far away for the calendar.
#[derive(Debug)]
pub(crate) struct Queue<H, C> {
    heap: Heap<H>,
    calendar: Calendar<C>,
}

/// A queue on lent memory.
pub(crate) type LentQueue<'m> = Queue<&'m mut [Pending], &'m mut [Page]>;

/// A queue on memory of its own.
#[cfg(feature = "alloc")]
pub(crate) type OwnedQueue = Queue<Box<[Pending]>, Box<[Page]>>;

/// State of a queue besides its memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueueState {
    heap: HeapState,
    calendar: CalendarState,
}

/// Returns the number of places for the events of `actors`, one each, most of them workers.
pub(crate) const fn places(actors: usize, workers: usize) -> usize {
    actors + SPARE + calendar::places(actors, workers)
}

impl<'m> LentQueue<'m> {
    /// Returns an empty queue on [`places`], for workers that sweep for about `sweep` each time.
    pub fn new(places: &'m mut [Pending], actors: usize, workers: usize, sweep: Duration) -> Self {
        let (written, heap) = parts(places, actors, workers);
        Self { heap: LentHeap::new(heap), calendar: Calendar::new(written, workers, sweep) }
    }

    /// Returns the queue that was left in this state, on memory of the same length with unchanged
    /// content.
    pub fn resume(
        places: &'m mut [Pending],
        actors: usize,
        workers: usize,
        QueueState { heap, calendar }: QueueState,
    ) -> Self {
        let (written, entries) = parts(places, actors, workers);
        Self {
            heap: LentHeap::resume(entries, heap),
            calendar: Calendar::resume(written, workers, calendar),
        }
    }
}

#[cfg(feature = "alloc")]
impl OwnedQueue {
    /// Returns an empty queue for the events of `actors`, one each, of which `workers` have most
    /// and are busy for about `step` each time.
    pub fn owned(actors: usize, workers: usize, step: Duration) -> Self {
        Self { heap: Heap::owned(actors), calendar: Calendar::owned(actors, workers, step) }
    }
}

impl<H, C> Queue<H, C>
where
    H: DerefMut<Target = [Pending]>,
    C: DerefMut<Target = [Page]>,
{
    /// Returns the state to be kept while the memory is not lent.
    pub const fn state(&self) -> QueueState {
        QueueState { heap: self.heap.state(), calendar: self.calendar.state() }
    }

    /// Adds an event. There is a place for it, as there is for one of each actor.
    #[inline]
    pub fn push(&mut self, at: Instant, actor: u32) {
        if !self.calendar.push(at.0, actor) {
            self.heap.push(at.0, actor);
        }
    }

    /// Takes the first event. Before the first one of a day, `prefetch` is shown all that were in
    /// the calendar for it.
    #[inline]
    pub fn pop(&mut self, prefetch: impl Fn(&[Pending])) -> Option<(Instant, u32)> {
        self.first(prefetch)?;
        let (at, actor) = self.heap.pop()?;
        self.calendar.advance_to(at);
        Some((Instant(at), actor))
    }

    /// Moves the event of an actor from the time `was` to `at`. It costs a look at all events.
    pub fn retime(&mut self, actor: u32, was: Instant, at: Instant) {
        let Self { heap, calendar } = self;
        while !calendar.is_empty() {
            calendar.next_day(|events| {
                for (at, actor) in events.iter().map(|event| event.parts()) {
                    heap.push(at, actor);
                }
            });
        }
        heap.change(was.0, actor, at.0);
    }

    /// Returns the time of the first event, without taking it. `prefetch` as in [`pop`](Self::pop).
    #[inline]
    pub fn first(&mut self, prefetch: impl Fn(&[Pending])) -> Option<Instant> {
        let Self { heap, calendar } = self;
        while !calendar.is_empty() && heap.first().is_none_or(|(at, _)| calendar.is_to_come(at)) {
            calendar.next_day(|events| {
                prefetch(events);
                for event in events {
                    let (at, actor) = event.parts();
                    heap.push(at, actor);
                }
            });
        }
        heap.first().map(|(at, _)| Instant(at))
    }
}

/// Cuts lent places into the calendar's and the heap's.
fn parts(
    places: &mut [Pending],
    actors: usize,
    workers: usize,
) -> (&mut [Pending], &mut [Pending]) {
    places.cut_mut(calendar::places(actors, workers))
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may panic")]
#[expect(clippy::large_stack_arrays, reason = "there is nothing else without an allocator")]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    const WORKERS: usize = 2_500;
    const ACTORS: usize = WORKERS + 100;
    const SWEEP: u32 = 10_000;

    /// Returns the next event of all, by looking at each.
    fn first(pending: &[u64; ACTORS]) -> Option<(Instant, u32)> {
        let all = pending.iter().zip(0..).map(|(&at, actor)| (Instant(at), actor));
        all.filter(|&(at, _)| at < Instant::NEVER).min()
    }

    /// Takes and adds events; `delay` draws how long after now an actor's next one is.
    fn compare(mut delay: impl FnMut(&mut Rng) -> u64) {
        let mut memory = [Pending::EMPTY; places(ACTORS, WORKERS)];
        let mut queue = LentQueue::new(&mut memory, ACTORS, WORKERS, Duration(u64::from(SWEEP)));
        let mut rng = Rng::new(9, 0);
        let mut pending = [u64::MAX; ACTORS];
        for (at, actor) in pending.iter_mut().zip(0..) {
            *at = delay(&mut rng);
            queue.push(Instant(*at), actor);
        }
        for step in 0..20_000 {
            let expected = first(&pending);
            assert_eq!(queue.pop(|_| ()), expected, "{step}");
            let Some((now, actor)) = expected else { return };
            // Some actors are done.
            let again = step % 10 > 0;
            pending[actor as usize] = if again { now.0 + delay(&mut rng) } else { u64::MAX };
            if again {
                queue.push(Instant(pending[actor as usize]), actor);
            }
        }
    }

    #[test]
    fn events_come_in_order_whether_in_the_calendar_or_not() {
        // Nearly the same time each, so that full pages lie behind each other.
        compare(|rng| u64::from(SWEEP + rng.below(20)));
        // All at once.
        compare(|_| u64::from(SWEEP));
        compare(|_| 0);
        // Within a day, within the calendar, and beyond it.
        compare(|rng| u64::from(rng.below(4) * rng.below(4) * rng.below(SWEEP)));
        compare(|rng| u64::from(rng.below(2)) << rng.below(40));
    }

    #[test]
    fn the_calendar_shows_events_ahead() {
        let mut memory = [Pending::EMPTY; places(ACTORS, WORKERS)];
        let mut queue = LentQueue::new(&mut memory, ACTORS, WORKERS, Duration(u64::from(SWEEP)));
        let seen = core::cell::Cell::new(0);
        // So often that no page would be left if one were lost each time.
        for round in 1..100 {
            let at = Instant(round * u64::from(SWEEP));
            (0..100).for_each(|actor| queue.push(at, actor));
            for actor in 0..100 {
                let pop = queue.pop(|events| seen.set(seen.get() + events.len() as u64));
                assert_eq!(pop, Some((at, actor)));
                assert_eq!(seen.get(), round * 100);
            }
        }
    }
}
