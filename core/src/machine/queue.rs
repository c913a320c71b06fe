//! What happens next: a heap of pending events on lent memory.

use crate::time::Instant;

/// Memory for one pending event: when, and of whom.
///
/// Earlier events come first, at equal times those of the lower number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pending {
    at: Instant,
    actor: u32,
}

impl Pending {
    /// A place without an event.
    pub const EMPTY: Self = Self { at: Instant::NEVER, actor: u32::MAX };
}

/// Children of an element; four of them share a cache line.
const BRANCHES: usize = 4;

/// A heap with four branches. Whoever acts mostly acts again, so the place at the top is kept free
/// after an event was taken, for the next one that is added.
#[derive(Debug)]
pub(super) struct Queue<'m> {
    entries: &'m mut [Pending],
    len: usize,
    has_free_top: bool,
}

impl<'m> Queue<'m> {
    /// An empty queue with one place for each actor, which has at most one event pending.
    pub fn new(entries: &'m mut [Pending]) -> Self {
        Self { entries, len: 0, has_free_top: false }
    }

    /// Adds an event; false where there is no place.
    pub fn push(&mut self, at: Instant, actor: u32) -> bool {
        let new = Pending { at, actor };
        if self.has_free_top {
            self.has_free_top = false;
            self.sink(new);
            return true;
        }
        if self.len >= self.entries.len() {
            return false;
        }
        self.len += 1;
        self.rise(self.len - 1, new);
        true
    }

    /// Takes the first event.
    pub fn pop(&mut self) -> Option<(Instant, u32)> {
        self.fill_top();
        let first = *self.entries.get(..self.len)?.first()?;
        self.has_free_top = true;
        Some((first.at, first.actor))
    }

    fn fill_top(&mut self) {
        if !self.has_free_top {
            return;
        }
        self.has_free_top = false;
        self.len -= 1;
        if let Some(&last) = self.entries.get(self.len)
            && self.len > 0
        {
            self.sink(last);
        }
    }

    /// Moves up what is later than `new`, from place `at`, and puts it there.
    fn rise(&mut self, mut at: usize, new: Pending) {
        while at > 0 {
            let above = (at - 1) / BRANCHES;
            match self.entries.get(above) {
                Some(&other) if new < other => self.set(at, other),
                _ => break,
            }
            at = above;
        }
        self.set(at, new);
    }

    /// Moves up what is earlier than `new`, from the top, and puts it where it belongs.
    fn sink(&mut self, new: Pending) {
        let mut at = 0;
        loop {
            let first = at * BRANCHES + 1;
            let children = self.entries.get(first..self.len.min(first + BRANCHES));
            let least = children.unwrap_or_default().iter().zip(first..).min();
            match least {
                Some((&other, below)) if other < new => {
                    self.set(at, other);
                    at = below;
                }
                _ => break,
            }
        }
        self.set(at, new);
    }

    fn set(&mut self, at: usize, entry: Pending) {
        if let Some(place) = self.entries.get_mut(at) {
            *place = entry;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn events_come_in_order_of_time_then_number() {
        let mut memory = [Pending::EMPTY; 64];
        let mut queue = Queue::new(&mut memory);
        let mut rng = Rng::new(3, 0);
        let mut pending = [Pending::EMPTY; 64];
        for actor in 0..64 {
            let at = Instant(u64::from(rng.below(10)));
            assert!(queue.push(at, actor));
            pending[actor as usize] = Pending { at, actor };
        }
        assert!(!queue.push(Instant::ZERO, 64));
        for step in 0..2_000 {
            let first = *pending.iter().min().unwrap();
            assert_eq!(queue.pop(), Some((first.at, first.actor)));
            let at = first.at.after(crate::time::Duration(u64::from(rng.below(5))));
            // Sometimes it falls asleep and is woken again later.
            pending[first.actor as usize] = Pending { at: Instant::NEVER, ..first };
            if step % 3 == 0 {
                let second = *pending.iter().min().unwrap();
                assert_eq!(queue.pop(), Some((second.at, second.actor)));
                assert!(queue.push(second.at, second.actor));
            }
            assert!(queue.push(at, first.actor));
            pending[first.actor as usize].at = at;
        }
        for _ in 0..64 {
            assert!(queue.pop().is_some());
        }
        assert_eq!(queue.pop(), None);
        assert_eq!(queue.pop(), None);
    }
}
