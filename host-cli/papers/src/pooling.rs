//! Runs of pools of tasks on the virtual machine.

use std::fmt;
use std::sync::atomic::AtomicBool;

use tresse_core::base::id::WorkerId;
use tresse_core::sim::machine::{CoreNoise, Hardware};
use tresse_core::sim::virtual_pool::{PoolCosts, PoolSimulation};
use tresse_core::tasks::owned::{OwnedTree, breadth_first};
use tresse_core::tasks::sharing::{Managers, SharingConfig, Work};
use tresse_core::tasks::traversal::{Claims as _, Marks, RandomGraph, Reached, Visit};
use tresse_core::tasks::uts::{Count, NamedTree, Node, Totals};

use super::error::ExperimentError;
use super::replicate::Replicate;
use tresse_tasks::hashes::Hash;
use tresse_tasks::pool::{self, PoolReport};
use tresse_tasks::traversal;
use tresse_tasks::virtual_pool::{self, VirtualPoolError};

/// A pool of workers that share tasks, on a machine.
pub struct Pooling {
    /// Work of the pool.
    pub workload: Workload,
    /// Configuration of the sharing; its seed, and that of paces and noise, is the replicate's.
    pub config: SharingConfig,
    /// Workers and managers, each on a core of its own.
    pub managers: Managers,
    /// The machine.
    pub hardware: Hardware,
    /// Costs of tasks and messages.
    pub costs: PoolCosts,
}

/// The work of a pool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Workload {
    /// Counting the nodes of a tree.
    Tree(NamedTree),
    /// Visiting the vertices of a graph, from its first one on.
    Traversal(RandomGraph),
}

/// Writes the work as in `T1, 4130071 nodes, depth 10`, or as the graph is named on the command
/// line.
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

/// The figures of a pool's run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PoolFigures {
    /// Number of workers.
    pub workers: usize,
    /// Number of managers.
    pub managers: usize,
    /// Number of tasks that were executed, each once.
    pub tasks: u64,
    /// Virtual time in seconds.
    pub seconds: f64,
    /// Time of all tasks, spread evenly over the workers.
    pub ideal_seconds: f64,
    /// Share of the workers' time without tasks.
    pub idle: f64,
    /// Share of the workers' time with tasks of copies.
    pub speculating: f64,
    /// Number of claims of copies.
    pub asked: u64,
    /// Number of claims that were refused.
    pub failed: u64,
    /// Number of tasks of copies that were executed and were another worker's.
    pub rolled_back: u64,
    /// Number of victims that were asked.
    pub steals: u64,
    /// Number of victims that had nothing to give.
    pub failed_steals: u64,
    /// Number of messages.
    pub messages: u64,
    /// Share of the time in which the busiest manager had something to do.
    pub manager_busy: f64,
}

/// A run of a pool.
#[derive(Debug)]
pub struct Pooled {
    /// Whether every task was executed, and each once.
    pub ended: bool,
    /// Figures of the run.
    pub pool: PoolFigures,
}

/// Number of tasks that no worker or manager comes to have at a time.
const MOST_TASKS: usize = 1 << 24;

impl Pooling {
    /// Runs the pool.
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

    /// Counts a tree; returns whether the count is the published one.
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

    /// Traverses a graph; returns whether the same vertices are reached as by one worker alone.
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

    /// Runs a pool in virtual time on the `first` tasks; `end` interrupts it.
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

/// Returns the figures of a pool: times in seconds, shares of the workers' time from 0 to 1.
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
    /// Returns the time ÷ the ideal time; NaN where nothing ran.
    pub fn slowdown(&self) -> f64 {
        self.seconds / self.ideal_seconds
    }

    /// Returns the share of claims that were refused; NaN where there were no claims.
    pub fn failure_rate(&self) -> f64 {
        self.failed as f64 / self.asked as f64
    }

    /// Returns the number of tasks executed in vain ÷ that of the others.
    pub fn rolled_back_share(&self) -> f64 {
        self.rolled_back as f64 / self.tasks as f64
    }
}
