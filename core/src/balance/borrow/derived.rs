//! How often to look, how far behind a subdomain must be, and whether borrowing keeps the workers
//! together at all, by what a run is seen to do.

use crate::base::time::{Duration, Instant};
use crate::run::{Chosen, Switched};

/// Iterations from one look to the next, unless the period comes to one of its bounds. The spread
/// can exceed the lag by about as much.
const ITERATIONS: u64 = 16;
/// A look costs about a microsecond.
const SHORTEST: Duration = Duration::from_micros(100);
/// However slow the sweeps, a person waits for balance no longer than this.
const LONGEST: Duration = Duration::from_micros(20_000);

/// The smallest lag; a smaller one would make more moves for less evenness than a look leaves.
const LEAST_LAG: u64 = Chosen::FIRST.lag;
const MOST_LAG: u64 = 256;
/// Looks after which the lag is set anew.
const LOOKS: u32 = 64;
/// A move costs some sweeps, since the cells have to come into another cache: at more than one move
/// in this number of sweeps the lag is doubled, which halves the moves.
const FEW: u64 = 100;
/// At less than one move in this number of sweeps the lag is halved.
const RARE: u64 = 400;

/// A spread of more than this many times what the lag and the iterations between two looks explain
/// comes from the stop of a worker: it was taken from its core, with the subdomains in its hands,
/// for many of the others' sweeps. What is then made up for is swept beside neighbours that stand
/// still, which is hardly of use.
const FAR: u64 = 4;
/// Looks with such a spread after which borrowing is not enough; a single stop is made up for
/// before.
const FAR_LOOKS: u32 = 8;
/// Looks without such a spread that weigh as much as one with it.
const NEAR_LOOKS: u32 = 16;

/// The period by the rate of the iterations, and the lag by the share of moves in the sweeps.
#[derive(Clone, Copy, Debug)]
pub struct Derived {
    chosen: Chosen,
    /// Time of the last look, and the sweeps until then.
    last: (Instant, u64),
    /// Looks since the lag was set.
    looks: u32,
    /// Sweeps when the lag was set, and moves since.
    since: (u64, u64),
    /// [`NEAR_LOOKS`] for each look with a spread that stops explain, less one for each without.
    far: u32,
    /// The spread at the last look.
    spread: u64,
}

/// What a round has shown.
#[derive(Clone, Copy, Debug)]
pub(in crate::balance) struct Seen {
    /// Subdomains of the workers that are balanced, and the sweeps that these have made so far.
    pub parts: u64,
    pub updates: u64,
    /// Moves of this round.
    pub moves: u64,
    /// Highest minus lowest count of the subdomains before it.
    pub spread: u64,
}

impl Derived {
    /// Returns the parameters of a run that begins now.
    pub(in crate::balance) const fn new(start: Instant) -> Self {
        Self { chosen: Chosen::FIRST, last: (start, 0), looks: 0, since: (0, 0), far: 0, spread: 0 }
    }

    /// Returns the parameters as they are now.
    pub const fn chosen(&self) -> Chosen {
        self.chosen
    }

    /// Returns the last spread where too many looks in succession had one that lag and period do
    /// not explain, so that pulling is better than borrowing; none after a switch.
    pub(in crate::balance) fn unexplained_spread(&self) -> Option<u64> {
        let is_far = self.far >= FAR_LOOKS * NEAR_LOOKS && self.chosen.switched.is_none();
        is_far.then_some(self.spread)
    }

    /// Records that the run switches to pulling at `now`, because the spread of a node was this.
    pub(in crate::balance) const fn record_switch(&mut self, now: Instant, spread: u64) {
        self.chosen.switched = Some(Switched { at: now, spread });
    }

