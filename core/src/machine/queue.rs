//! What happens next: a heap of pending events on lent memory.

use crate::time::Instant;

/// Memory for one pending event: when, and of whom.
///
/// Earlier events come first, at equal times those of the lower number: one number of both, the
/// time above the actor, so that comparing takes no branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pending(u128);

impl Pending {
    /// A place without an event.
    pub const EMPTY: Self = Self(u128::MAX);

    const fn new(at: Instant, actor: u32) -> Self {
        Self((at.0 as u128) << 64 | actor as u128)
    }

    #[expect(clippy::cast_possible_truncation, reason = "each half fits its type")]
    const fn parts(self) -> (Instant, u32) {
        // The halves that `new` has put together.
        let [at, actor] = [self.0 >> 64, self.0 & u32::MAX as u128];
        (Instant(at as u64), actor as u32)
    }
}

/// Children of an element; four of them share a cache line.
const BRANCHES: usize = 4;

/// Places that a queue has more than actors, so that children can begin where a cache line does.
pub(super) const SPARE: usize = BRANCHES - 1;

/// The first of two, with its number.
#[inline]
fn earlier(one: (Pending, usize), other: (Pending, usize)) -> (Pending, usize) {
    if other.0 < one.0 { other } else { one }
}

/// A heap with four branches. Whoever acts mostly acts again, so the place at the top is kept free
/// after an event was taken, for the next one that is added.
#[derive(Debug)]
pub(super) struct Queue<'m> {
    entries: &'m mut [Pending],
    len: usize,
    has_free_top: bool,
}

impl<'m> Queue<'m> {
    /// An empty queue with one place for each actor, which has at most one event pending, and
    /// [`SPARE`] ones.
    pub fn new(entries: &'m mut [Pending]) -> Self {
        let places = entries.len().saturating_sub(SPARE);
        // The first child, at place 1, and with it every fourth begins a cache line. Only speed
        // depends on where the memory is.
        let place = entries.as_ptr().addr() / size_of::<Pending>() + 1;
        let skipped = place.wrapping_neg() % BRANCHES;
        let rest = entries.get_mut(skipped..).unwrap_or_default();
        Self { entries: rest.get_mut(..places).unwrap_or_default(), len: 0, has_free_top: false }
    }

    /// Adds an event; false where there is no place.
    pub fn push(&mut self, at: Instant, actor: u32) -> bool {
        let new = Pending::new(at, actor);
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
        Some(first.parts())
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
        while let Some((other, below)) = self.earliest_child(at) {
            if other >= new {
                break;
            }
            self.set(at, other);
            at = below;
        }
        self.set(at, new);
    }

    /// The earliest event below a place, and where it is.
    #[inline]
    fn earliest_child(&self, at: usize) -> Option<(Pending, usize)> {
        let first = at * BRANCHES + 1;
        let children = self.entries.get(..self.len)?.get(first..)?;
        if let Some(&[a, b, c, d]) = children.first_chunk::<BRANCHES>() {
            let left = earlier((a, first), (b, first + 1));
            return Some(earlier(left, earlier((c, first + 2), (d, first + 3))));
        }
        children.iter().copied().zip(first..).min()
    }

    fn set(&mut self, at: usize, entry: Pending) {
        if let Some(place) = self.entries.get_mut(at) {
            *place = entry;
        }
    }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn events_come_in_order_of_time_then_number() {
        let mut memory = [Pending::EMPTY; 64 + SPARE];
        let mut queue = Queue::new(&mut memory);
        let mut rng = Rng::new(3, 0);
        let mut pending = [(Instant::NEVER, 0); 64];
        for actor in 0..64 {
            let at = Instant(u64::from(rng.below(10)));
            assert!(queue.push(at, actor));
            pending[actor as usize] = (at, actor);
        }
        assert!(!queue.push(Instant::ZERO, 64));
        // Miri is some hundred times slower.
        for step in 0..if cfg!(miri) { 50 } else { 2_000 } {
            let first = *pending.iter().min().unwrap();
            assert_eq!(queue.pop(), Some(first));
            let at = first.0.after(crate::time::Duration(u64::from(rng.below(5))));
            // Sometimes it falls asleep and is woken again later.
            pending[first.1 as usize].0 = Instant::NEVER;
            if step % 3 == 0 {
                let second = *pending.iter().min().unwrap();
                assert_eq!(queue.pop(), Some(second));
                assert!(queue.push(second.0, second.1));
            }
            assert!(queue.push(at, first.1));
            pending[first.1 as usize].0 = at;
        }
        for _ in 0..64 {
            assert!(queue.pop().is_some());
        }
        assert_eq!(queue.pop(), None);
        assert_eq!(queue.pop(), None);
    }
}
