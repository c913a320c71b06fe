//! Runs of pools of tasks on the virtual machine.

use std::fmt;
use std::sync::atomic::AtomicBool;

use tresse_core::id::WorkerId;
use tresse_core::machine::{CoreNoise, Hardware};
use tresse_core::owned::{OwnedTree, breadth_first};
use tresse_core::sharing::{Managers, SharingConfig, Work};
use tresse_core::traversal::{Claims as _, Marks, RandomGraph, Reached, Visit};
use tresse_core::uts::{Count, NamedTree, Node, Totals};
use tresse_core::virtual_pool::{PoolCosts, PoolSimulation};

use super::error::ExperimentError;
use super::replicate::Replicate;
use crate::engine::hashes::Hash;
use crate::engine::pool::{self, PoolReport};
use crate::engine::traversal;
use crate::engine::virtual_pool::{self, VirtualPoolError};

/// Workers that share tasks, on a machine.
pub struct Pooling {
    /// What is done.
    pub workload: Workload,
    /// How the tasks are shared; its seed, and that of paces and noise, is the replicate's.
    pub config: SharingConfig,
    /// Workers and their managers, each on a core of its own.
    pub managers: Managers,
    /// The machine.
    pub hardware: Hardware,
    /// What things cost.
    pub costs: PoolCosts,
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Workload {
    /// The nodes of a tree are counted.
    Tree(NamedTree),
    /// The vertices of a graph are visited, from its first one on.
    Traversal(RandomGraph),
}

/// As in `T1, 4130071 nodes, depth 10`, or as the graph is named on the command line.
impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NamedTree { name, published, .. } = match self {
            Self::Tree(tree) => tree,
            Self::Traversal(graph) => return graph.fmt(f),
        };
        write!(f, "{name}, {} nodes", published.nodes)?;
        published.depth.map_or(Ok(()), |depth| write!(f, ", depth {depth}"))
    }
}

/// What a pool came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PoolFigures {
    /// Workers.
    pub workers: usize,
    /// Managers.
    pub managers: usize,
    /// Tasks that were executed, each once.
    pub tasks: u64,
    /// Virtual time.
    pub seconds: f64,
    /// The time of these tasks, spread evenly over the workers.
    pub ideal_seconds: f64,
    /// The share of the workers' time without tasks.
    pub idle: f64,
    /// The share of the workers' time with tasks of copies.
    pub speculating: f64,
    /// Claims of copies.
    pub asked: u64,
    /// Claims of them that were refused.
    pub failed: u64,
    /// Tasks of copies that were executed and were another's.
    pub rolled_back: u64,
    /// Victims that were asked.
    pub steals: u64,
    /// Victims of them that had nothing to give.
    pub failed_steals: u64,
    /// Messages.
    pub messages: u64,
    /// The share of the time in which the busiest manager had something to do.
    pub manager_busy: f64,
}

/// A run of a pool.
#[derive(Debug)]
pub struct Pooled {
    /// Whether every task was executed, and each once.
    pub ended: bool,
    /// What it came to.
    pub pool: PoolFigures,
}

/// More tasks than any worker or manager comes to have at a time.
const MOST_TASKS: usize = 1 << 24;

impl Pooling {
    /// Runs it.
    pub fn run(&self, replicate: Replicate, end: &AtomicBool) -> Result<Pooled, ExperimentError> {
        let made = match self.workload {
            Workload::Tree(named) => self.count(named, replicate, end),
            Workload::Traversal(graph) => self.traverse(graph, replicate, end),
        };
        match made {
            Ok((ended, report)) => Ok(Pooled { ended, pool: figures(&report) }),
            Err(ExperimentError::Pool(VirtualPoolError::Interrupted)) => {
                Ok(Pooled { ended: false, pool: PoolFigures::default() })
            }
            Err(error) => Err(error),
        }
    }

    /// Counts a tree: whether the count is the published one.
    fn count(
        &self,
        named: NamedTree,
        replicate: Replicate,
        end: &AtomicBool,
    ) -> Result<(bool, PoolReport), ExperimentError> {
        let tree = OwnedTree::new(&named.tree)?;
        let (root, hash) = ([Node::root(named.tree.seed)], Hash::best());
        let (works, report) = self.simulate(&root, |_| tree.count(hash), replicate, end)?;
        let totals = works.iter().map(Count::totals).fold(Totals::default(), Totals::and);
        Ok((named.published.agrees(&totals), report))
    }

    /// Traverses a graph: whether that reaches what one alone does.
    fn traverse(
        &self,
        graph: RandomGraph,
        replicate: Replicate,
        end: &AtomicBool,
    ) -> Result<(bool, PoolReport), ExperimentError> {
        let (arcs, marks) = (graph.arcs(Hash::best()), traversal::marks(graph.vertices));
        Marks(&marks).claim(0, 0);
        let visit = |_| Visit::new(arcs, Marks(&marks));
        let (works, report) = self.simulate(&[0], visit, replicate, end)?;
        let reached = works.iter().map(Visit::reached).fold(Reached::default(), Reached::and);
        let alone = breadth_first(&arcs, 0, || true);
        Ok((alone.is_some_and(|alone| alone.reached == reached), report))
    }

    fn simulate<W: Work>(
        &self,
        first: &[W::Task],
        work: impl FnMut(WorkerId) -> W,
        replicate: Replicate,
        end: &AtomicBool,
    ) -> Result<(Vec<W>, PoolReport), VirtualPoolError> {
        let Self { managers, ref hardware, costs, .. } = *self;
        let config = SharingConfig { seed: replicate.seed, ..self.config };
        let noise = CoreNoise { seed: replicate.seed, ..CoreNoise::NONE };
        let most_tasks = MOST_TASKS;
        let simulation = PoolSimulation { config, managers, hardware, noise, costs, most_tasks };
        let pool::Pooled { works, report } =
            virtual_pool::run(&simulation, first, work, end, &mut |_| {})?;
        Ok((works, report))
    }
}

fn figures(report: &PoolReport) -> PoolFigures {
    let statistics = report.statistics();
    let (workers, tasks) = (report.workers.len(), statistics.executed + statistics.committed);
    PoolFigures {
        workers,
        managers: report.timeline.managers.len(),
        tasks,
        seconds: report.seconds,
        ideal_seconds: report.ideal_seconds(),
        idle: report.share(|worker| worker.searching + worker.idle),
        speculating: report.share(|worker| worker.speculating),
        asked: statistics.asked,
        failed: statistics.failed,
        rolled_back: statistics.rolled_back,
        steals: statistics.steals,
        failed_steals: statistics.failed_steals,
        messages: report.messages,
        manager_busy: report.manager_busy(),
    }
}

impl PoolFigures {
    /// How many times the ideal the time is; not a number where nothing ran.
    pub fn slowdown(&self) -> f64 {
        self.seconds / self.ideal_seconds
    }

    /// Claims that were refused, of all; not a number where nobody claimed anything.
    pub fn failure_rate(&self) -> f64 {
        self.failed as f64 / self.asked as f64
    }

    /// Tasks that were executed in vain, for each that was not.
    pub fn rolled_back_share(&self) -> f64 {
        self.rolled_back as f64 / self.tasks as f64
    }
}
