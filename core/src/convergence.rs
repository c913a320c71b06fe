//! Detecting, then verifying, that the residual is small enough (rule 12).
//!
//! Workers publish the sum of squares of each subdomain's residual as they go. When the published
//! sums say that the tolerance is reached, the host stops everybody, takes the residual of the
//! consistent state, and asks again; only that answer ends a run.

/// Sweeps between two residuals of a subdomain, at most.
const SPARSEST: u64 = 64;
/// A run has stagnated when over half of its sweeps, and over so many of each subdomain, nothing
/// was gained.
const PATIENCE: u64 = 2_000;
/// Looks at a consistent state that must find nothing gained before a run is given up. Each of them
/// brings all halos up to date, so that a run whose workers take turns on too few cores, and sweep
/// thousands of times between halos that are out of date, gains from one to the next.
const LOOKS: u32 = 8;
/// What counts as a gain: the residual's sum of squares falls to this share of the best so far.
const GAIN: f64 = 0.999;
/// How much below the target the published sums are expected to be before a look is worth it, at
/// most. Lower ones say nothing: all subdomains have settled between halos that are out of date.
const TOO_GOOD: f64 = 1e-3;

/// Whether sweep number `count` of a subdomain takes its residual along.
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

/// What the published residuals say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detected {
    /// Not small enough yet.
    GoOn,
    /// Small enough, or not getting smaller, or not a number: look at a consistent state.
    Verify,
}

/// What the residual of a consistent state says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verified {
    /// The tolerance is reached.
    Converged,
    /// The published residuals were too good; the run goes on.
    GoOn,
    /// The residual has stopped falling above the tolerance.
    Stagnated,
    /// The residual is infinite or not a number.
    NotFinite,
}

/// The state of the decision; all residuals are sums of squares over the whole grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convergence {
    /// At or below this, the tolerance is reached; none where nothing was asked.
    target: Option<f64>,
    /// At or below this, it is worth a look.
    suspicion: f64,
    best: f64,
    best_verified: f64,
    /// The least count when something was last gained, when the published sums were last seen, and
    /// when stagnation is worth the next look.
    best_at: u64,
    latest: u64,
    next_look: u64,
    looks: u32,
    detected: Option<f64>,
    stagnating: bool,
    /// Whether a look was asked for since the last one.
    is_asked: bool,
}

impl Convergence {
    /// For a tolerance relative to the l2 norm of the initial residual, whose sum of squares is
    /// `initial`.
    pub fn new(initial: f64, tolerance: Option<f64>) -> Self {
        let target = tolerance.map(|tolerance| tolerance * tolerance * initial);
        Self {
            target,
            suspicion: target.unwrap_or(0.0),
            best: initial,
            best_verified: initial,
            best_at: 0,
            latest: 0,
            next_look: 0,
            looks: 0,
            detected: None,
            stagnating: false,
            is_asked: false,
        }
    }

    /// Looks at the sum of the published residuals when every subdomain was swept at least `least`
    /// times.
    ///
    /// The least count, since where workers share a core one of them may make thousands of sweeps
    /// while the others make none: that is no stagnation.
    pub fn detect(&mut self, sum: f64, least: u64) -> Detected {
        self.latest = least;
        if !sum.is_finite() {
            return self.ask(sum);
        }
        if sum < self.best * GAIN {
            self.best = sum;
            self.best_at = least;
        }
        let patience = if self.best_at > PATIENCE { self.best_at } else { PATIENCE };
        let waited = least.saturating_sub(self.best_at) > patience;
        self.stagnating = waited && least >= self.next_look;
        if self.target.is_some() && (sum <= self.suspicion || self.stagnating) {
            return self.ask(sum);
        }
        Detected::GoOn
    }

    fn ask(&mut self, sum: f64) -> Detected {
        self.detected = Some(sum);
        self.is_asked = true;
        Detected::Verify
    }

