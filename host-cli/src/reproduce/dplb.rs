//! The second paper's evaluation (Zarins & Weiland 2020, sections 4 and 5).
//!
//! Without balancing, neither DPLB nor PLB runs: section 3.1 makes PLB on the nodes a part of DPLB,
//! and section 5 and Table 3 compare runs before and after applying DPLB, never with PLB alone. The
//! cores hold 4 subdomains each either way.

mod category;
mod hundred;
mod nodes;
mod placement;
mod sockets;
mod table2;

use tresse_core::grid::{Decomposition, Side};
use tresse_core::machine::{Costs, Hardware};
use tresse_core::run::{
    Balance, GridSize, Imbalance, Mode, NodeBalance, Nodes, PlbParams, Precision, RunConfig, Stop,
};
use tresse_core::time::Duration;

use super::experiment::Setting;
use super::machines;
use crate::problem::{Boundary, Cells, Problem, Profile};

pub(super) use hundred::HUNDRED;
pub(super) use nodes::NODES;
pub(super) use sockets::SOCKETS;
pub(super) use table2::TABLE_2;

/// Cells of a worker's part, timed as the 1000 × 1000 of section 4.
///
/// Few, so that hundreds of runs fit into minutes, and much higher than wide. A worker sweeps the
/// strips that it starts with from the top down, each with the newest edge of the one above, which
/// quickens one row in the height of a strip; balancing ends that order. So low strips make
/// balancing look dear: with strips of 6 rows quiet runs needed 5.5 % more iterations, with these
/// 16 rows 2.5 %, with 32 rows 2.1 % (balanced 72 times in an iteration). The paper's strips have
/// 250 rows.
const CELLS: GridSize = GridSize { rows: 64, columns: 6 };
const TIMED_AS: GridSize = GridSize { rows: 1_000, columns: 1_000 };

/// The time of a cell in picoseconds.
///
/// The paper's runs took 118.1 s (Table 3), in which DPLB looked 236 times. Few cells need fewer
/// iterations, so that one of ours stands for several of the paper's; it lasts so long that a quiet
/// run on 15 nodes, asynchronous and not balanced, takes about those 118 s.
const CELL_TIME: u64 = 72_000;

/// Section 4: the residual's norm, divided by the initial one.
const TOLERANCE: f64 = 1e-3;

/// DPLB's period (section 5). Its threshold is not published: 10 iterations, which a slow node is
/// behind after 2 s.
const DPLB: NodeBalance = NodeBalance::Dplb { period: Duration::from_millis(500), threshold: 10 };

/// PLB's period, on each socket on its own: the paper's is 0.001 s (section 5), and a sweep of all
/// of a core's cells takes 1.3 ms on this machine, or 72 ms with [`CELL_TIME`]. This one has as many
/// rounds in an iteration, which is what the spread within a node depends on.
const PLB: Balance = Balance::Split(Duration::from_millis(50));

/// The bound of the semi-synchronous runs (section 5).
const BOUND: u32 = 30;

/// The test problem: a bell along one side, the others zero (section 4), the interior zero too.
///
/// The nodes lie along this side, so that it is those in the middle of the domain whose updates
/// contribute most (section 5).
fn problem(grid: GridSize) -> Problem {
    let boundary = Boundary::default().with(Side::Left, Profile::GAUSSIAN);
    Problem { boundary, initial: Cells::Constant(0.0), ..Problem::paper(grid) }
}

/// A quiet run on so many nodes.
fn setting(nodes: u32, mode: Mode, is_balanced: bool, label: String) -> Setting {
    let cirrus = machines::cirrus();
    let costs = Costs { cell: CELL_TIME, ..cirrus.costs };
    let hardware = Hardware { nodes, costs: costs.timed_as(CELLS, TIMED_AS), ..cirrus };
    let workers = hardware.all_cores();
    let (rows, columns) = Decomposition::worker_rows_and_columns(workers, nodes);
    let grid =
        GridSize { rows: CELLS.rows * rows as usize, columns: CELLS.columns * columns as usize };
    let (balance, between) =
        if is_balanced { (PLB, DPLB) } else { (Balance::None, NodeBalance::None) };
    let config = RunConfig {
        grid,
        workers,
        split: 4,
        mode,
        balance,
        // 6 pairs, from 2 to 6 subdomains: as in the first paper (section 5).
        plb: PlbParams::default(),
        nodes: Nodes { number: nodes, balance: between, ..Nodes::ONE },
        imbalance: Imbalance::default(),
        stop: Stop { tolerance: Some(TOLERANCE), iterations: None },
        precision: Precision::F64,
        seed: 0,
        noise: heapless::Vec::new(),
    };
    let problem = Some(problem(grid));
    Setting { label, config, hardware, problem, noise: None, keeps_history: false }
}

/// What the two kinds of runs are called in pictures and rows.
const KINDS: [&str; 2] = ["unbalanced", "balanced"];

const fn kind(is_balanced: bool) -> &'static str {
    KINDS[is_balanced as usize]
}
