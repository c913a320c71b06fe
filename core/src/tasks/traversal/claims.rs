//! Claims: the mark of whoever comes first to a vertex.

#[cfg(target_has_atomic = "32")]
use core::sync::atomic::{AtomicU32, Ordering};

#[cfg(target_has_atomic = "32")]
use crate::base::table::At;

/// The vertex that each one was reached from, in memory that all workers share.
pub trait Claims {
    /// Claims a vertex in the name of another, and returns whether that one has it, be it since now
    /// or before. Once a vertex is claimed, it stays so.
    fn claim(&mut self, vertex: u32, by: u32) -> bool;
}

/// A mark for each vertex, 0 at the beginning, of one process.
///
/// Nothing is read by way of a mark but the mark itself, so that no order among different marks is
/// needed.
#[cfg(target_has_atomic = "32")]
#[derive(Clone, Copy, Debug)]
pub struct Marks<'m>(pub &'m [AtomicU32]);

#[cfg(target_has_atomic = "32")]
impl Claims for Marks<'_> {
    #[inline]
    fn claim(&mut self, vertex: u32, by: u32) -> bool {
        let mark = self.0.at(vertex);
        // Numbers end below the largest, since there are fewer vertices than numbers.
        let own = by.wrapping_add(1);
        // Most are claimed already, and reading does not take the mark from other cores.
        let before = match mark.load(Ordering::Relaxed) {
            0 => mark.compare_exchange(0, own, Ordering::Relaxed, Ordering::Relaxed),
            before => Err(before),
        };
        before.map_or_else(|before| before == own, |_| true)
    }
}

#[cfg(all(test, target_has_atomic = "32"))]
mod tests {
    use super::*;

    #[test]
    fn the_first_name_has_it_and_may_say_so_again() {
        let marks = [const { AtomicU32::new(0) }; 3];
        let [mut one, mut other] = [Marks(&marks), Marks(&marks)];
        assert!(one.claim(1, 0) && other.claim(1, 0));
        assert!(!other.claim(1, 2) && !one.claim(1, 1));
        assert!(other.claim(2, 2) && !one.claim(2, 0));
    }
}
