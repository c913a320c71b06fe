//! Detecting, then verifying, that the residual is small enough (rule 12).
//!
//! Workers publish the sum of squares of each subdomain's residual as they go. When the published
//! sums say that the tolerance is reached, the host stops everybody, takes the residual of the
//! consistent state, and asks again; only that answer ends a run.
//!
//! A run has stagnated when every subdomain has made sweeps enough since something was last gained,
//! and the residual has not fallen. What was made of one subdomain says nothing of the others: in
//! a run that goes on with counts far apart, those that are ahead wait for the others.

use crate::run::progress::Progress;
use crate::run::{End, Stop};

/// Maximum number of sweeps of a subdomain from one residual to the next.
const SPARSEST: u64 = 64;
/// A run has stagnated when nothing was gained over half of its sweeps, and over at least this
/// number of sweeps of each subdomain.
const PATIENCE: u64 = 2_000;
/// Number of looks at a consistent state without a gain after which a run is given up. Each look
/// brings all halos up to date, so a run whose workers sweep thousands of times between stale halos
/// gains from one look to the next.
const LOOKS: u32 = 8;
/// Number of looks that may find the residual risen, and on its way, before that is no gain: with
/// each, the sweeps that are waited for double.
const RISES: u32 = 6;
/// A sum of squares counts as a gain below this share of the best one so far.
const GAIN: f64 = 0.999;
/// Published sums are honest where a verified one is at most this multiple of the lowest: rounding
/// alone scatters sums, at the bottom of what a run can reach.
const HONEST: f64 = 2.0;
/// Lower bound, as a share of the target, on the published sum that is awaited before a look. Lower
/// sums mean nothing: all subdomains have settled between stale halos.
const TOO_GOOD: f64 = 1e-3;
/// A sum of squares up to this multiple of the target is near it: twice the tolerance as a norm.
const NEAR: f64 = 4.0;

/// Whether the sweep from update count `count` of a subdomain takes the fused residual.
///
/// A residual can double the cost of a sweep. It is taken in every 64th sweep of a long run (less
/// than 2 % of the rate), and at least once in every 64th part of a short one, so a run overshoots
/// its end by less than 2 %.
#[inline]
pub const fn takes_residual(count: u64) -> bool {
    let interval = count / SPARSEST;
    let interval = if interval > SPARSEST { SPARSEST } else { interval };
    match count.checked_rem(interval) {
        Some(rest) => rest == 0,
        None => true,
    }
}

/// Finding on the published residuals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detected {
    /// The published residual is not small enough yet.
    GoOn,
    /// The published residual is small enough, or not getting smaller, or not a number: look at a
    /// consistent state.
    Verify,
}

/// Finding on the residual of a consistent state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verified {
    /// The tolerance is reached.
    Converged,
    /// The published residuals were too good; the run goes on.
    GoOn,
    /// The residual has stopped falling above the tolerance.
    Stagnated,
    /// The residual is infinite, not a number, or no sum of squares.
    NotFinite,
}

impl Verified {
    /// Returns the end of a run with this finding; none where the run goes on. `is_interrupting`
    /// says that somebody interrupts it, `is_done` that the requested iterations are made.
    pub const fn end(self, is_interrupting: bool, is_done: bool) -> Option<End> {
        match self {
            Self::Converged => Some(End::Converged),
            Self::NotFinite => Some(End::NotFinite),
            Self::Stagnated => Some(End::Stagnated),
            Self::GoOn if is_interrupting => Some(End::Interrupted),
            Self::GoOn if is_done => Some(End::Iterations),
            Self::GoOn => None,
        }
    }
}

/// The state of the decision; all residuals are sums of squares over the whole grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convergence {
    /// Sum of squares at or below which the tolerance is reached; none where no tolerance was
    /// asked.
    target: Option<f64>,
    /// Published sum of squares at or below which a look at a consistent state is worth it.
    suspicion: f64,
    /// Lowest published sum of squares so far.
    best: f64,
    /// Lowest sum of squares of a consistent state so far.
    best_verified: f64,
    /// The progress at the last gain.
    best_at: Progress,
    /// The progress at the last published sum.
    latest: Progress,
    /// The least count from which on a stagnating run is looked at again.
    next_look: u64,
    /// Number of looks without a gain.
    looks: u32,
    /// Number of looks that found the residual above an earlier one.
    rises: u32,
    /// The sum of squares at the last of these; 0 before.
    risen: f64,
    /// The published sum of squares when a look was last requested.
    detected: Option<f64>,
    /// Whether the last published sum showed stagnation.
    stagnating: bool,
    /// Whether a look was requested since the last one.
    is_asked: bool,
}

