//! When a rank exchanges next with the others.

use crate::base::time::{Duration, Instant};
use crate::run::Stop;
use crate::run::progress::Progress;
use crate::run::schedule::updates_asked;

/// Maximum time between two exchanges, unless there are many ranks.
const PERIOD: Duration = Duration::from_millis(1);
/// Minimum time between two exchanges, for each rank that is polled.
const EACH: Duration = Duration::from_micros(20);
/// The pause before the next exchange is at most one part in this number of the time since the
/// start, so that a short run does not overshoot its end.
const SHARE: u64 = 4;

/// A rank's cadence, by which it exchanges with the others: every millisecond, and sooner at the
/// beginning and where the iterations that were asked for are nearly made.
#[derive(Clone, Copy, Debug)]
pub struct Cadence {
    iterations: Option<u64>,
    /// Time of the last exchange, and the number of the rank's updates until then.
    last: (Instant, u64),
}

impl Cadence {
    /// Returns the cadence of a rank before its first exchange.
    pub const fn new(stop: &Stop) -> Self {
        Self { iterations: stop.iterations, last: (Instant::ZERO, 0) }
    }

    /// Returns the time of the next exchange after the one at `now`, which has polled `ranks`
    /// ranks. `own` is this rank's progress; `all` is that of all ranks, where it is known.
    pub fn next(
        &mut self,
        now: Instant,
        ranks: u32,
        own: &Progress,
        all: Option<&Progress>,
    ) -> Instant {
        let (since, before) = core::mem::replace(&mut self.last, (now, own.updates));
        let shortest = Duration(EACH.0.saturating_mul(ranks.max(1).into()));
        let mut pause = PERIOD.min(Duration(now.since(Instant::ZERO).0 / SHARE));
        if let Some(iterations) = self.iterations {
            let all = all.unwrap_or(own);
            let mean = all.updates.checked_div(all.subdomains).unwrap_or(0);
            let left = updates_asked(own.subdomains, iterations.saturating_sub(mean));
            // Half of the time that what is left takes, and then half of what is left then.
            let twice_made = own.updates.saturating_sub(before).saturating_mul(2);
            let half = now.since(since).0.saturating_mul(left).checked_div(twice_made);
            pause = half.map_or(pause, |half| pause.min(Duration(half)));
        }
        now.after(pause.max(shortest))
    }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may panic")]
mod tests {
    use super::*;

    /// Exchanges of one of two ranks with 4 of 8 subdomains, each of whose iterations takes 10 µs,
    /// until all have made those that were asked for; the iteration of each.
    fn exchanges(iterations: Option<u64>, last: u64) -> heapless::Vec<u64, 512> {
        let mut cadence = Cadence::new(&Stop { iterations, ..Stop::NEVER });
        let (mut now, mut seen) = (Instant::ZERO, heapless::Vec::new());
        loop {
            let made = now.0.div_ceil(10_000);
            seen.push(made).unwrap();
            if made >= last {
                return seen;
            }
            let now_at = Instant(made * 10_000);
            let (own, all) = (Progress::level(made, 4), Progress::level(made, 8));
            now = cadence.next(now_at, 2, &own, Some(&all));
        }
    }

    #[test]
    fn exchanges_are_a_millisecond_apart_but_for_the_beginning_and_the_end() {
        let forever = exchanges(None, 2_000);
        assert_eq!(forever[..4], [0, 4, 8, 12], "the cost of two ranks");
        assert_eq!(forever[forever.len() - 2..], [1_975, 2_075]);
        assert!(forever.windows(2).all(|two| two[1] <= two[0] + (two[0] / 4).clamp(4, 99) + 1));
        let ends = exchanges(Some(1_000), 1_000);
        assert!(ends.last().is_some_and(|&last| last <= 1_004), "{ends:?}");
        assert!(ends.len() < forever.len() + 16);
    }

    #[test]
    fn nothing_that_is_made_and_nobody_that_is_there_is_no_matter() {
        let mut cadence = Cadence::new(&Stop { iterations: Some(u64::MAX), ..Stop::NEVER });
        let late = Instant(u64::MAX / 2);
        let nobody = Progress::default();
        assert_eq!(cadence.next(late, 0, &nobody, None), late.after(PERIOD));
        let many = Duration(EACH.0 * 100);
        assert_eq!(cadence.next(late, 100, &Progress::level(5, 3), None), late.after(many));
    }
}
