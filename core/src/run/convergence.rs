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
mod tests;
