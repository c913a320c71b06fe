//! Configuration of a run, and the check that it makes sense.

use core::fmt;

use serde::Serialize;

use super::balance::Balance;
use super::nodes::Nodes;
use super::policy::{GridSize, Imbalance, Mode, PlbParams, Precision};
use super::report::RelativeTo;
use crate::run::noise::{MAX_NOISE, Noise};

/// The most pairs that one balancing round may consider ([`PlbParams::pairs`]).
pub const MAX_PAIRS: usize = 64;

/// The most workers of a run on real cores; far above what a default Linux lets a process start
/// usefully.
pub const MAX_WORKERS: u32 = 16_384;

/// Everything that decides what a run computes, whichever host runs it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunConfig {
    /// Interior cells of the whole grid.
    pub grid: GridSize,
    /// Workers, each with its part of the grid at the start.
    pub workers: u32,
    /// Subdomains that each worker's part is split into.
    pub split: u32,
    /// Rule by which workers wait for each other.
    pub mode: Mode,
    /// Balancer between workers.
    pub balance: Balance,
    /// Whether a worker makes the sweep that another one is stuck in, where work is pulled.
    pub help: bool,
    /// Whether every sweep is made such that another worker can make it as well; otherwise only
    /// those of workers that were stopped before are.
    pub always_help: bool,
    /// Parameters of the balancer.
    pub plb: PlbParams,
    /// Nodes, and the balancer between them.
    pub nodes: Nodes,
    /// Unevenness of the workers' parts.
    pub imbalance: Imbalance,
    /// Condition for the end.
    pub stop: Stop,
    /// The type of a cell.
    pub precision: Precision,
    /// Seed of every random choice.
    pub seed: u64,
    /// Sources of noise that run beside the workers.
    pub noise: heapless::Vec<Noise, MAX_NOISE>,
}

/// Condition for the end of a run; where several are given, whichever comes first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Stop {
    /// The residual's l2 norm over that of the reference.
    pub tolerance: Option<f64>,
    /// The residual's l2 norm itself, in the unit of k·u.
    pub absolute_tolerance: Option<f64>,
    /// The reference: the l2 norm of source and boundary, which is that of a field of zeros; where
    /// there is none, that of the residual before the first sweep.
    pub reference: Option<f64>,
    /// Iterations, each a sweep of every subdomain on average (rule 11): the run ends when all
    /// updates together are this multiple of the number of subdomains, however far apart the counts
    /// are.
    pub iterations: Option<u64>,
}

impl Stop {
    /// No end.
    pub const NEVER: Self =
        Self { tolerance: None, absolute_tolerance: None, reference: None, iterations: None };

    /// Whether a residual ends the run.
    pub const fn has_tolerance(&self) -> bool {
        self.tolerance.is_some() || self.absolute_tolerance.is_some()
    }

    /// Returns what residuals are relative to.
    pub const fn relative_to(&self) -> RelativeTo {
        if self.reference.is_some() { RelativeTo::Problem } else { RelativeTo::Start }
    }

    /// Returns the sum of squares that residuals are relative to; `initial` is that of the initial
    /// residual.
    pub fn reference_or(&self, initial: f64) -> f64 {
        self.reference.map_or(initial, |norm| norm * norm)
    }

    /// Returns the sum of squares at or below which the run ends; none without a tolerance. Of two
    /// tolerances it is the larger, which is met first. `initial` is the sum of squares of the
    /// initial residual.
    pub fn target(&self, initial: f64) -> Option<f64> {
        let squares = |norm: f64| norm * norm;
        let relative = self.tolerance.map(|ratio| squares(ratio) * self.reference_or(initial));
        let absolute = self.absolute_tolerance.map(squares);
        relative.into_iter().chain(absolute).reduce(f64::max)
    }
}

