//! Checks of the merged choices, before anything big is allocated.

use tresse_core::run::{Balance, Precision, RunConfig};

use super::super::choices::RunFlags;
use super::super::error::FrontError;
use crate::files::problem::Problem;
use crate::solvers::Solver;
use crate::wording;

/// Refuses a recording where no thread has a schedule.
pub(super) fn check_record(solver: Solver, is_real: bool) -> Result<(), FrontError> {
    match solver {
        _ if !is_real => Err(FrontError::RecordOfSimulation),
        Solver::Rayon => Err(FrontError::RecordOfRayon),
        Solver::Engine(_) => Ok(()),
    }
}

/// Refuses a run that needs more than the available bytes; `origin` is the flag that decided its
/// size.
pub(super) fn check_memory(
    needed: u64,
    config: &RunConfig,
    origin: String,
    available: u64,
) -> Result<(), FrontError> {
    if needed <= available {
        return Ok(());
    }
    let precision = config.precision;
    let mend = match precision {
        Precision::F64 => "choose a smaller grid, a lower --split, or --precision f32",
        Precision::F32 => "choose a smaller grid or a lower --split",
    };
    let mend = if config.helps() { "choose a smaller grid, or --no-help" } else { mend };
    Err(FrontError::Memory { origin, grid: config.grid, needed, available, precision, mend })
}

/// Checks that the squares of residuals stay finite when they are summed over the grid.
pub(super) fn check_magnitude(problem: &Problem, precision: Precision) -> Result<(), FrontError> {
    let limit = match precision {
        Precision::F32 => 1e15,
        Precision::F64 => 1e140,
    };
    // Before a source is divided by it.
    let least = problem.weight_range().least;
    if least < 1.0 / limit {
        return Err(FrontError::Coefficient { least, limit: 1.0 / limit, precision });
    }
    let magnitude = problem.magnitude();
    if magnitude <= limit {
        return Ok(());
    }
    Err(FrontError::Magnitude { magnitude, limit, precision })
}

/// Returns the warnings about what has no effect; `node_flag` is about moves between nodes.
pub(in crate::commands) fn warnings(
    config: &RunConfig,
    choices: &RunFlags,
    (solver, node_flag): (Solver, Option<&'static str>),
) -> Vec<String> {
    let mut warnings: Vec<_> = config.warnings().map(|is| wording::warning(&is)).collect();
    if let Some(tolerance) = config.stop.tolerance.filter(|&tolerance| tolerance >= 1.0) {
        warnings.push(format!(
            "--tolerance {tolerance} leaves nothing to do: the residual may stay as large as {}; give one below 1, \
             such as 1e-4",
            config.stop.relative_to().words()
        ));
    }
    let flags = [("--no-help", choices.no_help), ("--always-help", choices.always_help)];
    let balance = config.balance;
    let may_pull = matches!(balance, Balance::Pull(_) | Balance::Auto);
    for (flag, _) in flags.into_iter().filter(|&(_, is_given)| is_given && !may_pull) {
        warnings.push(format!(
            "{flag} has no effect with --balance {balance}: only with pull do workers help"
        ));
    }
    let moves_here = !matches!(balance, Balance::None | Balance::Pull(_));
    let moves = moves_here || config.nodes.balance.moves_subdomains();
    let of_algorithm = [
        ("--pairs", choices.pairs.is_some() && !moves_here),
        ("--low", choices.low.is_some() && !moves),
        ("--high", choices.high.is_some() && !moves),
        ("--dead-band", choices.dead_band.is_some() && !moves_here),
    ];
    for (flag, _) in of_algorithm.into_iter().filter(|&(_, is_idle)| is_idle) {
        warnings.push(format!("{flag} has no effect with --balance {balance}"));
    }
    if solver == Solver::Rayon && choices.split.is_some() {
        warnings.push("--split has no effect with --mode rayon, which has no subdomains".into());
    }
    if let Some(flag) = node_flag.filter(|_| !config.nodes.balance.moves_subdomains()) {
        warnings.push(format!("{flag} has no effect with --node-balance {}", config.nodes.balance));
    }
    warnings
}
