//! Describes the effective configuration for a person.

use tresse_core::field::problem::{CellSize, Problem};
use tresse_core::run::{Balance, Imbalance, NodeBalance, Nodes, RunConfig, Stop};

use super::resolve::Resolved;
use crate::solvers::{Method, MultigridChoices};

/// Returns aligned lines, one for each choice, without a newline at the end.
pub fn describe(resolved: &Resolved) -> String {
    let Resolved { config, method, solver, .. } = resolved;
    let mut lines = vec![
        ("problem", resolved.about()),
        ("grid", format!("{} cells, {}", config.grid, config.precision)),
        ("workers", workers(config, *method)),
    ];
    match method {
        Method::Jacobi => {
            lines.extend([("mode", solver.to_string()), ("balance", balance(config))]);
        }
        Method::Multigrid(choices) => {
            lines.push(("method", multigrid(*choices, &resolved.problem)));
        }
    }
    lines.extend([("end", end(config.stop)), ("seed", config.seed.to_string())]);
    lines.extend(config.noise.iter().map(|noise| ("noise", noise.to_string())));
    let lines = lines.into_iter().map(|(name, value)| format!("{name:<9}{value}"));
    lines.collect::<Vec<_>>().join("\n")
}

impl Resolved {
    /// Returns a description of the problem, in a few words.
    pub fn about(&self) -> String {
        // The coefficient is what is said last of the problem.
        let file = self.coefficient.as_ref().map(|path| format!(" from {}", path.display()));
        let cell = self.field.cell;
        let spacing = (cell != CellSize::ONE).then(|| format!(", spacing {cell}"));
        let mask = self.mask.as_ref().map(|path| format!(", mask {}", path.display()));
        let [file, mask, spacing] = [file, mask, spacing].map(Option::unwrap_or_default);
        format!("{}{file}{mask}{spacing}", self.problem)
    }
}

/// Describes the choices about multigrid in words.
fn multigrid(choices: MultigridChoices, problem: &Problem) -> String {
    let MultigridChoices { smoothing, coarsest, coarse_cycles } = choices;
    let steps = if smoothing == 1 { "step" } else { "steps" };
    let cycles = if coarse_cycles == 1 { "cycle" } else { "cycles" };
    let levels = if problem.terms().faces.is_some() {
        "each level in a cycle of the one above"
    } else {
        "the second level in each"
    };
    format!(
        "multigrid ({smoothing} smoothing {steps}, {coarse_cycles} {cycles} on {levels}, coarsest level of {coarsest} \
         cells at most)"
    )
}

/// Describes how many workers there are, and how many subdomains or bands each of them has.
fn workers(config: &RunConfig, method: Method) -> String {
    let RunConfig { workers, split, imbalance, .. } = config;
    if let Method::Multigrid(_) = method {
        return format!("{workers}, {split} bands each at most");
    }
    let uneven = (*imbalance != Imbalance::default()).then(|| format!(", imbalance {imbalance}"));
    format!("{workers}, {split} subdomains each{}", uneven.unwrap_or_default())
}

/// Returns the description of [`describe`] with the virtual machine, in a few words.
pub fn describe_simulation(resolved: &Resolved, machine: &str) -> String {
    let Nodes { number, balance, rule, cooldown } = resolved.config.nodes;
    let mut lines = vec![describe(resolved), format!("machine  {machine}")];
    if number > 1 {
        let rule = format!("{rule} rule, cooldown {cooldown} s");
        let balance = match balance {
            NodeBalance::None | NodeBalance::Rows => balance.to_string(),
            NodeBalance::Dplb { .. } | NodeBalance::Chaos { .. } => format!("{balance} ({rule})"),
        };
        lines.push(format!("nodes    {number}, balance {balance}"));
    }
    lines.join("\n")
}

/// Describes the balancer with its parameters in words.
pub(in crate::commands) fn balance(config: &RunConfig) -> String {
    let plb = &config.plb;
    match config.balance {
        Balance::None => "none".into(),
        policy @ Balance::Pull(_) => format!("{policy} ({})", helps(config)),
        policy @ (Balance::Borrow(..) | Balance::Auto) => {
            let pull = Balance::Pull(Balance::LAG);
            let turn = if config.may_switch() {
                format!("; where that is not enough {pull}, {}", helps(config))
            } else {
                String::new()
            };
            format!("{policy} ({} borrowed in a round at most{turn})", plb.pairs)
        }
        policy => format!(
            "{policy} ({} pairs, low {}, high {}, dead band {})",
            plb.pairs, plb.low, plb.high, plb.dead_band
        ),
    }
}

/// Says whether and when workers help with a sweep of another.
const fn helps(config: &RunConfig) -> &'static str {
    match (config.helps(), config.always_help) {
        (false, _) => "nobody helps with a sweep that another is stuck in",
        (true, false) => "workers help with a sweep that another is stuck in",
        (true, true) => "workers help with a sweep that another is stuck in, from the first on",
    }
}

/// Lists the conditions that end the run, the first of which decides.
pub(in crate::commands) fn end(stop: Stop) -> String {
    let of = stop.relative_to().words();
    let tolerance = stop.tolerance.map(|tolerance| format!("residual at {tolerance:e} of {of}"));
    let absolute = stop.absolute_tolerance.map(|norm| format!("residual at {norm:e}"));
    let iterations = stop.iterations.map(|iterations| format!("{iterations} iterations"));
    [tolerance, absolute, iterations].into_iter().flatten().collect::<Vec<_>>().join(", or ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::args::{SolveArgs, resolve};

    #[test]
    fn the_defaults_read_well() {
        let mut resolved = resolve(&SolveArgs::default(), 2, u64::MAX).unwrap();
        let expected = "\
problem  Gaussian of height 10 on top, other sides 0, start 1
grid     600x300 cells, f64
workers  2, 4 subdomains each
mode     async
balance  auto (6 borrowed in a round at most; where that is not enough pull:8, workers help with a sweep that another \
         is stuck in)
end      residual at 1e-4 of the initial one
seed     1";
        assert_eq!(describe(&resolved), expected);
        resolved.config.imbalance = Imbalance { millionths: 250_000 };
        assert!(describe(&resolved).contains("\nworkers  2, 4 subdomains each, imbalance 0.25\n"));
        let choices = MultigridChoices::default();
        let told = multigrid(choices, &resolved.problem);
        assert!(told.contains("2 cycles on the second level in each"), "{told}");
        resolved.problem.cell_ratio = 2.0;
        let told = multigrid(choices, &resolved.problem);
        assert!(told.contains("2 cycles on each level in a cycle of the one above"), "{told}");
    }
}