/// A configuration that cannot run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RunConfigError {
    /// A quantity of which there must be at least one is zero.
    Zero(Quantity),
    /// There are more subdomains than rows or columns to cut.
    TooManySubdomains {
        /// Subdomains asked for.
        subdomains: u64,
        /// The grid that cannot be cut so.
        grid: GridSize,
    },
    /// The tolerance is zero, negative or not a number.
    Tolerance(f64),
    /// The absolute tolerance, or the norm that residuals are relative to, is zero, negative or not
    /// a number.
    Norm(f64),
    /// The run has neither a tolerance nor iterations.
    NoEnd,
    /// `low` is zero, or not below `high`.
    Thresholds {
        /// The lower threshold.
        low: u32,
        /// The upper threshold.
        high: u32,
    },
    /// There are no pairs, or more than [`MAX_PAIRS`].
    Pairs(usize),
    /// The workers cannot be spread over the nodes evenly.
    UnevenNodes {
        /// Workers.
        workers: u32,
        /// Nodes.
        nodes: u32,
    },
    /// A balancer is asked for where every subdomain is always at the same count.
    BalanceOfSync,
    /// A balancer between nodes is asked for where every subdomain is always at the same count.
    NodeBalanceOfSync,
    /// A balancer that moves subdomains is asked for in the exact mode, in which they are borrowed.
    BalanceOfExact,
    /// A balancer between nodes is asked for where subdomains stay at home.
    NodeBalanceOfVisits,
}

/// A quantity of which a run has at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Workers.
    Workers,
    /// Subdomains of each worker.
    Split,
    /// Nodes.
    Nodes,
    /// Cells of the grid.
    Grid,
    /// Iterations, where the run ends by them.
    Iterations,
}

impl fmt::Display for Quantity {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Workers => "workers",
            Self::Split => "subdomains of each worker",
            Self::Nodes => "nodes",
            Self::Grid => "cells of the grid",
            Self::Iterations => "iterations",
        })
    }
}

impl fmt::Display for RunConfigError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zero(what) => write!(f, "the number of {what} is 0 and must be at least 1"),
            Self::TooManySubdomains { subdomains, grid } => {
                write!(f, "{subdomains} subdomains do not fit a grid of {grid} cells")
            }
            Self::Tolerance(value) => {
                write!(f, "the tolerance is {value} and must be a finite number above 0")
            }
            Self::Norm(value) => {
                write!(f, "a norm is {value} and must be a finite number above 0")
            }
            Self::NoEnd => {
                f.write_str("the run has neither a tolerance nor iterations and would never end")
            }
            Self::Thresholds { low, high } => write!(
                f,
                "the lower threshold is {low} and must be at least 1 and below the upper one, {high}"
            ),
            Self::Pairs(pairs) => {
                write!(f, "the number of pairs is {pairs} and must be from 1 to {MAX_PAIRS}")
            }
            Self::UnevenNodes { workers, nodes } => {
                write!(f, "{workers} workers cannot be spread evenly over {nodes} nodes")
            }
            Self::BalanceOfSync => {
                f.write_str(
                    "all counts are equal in mode sync: there is nothing to balance, use Balance::None",
                )
            }
            Self::NodeBalanceOfSync => f.write_str(
                "all counts are equal in mode sync: there is nothing to balance, use NodeBalance::None",
            ),
            Self::BalanceOfExact => f.write_str(
                "subdomains do not move in mode exact: use Balance::None, or Balance::Pull",
            ),
            Self::NodeBalanceOfVisits => f.write_str(
                "with the mode exact or Balance::Pull, subdomains do not move between nodes: use NodeBalance::None",
            ),
        }
    }
}

impl core::error::Error for RunConfigError {}

impl RunConfig {
    /// Returns the number of subdomains.
    pub const fn subdomains(&self) -> u64 {
        self.workers as u64 * self.split as u64
    }

    /// Returns the number of workers of each node; 0 where there are no nodes.
    pub const fn workers_per_node(&self) -> u32 {
        match self.workers.checked_div(self.nodes.number) {
            Some(workers) => workers,
            None => 0,
        }
    }

    /// Whether subdomains move between several nodes.
    pub(crate) const fn balances_nodes(&self) -> bool {
        self.nodes.number > 1 && self.nodes.balance.moves_subdomains()
    }

    /// Whether subdomains stay at home and are claimed for one sweep at a time. Otherwise a worker
    /// keeps its subdomains until a balancer moves them.
    pub const fn visits(&self) -> bool {
        matches!((self.mode, self.balance), (Mode::Exact, _) | (_, Balance::Pull(_)))
    }

    /// Whether a run that begins with moves may switch, in a halt, to one that
    /// [`visits`](Self::visits): with [`Balance::Auto`], where subdomains stay on their nodes and a
    /// node has several workers.
    pub const fn may_switch(&self) -> bool {
        matches!((self.mode, self.balance), (Mode::SemiSync(_) | Mode::Async, Balance::Auto))
            && !self.balances_nodes()
            && self.workers_per_node() > 1
    }

