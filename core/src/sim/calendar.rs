//! Events by day, in no order within one.

#[cfg(feature = "alloc")]
use alloc::{boxed::Box, vec};
use core::ops::DerefMut;

use crate::base::heap::Entry as Pending;
use crate::base::table::At;
use crate::base::time::Duration;

/// Events on a page.
const EVENTS: usize = 15;
/// The number of the next page and how many events are on this one; then the events.
pub(crate) type Page = [Pending; EVENTS + 1];
/// Stands for no page, in place of a page's number.
const NO_PAGE: u64 = u64::MAX;

/// Workers for each day.
const WORKERS_A_DAY: usize = 32;
/// Number of workers below which there are no days: a heap of all events fits the nearest cache.
const FEWEST_WORKERS: usize = 2_048;

/// The days from tomorrow on for about two sweeps.
#[derive(Debug)]
pub(crate) struct Calendar<M> {
    /// The pages that are written on, one for each day: a power of two of them, used in turn.
    days: M,
    /// The full pages of all days, and free ones.
    full: M,
    state: CalendarState,
}

/// State of a calendar besides its memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CalendarState {
    /// The first free page.
    free: u64,
    /// Binary logarithm of a day's nanoseconds.
    day_length: u32,
    /// The number of the present day.
    today: u64,
    /// Events written down.
    len: usize,
}

/// Returns the number of places for the events of `actors`, one each.
pub(crate) const fn places(actors: usize, workers: usize) -> usize {
    (days(workers) + full(actors, workers)) * size_of::<Page>() / size_of::<Pending>()
}

/// Returns the number of pages for full ones.
const fn full(actors: usize, workers: usize) -> usize {
    if days(workers) > 0 { actors.div_ceil(EVENTS) } else { 0 }
}

/// Returns the number of days, which is 0 or a power of two.
const fn days(workers: usize) -> usize {
    if workers < FEWEST_WORKERS { 0 } else { (workers / WORKERS_A_DAY).next_power_of_two() }
}

impl<'m> Calendar<&'m mut [Page]> {
    /// Returns an empty calendar on [`places`], for workers that sweep for about `sweep` each time.
    pub fn new(places: &'m mut [Pending], workers: usize, sweep: Duration) -> Self {
        let (days, full) = pages(places, workers);
        Self::empty(days, full, sweep)
    }

    /// Returns the calendar that was left in this state, on memory of the same length with
    /// unchanged content.
    pub fn resume(places: &'m mut [Pending], workers: usize, state: CalendarState) -> Self {
        let (days, full) = pages(places, workers);
        Self { days, full, state }
    }
}

#[cfg(feature = "alloc")]
impl Calendar<Box<[Page]>> {
    /// Returns an empty calendar on memory of its own.
    pub fn owned(actors: usize, workers: usize, sweep: Duration) -> Self {
        let pages = |number| vec![[Pending::EMPTY; EVENTS + 1]; number].into_boxed_slice();
        Self::empty(pages(days(workers)), pages(full(actors, workers)), sweep)
    }
}

impl<M: DerefMut<Target = [Page]>> Calendar<M> {
    /// Empties all pages, and sets the length of a day so that all days together are about two
    /// sweeps.
    fn empty(mut days: M, mut full: M, sweep: Duration) -> Self {
        for [head, ..] in &mut *days {
            *head = Pending::new(NO_PAGE, 0);
        }
        for ([head, ..], next) in full.iter_mut().zip(1..) {
            *head = Pending::new(next, 0);
        }
        let length = sweep.0.saturating_mul(2).checked_div(days.len() as u64).unwrap_or(0);
        let day_length = length.checked_ilog2().unwrap_or(0);
        Self { days, full, state: CalendarState { free: 0, day_length, today: 0, len: 0 } }
    }

    /// Returns the state to be kept while the memory is not lent.
    pub const fn state(&self) -> CalendarState {
        self.state
    }

    /// Whether nothing is written down.
    pub const fn is_empty(&self) -> bool {
        self.state.len == 0
    }

    /// Whether a time is after today.
    #[inline]
    pub const fn is_to_come(&self, at: u64) -> bool {
        self.day(at) > self.state.today
    }

    /// Returns the number of the day that a time is on.
    const fn day(&self, at: u64) -> u64 {
        at >> self.state.day_length
    }

    /// Writes an event down. False for an event of today, or of a day too far away, which belongs
    /// in the heap.
    #[inline]
    pub fn push(&mut self, at: u64, actor: u32) -> bool {
        let day = self.day(at);
        let ahead = day.saturating_sub(self.state.today);
        if ahead == 0 || ahead >= self.days.len() as u64 {
            return false;
        }
        let [head, events @ ..] = page_of(&mut self.days, day);
        let (mut next, mut used) = head.parts();
        if used as usize >= EVENTS {
            // The full page is kept behind the one that is written on.
            let [kept, copies @ ..] = page(&mut self.full, self.state.free);
            (next, self.state.free, used) = (self.state.free, kept.parts().0, 0);
            (*kept, *copies) = (*head, *events);
        }
        *events.at_mut(used) = Pending::new(at, actor);
        *head = Pending::new(next, used + 1);
        self.state.len += 1;
        true
    }

    /// Goes on to the next day, and calls `take` with its events, a page at a time.
    #[inline]
    pub fn next_day(&mut self, mut take: impl FnMut(&[Pending])) {
        self.state.today += 1;
        let [head, events @ ..] = page_of(&mut self.days, self.state.today);
        let (mut next, used) = head.parts();
        if used == 0 {
            return;
        }
        let events = events.stretch(..used as usize);
        take(events);
        self.state.len -= events.len();
        *head = Pending::new(NO_PAGE, 0);
        while next != NO_PAGE {
            let [head, events @ ..] = page(&mut self.full, next);
            take(events);
            self.state.len -= events.len();
            let (behind, _) = head.parts();
            *head = Pending::new(self.state.free, 0);
            (self.state.free, next) = (next, behind);
        }
    }

    /// Goes on to the day of the time `at`, before which nothing is written down.
    #[inline]
    pub fn advance_to(&mut self, at: u64) {
        self.state.today = self.state.today.max(self.day(at));
    }
}

/// Returns the pages of the days, and those for full ones.
fn pages(places: &mut [Pending], workers: usize) -> (&mut [Page], &mut [Page]) {
    let (pages, _) = places.as_chunks_mut::<{ EVENTS + 1 }>();
    pages.cut_mut(days(workers))
}

/// Returns the page that is written on for a day.
#[inline]
fn page_of(days: &mut [Page], day: u64) -> &mut Page {
    let last = (days.len() as u64).wrapping_sub(1);
    page(days, day & last)
}

/// Returns the page of a number.
#[inline]
fn page(pages: &mut [Page], number: u64) -> &mut Page {
    pages.at_mut(usize::try_from(number).unwrap_or(usize::MAX))
}
