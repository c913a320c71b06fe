//! Control over the workers of a node: brings all to a halt together, and lets them go on.

use super::SharedNumber;
use crate::progress::Progress;
use crate::run::RunConfig;
use crate::schedule::updates_asked;

/// Stands for no halt: the run goes on for ever.
const NEVER: u64 = u64::MAX;

/// The halts of a node's workers, and the end of their run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Control<N> {
    /// Workers halt before this iteration of theirs. In the synchronous mode it is set during the
    /// iteration before, so that the barrier between makes all of them see it in time.
    halt_at: N,
    /// The iteration before which the run is to end, in the synchronous mode.
    last: N,
    /// The sweeps of all workers here with which the run is to end, in the other modes.
    sweeps_asked: N,
    ended: N,
    saves: N,
    is_synchronous: bool,
    iterations: Option<u64>,
}

impl<N: SharedNumber> Control<N> {
    /// Returns the control before the run begins, with no halt in sight.
    pub fn new(config: &RunConfig) -> Self {
        Self {
            halt_at: N::from(NEVER),
            last: N::from(NEVER),
            sweeps_asked: N::from(NEVER),
            ended: N::from(0),
            saves: N::from(0),
            is_synchronous: config.mode.is_synchronous(),
            iterations: config.stop.iterations,
        }
    }

    /// Sets the iterations that are left of those asked for, where an earlier run has come as far
    /// as `progress`; before the first iteration. Everybody halts at once where `halts`.
    pub fn begin(&self, progress: &Progress, halts: bool) {
        if let Some(iterations) = self.iterations {
            if self.is_synchronous {
                // All counts are equal.
                self.last.store(iterations.saturating_sub(progress.least));
            } else {
                let asked = updates_asked(progress.subdomains, iterations);
                self.sweeps_asked.store(asked.saturating_sub(progress.updates));
            }
        }
        self.go_on();
        if halts {
            self.halt_at.store(0);
        }
    }

    /// Returns the sweeps that the workers here lack, beside those that are made, of the iterations
    /// that were asked for; none where no iterations end the run, or barriers count them.
    pub fn lacks(&self, made: impl FnOnce() -> u64) -> Option<u64> {
        let asked = self.sweeps_asked.load();
        (asked < NEVER).then(|| asked.saturating_sub(made()))
    }

    /// Asks for a halt before the iteration after `iteration`, which a worker is making.
    pub(super) fn halt_after(&self, iteration: u64) {
        self.halt_at.lower(if self.is_synchronous { iteration + 1 } else { 0 });
    }

    /// Makes everybody halt before an iteration that nobody has begun.
    pub fn halt_at(&self, iteration: u64) {
        self.halt_at.store(iteration);
    }

    /// Whether workers halt before this iteration of theirs.
    #[inline]
    pub fn halts(&self, iteration: u64) -> bool {
        self.halt_at.load() <= iteration
    }

    /// Sets whether everybody is to save its working set; called while all are halted.
    pub fn save_if(&self, saves: bool) {
        self.saves.store(saves.into());
    }

    /// Whether the workers are to save their working sets; asked while all are halted.
    pub fn saves(&self) -> bool {
        self.saves.load() != 0
    }

    /// Ends the run where `ends`, or lets everybody go on; only while all are halted.
    pub fn decide(&self, ends: bool) {
        if ends {
            self.ended.store(1);
        } else {
            self.go_on();
        }
    }

    fn go_on(&self) {
        self.halt_at.store(self.last.load());
    }

    /// Whether the run has ended.
    #[inline]
    pub fn has_ended(&self) -> bool {
        self.ended.load() != 0
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;

    use super::*;
    use crate::run::{Mode, Stop};

    fn control(mode: Mode, iterations: u64) -> Control<Cell<u64>> {
        let stop = Stop { iterations: Some(iterations), tolerance: None };
        Control::new(&RunConfig { mode, stop, ..RunConfig::default() })
    }

    #[test]
    fn an_asynchronous_halt_comes_at_once() {
        let control = control(Mode::Async, 100);
        control.begin(&Progress::level(0, 4), false);
        assert!(!control.halts(50));
        control.halt_after(7);
        assert!(
            [0, 7, 8, 50].map(|iteration| control.halts(iteration)).into_iter().all(|halts| halts)
        );
        control.go_on();
        assert!(!control.halts(50));
    }

    #[test]
    fn a_run_that_may_be_over_as_it_begins_halts_before_the_first_sweep() {
        for mode in [Mode::Sync, Mode::Async] {
            let control = control(mode, 100);
            control.begin(&Progress::level(0, 4), true);
            assert!(control.halts(0), "{mode:?}");
            control.decide(false);
            assert!(!control.halts(50), "{mode:?}");
        }
    }

    #[test]
    fn a_synchronous_halt_comes_before_the_next_iteration() {
        let control = control(Mode::Sync, 100);
        control.begin(&Progress::level(0, 4), false);
        control.halt_after(7);
        assert_eq!([7, 8].map(|iteration| control.halts(iteration)), [false, true]);
        // The earliest of several counts.
        control.halt_after(9);
        assert!(control.halts(8));
    }

    #[test]
    fn what_an_earlier_run_has_made_is_not_made_again() {
        let synchronous = control(Mode::Sync, 10);
        synchronous.begin(&Progress::level(7, 4), false);
        assert_eq!([2, 3].map(|iteration| synchronous.halts(iteration)), [false, true]);
        assert_eq!(synchronous.lacks(|| 0), None, "barriers count");

        let asynchronous = control(Mode::Async, 10);
        let start = Progress { least: 5, most: 9, updates: 28, subdomains: 4 };
        asynchronous.begin(&start, false);
        assert_eq!(asynchronous.lacks(|| 5), Some(7));
        assert_eq!(asynchronous.lacks(|| 13), Some(0));
    }
}
