//! The run of the paper (Zarins & Weiland 2017), which is the default of every run.

use crate::base::time::Duration;
use crate::field::grid::{Arrangement, Decomposition};
use crate::run::{
    Balance, GridSize, Imbalance, Mode, Nodes, PlbParams, Precision, RunConfig, Stop,
};

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

impl RunConfig {
    /// Returns the paper's run on `workers` (Zarins & Weiland 2017, sections 4.2 and 4.3): each
    /// with [`CELLS_PER_WORKER`] in 4 subdomains, asynchronous, balanced on each socket every
    /// millisecond, in double precision, to 10⁻⁴ of the initial residual; one node, no noise,
    /// seed 1.
    pub fn paper(workers: u32) -> Self {
        let Arrangement { rows, columns } = Decomposition::worker_arrangement(workers, 1);
        let times = |cells: usize, workers: u32| cells.saturating_mul(workers as usize);
        let GridSize { rows: cell_rows, columns: cell_columns } = CELLS_PER_WORKER;
        Self {
            grid: GridSize { rows: times(cell_rows, rows), columns: times(cell_columns, columns) },
            workers,
            split: SPLIT,
            mode: Mode::Async,
            balance: Balance::Split(Duration::from_millis(1)),
            help: true,
            always_help: false,
            plb: PlbParams::for_split(SPLIT),
            nodes: Nodes::ONE,
            imbalance: Imbalance::default(),
            stop: Stop { tolerance: Some(1e-4), ..Stop::NEVER },
            precision: Precision::F64,
            seed: 1,
            noise: heapless::Vec::new(),
        }
    }
}
