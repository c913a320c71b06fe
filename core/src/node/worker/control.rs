//! Control over the workers of a node: brings all to a halt together, and lets them go on.

use super::pass::{Pass, Work};
use super::verdict::Verdict;
use crate::base::SharedNumber;
use crate::run::progress::Progress;
use crate::run::schedule::updates_asked;
use crate::run::{Mode, RunConfig};

/// Sentinel for no halt: the run goes on for ever.
const NEVER: u64 = u64::MAX;

/// The halts of a node's workers, and the end of their run.
///
/// A halt is no barrier: the worker whose turn it is begins it, and then the node goes from
/// [`Pass`] to pass, each over as soon as all parts of the node are done, by whoever that is.
///
/// It is on cache lines of its own: every worker reads it in every iteration, and its neighbours in
/// memory may be written as often.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[repr(align(128))]
pub struct Control<N> {
    /// The pass of the node.
    pass: N,
    /// What is left to do in this pass: one for each part, and one for the worker that began it.
    left: N,
    /// Number of parts of the node.
    parts: N,
    /// Workers halt before this iteration. In the synchronous mode it is set during the iteration
    /// before, so that all see it after the barrier. In the exact mode it is the count that no
    /// subdomain exceeds.
    halt_at: N,
    /// In the exact mode, 1 while a halt is requested whose count is not set yet.
    is_requested: N,
    /// In the exact mode, 1 once all nodes have agreed on the count of the next halt.
    is_agreed: N,
    /// The iteration before which the run ends in the synchronous mode; its last count in the exact
    /// mode.
    last: N,
    /// In the other modes, the number of sweeps of all workers here with which the run ends.
    sweeps_asked: N,
    ended: N,
    saves: N,
    /// Number of updates that an earlier run has made.
    before: N,
    /// 1 where parts are claimed for one sweep at a time.
    visits: N,
    mode: Mode,
    iterations: Option<u64>,
}

impl<N: SharedNumber> Control<N> {
    /// Returns the control of a node with this number of parts, before the run, with no halt in
    /// sight.
    pub fn new(config: &RunConfig, parts: u64) -> Self {
        Self {
            pass: N::from(Pass::first().word()),
            left: N::from(parts.saturating_add(1)),
            parts: N::from(parts),
            halt_at: N::from(NEVER),
            is_requested: N::from(0),
            is_agreed: N::from(0),
            last: N::from(NEVER),
            sweeps_asked: N::from(NEVER),
            ended: N::from(0),
            saves: N::from(0),
            before: N::from(0),
            visits: N::from(config.visits().into()),
            mode: config.mode,
            iterations: config.stop.iterations,
        }
    }

    /// Returns the pass that the workers of the node are in.
    #[inline]
    pub fn pass(&self) -> Pass {
        Pass::decode(self.pass.load())
    }

    /// Sets the number of parts of the node: where there are other nodes, while all parts are
    /// frozen.
    pub fn count_parts(&self, parts: u64) {
        self.parts.store(parts);
    }

    /// Begins the next pass. Only one worker may call it: the one that has the turn, or has ended
    /// the last pass.
    pub(super) fn go_to(&self, work: Work) {
        self.left.store(self.parts.load().saturating_add(1));
        self.pass.store(self.pass().next(work).word());
    }

    /// Subtracts what a worker has done from what is left in the pass; returns whether that ends
    /// the pass.
    pub(super) fn handle_done(&self, number: u64) -> bool {
        // A worker that has done nothing may come when the pass has long been over.
        number > 0 && self.left.subtract(number) == 0
    }

    /// Sets how many of the requested iterations are left after `progress`, that of an earlier run.
    /// Called before the first iteration. Where `halts`, everybody halts at once.
    pub fn begin(&self, progress: &Progress, halts: bool) {
        if let Some(iterations) = self.iterations {
            match self.mode {
                // All counts are equal.
                Mode::Sync => self.last.store(iterations.saturating_sub(progress.least)),
                Mode::Exact => self.last.store(iterations),
                Mode::SemiSync(_) | Mode::Async => {
                    let asked = updates_asked(progress.subdomains, iterations);
                    self.sweeps_asked.store(asked.saturating_sub(progress.updates));
                }
            }
        }
        self.before.store(progress.updates);
        self.go_on();
        if halts {
            self.halt_at.store(0);
        }
    }

    /// Returns the number of sweeps that the workers here still lack; `made` returns those they
    /// have made. None where sweeps do not end the run: no iterations are requested, or barriers or
    /// counts end it.
    pub fn lacks(&self, made: impl FnOnce() -> u64) -> Option<u64> {
        let asked = self.sweeps_asked.load();
        (asked < NEVER).then(|| asked.saturating_sub(made()))
    }

    /// Requests a halt before this iteration, the next one of a worker that has its turn.
    pub(super) fn halt_before(&self, iteration: u64) {
        match self.mode {
            Mode::Sync => self.halt_at.lower(iteration),
            Mode::Exact => self.is_requested.store(1),
            Mode::SemiSync(_) | Mode::Async => self.halt_at.lower(0),
        }
    }

    /// In the exact mode, stops all parts of this node until all nodes have agreed on the count at
    /// which they halt.
    pub(super) fn freeze(&self) {
        if !self.is_agreed() {
            self.halt_at.lower(0);
        }
    }

    /// Whether all nodes have agreed on the count of the next halt.
    pub(super) fn is_agreed(&self) -> bool {
        self.is_agreed.load() != 0
    }

