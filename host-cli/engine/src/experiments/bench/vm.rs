//! What an update costs the virtual machine itself, by methods and numbers of workers: who sweeps
//! what when, without any cells.

use std::sync::atomic::Ordering;
use std::time::Instant;

use serde::Serialize;
use tresse_core::base::time::Duration;
use tresse_core::run::{Balance, Mode};
use tresse_core::sim::machine::SimulationError;

use crate::simulation::{VirtualJob, simulate_progress};

/// Time between two rounds of a balancer.
const PERIOD: Duration = Duration::from_millis(1);

/// A machine of so many workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Size {
    /// Nodes.
    pub nodes: u32,
    /// Sockets of a node.
    pub sockets: u32,
    /// Cores of a socket, each with a worker.
    pub cores: u32,
}

impl Size {
    /// The sizes that are measured.
    pub const ALL: [Self; 4] = [
        Self { nodes: 1, sockets: 2, cores: 18 },
        Self { nodes: 1, sockets: 2, cores: 144 },
        Self { nodes: 128, sockets: 2, cores: 16 },
        Self { nodes: 1, sockets: 2, cores: 2_048 },
    ];

    /// Returns the number of workers.
    pub const fn workers(self) -> u32 {
        self.nodes * self.sockets * self.cores
    }
}

/// Returns the methods that are measured: each mode without a balancer, and then with each that it
/// can have.
pub fn methods() -> Vec<(Mode, Balance)> {
    let balanced = [
        Balance::None,
        Balance::Auto,
        Balance::Joint(PERIOD),
        Balance::Split(PERIOD),
        Balance::Hybrid(PERIOD, 4),
        Balance::Swap(PERIOD),
        Balance::Gradient(PERIOD),
        Balance::Grapevine(PERIOD),
        Balance::Borrow(PERIOD, Balance::LAG),
        Balance::Pull(Balance::LAG),
    ];
    let pulled = [Balance::None, Balance::Pull(Balance::LAG)];
    let asynchronous = balanced.map(|balance| (Mode::Async, balance));
    let waiting = pulled.map(|balance| (Mode::SemiSync(1), balance));
    let exact = pulled.map(|balance| (Mode::Exact, balance));
    asynchronous
        .into_iter()
        .chain(waiting)
        .chain(exact)
        .chain([(Mode::Sync, Balance::None)])
        .collect()
}

/// The costs of updates, of runs of so many.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UpdateCosts {
    /// Updates of each run.
    pub updates: u64,
    /// The costs by methods, each with all sizes.
    pub costs: Vec<UpdateCost>,
}

/// The cost of a method's updates.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UpdateCost {
    /// The mode.
    pub mode: Mode,
    /// The balancer.
    pub balance: Balance,
    /// The machine.
    pub size: Size,
    /// Nanoseconds of an update, on one thread.
    pub nanoseconds: f64,
    /// That over the cost in the same mode without a balancer.
    pub over_none: f64,
}

/// Runs of a method of which the quickest counts: others on the machine only make them longer.
pub const RUNS: u32 = 3;

/// Measures the quickest run of a method; none where it is interrupted.
pub fn nanoseconds(job: VirtualJob<'_>) -> Result<Option<f64>, SimulationError> {
    let mut quickest = f64::INFINITY;
    for _ in 0..RUNS {
        let start = Instant::now();
        let record = simulate_progress(job)?;
        let time = start.elapsed().as_secs_f64() * 1e9;
        if job.interrupt.load(Ordering::Relaxed) || record.sweeps == 0 {
            return Ok(None);
        }
        quickest = quickest.min(time / record.sweeps as f64);
    }
    Ok(Some(quickest))
}
