//! What a run is asked for, and whether that makes sense.

use core::fmt;

use serde::Serialize;

use super::balance::Balance;
use super::nodes::{NodeBalance, NodeRule, Nodes};
use super::policy::{GridSize, Imbalance, Mode, PlbParams, Precision};
use crate::balance::plb::{self, Stuck};
use crate::grid::Decomposition;
use crate::id::SocketId;
use crate::noise::{MAX_NOISE, Noise};
use crate::time::Duration;

/// The most pairs that one balancing round may consider ([`PlbParams::pairs`]).
pub const MAX_PAIRS: usize = 64;

/// The most workers of a run on real cores; far above what a default Linux lets a process start
/// usefully.
pub const MAX_WORKERS: u32 = 16_384;

/// Everything that decides what a run computes, whichever host runs it.
///
/// A host that has other solvers beside the engine names them in place of the mode where it reports
/// ([`RunConfig::with_mode`]).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunConfig<M = Mode> {
    /// Interior cells of the whole grid.
    pub grid: GridSize,
    /// Workers, each with its part of the grid at the start.
    pub workers: u32,
    /// Subdomains that each worker's part is split into.
    pub split: u32,
    /// Who waits for whom.
    pub mode: M,
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

/// Cells of each worker's part of the grid in the paper (section 4.2).
pub const CELLS_PER_WORKER: GridSize = GridSize { rows: 300, columns: 300 };

/// Subdomains of each worker there.
const SPLIT: u32 = 4;

/// [`RunConfig::paper`] on one worker: a grid of 300 × 300 cells, whatever else is changed.
///
/// ```
/// use tresse_core::run::{GridSize, PlbParams, RunConfig};
///
/// let two_workers = RunConfig { workers: 2, ..RunConfig::default() };
/// assert_eq!(two_workers.grid, GridSize { rows: 300, columns: 300 });
/// // The thresholds of the balancer belong to the number of subdomains.
/// let finer = RunConfig { split: 16, plb: PlbParams::for_split(16), ..two_workers };
/// assert_eq!(finer.warnings().count(), 0);
/// ```
impl Default for RunConfig {
    fn default() -> Self {
        Self::paper(1)
    }
}

/// When a run ends; where both are given, whichever comes first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Stop {
    /// The residual's l2 norm relative to the initial one.
    pub tolerance: Option<f64>,
    /// Iterations, each a sweep of every subdomain on average (rule 11): the run ends when all updates
    /// together are this multiple of the number of subdomains, however far apart the counts are.
    pub iterations: Option<u64>,
}

/// A configuration that cannot run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RunConfigError {
    /// None of what there must be at least one of.
    Zero(Quantity),
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
    BalanceOfSync,
    /// A balancer between nodes where every subdomain is always at the same count.
    NodeBalanceOfSync,
}

/// What a run has at least one of.
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
                f.write_str("all counts are equal in mode sync: there is nothing to balance")
            }
            Self::NodeBalanceOfSync => f.write_str(
                "all counts are equal in mode sync: there is nothing to balance between nodes",
            ),
        }
    }
}

impl core::error::Error for RunConfigError {}

/// A configuration that runs, but perhaps not as meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warning {
    /// No subdomain can ever move between two workers of a node (rule 5).
    NothingCanMove {
        /// Why.
        stuck: Stuck,
        /// Subdomains per worker.
        split: u32,
        /// The lower threshold.
        low: u32,
        /// The upper threshold.
        high: u32,
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
            Self::NothingCanMove { stuck: Stuck::NobodyGives, split, low, .. } => write!(
                f,
                "no subdomain can ever move: workers have {split}, and give none away at {low} or \
                 fewer"
            ),
            Self::NothingCanMove { stuck: Stuck::NobodyTakes, split, high, .. } => write!(
                f,
                "no subdomain can ever move: workers have {split}, and take none at {high} or more"
            ),
            Self::NothingCanMove { stuck: Stuck::Alone, .. } => f.write_str(
                "no subdomain can ever move: each socket has one worker, and is balanced on its own",
            ),
            Self::NothingCanMoveBetweenNodes { split, low, high } => write!(
                f,
                "no subdomain can ever move between nodes: workers have {split}, which is not \
                 between the thresholds {low} and {high}"
            ),
            Self::NothingIsUneven(imbalance) => write!(
                f,
                "an imbalance of {imbalance} has no effect: the part of the only worker is all of \
                 the grid"
            ),
        }
    }
}

impl<M> RunConfig<M> {
    /// Subdomains in all.
    pub const fn subdomains(&self) -> u64 {
        self.workers as u64 * self.split as u64
    }

    /// Workers of each node; 0 where there are no nodes.
    pub const fn workers_per_node(&self) -> u32 {
        match self.workers.checked_div(self.nodes.number) {
            Some(workers) => workers,
            None => 0,
        }
    }

