//! Detecting the end on published residuals, and deciding it on a consistent state (rule 12).

use super::verdict::{HaltStatus, Verdict};
use super::{Residuals, Sum, Taking};
use crate::base::SharedNumber;
use crate::base::time::{Duration, Instant};
use crate::run::convergence::{Convergence, Detected, Verified};
use crate::run::progress::Progress;
use crate::run::schedule::is_done;
use crate::run::{Mode, RunConfig, Stop};

/// Minimum time between two looks at the published residuals.
const PERIOD: Duration = Duration::from_millis(1);
/// Upper bound on the cost of a look, in nanoseconds for each subdomain. Looks may take 1 % of the
/// time.
const COST: u64 = 4;

/// Returns the time of the next look at the published residuals of `subdomains` subdomains.
pub fn next_look(now: Instant, subdomains: usize) -> Instant {
    let cost = Duration((subdomains as u64).saturating_mul(COST * 100));
    now.after(PERIOD.max(cost))
}

/// The progress of all nodes together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GlobalProgress {
    /// The published residuals' sum of squares.
    pub sum: f64,
    /// Highest and lowest counts, and all updates.
    pub progress: Progress,
    /// The residual of a version that has become known, in the exact mode.
    pub known: Option<Sum>,
}

/// State of the detection, which goes from turn to turn, and decides whether a run has come to its
/// end.
#[derive(Clone, Copy, Debug)]
pub struct Detection {
    mode: Mode,
    stop: Stop,
    convergence: Convergence,
    /// What the residual of a version has shown and nobody has halted for yet.
    found: Verified,
    due: Instant,
    spread_max: u64,
}

impl Detection {
    /// Returns the state before the run; the first look is due at once.
    pub fn new(config: &RunConfig) -> Self {
        Self {
            mode: config.mode,
            stop: config.stop,
            convergence: Convergence::new(0.0, &Stop::NEVER, Progress::default()),
            found: Verified::GoOn,
            due: Instant::ZERO,
            spread_max: 0,
        }
    }

    /// Begins the detection of a run. `initial` is what the tolerance is relative to, unless there
    /// is a reference; `sum` is the present residual, both as sums of squares; `start` is the
    /// present progress. Returns whether everybody halts before the first sweep.
    pub fn begin(&mut self, initial: f64, sum: f64, start: &Progress) -> bool {
        self.convergence = Convergence::new(initial, &self.stop, *start);
        self.convergence.detect(sum, start) == Detected::Verify
    }

    /// Returns the time of the next look at the published residuals.
    pub const fn due(&self) -> Instant {
        self.due
    }

    /// Sets the time of the next look.
    pub const fn set_due(&mut self, due: Instant) {
        self.due = due;
    }

    /// Looks for the end of the run, and returns whether all are to halt. Where `versions` are
    /// collected, it goes by the residual of a version that has become known; otherwise by
    /// `published`, the sum over what parts have published.
    pub fn look<N: SharedNumber>(
        &mut self,
        published: impl FnOnce() -> f64,
        versions: Option<(&Residuals<N>, Option<Sum>)>,
        progress: &Progress,
    ) -> bool {
        match versions {
            Some((residuals, known)) => self.look_at_version(residuals, known, progress),
            None => self.look_at_published(published(), progress),
        }
    }

    /// Looks at the sum of squares of the published residuals and at the progress of all
    /// subdomains; returns whether all are to halt.
    pub fn look_at_published(&mut self, sum: f64, progress: &Progress) -> bool {
        self.note_spread(progress);
        let detected = self.convergence.detect(sum, progress) == Detected::Verify;
        // Synchronously, barriers count the iterations.
        detected || !self.mode.is_synchronous() && self.is_done(progress)
    }