impl Convergence {
    /// Returns the state before the first sweep. `initial` is the sum of squares of the initial
    /// residual. `start` is the progress so far: a run that continues an earlier one has not
    /// stagnated since that one's start.
    pub fn new(initial: f64, stop: &Stop, start: Progress) -> Self {
        let target = stop.target(initial);
        Self {
            target,
            suspicion: target.unwrap_or(0.0),
            best: initial,
            best_verified: initial,
            best_at: start,
            latest: start,
            next_look: 0,
            looks: 0,
            rises: 0,
            risen: 0.0,
            detected: None,
            stagnating: false,
            is_asked: false,
        }
    }

    /// Judges the published sum of squares of the residual; `progress` is that of all subdomains.
    pub fn detect(&mut self, sum: f64, progress: &Progress) -> Detected {
        self.latest = *progress;
        if !is_residual(sum) {
            return self.request_look(sum);
        }
        if sum < self.best * GAIN {
            self.best = sum;
            self.best_at = *progress;
        }
        self.stagnating = self.has_waited(progress) && progress.least >= self.next_look;
        if self.target.is_some() && (sum <= self.suspicion || self.stagnating) {
            return self.request_look(sum);
        }
        Detected::GoOn
    }

    /// Whether every subdomain has made enough sweeps since the last gain to call the run
    /// stagnated.
    ///
    /// Each has made at least as many as the present lowest count exceeds the highest count at that
    /// time. So nobody has to remember the counts of all, wherever they move.
    const fn has_waited(&self, progress: &Progress) -> bool {
        let made = progress.least.saturating_sub(self.best_at.most);
        let before = self.best_at.least;
        made > if before > PATIENCE { before } else { PATIENCE }
    }

    /// Requests a look at a consistent state, because of this published sum.
    fn request_look(&mut self, sum: f64) -> Detected {
        self.detected = Some(sum);
        self.is_asked = true;
        Detected::Verify
    }

    /// Whether a sum of squares is within four times the target.
    pub fn is_near(&self, sum: f64) -> bool {
        self.target.is_some_and(|target| sum <= target * NEAR)
    }

    /// Judges the sum of squares of a consistent state. A look that was not requested, in a halt
    /// for another reason, may end the run but changes nothing else.
    pub fn verify(&mut self, sum: f64) -> Verified {
        if !is_residual(sum) {
            return Verified::NotFinite;
        }
        let Some(target) = self.target else { return Verified::GoOn };
        if sum <= target {
            return Verified::Converged;
        }
        if !core::mem::take(&mut self.is_asked) {
            return Verified::GoOn;
        }
        let honest = self.best * HONEST >= sum && sum >= self.best * GAIN;
        if !honest && sum < self.best_verified * GAIN {
            // The published sums did not show it, but something was gained.
            self.best = sum;
            self.best_at = self.latest;
            self.looks = 0;
        } else if self.stagnating && self.has_risen(sum) && self.rises < RISES {
            // It has risen, as it may at first, and may fall again from there.
            self.rises += 1;
            self.risen = sum;
            self.best = sum;
            self.best_at = self.latest;
        } else if self.stagnating {
            self.looks += 1;
            self.next_look = self.latest.least.saturating_add(PATIENCE / u64::from(LOOKS));
            if self.looks >= LOOKS {
                return Verified::Stagnated;
            }
        }
        self.best_verified = self.best_verified.min(sum);
        if self.detected.is_some_and(|detected| detected <= self.suspicion) {
            // The published sums were too good by some factor: expect the same next time, and ask
            // for a little more, so that the number of looks stays small.
            self.suspicion = (self.suspicion * (target / sum).min(0.95)).max(target * TOO_GOOD);
        }
        Verified::GoOn
    }

    /// Whether a sum is above an earlier one, and on its way up or down: since the last look that
    /// found that, it has doubled or halved. Else it only wavers.
    fn has_risen(&self, sum: f64) -> bool {
        let is_on_its_way = sum >= self.risen * HONEST || sum * HONEST <= self.risen;
        sum > self.best_verified * HONEST && is_on_its_way
    }

    /// Returns the published sum of squares for which a look was last requested.
    pub const fn detected(&self) -> Option<f64> {
        self.detected
    }
}

/// Whether a number can be a sum of squares.
fn is_residual(sum: f64) -> bool {
    sum.is_finite() && sum >= 0.0
}

