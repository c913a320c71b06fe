//! The second paper's evaluation (Zarins & Weiland 2020, sections 4 and 5).
//!
//! Without balancing, neither DPLB nor PLB runs: section 3.1 makes PLB on the nodes a part of DPLB,
//! and section 5 and Table 3 compare runs before and after applying DPLB, never with PLB alone. The
//! cores hold 4 subdomains each either way.
//!
//! The paper speaks of nodes where it means MPI ranks, and does not say how many ranks a node has.
//! It runs PLB on each CPU socket on its own (section 5), and sends random subdomains by the means
//! of whole nodes (section 3.1). With a rank per node that cannot bring a single slow socket
//! forward: the mean is of both of its sockets, and so is the subdomain. So the main runs have a
//! rank per socket; those with a rank per node stand beside them.

mod category;
mod hundred;
mod nodes;
mod placement;
mod sockets;
mod table2;

use tresse_core::base::time::Duration;
use tresse_core::field::grid::{Arrangement, Decomposition};
use tresse_core::run::{
    Balance, GridSize, Imbalance, Mode, NodeBalance, Nodes, PlbParams, Precision, RunConfig, Stop,
};
use tresse_core::sim::machine::Hardware;

use crate::{Simulation, shipped};
use tresse_console::plots::Kinds;
use tresse_draw::statistics::Whiskers;
use tresse_engine::files::problem::Problem;

pub(super) use hundred::HUNDRED;
pub(super) use nodes::NODES;
pub(super) use sockets::SOCKETS;
pub(super) use table2::TABLE_2;

/// Returns the grid of the 15 nodes, timed as the 1000 × 1000 cells a core of section 4: 384 for
/// each core.
///
/// Few, so that hundreds of runs fit into minutes, and much higher than wide. A worker sweeps the
/// strips that it starts with from the top down, each with the newest edge of the one above, which
/// quickens one row in the height of a strip; balancing ends that order. So low strips make
/// balancing look expensive: with strips of 6 rows quiet runs need 5.5 % more iterations, with 16
/// rows 2.5 %, with 32 rows 2.1 % (balanced 72 times in an iteration). The paper's strips have 250
/// rows.
///
/// The cores of a socket stand in 6 rows and 3 columns, those of a node in 6 and 6; the parts are
/// so high and wide that the grid, and with it how far the source can reach, is the same.
const fn cells(rank: Rank) -> [GridSize; 2] {
    match rank {
        Rank::Socket => {
            [GridSize { rows: 32, columns: 12 }, GridSize { rows: 500, columns: 2_000 }]
        }
        Rank::Node => [GridSize { rows: 64, columns: 6 }, GridSize { rows: 1_000, columns: 1_000 }],
    }
}

/// Time of a cell in picoseconds.
///
/// The paper's runs took 118.1 s (Table 3), in which DPLB looked 236 times. Few cells need fewer
/// iterations, so that one of ours stands for several of the paper's; it lasts so long that a quiet
/// run on 15 nodes, asynchronous and not balanced, takes about those 118 s.
const CELL_TIME: u64 = 72_000;

/// Tolerance of section 4: the residual's norm, relative to the initial one.
const TOLERANCE: f64 = 1e-3;

/// DPLB's period (section 5). Its threshold is not published: 10 iterations, which a slow node is
/// behind after 2 s.
const DPLB: NodeBalance = NodeBalance::Dplb { period: Duration::from_millis(500), threshold: 10 };

/// PLB's period, on each socket on its own: the paper's is 0.001 s (section 5), and a sweep of all
/// of a core's cells takes 1.3 ms on this machine, or 72 ms with [`CELL_TIME`]. This one has as
/// many rounds in an iteration, which is what the spread within a node depends on.
const PLB: Balance = Balance::Split(Duration::from_millis(50));