    /// Whether parts are claimed for one sweep at a time at any moment of the run: from the start,
    /// or from a halt on.
    pub const fn may_visit(&self) -> bool {
        self.visits() || self.may_switch()
    }

    /// Whether workers make the sweeps that others of their node are stuck in, while parts are
    /// claimed for one sweep at a time.
    pub const fn helps(&self) -> bool {
        let pulls = matches!(self.balance, Balance::Pull(_)) || self.may_switch();
        self.help && self.workers_per_node() > 1 && pulls
    }

    /// Checks all that can be checked without knowing the machine.
    pub fn validate(&self) -> Result<(), RunConfigError> {
        let (workers, nodes) = (self.workers, self.nodes.number);
        // Before the grid, which may be that of the workers' parts.
        if workers > 0 && nodes > 0 && !workers.is_multiple_of(nodes) {
            return Err(RunConfigError::UnevenNodes { workers, nodes });
        }
        let zero = [
            (Quantity::Workers, u64::from(workers)),
            (Quantity::Split, u64::from(self.split)),
            (Quantity::Nodes, u64::from(nodes)),
            (Quantity::Grid, self.grid.cells()),
            (Quantity::Iterations, self.stop.iterations.unwrap_or(1)),
        ];
        if let Some((what, _)) = zero.iter().find(|(_, value)| *value == 0) {
            return Err(RunConfigError::Zero(*what));
        }
        if !self.stop.has_tolerance() && self.stop.iterations.is_none() {
            return Err(RunConfigError::NoEnd);
        }
        let is_norm = |value: &f64| *value > 0.0 && value.is_finite();
        if let Some(value) = self.stop.tolerance.filter(|value| !is_norm(value)) {
            return Err(RunConfigError::Tolerance(value));
        }
        let norms = [self.stop.absolute_tolerance, self.stop.reference];
        if let Some(value) = norms.into_iter().flatten().find(|value| !is_norm(value)) {
            return Err(RunConfigError::Norm(value));
        }
        if !(1..=MAX_PAIRS).contains(&self.plb.pairs) {
            return Err(RunConfigError::Pairs(self.plb.pairs));
        }
        let (low, high) = (self.plb.low, self.plb.high);
        if low == 0 || low >= high {
            return Err(RunConfigError::Thresholds { low, high });
        }
        if self.mode.is_synchronous() && self.balance != Balance::None {
            return Err(RunConfigError::BalanceOfSync);
        }
        if self.mode.is_synchronous() && self.nodes.balance.moves_subdomains() {
            return Err(RunConfigError::NodeBalanceOfSync);
        }
        if self.mode == Mode::Exact && !matches!(self.balance, Balance::None | Balance::Pull(_)) {
            return Err(RunConfigError::BalanceOfExact);
        }
        if self.visits() && self.balances_nodes() {
            return Err(RunConfigError::NodeBalanceOfVisits);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::time::Duration;
    use crate::run::NodeBalance;

    #[test]
    fn workers_help_where_a_node_has_others() {
        let pull = RunConfig { balance: Balance::Pull(8), ..RunConfig::default() };
        let helps = |workers, nodes| {
            let nodes = Nodes { number: nodes, ..Nodes::ONE };
            RunConfig { workers, nodes, ..pull.clone() }.helps()
        };
        assert!(helps(2, 1) && helps(4, 2));
        assert!(
            !helps(1, 1) && !helps(2, 2),
            "a worker that is alone on its node has nobody to help"
        );
        let two = RunConfig { workers: 2, ..pull };
        assert!(!RunConfig { help: false, ..two.clone() }.helps());
        assert!(!RunConfig { balance: Balance::None, ..two }.helps());
    }

    #[test]
    fn a_run_may_turn_where_subdomains_stay_on_a_node_that_has_several_workers() {
        let may_switch = |workers, number, balance| {
            let nodes = Nodes { number, balance, ..Nodes::ONE };
            let auto = RunConfig { balance: Balance::Auto, ..RunConfig::default() };
            RunConfig { workers, nodes, ..auto }.may_switch()
        };
        let moves = NodeBalance::Dplb { period: Duration(1), threshold: 1 };
        assert!(may_switch(2, 1, NodeBalance::None) && may_switch(4, 2, NodeBalance::None));
        assert!(may_switch(2, 1, moves), "there is no other node");
        assert!(!may_switch(4, 2, moves) && !may_switch(2, 2, NodeBalance::None));
    }
}