    /// In the exact mode, looks at the residual of a version that has become `known`, if any;
    /// returns whether the run is over, so that all are to halt.
    ///
    /// This is detection and verification at once, as the residual of a version is that of a
    /// consistent state. Where it is to be verified, shares are taken separately from then on, as
    /// in a halt, and nobody has to stop for them.
    pub fn look_at_version<N: SharedNumber>(
        &mut self,
        residuals: &Residuals<N>,
        known: Option<Sum>,
        progress: &Progress,
    ) -> bool {
        self.note_spread(progress);
        if let Some(Sum { version, taken, squares }) = known {
            let level = Progress::level(version, progress.subdomains);
            let detected = self.convergence.detect(squares, &level);
            match (detected, taken) {
                (Detected::GoOn, Taking::Fused) if residuals.are_asked_for() => {
                    if self.convergence.is_near(squares) {
                        residuals.take_separately();
                    }
                }
                (Detected::GoOn, _) => {}
                (Detected::Verify, Taking::Fused) => residuals.take_separately(),
                (Detected::Verify, Taking::Separate) => {
                    self.found = self.convergence.verify(squares);
                }
            }
        }
        self.found != Verified::GoOn || self.is_done(progress)
    }

    /// Decides whether the run ends, in a halt. `sum` is the sum of squares of the residual of the
    /// consistent state; `status` is what all nodes report together.
    pub fn decide(&mut self, sum: f64, status: &HaltStatus) -> Verdict {
        let HaltStatus { progress, is_interrupted, .. } = status;
        self.note_spread(progress);
        let verified = match (self.convergence.verify(sum), self.found) {
            // A residual that no longer falls says so over many versions, and not in a single one.
            (Verified::GoOn, Verified::Stagnated) => Verified::Stagnated,
            (verified, _) => verified,
        };
        self.found = Verified::GoOn;
        match verified.end(*is_interrupted, self.is_done(progress)) {
            Some(end) => Verdict::end(sum, status, end, &self.stop),
            None => Verdict::go_on(sum, status),
        }
    }

    /// Returns the published sum of squares when a look at a consistent state was last asked for.
    pub const fn detected(&self) -> Option<f64> {
        self.convergence.detected()
    }

    /// Returns the largest difference between two update counts seen so far.
    pub const fn spread_max(&self) -> u64 {
        self.spread_max
    }

    /// Takes note of the spread of the counts.
    fn note_spread(&mut self, progress: &Progress) {
        self.spread_max = self.spread_max.max(progress.spread());
    }

