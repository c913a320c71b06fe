//! When the cycles may end.

use crate::run::Stop;

/// Factor by which the sum of squares must fall for something to be gained; a cycle takes it to
/// some fiftieth.
const GAIN: f64 = 0.8;

/// Cycles without a gain after which nothing more is to be expected, where rounding keeps the
/// residual where it is.
const PATIENCE: u32 = 4;

/// The same for conjugate gradients.
const PATIENCE_WITH_CONJUGATE_GRADIENTS: u32 = 12;

/// Cycles without a gain above the level of rounding after which nothing more is to be expected:
/// conjugate gradients may stay on a plateau for dozens of cycles, where a medium has many narrow
/// ways.
const PLATEAU: u32 = 400;

/// What the residual after a cycle says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The cycles go on.
    GoOn,
    /// The tolerance is reached.
    Reached,
    /// The residual has stopped falling.
    Stagnates,
    /// The residual is infinite or not a number.
    NotFinite,
}

/// What the cycles have gained so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// The residual's sum of squares when something was gained for the last time.
    pub best: f64,
    /// Cycles since then.
    pub without: u32,
}

/// Judges the residual after each cycle; all residuals are sums of squares over the whole grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ending {
    /// The sum of squares at which the tolerance is reached, where there is one.
    target: Option<f64>,
    gains: Gains,
    /// Cycles without a gain that are waited for at the level of rounding.
    patience: u32,
}

impl Ending {
    /// Returns the state for tolerances, where the sum of squares of the initial residual is
    /// `initial`.
    pub fn new(initial: f64, stop: &Stop) -> Self {
        let target = stop.target(initial);
        Self { target, gains: Gains { best: initial, without: 0 }, patience: PATIENCE }
    }

    /// Returns the same after cycles that have gained something.
    pub const fn after(self, gains: Gains) -> Self {
        Self { gains, ..self }
    }

    /// Returns what the cycles have gained.
    pub const fn gains(&self) -> Gains {
        self.gains
    }

    /// Returns the same for conjugate gradients, whose residual may rise for some cycles.
    pub const fn of_conjugate_gradients(self) -> Self {
        Self { patience: PATIENCE_WITH_CONJUGATE_GRADIENTS, ..self }
    }

    /// Judges the residual's sum of squares after one more cycle. `rounding` returns the level at
    /// which rounding keeps it, and is asked only where nothing was gained for some cycles. Without
    /// a tolerance nothing is reached and nothing stagnates: the cycles that were asked for are
    /// made.
    pub fn judge(&mut self, sum: f64, rounding: impl FnOnce() -> f64) -> Finding {
        if !sum.is_finite() {
            return Finding::NotFinite;
        }
        if sum < self.gains.best * GAIN {
            self.gains = Gains { best: sum, without: 0 };
        } else {
            self.gains.without = self.gains.without.saturating_add(1);
        }
        match self.target {
            Some(target) if sum <= target => Finding::Reached,
            Some(_) if self.gains.without >= PLATEAU => Finding::Stagnates,
            Some(_) if self.gains.without >= self.patience && sum <= rounding() => {
                Finding::Stagnates
            }
            _ => Finding::GoOn,
        }
    }

    /// Whether a verified residual is within the tolerance.
    pub fn is_reached(&self, verified: f64) -> bool {
        self.target.is_some_and(|target| verified <= target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(tolerance: f64) -> Stop {
        Stop { tolerance: Some(tolerance), ..Stop::NEVER }
    }

    #[test]
    fn cycles_end_at_the_tolerance_or_where_nothing_is_gained() {
        let mut ending = Ending::new(100.0, &to(0.1));
        assert_eq!(ending.judge(2.0, || f64::INFINITY), Finding::GoOn);
        assert_eq!(ending.judge(1.0, || f64::INFINITY), Finding::Reached);
        assert!(ending.is_reached(1.0) && !ending.is_reached(1.1));
        let mut ending = Ending::new(100.0, &to(1e-9));
        assert_eq!(ending.judge(1.0, || f64::INFINITY), Finding::GoOn);
        for _ in 1..PATIENCE {
            assert_eq!(ending.judge(0.9, || f64::INFINITY), Finding::GoOn);
        }
        let resumed = Ending::new(100.0, &to(1e-9)).after(ending.gains());
        for mut ending in [ending, resumed] {
            assert_eq!(ending.judge(0.9, || f64::INFINITY), Finding::Stagnates);
        }
        assert_eq!(ending.judge(f64::NAN, || f64::INFINITY), Finding::NotFinite);
        let mut ending = Ending::new(0.0, &to(1e-9));
        assert_eq!(ending.judge(0.0, || f64::INFINITY), Finding::Reached, "solved before");
        let mut ending = Ending::new(1.0, &Stop::NEVER);
        assert!((0..99).all(|_| ending.judge(1.0, || f64::INFINITY) == Finding::GoOn));
    }

    #[test]
    fn a_plateau_above_the_level_of_rounding_is_waited_out() {
        let mut ending = Ending::new(100.0, &to(1e-9)).of_conjugate_gradients();
        let cycles = |ending: &mut Ending, rounding: f64| {
            (1..1_000).find(|_| ending.judge(99.0, || rounding) == Finding::Stagnates)
        };
        assert_eq!(cycles(&mut ending.clone(), 98.0), Some(PLATEAU));
        assert_eq!(cycles(&mut ending, 99.0), Some(PATIENCE_WITH_CONJUGATE_GRADIENTS));
    }
}
