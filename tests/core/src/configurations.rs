//! Small configurations of runs in every mode.

use std::iter;
use tresse_core::base::unit::Unit;

use tresse_core::base::id::SubdomainId;
use tresse_core::base::time::Duration as Period;
use tresse_core::field::grid::{Decomposition, Side, arrangement};
use tresse_core::parts::halo::EDGE_BUFFERS;
use tresse_core::run::{
    Balance, GridSize, Imbalance, Mode, Nodes, PlbParams, Precision, RunConfig, Stop,
};

/// Returns the smallest grid that can be cut for a number of workers and of subdomains of each.
pub fn smallest_grid(workers: u32, split: u32) -> GridSize {
    let (all, block) = (arrangement(workers), arrangement(split));
    let (rows, columns) = (all.rows * block.rows, all.columns * block.columns);
    GridSize { rows: rows as usize, columns: columns as usize }
}

/// Returns every balancer with a period so short that there are many moves.
pub fn balancers() -> [Balance; 9] {
    let period = Period::from_micros(20);
    [
        Balance::None,
        Balance::Joint(period),
        Balance::Split(period),
        Balance::Hybrid(period, 3),
        Balance::Swap(period),
        Balance::Gradient(period),
        Balance::Grapevine(period),
        Balance::Borrow(period, 1),
        Balance::Auto,
    ]
}

/// Updates behind which a subdomain is pulled, so few that this happens often.
pub const PULL: Balance = Balance::Pull(1);

/// Returns every mode with every balancer that it can have.
pub fn methods() -> Vec<(Mode, Balance)> {
    let waiting = [Mode::SemiSync(0), Mode::SemiSync(1), Mode::SemiSync(30), Mode::Async];
    let all = || balancers().into_iter().chain([PULL]);
    let balanced = waiting.iter().flat_map(|&mode| all().map(move |balance| (mode, balance)));
    let exact = [Balance::None, PULL].map(|balance| (Mode::Exact, balance));
    iter::once((Mode::Sync, Balance::None)).chain(exact).chain(balanced).collect()
}

/// Returns a run in double precision without noise, with thresholds that leave room for many moves.
pub fn config(
    grid: GridSize,
    (workers, split): (u32, u32),
    (mode, balance): (Mode, Balance),
    stop: Stop,
) -> RunConfig {
    RunConfig {
        grid,
        workers,
        split,
        mode,
        balance,
        help: true,
        always_help: false,
        plb: PlbParams { pairs: 8, low: 1, high: 64, dead_band: 0 },
        nodes: Nodes::ONE,
        imbalance: Imbalance::default(),
        stop,
        precision: Precision::F64,
        seed: 7,
        noise: iter::empty().collect(),
    }
}

/// Ends after a number of iterations.
pub const fn iterations(iterations: u64) -> Stop {
    Stop { iterations: Some(iterations), ..Stop::NEVER }
}

/// Ends at this residual relative to the initial one.
pub const fn tolerance(tolerance: f64) -> Stop {
    Stop { tolerance: Some(tolerance), ..Stop::NEVER }
}

/// Memory for the edges that a subdomain publishes.
pub fn edge_memory(cut: &Decomposition, id: SubdomainId) -> [Vec<<f64 as Unit>::Shared>; 4] {
    Side::ALL.map(|side| {
        let size = cut.rectangle(id).size;
        let has = cut.neighbour(id, side).is_some();
        let words = if has { EDGE_BUFFERS * size.rows.max(size.columns) } else { 0 };
        (0..words).map(|_| f64::shared_zero()).collect()
    })
}
