//! How often to look, and how far behind a subdomain must be, by what a run is seen to do.

use crate::run::Chosen;
use crate::time::{Duration, Instant};

/// Iterations from one look to the next, unless the period comes to one of its bounds. The spread can exceed the
/// lag by about as much.
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
/// A move costs some sweeps, since the cells have to come into another cache: at more than one move in this
/// number of sweeps the lag is doubled, which halves the moves.
const FEW: u64 = 100;
/// At less than one move in this number of sweeps the lag is halved.
const RARE: u64 = 400;

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
}

impl Derived {
    /// Returns the parameters of a run that begins now.
    pub(in crate::balance) const fn new(start: Instant) -> Self {
        Self { chosen: Chosen::FIRST, last: (start, 0), looks: 0, since: (0, 0) }
    }

    /// Returns the parameters as they are now.
    pub const fn chosen(&self) -> Chosen {
        self.chosen
    }

    /// Derives them anew after a round at `now` with so many moves, where `parts` subdomains have made
    /// `updates` sweeps so far.
    pub(in crate::balance) fn look(&mut self, now: Instant, parts: u64, updates: u64, moves: u64) {
        let (time, swept) = (now.since(self.last.0), updates.saturating_sub(self.last.1));
        self.last = (now, updates);
        // Nobody has swept: the machine is very slow, or halts.
        let iteration = time.0.saturating_mul(parts).checked_div(swept).unwrap_or(u64::MAX);
        let period = iteration.saturating_mul(ITERATIONS).clamp(SHORTEST.0, LONGEST.0);
        self.chosen.period = Duration(period);

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
            derived.look(now, 8, updates, moves);
        }
        derived.chosen()
    }

    #[test]
    fn looks_are_some_iterations_apart() {
        let period = |micros| chosen(Duration::from_micros(micros), u64::MAX, 5).period;
        assert_eq!(period(2), SHORTEST);
        assert_eq!(period(50), Duration::from_micros(800));
        assert_eq!(period(50_000), LONGEST);
        let mut derived = Derived::new(Instant::ZERO);
        derived.look(Instant(1_000), 8, 0, 0);
        assert_eq!(derived.chosen().period, LONGEST, "nobody has swept");
    }

    #[test]
    fn the_lag_follows_the_share_of_moves() {
        let lag =
            |sweeps_a_move, looks| chosen(Duration::from_micros(20), sweeps_a_move, looks).lag;
        assert_eq!([1, 65, 130, 10_000].map(|looks| lag(20, looks)), [16, 32, 64, MOST_LAG]);
        assert_eq!([200, 1_000].map(|sweeps| lag(sweeps, 10_000)), [LEAST_LAG; 2]);
        let mut derived = Derived::new(Instant::ZERO);
        for look in 1..=4 * u64::from(LOOKS) {
            derived.look(Instant(look * 1_000), 8, look * 100, 5 * u64::from(look <= 128));
        }
        assert_eq!(derived.chosen().lag, LEAST_LAG, "up with the moves, and down again without");
    }
}
