//! What happens next: a heap of pending events.

pub use crate::heap::Entry as Pending;
pub(super) use crate::heap::SPARE;

use crate::heap::Heap;
use crate::time::Instant;

/// Events in order of time, at equal times in that of the actors' numbers.
#[derive(Debug)]
pub(super) struct Queue<'m>(Heap<'m>);

impl<'m> Queue<'m> {
    /// An empty queue with one place for each actor, which has at most one event pending, and
    /// [`SPARE`] ones.
    pub fn new(entries: &'m mut [Pending]) -> Self {
        Self(Heap::new(entries))
    }

    /// Adds an event; false where there is no place.
    pub fn push(&mut self, at: Instant, actor: u32) -> bool {
        self.0.push(at.0, actor)
    }

    /// Takes the first event.
    pub fn pop(&mut self) -> Option<(Instant, u32)> {
        self.0.pop().map(|(at, actor)| (Instant(at), actor))
    }
}
