//! What a run by multigrid goes on from besides its fields.

use serde::{Deserialize, Serialize};
use tresse_core::multigrid::{Gains, MAX_COARSEST, MAX_CYCLES, MAX_STEPS};

use super::hex;
use crate::solvers::MultigridChoices;

/// The state of a run by multigrid, without its fields and the number of its cycles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MultigridState {
    /// Choices about the method.
    pub choices: MultigridChoices,
    /// What the cycles have gained.
    pub gains: Gains,
    /// Product that the last step of conjugate gradients began with, where there was one.
    pub last_product: Option<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MultigridForm {
    smoothing: usize,
    coarsest: usize,
    #[serde(alias = "coarse_visits")]
    coarse_cycles: usize,
    /// The bits of a double.
    #[serde(with = "hex")]
    best: u64,
    without_gain: u32,
    /// The bits of a double.
    #[serde(default, with = "hex::optional", skip_serializing_if = "Option::is_none")]
    last_product: Option<u64>,
}

impl MultigridForm {
    /// Writes the state in its form, floats as their bits.
    pub(super) fn of(state: &MultigridState) -> Self {
        let MultigridState { choices, gains, last_product } = *state;
        Self {
            smoothing: choices.smoothing,
            coarsest: choices.coarsest,
            coarse_cycles: choices.coarse_cycles,
            best: gains.best.to_bits(),
            without_gain: gains.without,
            last_product: last_product.map(f64::to_bits),
        }
    }

    /// Returns the state, or `None` where nobody can make such choices.
    pub(super) fn read(&self) -> Option<MultigridState> {
        let Self { smoothing, coarsest, coarse_cycles, best, without_gain, last_product } = *self;
        let is_possible = (1..=MAX_STEPS).contains(&smoothing)
            && (1..=MAX_COARSEST).contains(&coarsest)
            && (1..=MAX_CYCLES).contains(&coarse_cycles);
        is_possible.then(|| MultigridState {
            choices: MultigridChoices { smoothing, coarsest, coarse_cycles },
            gains: Gains { best: f64::from_bits(best), without: without_gain },
            last_product: last_product.map(f64::from_bits),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_former_name_is_read() {
        let choices = MultigridChoices { smoothing: 2, coarsest: 9, coarse_cycles: 3 };
        let gains = Gains { best: 0.5, without: 1 };
        let state = MultigridState { choices, gains, last_product: None };
        let written = serde_json::to_string(&MultigridForm::of(&state)).unwrap();
        let former = written.replace("coarse_cycles", "coarse_visits");
        assert_ne!(written, former);
        let read: MultigridForm = serde_json::from_str(&former).unwrap();
        assert_eq!(read.read(), Some(state));
    }
}