/// The bound of the semi-synchronous runs: the 30 iterations of section 5 for iterations that are
/// so many times as long, and one at least, since with none the runs would be synchronous.
const BOUND: u32 = {
    let cirrus_cell_time = 1_300;
    let bound = 30 * cirrus_cell_time / CELL_TIME;
    #[expect(clippy::cast_possible_truncation, reason = "30 at most: a cell takes no less here")]
    if bound > 1 { bound as u32 } else { 1 }
};

/// Remark about slow ranks that are not brought forward within a run.
const ONE_A_LOOK: &str = "only the rank that finds itself the least progressed sends, one random \
                          subdomain in 0.5 s, and equally slow ranks may each find another one \
                          behind: several slow ones are brought forward one after the other";
/// Remark about balancing that loses where little can be gained.
const BRAIDING_COSTS: &str = "balanced runs need some 3 % more iterations here, since braiding \
                              ends the order in which a core sweeps its few low strips; where the \
                              slow ones lie far from the source that is more than balancing gains";

/// Remarks about choices made here that decide the results.
const REMARKS: [&str; 3] = [
    "a rank is a socket, between which DPLB moves random subdomains by their means, where the runs \
     are not said to have a rank per node",
    "an iteration stands for 55 of the paper's and lasts as long, so that the runs are as long as \
     its 118 s in fewer iterations: PLB runs every 50 ms instead of 1 ms, and ssync's bound is 1 \
     iteration (30 ÷ 55, and one at least)",
    "DPLB's threshold, which the paper does not print, is 10 iterations",
];

/// The hardware of an MPI rank; DPLB moves subdomains between ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rank {
    /// A socket of 18 cores.
    Socket,
    /// A node of two sockets, as section 3.1 reads.
    Node,
}

impl Rank {
    /// Returns the machine as ranks are on it, which the virtual machine calls nodes. Ranks on
    /// sockets of one node reach each other over the network too, and each has a pace of its own.
    fn on(self, nodes: u32, cirrus: Hardware) -> Hardware {
        match self {
            Self::Socket => Hardware { nodes: nodes * cirrus.sockets, sockets: 1, ..cirrus },
            Self::Node => Hardware { nodes, ..cirrus },
        }
    }

    /// Returns the remark behind the label of a run.
    const fn remark(self) -> &'static str {
        match self {
            Self::Socket => "",
            Self::Node => ", a rank per node",
        }
    }
}

/// Returns a quiet run on a number of nodes.
fn simulation(nodes: u32, rank: Rank, mode: Mode, is_balanced: bool) -> Simulation {
    let mut hardware = rank.on(nodes, shipped("cirrus"));
    let [cells, as_if] = cells(rank);
    hardware.costs.cell = CELL_TIME;
    hardware.costs = hardware.costs.timed_as(cells, as_if);
    let (workers, ranks) = (hardware.all_cores(), hardware.nodes);
    let Arrangement { rows, columns } = Decomposition::worker_arrangement(workers, ranks);
    let grid =
        GridSize { rows: cells.rows * rows as usize, columns: cells.columns * columns as usize };
    let (balance, between) =
        if is_balanced { (PLB, DPLB) } else { (Balance::None, NodeBalance::None) };
    let config = RunConfig {
        grid,
        workers,
        split: 4,
        mode,
        balance,
        help: false,
        always_help: false,
        // 6 pairs, from 2 to 6 subdomains: as in the first paper (section 5).
        plb: PlbParams::default(),
        nodes: Nodes { number: ranks, balance: between, ..Nodes::ONE },
        imbalance: Imbalance::default(),
        stop: Stop { tolerance: Some(TOLERANCE), ..Stop::NEVER },
        precision: Precision::F64,
        seed: 0,
        noise: heapless::Vec::new(),
    };
    let problem = Some(Problem::distributed(grid));
    Simulation { config, hardware, problem, noise: None, keeps_history: false }
}

/// Names of the two kinds of runs in pictures and rows.
const KINDS: Kinds = Kinds { names: ["unbalanced", "balanced"], whiskers: Whiskers::tukey };

/// Returns the name of the runs without or with balancing.
const fn kind(is_balanced: bool) -> &'static str {
    KINDS.names[is_balanced as usize]
}
