//! Runs that only count updates: on the paper's cells, whose number costs nothing where none is
//! computed.

use tresse_core::run::{GridSize, RunConfig, Stop};

use super::{CELLS, PaperMachine, TIMED_AS, setting as smaller};
use crate::methods::Method;
use crate::reproduce::experiment::Setting;
use crate::reproduce::machines;

/// What ends the runs for iteration rate and spread (section 4.2).
pub(super) const ITERATIONS: u64 = 5_000;

/// A run on ARCHER with the parasite of section 4.3, until a worker has made `iterations`.
pub(super) fn setting(label: String, method: &Method, iterations: u64) -> Setting {
    let stop = Stop { tolerance: None, iterations: Some(iterations) };
    let setting = smaller(PaperMachine::Archer, method, stop, true);
    let GridSize { rows, columns } = setting.config.grid;
    let grid = GridSize {
        rows: rows / CELLS.rows * TIMED_AS.rows,
        columns: columns / CELLS.columns * TIMED_AS.columns,
    };
    let config = RunConfig { grid, ..setting.config };
    Setting { label, config, hardware: machines::archer(), ..setting }
}
