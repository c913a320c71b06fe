//! The bound on what happens at one moment of virtual time: whatever goes round without that time
//! passes would go round for ever.

use crate::base::time::Instant;

/// Commands that the workers carry out at one moment at most, for each of them. A sweep takes time,
/// and when it ends a worker carries out some ten, and wakes at most half a dozen others, who carry
/// out some five; a halt is some twenty.
const MOST: u64 = 1_000;

/// What happens at one moment.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moment {
    at: Instant,
    /// Commands at that time, of all workers.
    commands: u64,
}

impl Moment {
    /// Counts a command at the time `now`, which never decreases. False where there are too many at
    /// one time for so many workers.
    #[inline]
    pub const fn try_count(&mut self, now: Instant, workers: u32) -> bool {
        if now.0 > self.at.0 {
            *self = Self { at: now, commands: 0 };
        }
        self.commands += 1;
        self.commands <= MOST.saturating_mul(workers as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_round_at_one_moment_has_an_end() {
        let mut moment = Moment::default();
        let admitted = |moment: &mut Moment, now| {
            (0..10 * MOST).take_while(|_| moment.try_count(Instant(now), 3)).count() as u64
        };
        assert_eq!(admitted(&mut moment, 7), 3 * MOST);
        assert!(!moment.try_count(Instant(7), 3));
        assert_eq!(admitted(&mut moment, 8), 3 * MOST, "time has passed");
    }
}
