//! The watch over parts that are stuck in somebody's hands.

use crate::base::id::SubdomainId;
use crate::base::time::{Duration, Instant};

/// A part held for this number of the observer's own sweeps is stuck: its holder was stopped. A
/// sweep with the residual, or out of cache, takes less than twice as long as the quickest.
const STUCK: u64 = 4;

/// Shorter stops, which are those of a quiet machine, are not worth the effort.
const SHORTEST: Duration = Duration::from_micros(100);

/// Returns how long a part may be held before it counts as stuck, where the observer's sweeps take
/// `sweep`.
pub(super) const fn patience(sweep: Duration) -> Duration {
    let sweeps = sweep.0.saturating_mul(STUCK);
    if sweeps > SHORTEST.0 { Duration(sweeps) } else { SHORTEST }
}

/// The held part that is furthest behind, as a worker has seen it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Watch {
    part: SubdomainId,
    version: u64,
    since: Instant,
}

impl Watch {
    /// Nothing has been seen.
    pub(super) const NOTHING: Self =
        Self { part: SubdomainId(u32::MAX), version: 0, since: Instant::ZERO };

    /// Records a held part at its version and returns whether it is stuck: held at that version for
    /// the time of [`patience`]. The time then starts anew.
    pub(super) fn observe(
        &mut self,
        part: SubdomainId,
        version: u64,
        now: Instant,
        sweep: Duration,
    ) -> bool {
        let is_same = (self.part, self.version) == (part, version);
        let is_stuck = is_same && now.since(self.since) >= patience(sweep);
        if !is_same || is_stuck {
            *self = Self { part, version, since: now };
        }
        is_stuck
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_long_in_one_hand_is_stuck() {
        let mut watch = Watch::NOTHING;
        let mut sees = |part, version, micros| {
            let now = Instant::ZERO.after(Duration::from_micros(micros));
            watch.observe(SubdomainId(part), version, now, Duration::from_micros(50))
        };
        assert!(!sees(3, 7, 0) && !sees(3, 7, 199));
        assert!(sees(3, 7, 200), "four sweeps");
        assert!(!sees(3, 7, 201), "it was told");
        assert!(!sees(3, 8, 450), "it has gone on");
        assert!(!sees(4, 8, 650), "another one");
        assert!(sees(4, 8, 851));
        let mut new = Watch::NOTHING;
        assert!(!new.observe(SubdomainId(1), 0, Instant(9), Duration(u64::MAX)));
        assert_eq!(patience(Duration::from_micros(5)), Duration::from_micros(100), "a short stop");
    }
}
