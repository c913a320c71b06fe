//! The method of a run, and the flags that go with it.

use super::choices::{MethodChoice, RunFlags};
use super::error::FrontError;
use crate::solvers::{Method, MultigridChoices};

/// Returns the method that was chosen; fails where another choice belongs to the other method.
pub(super) fn method(choices: &RunFlags) -> Result<Method, FrontError> {
    if choices.method != Some(MethodChoice::Multigrid) {
        let given = [
            ("--smoothing", choices.smoothing),
            ("--coarsest", choices.coarsest),
            ("--coarse-cycles", choices.coarse_cycles),
        ];
        return match given.into_iter().find(|(_, value)| value.is_some()) {
            Some((flag, _)) => Err(FrontError::OnlyMultigrid { flag }),
            None => Ok(Method::Jacobi),
        };
    }
    if let Some(flag) = flag_of_jacobi(choices) {
        return Err(FrontError::NotMultigrid { flag });
    }
    let default = MultigridChoices::default();
    Ok(Method::Multigrid(MultigridChoices {
        smoothing: choices.smoothing.unwrap_or(default.smoothing),
        coarsest: choices.coarsest.unwrap_or(default.coarsest),
        coarse_cycles: choices.coarse_cycles.unwrap_or(default.coarse_cycles),
    }))
}

/// Returns the first flag that was given and belongs to Jacobi iteration alone.
fn flag_of_jacobi(choices: &RunFlags) -> Option<&'static str> {
    let given = [
        ("--mode", choices.mode.is_some()),
        ("--balance", choices.balance.is_some()),
        ("--no-help", choices.no_help),
        ("--always-help", choices.always_help),
        ("--pairs", choices.pairs.is_some()),
        ("--low", choices.low.is_some()),
        ("--high", choices.high.is_some()),
        ("--dead-band", choices.dead_band.is_some()),
        ("--imbalance", choices.imbalance.is_some()),
    ];
    given.into_iter().find_map(|(flag, is_given)| is_given.then_some(flag))
}
