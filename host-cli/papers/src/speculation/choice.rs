//! A choice of all parameters: a tree, ranks, a way to share, and its parameters.

use tresse_core::base::time::Duration;
use tresse_core::sim::machine::Hardware;
use tresse_core::sim::virtual_pool::PoolCosts;
use tresse_core::tasks::sharing::{Method, SharingConfig};
use tresse_core::tasks::uts::NamedTree;
use tresse_tasks::wording;

use super::way::{WAYS, Way};
use crate::{Figure, Pooling, Row, Run, Runs, Setting, Workload, shipped};
use tresse_tasks::virtual_pool::most_workers;

/// One choice of all parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    /// Name of the tree.
    pub tree: &'static str,
    /// Number of workers and managers.
    pub ranks: u32,
    pub way: Way,
    /// Size of a chunk; with the adaptive way, the greatest that it may be.
    pub chunk: u32,
    /// Number of tasks from one release to the next; `None` where the way has no releases.
    pub interval: u32,
    /// Time of a manager for a message, where it is not that of all evaluations.
    pub service: Option<Duration>,
}

/// Name of the machine.
const MACHINE: &str = "icc";

/// Returns the machine with as many nodes as some ranks need.
pub(super) fn machine(ranks: u32) -> Hardware {
    let hardware = shipped(MACHINE);
    Hardware { nodes: ranks.div_ceil(hardware.node_cores()), ..hardware }
}

/// Returns a published tree by its name.
#[expect(clippy::expect_used, reason = "part of the program, and read by its tests")]
fn named(tree: &str) -> NamedTree {
    NamedTree::parse(tree).expect("the trees of experiments are named ones")
}

/// Returns the time of a manager for a message.
pub(super) fn service_time(service: Option<Duration>) -> Duration {
    service.unwrap_or(PoolCosts::default().service)
}

impl Choice {
    /// Returns a choice with the default service time of the manager.
    pub const fn new(
        tree: &'static str,
        ranks: u32,
        way: Way,
        (chunk, interval): (u32, u32),
    ) -> Self {
        Self { tree, ranks, way, chunk, interval, service: None }
    }

    /// Returns a choice of the adaptive way, which has nothing to choose.
    pub const fn adaptive(tree: &'static str, ranks: u32) -> Self {
        let SharingConfig { chunk, interval, .. } = SharingConfig::new(Method::Adaptive);
        Self::new(tree, ranks, Way::Adaptive, (chunk, interval))
    }

    /// Returns a label that tells the choice from others.
    pub fn label(self) -> String {
        let Self { tree, ranks, way, chunk, interval, service } = self;
        let parameters = match way {
            Way::Adaptive => format!("chunk up to {chunk}"),
            Way::Stealing | Way::SpeculativeStealing | Way::PrefetchStealing => {
                format!("chunk {chunk}")
            }
            _ => format!("chunk {chunk}, interval {interval}"),
        };
        let service = service.map_or(String::new(), |time| format!(", manager {} ns", time.0));
        format!("{tree} on {ranks} ranks, {}, {parameters}{service}", way.name())
    }

    /// Returns the setting of the choice, with as many managers as its ranks need.
    pub fn setting(self) -> Setting {
        let Self { tree, ranks, way, chunk, interval, service } = self;
        let pooling = Pooling {
            workload: Workload::Tree(named(tree)),
            config: way.config(chunk, interval),
            managers: way.managers(most_workers(ranks, |workers| way.managers(workers))),
            hardware: machine(ranks),
            costs: PoolCosts { service: service_time(service), ..PoolCosts::default() },
        };
        pooling.labelled(self.label())
    }

    /// Returns the median of a figure over the choice's runs.
    pub fn median(self, runs: &Runs, figure: Figure) -> f64 {
        runs.median(&self.label(), figure)
    }

    /// Returns rows of figures that the slides do not report, for one choice.
    pub fn rows(self, runs: &Runs) -> Vec<Row> {
        rows_of(runs, &self.label())
    }
}

/// Returns the rows of one setting's figures, which the slides do not report.
pub(super) fn rows_of(runs: &Runs, label: &str) -> Vec<Row> {
    let row = |(what, unit, figure): &(&str, &'static str, Figure)| {
        let samples: Vec<f64> = runs.figures(label, figure);
        Row::of(*what, unit, None, &samples).in_table(label)
    };
    FIGURES.iter().map(row).collect()
}

/// Returns the execution time in virtual seconds.
pub(super) fn seconds(run: &Run) -> f64 {
    run.pool.seconds
}

/// Returns the time ÷ the ideal time.
pub(super) fn slowdown(run: &Run) -> f64 {
    run.pool.slowdown()
}

/// Returns the idle share of the workers' time, in percent.
pub(super) fn idle(run: &Run) -> f64 {
    run.pool.idle * 100.0
}

/// Returns the share of the time in which the manager is busy, in percent.
pub(super) fn manager_busy(run: &Run) -> f64 {
    run.pool.manager_busy * 100.0
}

/// Returns the share of all claims that failed, in percent.
fn failed(run: &Run) -> f64 {
    run.pool.failure_rate() * 100.0
}

/// Returns the number of messages.
pub(super) fn messages(run: &Run) -> f64 {
    run.pool.messages as f64
}

/// Returns the share of tasks that were rolled back, in percent.
pub(super) fn rolled_back(run: &Run) -> f64 {
    run.pool.rolled_back_share() * 100.0
}

const FIGURES: [(&str, &str, Figure); 8] = [
    ("time", "virtual ms", |run| run.pool.seconds * 1e3),
    ("time ÷ ideal", "", slowdown),
    ("workers idle", "%", idle),
    ("claims", "", |run| run.pool.asked as f64),
    ("claims refused", "%", failed),
    ("tasks rolled back, of all", "%", rolled_back),
    ("messages", "", messages),
    ("busiest manager", "% of time", manager_busy),
];

/// Returns remarks on choices made here that decide the results.
pub(super) fn remarks(trees: &str) -> Vec<String> {
    let costs = wording::pool_costs(&PoolCosts::default());
    vec![
        format!("trees: {trees}"),
        format!(
            "machine: {MACHINE}, nodes of 2 x 6 cores, a rank on each; 2 us one way between nodes; \
             {costs}. With 400 ns a node the slides' large tree on 95 workers takes 17.8 s where \
             nobody waits; they measured 18.9 s"
        ),
        WAYS.to_owned(),
    ]
}