    /// Whether all subdomains together have made the requested iterations.
    const fn is_done(&self, progress: &Progress) -> bool {
        is_done(progress.updates, progress.subdomains, self.stop.iterations)
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;

    use super::*;
    use crate::node::worker::Shares;
    use crate::run::End;

    /// A part alone in the exact mode, with a tolerance of a tenth.
    struct Exact {
        detection: Detection,
        residuals: Residuals<Cell<u64>>,
        shares: Shares<Cell<u64>>,
    }

    impl Exact {
        fn new() -> Self {
            let stop = Stop { tolerance: Some(0.1), ..Stop::NEVER };
            let config = RunConfig { mode: Mode::Exact, stop, ..RunConfig::default() };
            let mut detection = Detection::new(&config);
            assert!(!detection.begin(1.0, 1.0, &Progress::level(0, 1)));
            Self { detection, residuals: Residuals::new(0), shares: Shares::none() }
        }

        /// Passes a version that has this residual, which rounds to that where it is taken along.
        fn passes(&mut self, version: u64, apart: f64, along: f64) -> bool {
            if let Some(taken) = self.residuals.taking_at(version) {
                let squares = if taken == Taking::Separate { apart } else { along };
                self.residuals.publish_share(&self.shares, Sum { version, taken, squares });
            }
            let progress = Progress::level(version + 1, 1);
            let known = self.residuals.find_newest([&self.shares].into_iter(), progress.least);
            self.detection.look_at_version(&self.residuals, known, &progress)
        }

        fn decide(&mut self, count: u64, sum: f64) -> Option<End> {
            let progress = Progress::level(count, 1);
            self.detection.decide(sum, &HaltStatus { progress, ..HaltStatus::default() }).end
        }
    }

    #[test]
    fn what_is_rounded_does_not_halt_anybody() {
        let mut run = Exact::new();
        assert!(!run.passes(0, 0.5, 0.5) && run.residuals.taking_at(1) == Some(Taking::Fused));
        assert!(!run.passes(1, 0.02, 0.009));
        assert_eq!(run.residuals.taking_at(2), Some(Taking::Separate), "to be verified");
        assert!(!run.passes(2, 0.015, 0.0), "short of it");
        assert!(run.passes(3, 0.007, 0.0));
        assert_eq!(run.detection.detected(), Some(0.007));
        assert_eq!(run.decide(5, 0.006), Some(End::Converged));
    }

    /// The next version is asked for before the residual of this one is judged.
    #[test]
    fn what_is_near_the_tolerance_is_taken_apart_among_nodes() {
        for (residuals, is_near) in [(Residuals::among_nodes(), true), (Residuals::new(0), false)] {
            let mut run = Exact { residuals, ..Exact::new() };
            let known = |version, squares| Some(Sum { version, taken: Taking::Fused, squares });
            let looks = [known(1, 0.05), None, known(2, 0.039)].map(|known| {
                let progress = Progress::level(9, 1);
                assert!(!run.detection.look_at_version(&run.residuals, known, &progress));
                run.residuals.taking() == Taking::Separate
            });
            assert_eq!(looks, [false, false, is_near]);
        }
    }

    #[test]
    fn versions_that_do_not_get_better_end_a_run_at_its_first_halt() {
        let mut run = Exact::new();
        let found = (0..20_000).find(|&version| run.passes(version, 0.5, 0.5));
        let found = found.expect("it has stagnated");
        assert!(found > 2_000, "{found}");
        assert_eq!(run.decide(found + 2, 0.5), Some(End::Stagnated));
    }

    #[test]
    fn what_rises_after_a_version_that_was_good_enough_goes_on() {
        let mut run = Exact::new();
        run.passes(0, 0.009, 0.009);
        assert!(run.passes(1, 0.009, 0.009));
        assert_eq!(run.decide(3, 0.02), None);
        assert!(!run.passes(4, 0.02, 0.02), "that halt is over");
    }

    /// Synchronously, the control's halt at the last iteration does it.
    #[test]
    fn a_look_at_all_iterations_that_were_asked_for_asks_for_a_halt_where_no_barrier_counts_them() {
        for (mode, asks) in [(Mode::Sync, false), (Mode::SemiSync(2), true), (Mode::Async, true)] {
            let stop = Stop { iterations: Some(10), ..Stop::NEVER };
            let mut detection = Detection::new(&RunConfig { mode, stop, ..RunConfig::default() });
            assert!(!detection.begin(1.0, 1.0, &Progress::level(0, 4)));
            assert!(!detection.look_at_published(0.5, &Progress::level(9, 4)), "{mode:?}");
            assert_eq!(detection.look_at_published(0.5, &Progress::level(10, 4)), asks, "{mode:?}");
        }
    }

    #[test]
    fn each_look_and_each_decision_sees_the_spread() {
        let mut detection = Detection::new(&RunConfig::default());
        detection.begin(1.0, 1.0, &Progress::level(0, 4));
        let counts = |least, most| Progress { least, most, updates: 4 * least, subdomains: 4 };
        detection.look_at_published(0.5, &counts(10, 17));
        assert_eq!(detection.spread_max(), 7);
        detection.look_at_published(0.5, &counts(20, 22));
        assert_eq!(detection.spread_max(), 7, "the largest");
        detection.decide(0.5, &HaltStatus { progress: counts(20, 31), ..HaltStatus::default() });
        assert_eq!(detection.spread_max(), 11);
    }
}