/// Returns the l2 norm of a sum of squares.
pub fn norm(sum_of_squares: f64) -> f64 {
    libm::sqrt(sum_of_squares)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    fn to(tolerance: f64) -> Stop {
        Stop { tolerance: Some(tolerance), ..Stop::NEVER }
    }

    #[test]
    fn the_tolerance_that_is_met_first_ends_a_run() {
        let stop = Stop { absolute_tolerance: Some(3.0), ..to(0.1) };
        let ends = |stop: &Stop, sum| {
            Convergence::new(100.0, stop, Progress::default()).verify(sum) == Verified::Converged
        };
        assert_eq!([0.99, 1.01].map(|sum| ends(&to(0.1), sum)), [true, false]);
        assert_eq!([8.99, 9.01].map(|sum| ends(&stop, sum)), [true, false], "the absolute one");
        let large = Stop { reference: Some(50.0), ..stop };
        assert_eq!([24.9, 25.1].map(|sum| ends(&large, sum)), [true, false], "of the reference");
        let alone = Stop { tolerance: None, ..stop };
        assert_eq!([8.99, 9.01].map(|sum| ends(&alone, sum)), [true, false]);
    }

    /// Returns the progress of four subdomains at the same count.
    const fn level(count: u64) -> Progress {
        Progress::level(count, 4)
    }

    #[test]
    fn residuals_are_taken_sparsely_but_never_too_late() {
        let taken = |from: u64, to: u64| (from..to).filter(|&count| takes_residual(count)).count();
        assert_eq!(taken(0, 128), 128);
        // Miri is some hundred times slower.
        let (long, each) = if cfg!(miri) { (6_400, 101) } else { (100_000, 1) };
        assert!(taken(8_192, 8_192 + long) as u64 <= long / 64 + 1);
        for count in (0..10_000).step_by(each) {
            let soonest = (count..=count + SPARSEST).find(|&later| takes_residual(later)).unwrap();
            assert!(soonest - count <= (count / 64).clamp(1, 64));
        }
    }

    #[test]
    fn only_a_verified_residual_ends_a_run() {
        let mut convergence = Convergence::new(100.0, &to(0.1), Progress::default());
        assert_eq!(convergence.detect(2.0, &level(10)), Detected::GoOn);
        assert_eq!(convergence.detect(0.9, &level(20)), Detected::Verify);
        assert_eq!(convergence.verify(1.8), Verified::GoOn);
        assert_eq!(
            convergence.detect(0.8, &level(21)),
            Detected::GoOn,
            "expects the same error again"
        );
        assert_eq!(convergence.detect(0.49, &level(30)), Detected::Verify);
        assert_eq!(convergence.verify(0.99), Verified::Converged);
    }

    #[test]
    fn sums_that_were_far_too_good_do_not_put_off_the_next_look_for_ever() {
        let mut convergence = Convergence::new(100.0, &to(0.1), Progress::default());
        assert_eq!(convergence.detect(0.5, &level(10)), Detected::Verify);
        // A billion times as much as was published.
        assert_eq!(convergence.verify(5e8), Verified::GoOn);
        assert_eq!(convergence.detect(1.1e-3, &level(20)), Detected::GoOn);
        assert_eq!(
            convergence.detect(0.9e-3, &level(30)),
            Detected::Verify,
            "a thousandth of the target"
        );
    }

    #[test]
    fn looks_that_nobody_asked_for_change_nothing() {
        let mut convergence = Convergence::new(100.0, &to(0.1), Progress::default());
        assert_eq!(convergence.detect(50.0, &level(1)), Detected::GoOn);
        let before = convergence;
        assert_eq!(convergence.verify(52.0), Verified::GoOn);
        assert_eq!(convergence, before, "as for a checkpoint on the way");
        assert_eq!(
            convergence.detect(1.0, &level(2)),
            Detected::Verify,
            "at the tolerance, as ever"
        );
        assert_eq!(convergence.verify(1.1), Verified::GoOn);
        let before = convergence;
        assert_eq!(convergence.verify(1.05), Verified::GoOn);
        assert_eq!(convergence, before);
        assert_eq!(convergence.verify(0.9), Verified::Converged, "though nobody asked");
    }

    #[test]
    fn looks_for_stagnation_do_not_make_suspicious() {
        let mut convergence = Convergence::new(100.0, &to(0.1), Progress::default());
        assert_eq!(convergence.detect(50.0, &level(20_000)), Detected::GoOn);
        assert_eq!(convergence.detect(50.0, &level(20_300)), Detected::GoOn, "has hardly waited");
        assert_eq!(
            convergence.detect(50.0, &level(40_001)),
            Detected::Verify,
            "has made as many again"
        );
        assert_eq!(convergence.verify(50.0), Verified::GoOn);
        assert_eq!(
            convergence.detect(1.0, &level(40_002)),
            Detected::Verify,
            "at the tolerance, as ever"
        );
    }

    #[test]
    fn a_residual_that_no_longer_falls_ends_the_run_unconverged() {
        let mut convergence = Convergence::new(1.0, &to(1e-12), Progress::default());
        assert_eq!(convergence.detect(0.5, &level(5_000)), Detected::GoOn);
        assert_eq!(convergence.detect(0.5, &level(10_000)), Detected::GoOn);
        for look in 1..LOOKS {
            assert_eq!(
                convergence.detect(0.5, &level(10_000 + 250 * u64::from(look))),
                Detected::Verify
            );
            assert_eq!(convergence.verify(0.5), Verified::GoOn);
            assert_eq!(
                convergence.detect(0.5, &level(10_001 + 250 * u64::from(look))),
                Detected::GoOn
            );
        }
        assert_eq!(convergence.detect(0.5, &level(12_000)), Detected::Verify);
        assert_eq!(convergence.verify(0.5), Verified::Stagnated);
        assert_eq!(convergence.detect(f64::NAN, &level(10_002)), Detected::Verify);
        assert_eq!(convergence.verify(f64::NAN), Verified::NotFinite);
    }

    #[test]
    fn sums_that_were_too_good_once_do_not_end_a_run_that_gains() {
        let mut convergence = Convergence::new(1.0, &to(1e-3), Progress::default());
        assert_eq!(
            convergence.detect(0.0, &level(1_000)),
            Detected::Verify,
            "all settled, but apart"
        );
        assert_eq!(convergence.verify(0.5), Verified::GoOn);
        assert_eq!(convergence.detect(0.4, &level(3_001)), Detected::GoOn);
        assert_eq!(convergence.detect(0.0, &level(5_002)), Detected::Verify);
        assert_eq!(convergence.verify(0.2), Verified::GoOn);
        assert_eq!(convergence.detect(0.3, &level(10_005)), Detected::Verify);
        assert_eq!(convergence.verify(0.1), Verified::GoOn);
        assert_eq!(convergence.detect(0.0, &level(20_011)), Detected::Verify);
        assert_eq!(convergence.verify(0.1), Verified::GoOn, "as if it had just gained");
        for look in 1..=LOOKS {
            assert_eq!(
                convergence.detect(0.0, &level(40_023 + 250 * u64::from(look))),
                Detected::Verify
            );
            let end = if look < LOOKS { Verified::GoOn } else { Verified::Stagnated };
            assert_eq!(convergence.verify(0.1), end, "look {look}");
        }
    }

    #[test]
    fn a_solved_problem_is_converged_at_once() {
        let mut convergence = Convergence::new(0.0, &to(1e-4), Progress::default());
        assert_eq!(convergence.detect(0.0, &level(0)), Detected::Verify);
        assert_eq!(convergence.verify(0.0), Verified::Converged);
    }

    /// Asynchronously a residual may rise by hundreds before it falls, also where it is known to
    /// converge, and stay above the first one for many thousand sweeps.
    #[test]
    fn a_residual_that_has_risen_may_still_fall() {
        let mut convergence = Convergence::new(1.0, &to(1e-4), Progress::default());
        let sum = |sweep: u64| {
            let sweep = sweep as f64;
            1.0 + sweep * libm::exp(-sweep / 3_000.0) - sweep.min(60_000.0) / 60_000.0
        };
        let ends = |sweep: &u64| {
            convergence.detect(sum(*sweep), &level(*sweep)) == Detected::Verify
                && convergence.verify(sum(*sweep)) != Verified::GoOn
        };
        let end = (0..100_000).find(ends);
        assert!(end.is_some_and(|end| end > 59_000), "{end:?}");
        assert_eq!(convergence.verify(sum(90_000)), Verified::Converged);
    }

    #[test]
    fn what_stays_above_the_first_residual_ends() {
        let mut convergence = Convergence::new(1.0, &to(1e-4), Progress::default());
        let sum = |sweep: u64| if sweep < 100 { 1.0 } else { 100.0 + (sweep % 7) as f64 };
        let ends = |sweep: &u64| {
            convergence.detect(sum(*sweep), &level(*sweep)) == Detected::Verify
                && convergence.verify(sum(*sweep)) == Verified::Stagnated
        };
        let end = (0..1_000_000).find(ends);
        assert!(end.is_some_and(|end| end < 200_000), "{end:?}");
    }

    /// A singular system without a solution: blocks that have settled publish nothing, and whenever
    /// one looks the residual is another one of the same size.
    #[test]
    fn a_residual_that_wavers_above_its_lowest_ends() {
        let mut ends: [u64; 100] = core::array::from_fn(|seed| {
            let mut rng = Rng::new(seed as u64, 1);
            let mut convergence = Convergence::new(36.0, &to(1e-8), Progress::default());
            let ends = |sweep: &u64| {
                let sum = if *sweep < 1_000 { 7.0 } else { 16.0 + f64::from(rng.below(13)) };
                convergence.detect(if sweep.is_multiple_of(2) { 0.0 } else { sum }, &level(*sweep))
                    == Detected::Verify
                    && convergence.verify(sum) == Verified::Stagnated
            };
            (0..10_000_000).find(ends).unwrap_or(u64::MAX)
        });
        ends.sort_unstable();
        assert!(ends[50] < 20_000 && ends[99] < 80_000, "{ends:?}");
    }

    #[test]
    fn a_negative_sum_is_none_of_squares() {
        let mut convergence = Convergence::new(1.0, &to(1e-4), Progress::default());
        assert_eq!(convergence.detect(-1.0, &level(5)), Detected::Verify);
        assert_eq!(convergence.verify(-1.0), Verified::NotFinite);
    }

    /// At the bottom of what rounding allows, sums scatter, and the lowest one so far falls on and
    /// on, ever more slowly.
    #[test]
    fn a_residual_that_rounding_scatters_has_stopped_falling() {
        let mut ends: [u64; 100] = core::array::from_fn(|seed| sweeps_to_the_end(seed as u64));
        ends.sort_unstable();
        assert!(ends[50] < 10_000 && ends[99] < 80_000, "{ends:?}");
    }

    /// Returns the sweeps after which a run ends whose sums scatter by a tenth, as this seed says.
    fn sweeps_to_the_end(seed: u64) -> u64 {
        let mut random = Rng::new(seed, 0);
        let mut scattered = || 1e-28 * (0.9 + 2e-7 * f64::from(random.below(1_000_001)));
        let mut convergence = Convergence::new(1.0, &to(1e-17), Progress::default());
        let ends = |sweep: &u64| {
            let fallen = libm::pow(0.8, *sweep as f64);
            convergence.detect(fallen + scattered(), &level(*sweep)) == Detected::Verify
                && convergence.verify(fallen + scattered()) == Verified::Stagnated
        };
        (0..1_000_000).find(ends).unwrap_or(u64::MAX)
    }

    /// The sums of a run that goes on with counts of 48,000 beside 18,000, of which nobody may be
    /// more than two ahead of a neighbour: until the others have come near, those ahead wait, and
    /// what they lack is all that is left of the residual.
    #[test]
    fn those_who_are_ahead_and_wait_do_not_make_a_run_stagnate() {
        let counts = |behind: u64| {
            let ahead = behind.saturating_add(2).max(48_000);
            Progress::of([ahead, ahead, behind, behind].into_iter())
        };
        let mut convergence = Convergence::new(1e6, &to(1e-4), counts(18_000));
        assert_eq!(convergence.detect(1.0, &counts(18_000)), Detected::GoOn);
        // Long after the sweeps of those behind have doubled, those ahead have made none.
        for behind in (18_000..=50_000).step_by(250) {
            let detected = convergence.detect(0.9999, &counts(behind));
            assert_eq!(detected, Detected::GoOn, "at {behind}");
        }
        // A look is worth it as soon as all have made as many again as the least had.
        assert_eq!(convergence.detect(0.9999, &counts(66_001)), Detected::Verify);
        assert_eq!(convergence.verify(0.9999), Verified::GoOn, "the first of several looks");
    }

    #[test]
    fn a_run_that_goes_on_has_not_waited_since_the_start_of_the_earlier_one() {
        let mut convergence = Convergence::new(1.0, &to(1e-4), level(30_000));
        assert_eq!(convergence.detect(1.0, &level(30_000)), Detected::GoOn, "has made nothing yet");
        assert_eq!(convergence.detect(1.0, &level(59_000)), Detected::GoOn);
        assert_eq!(convergence.detect(1.0, &level(60_001)), Detected::Verify);
    }
}