    /// Lets all parts go on to `count` and halt there: the highest count of all nodes, while none
    /// of them goes on. It does not exceed the last requested count, as no part does.
    pub fn agree(&self, count: u64) {
        self.halt_at.store(count);
        self.is_agreed.store(1);
    }

    /// Whether halts allow an update of the claimed part at `version`, whose neighbours its worker
    /// has read. In the exact mode, sets the count at which all halt, where a halt is requested.
    ///
    /// No part is further ahead of another than there are links between them, at most `diameter`
    /// ([`Graph::diameter`](crate::parts::Graph::diameter)). So while this part stays at `version`,
    /// none exceeds the count that is set here. A worker that could update a part beyond it has
    /// read a neighbour that went on after one that went on after this one, and so sees the count:
    /// but only if it asks after it has read.
    #[inline]
    pub fn admits(&self, version: u64, diameter: u64) -> bool {
        if self.mode != Mode::Exact {
            return true;
        }
        if self.is_requested.load() != 0 {
            self.halt_at.lower(version.saturating_add(diameter));
        }
        !self.halts(version)
    }

    /// In the exact mode, whether all `parts` are at the count of the halt, where workers have
    /// `made` this number of updates. No part goes beyond that count, so the mean tells.
    #[inline]
    pub fn is_reached(&self, made: u64, parts: u64) -> bool {
        if self.mode != Mode::Exact {
            return false;
        }
        let mean = self.before.load().saturating_add(made).checked_div(parts);
        mean.is_some_and(|mean| self.halts(mean))
    }

    /// Sets the iteration before which everybody halts; nobody has begun it yet.
    pub fn halt_at(&self, iteration: u64) {
        self.halt_at.store(iteration);
    }

    /// Whether workers halt before this iteration; in the exact mode, whether a part at this count
    /// halts.
    #[inline]
    pub fn halts(&self, iteration: u64) -> bool {
        self.halt_at.load() <= iteration
    }

    /// Whether all parts are to be saved. Valid while all are frozen.
    pub fn saves(&self) -> bool {
        self.saves.load() != 0
    }

    /// Applies a verdict while all parts are frozen: ends the run or lets everybody go on, and
    /// before that has all parts saved, as it says.
    pub fn carry_out(&self, verdict: &Verdict) {
        self.saves.store(verdict.saves.into());
        if verdict.switches_at.is_some() {
            self.visits.store(1);
        }
        if verdict.end.is_some() {
            self.ended.store(1);
        } else {
            self.go_on();
        }
    }

    /// Withdraws the halt, so that everybody goes on to the last requested iteration.
    fn go_on(&self) {
        self.is_requested.store(0);
        self.is_agreed.store(0);
        self.halt_at.store(self.last.load());
    }

    /// Whether parts are claimed for one sweep at a time, as opposed to being kept; the same from
    /// one halt to the next, at which a run may turn to it ([`Verdict::switches_at`]).
    #[inline]
    pub fn visits(&self) -> bool {
        self.visits.load() != 0
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

    use super::super::HaltStatus;
    use super::*;
    use crate::run::Stop;

    fn control(mode: Mode, iterations: u64) -> Control<Cell<u64>> {
        let stop = Stop { iterations: Some(iterations), ..Stop::NEVER };
        Control::new(&RunConfig { mode, stop, ..RunConfig::default() }, 4)
    }

    #[test]
    fn an_asynchronous_halt_comes_at_once() {
        let control = control(Mode::Async, 100);
        control.begin(&Progress::level(0, 4), false);
        assert!(!control.halts(50));
        control.halt_before(8);
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
            control.carry_out(&Verdict::go_on(1.0, &HaltStatus::default()));
            assert!(!control.halts(50), "{mode:?}");
        }
    }

    #[test]
    fn a_synchronous_halt_comes_before_the_next_iteration() {
        let control = control(Mode::Sync, 100);
        control.begin(&Progress::level(0, 4), false);
        control.halt_before(8);
        assert_eq!([7, 8].map(|iteration| control.halts(iteration)), [false, true]);
        // The earliest of several counts.
        control.halt_before(10);
        assert!(control.halts(8));
    }

    /// The part at count 7 stays while the halt is set; others may be three links away.
    #[test]
    fn an_exact_halt_comes_at_a_count_that_no_part_has_passed() {
        let control = control(Mode::Exact, 100);
        control.begin(&Progress::level(0, 4), false);
        assert!(control.admits(7, 3) && !control.halts(99) && control.halts(100));
        control.halt_before(0);
        assert!(!control.halts(99), "nobody has set a count yet");
        assert!(control.admits(7, 3));
        assert_eq!([9, 10].map(|version| control.admits(version, 3)), [true, false]);
        assert_eq!([39, 40].map(|made| control.is_reached(made, 4)), [false, true]);
        control.go_on();
        assert!(control.admits(10, 3) && !control.is_reached(40, 4));
        assert!(!control.admits(100, 3) && control.is_reached(400, 4));
    }

    #[test]
    fn nodes_freeze_until_they_agree_on_a_count() {
        let control = control(Mode::Exact, 100);
        control.begin(&Progress::level(0, 4), false);
        control.freeze();
        assert!(!control.admits(7, 3) && control.is_reached(28, 4) && !control.is_agreed());
        control.agree(9);
        assert!(control.admits(8, 3) && !control.admits(9, 3) && control.is_agreed());
        control.freeze();
        assert!(control.admits(8, 3), "all go to the count that they have agreed on");
        control.go_on();
        assert!(control.admits(99, 3) && !control.is_agreed());
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
