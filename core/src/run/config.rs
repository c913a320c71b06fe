//! What a run is asked for, and whether that makes sense.

use core::fmt;

use serde::Serialize;

use super::nodes::{NodeBalance, NodeRule, Nodes};
use super::policy::{Balance, GridSize, Imbalance, Mode, PlbParams, Precision};
use crate::noise::{MAX_NOISE, Noise};

/// The most pairs that one balancing round may consider (`--pairs`).
pub const MAX_PAIRS: usize = 64;

/// Everything that decides what a run computes, whichever host runs it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunConfig {
    /// Interior cells of the whole grid.
    pub grid: GridSize,
    /// Workers, each with its part of the grid at the start.
    pub workers: u32,
    /// Subdomains that each worker's part is split into.
    pub split: u32,
    /// Who waits for whom.
    pub mode: Mode,
    /// Which balancer.
    pub balance: Balance,
    /// Its parameters.
    pub plb: PlbParams,
    /// Nodes, and the balancer between them.
    pub nodes: Nodes,
    /// How uneven the workers' parts are.
    pub imbalance: Imbalance,
    /// When to end.
    pub stop: Stop,
    /// The type of a cell.
    pub precision: Precision,
    /// Seed of every random choice.
    pub seed: u64,
    /// Sources of noise that run beside the workers.
    pub noise: heapless::Vec<Noise, MAX_NOISE>,
}

/// When a run ends; where both are given, whichever comes first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Stop {
    /// The residual's l2 norm relative to the initial one.
    pub tolerance: Option<f64>,
    /// Iterations of the fastest worker (each is one sweep of all of a worker's subdomains).
    pub iterations: Option<u64>,
}

/// A configuration that cannot run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ConfigError {
    /// No workers, or no subdomains per worker.
    Zero(&'static str),
    /// More subdomains than rows or columns to cut.
    TooManySubdomains {
        /// Subdomains asked for.
        subdomains: u64,
        /// The grid that cannot be cut so.
        grid: GridSize,
    },
    /// The tolerance is zero, negative or not a number.
    Tolerance(f64),
    /// Neither a tolerance nor iterations.
    NoEnd,
    /// `low` of zero, or not below `high`.
    Thresholds {
        /// The lower threshold.
        low: u32,
        /// The upper threshold.
        high: u32,
    },
    /// No pairs or more than [`MAX_PAIRS`].
    Pairs(usize),
    /// Workers that cannot be spread over the nodes evenly.
    UnevenNodes {
        /// Workers.
        workers: u32,
        /// Nodes.
        nodes: u32,
    },
    /// A balancer where every subdomain is always at the same count.
    BalanceOfSync(Mode),
    /// A balancer between nodes where every subdomain is always at the same count.
    NodeBalanceOfSync(Mode),
}

impl fmt::Display for ConfigError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zero(flag) => write!(f, "{flag} must be at least 1"),
            Self::TooManySubdomains { subdomains, grid } => write!(
                f,
                "{subdomains} subdomains do not fit a grid of {grid} cells: \
                 lower --split or --workers, or raise --grid or --cells-per-worker"
            ),
            Self::Tolerance(value) => write!(
                f,
                "--tolerance {value} can never be reached: give a number above 0, such as 1e-4"
            ),
            Self::NoEnd => f.write_str("the run would never end: give --tolerance or --iterations"),
            Self::Thresholds { low, high } => write!(
                f,
                "--low {low} and --high {high}: --low must be at least 1 and below --high"
            ),
            Self::Pairs(pairs) => {
                write!(f, "--pairs {pairs}: give a number from 1 to {MAX_PAIRS}")
            }
            Self::UnevenNodes { workers, nodes } => write!(
                f,
                "--workers {workers} cannot be spread evenly over --nodes {nodes}: \
                 give a multiple of {nodes} workers"
            ),
            Self::NodeBalanceOfSync(mode) => write!(
                f,
                "--node-balance has nothing to balance in --mode {mode}, where all counts are \
                 equal: use --mode async or ssync:N, or --node-balance none"
            ),
            Self::BalanceOfSync(mode) => write!(
                f,
                "--balance has nothing to balance in --mode {mode}, where all counts are equal: \
                 use --mode async or ssync:N, or --balance none"
            ),
        }
    }
}

impl core::error::Error for ConfigError {}

