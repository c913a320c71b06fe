//! What a run by multigrid goes on from besides its fields.

use serde::{Deserialize, Serialize};
use tresse_core::multigrid::{Gains, MAX_COARSEST, MAX_STEPS, MAX_VISITS};

use super::hex;
use crate::solvers::MultigridChoices;

/// The state of a run by multigrid, without its fields and the number of its visits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MultigridState {
    /// Choices about the method.
    pub choices: MultigridChoices,
    /// What the visits have gained.
    pub gains: Gains,
    /// Product that the last step of conjugate gradients began with, where there was one.
    pub last_product: Option<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MultigridForm {
    smoothing: usize,
    coarsest: usize,
    coarse_visits: usize,
    /// The bits of a double.
    #[serde(with = "hex")]
    best: u64,
    without_gain: u32,
    /// The bits of a double.
    #[serde(default, with = "hex::optional", skip_serializing_if = "Option::is_none")]
    last_product: Option<u64>,
}

impl MultigridForm {
    pub(super) fn of(state: &MultigridState) -> Self {
        let MultigridState { choices, gains, last_product } = *state;
        Self {
            smoothing: choices.smoothing,
            coarsest: choices.coarsest,
            coarse_visits: choices.coarse_visits,
            best: gains.best.to_bits(),
            without_gain: gains.without,
            last_product: last_product.map(f64::to_bits),
        }
    }

    /// Returns the state, or `None` where nobody can make such choices.
    pub(super) fn read(&self) -> Option<MultigridState> {
        let Self { smoothing, coarsest, coarse_visits, best, without_gain, last_product } = *self;
        let is_possible = (1..=MAX_STEPS).contains(&smoothing)
            && (1..=MAX_COARSEST).contains(&coarsest)
            && (1..=MAX_VISITS).contains(&coarse_visits);
        is_possible.then(|| MultigridState {
            choices: MultigridChoices { smoothing, coarsest, coarse_visits },
            gains: Gains { best: f64::from_bits(best), without: without_gain },
            last_product: last_product.map(f64::from_bits),
        })
    }
}
