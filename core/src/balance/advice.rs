//! Advice on configurations that run, but perhaps not as meant.

use core::fmt;

use crate::balance::plb::{self, Stuck};
use crate::base::id::SocketId;
use crate::run::{Imbalance, NodeBalance, PlbParams, RunConfig};

/// A configuration that runs, but perhaps not as meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warning {
    /// No subdomain can ever move between two workers of a node (rule 5).
    NothingCanMove {
        /// Reason why nothing can move.
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

impl RunConfig {
    /// Returns the warnings for a person before the run, where the workers of a node share a
    /// socket; see [`RunConfig::warnings_on`].
    pub fn warnings(&self) -> impl Iterator<Item = Warning> + use<> {
        let workers = usize::try_from(self.workers_per_node()).unwrap_or(usize::MAX);
        self.warnings_on(core::iter::repeat_n(SocketId(0), workers))
    }

    /// Returns the warnings for a person before the run, where the workers of each node are on
    /// these sockets, in ascending order. A single worker, which has nobody to balance with, is no
    /// reason for a warning.
    pub fn warnings_on<S: Iterator<Item = SocketId> + Clone>(
        &self,
        sockets: S,
    ) -> impl Iterator<Item = Warning> + use<S> {
        let PlbParams { low, high, .. } = self.plb;
        let low = if self.balance.levels() { 1 } else { low };
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

    /// Whether subdomains can move between nodes, and so change what their workers have.
    fn moves_between_nodes(&self) -> bool {
        let PlbParams { low, high, .. } = self.plb;
        let is_settled =
            matches!(self.nodes.balance, NodeBalance::Dplb { .. }) && self.nodes.rule.is_settled();
        self.balances_nodes() && (!is_settled || low < self.split && self.split < high)
    }
}