/// A configuration that runs, but perhaps not as meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warning {
    /// Subdomains per worker are not above `low`: nothing can ever move (rule 5).
    NothingCanMove {
        /// Subdomains per worker.
        split: u32,
        /// The lower threshold.
        low: u32,
    },
    /// Subdomains per worker are not above `low`, so that no node can send, or not below `high`, so
    /// that none can receive (rules 5 and 8).
    NothingCanMoveBetweenNodes {
        /// Subdomains per worker.
        split: u32,
        /// The lower threshold.
        low: u32,
        /// The upper threshold.
        high: u32,
    },
    /// One worker's part is all of the grid, however uneven.
    NothingIsUneven(Imbalance),
}

impl fmt::Display for Warning {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingCanMove { split, low } => write!(
                f,
                "with --split {split} and --low {low} no subdomain can ever move: \
                 raise --split above --low"
            ),
            Self::NothingCanMoveBetweenNodes { split, low, high } => write!(
                f,
                "with --split {split}, --low {low} and --high {high} no subdomain can ever move \
                 between nodes: choose --split above --low and below --high"
            ),
            Self::NothingIsUneven(imbalance) => write!(
                f,
                "--imbalance {imbalance} has no effect with --workers 1, whose part is all of the \
                 grid: use more workers"
            ),
        }
    }
}

impl RunConfig {
    /// Subdomains in all.
    pub const fn subdomains(&self) -> u64 {
        self.workers as u64 * self.split as u64
    }

    /// Workers of each node.
    pub const fn workers_per_node(&self) -> u32 {
        match self.workers.checked_div(self.nodes.number) {
            Some(workers) => workers,
            None => 0,
        }
    }

    /// Checks everything that can be checked without the machine.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let zero = [
            ("--workers", u64::from(self.workers)),
            ("--split", u64::from(self.split)),
            ("--nodes", u64::from(self.nodes.number)),
            ("--grid", self.grid.cells()),
            ("--iterations", self.stop.iterations.unwrap_or(1)),
        ];
        if let Some((flag, _)) = zero.iter().find(|(_, value)| *value == 0) {
            return Err(ConfigError::Zero(flag));
        }
        match self.stop {
            Stop { tolerance: None, iterations: None } => return Err(ConfigError::NoEnd),
            Stop { tolerance: Some(value), .. } if !(value > 0.0 && value.is_finite()) => {
                return Err(ConfigError::Tolerance(value));
            }
            _ => {}
        }
        if !(1..=MAX_PAIRS).contains(&self.plb.pairs) {
            return Err(ConfigError::Pairs(self.plb.pairs));
        }
        let (low, high) = (self.plb.low, self.plb.high);
        if low == 0 || low >= high {
            return Err(ConfigError::Thresholds { low, high });
        }
        if self.mode.is_synchronous() && self.balance != Balance::None {
            return Err(ConfigError::BalanceOfSync(self.mode));
        }
        if self.mode.is_synchronous() && self.nodes.balance != NodeBalance::None {
            return Err(ConfigError::NodeBalanceOfSync(self.mode));
        }
        let (workers, nodes) = (self.workers, self.nodes.number);
        if !workers.is_multiple_of(nodes) {
            return Err(ConfigError::UnevenNodes { workers, nodes });
        }
        Ok(())
    }

    /// What a person should know before the run.
    pub fn warnings(&self) -> impl Iterator<Item = Warning> + use<> {
        let moves_by_threshold =
            matches!(self.balance, Balance::Joint(_) | Balance::Split(_) | Balance::Hybrid(..));
        let stuck = (moves_by_threshold && self.split <= self.plb.low)
            .then_some(Warning::NothingCanMove { split: self.split, low: self.plb.low });
        let between = matches!(self.nodes.balance, NodeBalance::Dplb { .. })
            && self.nodes.rule == NodeRule::Settled
            && self.nodes.number > 1;
        let PlbParams { low, high, .. } = self.plb;
        let split = self.split;
        let stuck_between = (between && (split <= low || split >= high))
            .then_some(Warning::NothingCanMoveBetweenNodes { split, low, high });
        let alone = self.workers == 1 && self.imbalance != Imbalance::default();
        stuck
            .into_iter()
            .chain(stuck_between)
            .chain(alone.then_some(Warning::NothingIsUneven(self.imbalance)))
    }
}
