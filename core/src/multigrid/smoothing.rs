//! The weights of the smoothing steps.

use core::f64::consts::PI;

use heapless::Vec;

/// Steps of a cycle on each level at most.
pub const MAX_STEPS: usize = 8;

/// Middle and half of the length of the interval of eigenvalues that are damped: from ½ to 2, of
/// the stencil divided by its diagonal; what is below is left to the coarser levels.
const MIDDLE: f64 = 1.25;
const HALF: f64 = 0.75;

/// Chebyshev–Jacobi smoothing: steps of damped Jacobi whose weights are the reciprocal zeros of a
/// Chebyshev polynomial.
#[derive(Clone, Debug, PartialEq)]
pub struct Smoothing {
    weights: Vec<f64, MAX_STEPS>,
}

impl Smoothing {
    /// Returns a smoothing of `steps` steps, from 1 to [`MAX_STEPS`]; none for another number. The
    /// weight of step s of m is 1 ÷ (1.25 + 0.75 · cos(π (2s + 1) ÷ 2m)).
    pub fn chebyshev(steps: usize) -> Option<Self> {
        if steps == 0 || steps > MAX_STEPS {
            return None;
        }
        let zero = |step: usize| libm::cos(PI * (2 * step + 1) as f64 / (2 * steps) as f64);
        let mut weights = Vec::new();
        for step in 0..steps {
            weights.push(1.0 / (MIDDLE + HALF * zero(step))).ok()?;
        }
        Some(Self { weights })
    }

    /// Returns the weight of each step, in the order of the steps.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_high_is_damped_and_nothing_grows() {
        for steps in 1..=MAX_STEPS {
            let smoothing = Smoothing::chebyshev(steps).unwrap();
            let damped = |eigenvalue: f64| {
                smoothing.weights().iter().map(|weight| 1.0 - weight * eigenvalue).product::<f64>()
            };
            let of_high = (0..=150).map(|step| damped(0.5 + f64::from(step) * 0.01).abs());
            let worst = of_high.fold(0.0, f64::max);
            assert!(
                worst <= libm::pow(0.601, 1.0) * libm::pow(0.4, (steps - 1) as f64),
                "{steps}: {worst}"
            );
            let of_low = (0..=50).map(|step| damped(f64::from(step) * 0.01).abs());
            assert!(of_low.fold(0.0, f64::max) <= 1.0 + 1e-12);
        }
        assert!(Smoothing::chebyshev(0).is_none() && Smoothing::chebyshev(MAX_STEPS + 1).is_none());
    }
}