    /// Looks at the residual of a consistent state. A look that nobody asked for, where everybody is
    /// halted for another reason, may end a run but changes nothing else.
    pub fn verify(&mut self, sum: f64) -> Verified {
        if !sum.is_finite() {
            return Verified::NotFinite;
        }
        let Some(target) = self.target else { return Verified::GoOn };
        if sum <= target {
            return Verified::Converged;
        }
        if !core::mem::take(&mut self.is_asked) {
            return Verified::GoOn;
        }
        let honest = self.best >= sum * GAIN && sum >= self.best * GAIN;
        if !honest && sum < self.best_verified * GAIN {
            // The published sums did not show it, but something was gained.
            self.best = sum;
            self.best_at = self.latest;
            self.looks = 0;
        } else if self.stagnating {
            self.looks += 1;
            self.next_look = self.latest.saturating_add(PATIENCE / u64::from(LOOKS));
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

    /// The published sum of squares when a look was last asked for.
    pub const fn detected(&self) -> Option<f64> {
        self.detected
    }
}

/// The l2 norm of a sum of squares.
pub fn norm(sum_of_squares: f64) -> f64 {
    libm::sqrt(sum_of_squares)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let mut convergence = Convergence::new(100.0, Some(0.1));
        assert_eq!(convergence.detect(2.0, 10), Detected::GoOn);
        assert_eq!(convergence.detect(0.9, 20), Detected::Verify);
        assert_eq!(convergence.verify(1.8), Verified::GoOn);
        assert_eq!(convergence.detect(0.8, 21), Detected::GoOn, "expects the same error again");
        assert_eq!(convergence.detect(0.49, 30), Detected::Verify);
        assert_eq!(convergence.verify(0.99), Verified::Converged);
    }

    #[test]
    fn looks_that_nobody_asked_for_change_nothing() {
        let mut convergence = Convergence::new(100.0, Some(0.1));
        assert_eq!(convergence.detect(50.0, 1), Detected::GoOn);
        let before = convergence;
        assert_eq!(convergence.verify(52.0), Verified::GoOn);
        assert_eq!(convergence, before, "as for a checkpoint on the way");
        assert_eq!(convergence.detect(1.0, 2), Detected::Verify, "at the tolerance, as ever");
        assert_eq!(convergence.verify(1.1), Verified::GoOn);
        let before = convergence;
        assert_eq!(convergence.verify(1.05), Verified::GoOn);
        assert_eq!(convergence, before);
        assert_eq!(convergence.verify(0.9), Verified::Converged, "though nobody asked");
    }

    #[test]
    fn looks_for_stagnation_do_not_make_suspicious() {
        let mut convergence = Convergence::new(100.0, Some(0.1));
        assert_eq!(convergence.detect(50.0, 20_000), Detected::GoOn);
        assert_eq!(convergence.detect(50.0, 20_300), Detected::GoOn, "has hardly waited");
        assert_eq!(convergence.detect(50.0, 40_001), Detected::Verify, "has made as many again");
        assert_eq!(convergence.verify(50.0), Verified::GoOn);
        assert_eq!(convergence.detect(1.0, 40_002), Detected::Verify, "at the tolerance, as ever");
    }

    #[test]
    fn a_residual_that_no_longer_falls_ends_the_run_unconverged() {
        let mut convergence = Convergence::new(1.0, Some(1e-12));
        assert_eq!(convergence.detect(0.5, 5_000), Detected::GoOn);
        assert_eq!(convergence.detect(0.5, 10_000), Detected::GoOn);
        for look in 1..LOOKS {
            assert_eq!(convergence.detect(0.5, 10_000 + 250 * u64::from(look)), Detected::Verify);
            assert_eq!(convergence.verify(0.5), Verified::GoOn);
            assert_eq!(convergence.detect(0.5, 10_001 + 250 * u64::from(look)), Detected::GoOn);
        }
        assert_eq!(convergence.detect(0.5, 12_000), Detected::Verify);
        assert_eq!(convergence.verify(0.5), Verified::Stagnated);
        assert_eq!(convergence.detect(f64::NAN, 10_002), Detected::Verify);
        assert_eq!(convergence.verify(f64::NAN), Verified::NotFinite);
    }

    #[test]
    fn sums_that_were_too_good_once_do_not_end_a_run_that_gains() {
        let mut convergence = Convergence::new(1.0, Some(1e-3));
        assert_eq!(convergence.detect(0.0, 1_000), Detected::Verify, "all settled, but apart");
        assert_eq!(convergence.verify(0.5), Verified::GoOn);
        assert_eq!(convergence.detect(0.4, 3_001), Detected::GoOn);
        assert_eq!(convergence.detect(0.0, 5_002), Detected::Verify);
        assert_eq!(convergence.verify(0.2), Verified::GoOn);
        assert_eq!(convergence.detect(0.3, 10_005), Detected::Verify);
        assert_eq!(convergence.verify(0.1), Verified::GoOn);
        assert_eq!(convergence.detect(0.0, 20_011), Detected::Verify);
        assert_eq!(convergence.verify(0.1), Verified::GoOn, "as if it had just gained");
        for look in 1..=LOOKS {
            assert_eq!(convergence.detect(0.0, 40_023 + 250 * u64::from(look)), Detected::Verify);
            let end = if look < LOOKS { Verified::GoOn } else { Verified::Stagnated };
            assert_eq!(convergence.verify(0.1), end, "look {look}");
        }
    }

    #[test]
    fn a_solved_problem_is_converged_at_once() {
        let mut convergence = Convergence::new(0.0, Some(1e-4));
        assert_eq!(convergence.detect(0.0, 0), Detected::Verify);
        assert_eq!(convergence.verify(0.0), Verified::Converged);
    }
}