    /// The same with another mode, or another name for it.
    pub fn with_mode<N>(&self, mode: N) -> RunConfig<N> {
        RunConfig {
            grid: self.grid,
            workers: self.workers,
            split: self.split,
            mode,
            balance: self.balance,
            plb: self.plb,
            nodes: self.nodes,
            imbalance: self.imbalance,
            stop: self.stop,
            precision: self.precision,
            seed: self.seed,
            noise: self.noise.clone(),
        }
    }
}

impl RunConfig {
    /// The paper's run on `workers` (Zarins & Weiland 2017, sections 4.2 and 4.3): each with
    /// [`CELLS_PER_WORKER`] in 4 subdomains, asynchronous, balanced on each socket every
    /// millisecond, in double precision, to 10⁻⁴ of the initial residual; one node, no noise, seed 1.
    pub fn paper(workers: u32) -> Self {
        let (rows, columns) = Decomposition::worker_rows_and_columns(workers, 1);
        let times = |cells: usize, workers: u32| cells.saturating_mul(workers as usize);
        let GridSize { rows: cell_rows, columns: cell_columns } = CELLS_PER_WORKER;
        Self {
            grid: GridSize { rows: times(cell_rows, rows), columns: times(cell_columns, columns) },
            workers,
            split: SPLIT,
            mode: Mode::Async,
            balance: Balance::Split(Duration::from_millis(1)),
            plb: PlbParams::for_split(SPLIT),
            nodes: Nodes::ONE,
            imbalance: Imbalance::default(),
            stop: Stop { tolerance: Some(1e-4), iterations: None },
            precision: Precision::F64,
            seed: 1,
            noise: heapless::Vec::new(),
        }
    }

    /// Checks everything that can be checked without the machine.
    pub fn validate(&self) -> Result<(), RunConfigError> {
        let zero = [
            (Quantity::Workers, u64::from(self.workers)),
            (Quantity::Split, u64::from(self.split)),
            (Quantity::Nodes, u64::from(self.nodes.number)),
            (Quantity::Grid, self.grid.cells()),
            (Quantity::Iterations, self.stop.iterations.unwrap_or(1)),
        ];
        if let Some((what, _)) = zero.iter().find(|(_, value)| *value == 0) {
            return Err(RunConfigError::Zero(*what));
        }
        match self.stop {
            Stop { tolerance: None, iterations: None } => return Err(RunConfigError::NoEnd),
            Stop { tolerance: Some(value), .. } if !(value > 0.0 && value.is_finite()) => {
                return Err(RunConfigError::Tolerance(value));
            }
            _ => {}
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
        if self.mode.is_synchronous() && self.nodes.balance != NodeBalance::None {
            return Err(RunConfigError::NodeBalanceOfSync);
        }
        let (workers, nodes) = (self.workers, self.nodes.number);
        if !workers.is_multiple_of(nodes) {
            return Err(RunConfigError::UnevenNodes { workers, nodes });
        }
        Ok(())
    }

    /// What a person should know before the run, where the workers of a node share a socket; see
    /// [`RunConfig::warnings_on`].
    pub fn warnings(&self) -> impl Iterator<Item = Warning> + use<> {
        let workers = usize::try_from(self.workers_per_node()).unwrap_or(usize::MAX);
        self.warnings_on(core::iter::repeat_n(SocketId(0), workers))
    }

    /// What a person should know before the run, where the workers of each node are on these sockets,
    /// in ascending order. That one worker has nobody to balance with is not worth a word.
    pub fn warnings_on<S: Iterator<Item = SocketId> + Clone>(
        &self,
        sockets: S,
    ) -> impl Iterator<Item = Warning> + use<S> {
        let PlbParams { low, high, .. } = self.plb;
        let split = self.split;
        let is_one = self.workers_per_node() < 2;
        let stuck = plb::stuck(self.balance, &self.plb, sockets.map(|socket| (socket, split)))
            .filter(|_| !is_one && !self.moves_between_nodes())
            .map(|stuck| Warning::NothingCanMove { stuck, split, low, high });
        let between = self.balances_nodes() && !self.moves_between_nodes();
        let stuck_between =
            between.then_some(Warning::NothingCanMoveBetweenNodes { split, low, high });
        let alone = self.workers == 1 && self.imbalance != Imbalance::default();
        stuck
            .into_iter()
            .chain(stuck_between)
            .chain(alone.then_some(Warning::NothingIsUneven(self.imbalance)))
    }

    /// Whether a balancer between nodes has nodes to balance.
    fn balances_nodes(&self) -> bool {
        self.nodes.number > 1 && self.nodes.balance != NodeBalance::None
    }

    /// Whether subdomains can move between nodes, and so change what their workers have.
    fn moves_between_nodes(&self) -> bool {
        let PlbParams { low, high, .. } = self.plb;
        let is_settled = matches!(self.nodes.balance, NodeBalance::Dplb { .. })
            && self.nodes.rule == NodeRule::Settled;
        self.balances_nodes() && (!is_settled || low < self.split && self.split < high)
    }
}
