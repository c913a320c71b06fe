//! The outer iterations of a trial: whether there is another one.

use crate::balance::grapevine::config::Config;
use crate::balance::objects::{Average, Millionths};

/// Continuation of a trial after the iterations so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The iteration of this number, from 0.
    Iteration(u32),
    /// The end of the trial.
    End,
    /// The end of the whole run: the target is reached.
    Reached,
}

/// The outer iterations of a trial so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct OuterIterations {
    made: u32,
    /// The number of iterations in which nothing moved, counted back from the last one.
    idle: u32,
}

impl OuterIterations {
    /// Returns whether the trial goes on, where the highest load is `max`.
    pub fn next(self, config: &Config, average: Average, max: u64) -> Next {
        if self.made == config.iterations || self.idle == config.idle && self.idle > 0 {
            return Next::End;
        }
        let Millionths(target) = config.target;
        let limit = Millionths(target.saturating_add(Millionths::ONE.0));
        if average.is_exceeded(limit, max) { Next::Iteration(self.made) } else { Next::Reached }
    }

    /// Counts an iteration with this number of transfers.
    pub fn count(&mut self, transfers: u64) {
        self.made += 1;
        self.idle = if transfers == 0 { self.idle + 1 } else { 0 };
    }
}

/// Whether a placement is taken instead of the one that was taken so far.
pub fn is_taken(config: &Config, max: u64, before: u64) -> bool {
    !config.keep_best || max < before
}

/// An attempt that makes less than this share of its iteration's transfers is the last one. With
/// one in 256, one seed in twenty of 10,000 objects on 16 of 4,096 processors ends above 0.05; with
/// all attempts, 10,000,000 objects on 2^20 processors take twice as long.
const LEAST_SHARE: u64 = 512;

/// Whether another attempt is worth its cost after one with `transfers` of its iteration's
/// transfers: the remaining objects move sooner with the next gossip. Where few objects move it
/// always is.
pub fn is_worth_another(transfers: u64, in_iteration: u64) -> bool {
    transfers.saturating_add(1).saturating_mul(LEAST_SHARE) >= in_iteration
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One that is only as good would move objects for nothing.
    #[test]
    fn a_placement_is_taken_only_where_it_is_better() {
        let best = Config { keep_best: true, ..Config::SLIDES };
        assert_eq!([4, 5, 6].map(|max| is_taken(&best, max, 5)), [true, false, false]);
        let last = Config { keep_best: false, ..best };
        assert!([4, 5, 6].into_iter().all(|max| is_taken(&last, max, 5)));
    }

    #[test]
    fn attempts_end_only_where_much_has_moved_and_little_does() {
        assert!(is_worth_another(0, LEAST_SHARE));
        assert!(!is_worth_another(0, LEAST_SHARE + 1));
        assert!(is_worth_another(9, 10 * LEAST_SHARE));
        assert!(!is_worth_another(9, 10 * LEAST_SHARE + 1));
        assert!(is_worth_another(u64::MAX, u64::MAX));
    }
}