    /// Derives the parameters anew from what the round at `now` has shown.
    pub(in crate::balance) fn observe(&mut self, now: Instant, seen: Seen) {
        let Seen { parts, updates, moves, spread } = seen;
        let (time, swept) = (now.since(self.last.0), updates.saturating_sub(self.last.1));
        let iterations = swept.checked_div(parts).unwrap_or(0);
        let explained = self.chosen.lag.saturating_add(iterations).saturating_mul(FAR);
        self.far = if spread > explained {
            self.far.saturating_add(NEAR_LOOKS)
        } else {
            self.far.saturating_sub(1)
        };
        self.spread = spread;
        self.last = (now, updates);
        // Nobody has swept: the machine is very slow, or halts.
        let iteration = time.0.saturating_mul(parts).checked_div(swept).unwrap_or(u64::MAX);
        let period = iteration.saturating_mul(ITERATIONS).clamp(SHORTEST.0, LONGEST.0);
        // A stop of all makes an iteration seem long, for once.
        self.chosen.period = Duration(period.min(self.chosen.period.0.saturating_mul(2)));

        self.looks += 1;
        self.since.1 += moves;
        if self.looks < LOOKS {
            return;
        }
        let (before, moves) = self.since;
        let swept = updates.saturating_sub(before);
        let lag = self.chosen.lag;
        let lag = if moves.saturating_mul(FEW) > swept {
            lag.saturating_mul(2)
        } else if moves.saturating_mul(RARE) < swept {
            lag / 2
        } else {
            lag
        };
        self.chosen.lag = lag.clamp(LEAST_LAG, MOST_LAG);
        (self.looks, self.since) = (0, (updates, 0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what is chosen after looks at a run of 8 subdomains that sweeps at an even rate.
    fn chosen(iteration: Duration, sweeps_a_move: u64, looks: u64) -> Chosen {
        let mut derived = Derived::new(Instant::ZERO);
        let (mut now, mut made) = (Instant::ZERO, 0);
        for _ in 0..looks {
            now = now.after(derived.chosen().period);
            let updates = 8 * now.0 / iteration.0;
            let moves = updates / sweeps_a_move - made;
            made += moves;
            derived.observe(now, Seen { parts: 8, updates, moves, spread: 0 });
        }
        derived.chosen()
    }

    #[test]
    fn looks_are_some_iterations_apart() {
        let period = |micros| chosen(Duration::from_micros(micros), u64::MAX, 5).period;
        assert_eq!(period(2), SHORTEST);
        assert_eq!(period(50), Duration::from_micros(800));
        assert_eq!(chosen(Duration::from_micros(50_000), u64::MAX, 6).period, LONGEST);
        let mut derived = Derived::new(Instant::ZERO);
        let mut after = |look: u64| {
            derived
                .observe(Instant(look * 1_000), Seen { parts: 8, updates: 0, moves: 0, spread: 0 });
            derived.chosen().period
        };
        assert_eq!(after(1), Duration(2 * Chosen::FIRST.period.0), "nobody has swept");
        assert_eq!((2..=5).map(&mut after).last(), Some(LONGEST));
    }

    #[test]
    fn the_lag_follows_the_share_of_moves() {
        let lag =
            |sweeps_a_move, looks| chosen(Duration::from_micros(20), sweeps_a_move, looks).lag;
        assert_eq!([1, 65, 130, 10_000].map(|looks| lag(20, looks)), [16, 32, 64, MOST_LAG]);
        assert_eq!([200, 1_000].map(|sweeps| lag(sweeps, 10_000)), [LEAST_LAG; 2]);
        let mut derived = Derived::new(Instant::ZERO);
        for look in 1..=4 * u64::from(LOOKS) {
            let moves = 5 * u64::from(look <= 128);
            let seen = Seen { parts: 8, updates: look * 100, moves, spread: 0 };
            derived.observe(Instant(look * 1_000), seen);
        }
        assert_eq!(derived.chosen().lag, LEAST_LAG, "up with the moves, and down again without");
    }

    /// Returns whether borrowing is not enough after looks that are 10 iterations of 8 subdomains
    /// apart, with these spreads.
    fn is_not_enough(spreads: impl Iterator<Item = u64>) -> bool {
        let mut derived = Derived::new(Instant::ZERO);
        for (spread, look) in spreads.zip(1..) {
            let seen = Seen { parts: 8, updates: 80 * look, moves: 0, spread };
            derived.observe(Instant(look * 1_000), seen);
        }
        derived.unexplained_spread().is_some()
    }

    #[test]
    fn stops_that_come_again_and_again_are_too_many() {
        // A lag of 16 and 10 iterations, four times.
        let explained = 4 * (16 + 10);
        let spreads = |far: usize, of: usize, looks: usize| {
            let spread = move |look| explained + u64::from(look % of < far);
            is_not_enough((0..looks).map(spread))
        };
        assert!(!spreads(0, 1, 10_000), "what a lag and a look explain");
        assert_eq!([7, 8].map(|looks| spreads(1, 1, looks)), [false, true]);
        assert!(!spreads(7, 150, 10_000), "a stop every now and then");
        assert!(spreads(7, 100, 10_000), "a stop before the last one is forgotten");
    }

    #[test]
    fn a_run_turns_once() {
        let mut derived = Derived::new(Instant::ZERO);
        for look in 1..=64 {
            let seen = Seen { parts: 8, updates: 80 * look, moves: 0, spread: 500 };
            derived.observe(Instant(look * 1_000), seen);
        }
        assert_eq!(derived.unexplained_spread(), Some(500));
        derived.record_switch(Instant(70_000), 500);
        assert_eq!(derived.chosen().switched, Some(Switched { at: Instant(70_000), spread: 500 }));
        assert_eq!(derived.unexplained_spread(), None);
    }
}
