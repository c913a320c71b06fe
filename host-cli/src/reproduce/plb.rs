//! The first paper's evaluation (Zarins & Weiland 2017, sections 3.4, 4 and 5).

mod landscape;
mod table2;
mod time_to_solution;

use tresse_core::grid::{Decomposition, Side};
use tresse_core::machine::Hardware;
use tresse_core::noise::{Noise, Parasite, Place};
use tresse_core::run::{GridSize, Imbalance, Nodes, PlbParams, Precision, RunConfig, Stop};
use tresse_core::time::Duration;

use super::experiment::{Plan, Setting};
use super::machines;
use super::runs::{Runs, Sample};
use crate::methods::{METHODS, Method};
use crate::problem::{Boundary, Problem, Profile};
use crate::report::statistics::Quartiles;

pub(super) use landscape::LANDSCAPE;
pub(super) use table2::TABLE_2;
pub(super) use time_to_solution::TIME_TO_SOLUTION;

/// Cells of a worker's part; few, so that many runs fit into a coffee break.
const CELLS: GridSize = GridSize { rows: 60, columns: 60 };
/// The cells of section 4.2, as which they are timed.
const TIMED_AS: GridSize = GridSize { rows: 300, columns: 300 };

/// One of the two machines of Table 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Machine {
    Cirrus,
    Archer,
}

impl Machine {
    const ALL: [Self; 2] = [Self::Cirrus, Self::Archer];

    const fn name(self) -> &'static str {
        match self {
            Self::Cirrus => "Cirrus",
            Self::Archer => "ARCHER",
        }
    }

    fn hardware(self) -> Hardware {
        let hardware = match self {
            Self::Cirrus => machines::cirrus(),
            Self::Archer => machines::archer(),
        };
        Hardware { costs: hardware.costs.timed_as(CELLS, TIMED_AS), ..hardware }
    }
}

/// The tolerance of section 4.2, for the cells that we have: at the same stage of diffusion.
///
/// From a front between two values the residual's norm falls like k^(−3/4) with the number k of
/// iterations, and the front gets through a worker's part after a number of them that grows with
/// the square of its side. So that runs on few cells end where the papers' did, before the slowest
/// modes of the whole grid are all that is left, their tolerance is (300 ÷ side)^(3/2) as large.
fn to_solution() -> Stop {
    let ratio = TIMED_AS.rows as f64 / CELLS.rows as f64;
    Stop { tolerance: Some(1e-4 * ratio * ratio.sqrt()), iterations: None }
}

/// The test problem of section 4.2. The source is ten times as high as the initial field, so that
/// the part of the grid beside it decides on the time to solution, as the paper found
/// (section 4.3).
fn problem(grid: GridSize) -> Problem {
    let source = Profile::Gaussian { amplitude: 10.0, centre: 0.5, width: 0.1 };
    Problem { boundary: Boundary::default().with(Side::Top, source), ..Problem::paper(grid) }
}

/// A method on a machine, with or without the parasite of section 4.3.
fn setting(machine: Machine, method: &Method, stop: Stop, noisy: bool) -> Setting {
    let hardware = machine.hardware();
    let workers = hardware.all_cores();
    let (rows, columns) = Decomposition::worker_rows_and_columns(workers, 1);
    let grid =
        GridSize { rows: CELLS.rows * rows as usize, columns: CELLS.columns * columns as usize };
    // The worker beside the middle of the side with the source.
    let noise = Noise { place: Place::Core(columns / 2), parasite: PARASITE };
    let config = RunConfig {
        grid,
        workers,
        split: method.split,
        mode: method.mode,
        balance: method.balance,
        plb: PlbParams::default(),
        nodes: Nodes::ONE,
        imbalance: Imbalance::default(),
        stop,
        precision: Precision::F64,
        seed: 0,
        noise: noisy.then_some(noise).into_iter().collect(),
    };
    Setting {
        label: label(machine, method.name, noisy),
        config,
        hardware,
        problem: stop.tolerance.is_some().then(|| problem(grid)),
        noise: None,
        keeps_history: false,
    }
}

/// All methods of Table 2 on both machines, quiet and noisy, to the solution.
fn all_to_solution() -> Plan {
    let settings = Machine::ALL.into_iter().flat_map(|machine| {
        METHODS.iter().flat_map(move |method| {
            [false, true].map(|noisy| setting(machine, method, to_solution(), noisy))
        })
    });
    Plan { settings: settings.collect() }
}

/// The median of a figure of one method's runs; not a number where none ended.
fn median(
    runs: &Runs,
    machine: Machine,
    method: &str,
    noisy: bool,
    figure: fn(&Sample) -> f64,
) -> f64 {
    let figures = runs.figures(&label(machine, method, noisy), figure);
    Quartiles::of(&figures).map_or(f64::NAN, |quartiles| quartiles.median)
}

fn label(machine: Machine, method: &str, noisy: bool) -> String {
    let noise = if noisy { "noisy" } else { "quiet" };
    format!("{}, {method}, {noise}", machine.name())
}

/// 200 µs of sleep, then 10000 iterations.
const PARASITE: Parasite = Parasite::Loop { sleep: Duration::from_micros(200), work: 10_000 };
