//! The first paper's evaluation (Zarins & Weiland 2017, sections 3.4, 4 and 5).

mod amplitudes;
mod braid;
mod history;
mod landscape;
mod parameters;
mod progress;
mod table2;
mod time_to_solution;
mod trend;

use tresse_core::grid::Decomposition;
use tresse_core::machine::Hardware;
use tresse_core::noise::{Noise, NoisePlace, Parasite};
use tresse_core::run::{
    Balance, GridSize, Imbalance, Mode, Nodes, PlbParams, Precision, RunConfig, Stop,
};
use tresse_core::time::Duration;

use super::experiment::{Plan, Setting};
use super::machines;
use super::runs::{RunSample, Runs};
use crate::methods::{METHODS, Method};
use crate::problem::{Problem, worker_beside_source};
use crate::report::statistics::Quartiles;

pub(super) use amplitudes::AMPLITUDES;
pub(super) use braid::BRAID;
pub(super) use history::HISTORY;
pub(super) use landscape::LANDSCAPE;
pub(super) use parameters::PARAMETERS;
pub(super) use table2::TABLE_2;
pub(super) use time_to_solution::TIME_TO_SOLUTION;

/// Cells of a worker's part; few, so that hundreds of runs to the solution take half a minute.
const CELLS: GridSize = GridSize { rows: 48, columns: 48 };
/// The cells of section 4.2, as which they are timed.
const TIMED_AS: GridSize = GridSize { rows: 300, columns: 300 };

/// One of the two machines of Table 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PaperMachine {
    Cirrus,
    Archer,
}

impl PaperMachine {
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
/// A front between two values gets through a worker's part in a number of iterations that grows
/// with the square of its side, and the residual's norm falls like k^(−3/4) with the number k of
/// iterations. So that runs on few cells end where the papers' did, before the slowest modes of the
/// whole grid are all that is left, the tolerance is (300 ÷ side)^(3/2) as large.
fn to_solution() -> Stop {
    let ratio = TIMED_AS.rows as f64 / CELLS.rows as f64;
    Stop { tolerance: Some(1e-4 * ratio * ratio.sqrt()), iterations: None }
}

/// What [`shortened`] does, for people.
const SHORTENED: &str = "runs to the solution have 48x48 cells a core, timed as 300x300, and so \
                         (48 ÷ 300)² of the paper's iterations: ssync(30) waits at 1 iteration, \
                         hybrid(0.001, 500) mixes sockets every 12 rounds, and the tolerance is that of \
                         the same stage of diffusion, 1e-4 × (300 ÷ 48)^1.5";

/// The method for runs to the solution, which are (side ÷ 300)² as long as the papers': what
/// happens once in 500 rounds there happens that much more often here, and 30 iterations there are
/// that many fewer here, but one at least.
fn shortened(method: &Method) -> Method {
    let short = |number: u32| {
        let number = u64::from(number) * CELLS.cells() / TIMED_AS.cells();
        u32::try_from(number.max(1)).unwrap_or(u32::MAX)
    };
    let balance = match method.balance {
        Balance::Hybrid(period, rounds) => Balance::Hybrid(period, short(rounds)),
        balance => balance,
    };
    let mode = match method.mode {
        Mode::SemiSync(bound) => Mode::SemiSync(short(bound)),
        mode => mode,
    };
    Method { mode, balance, ..*method }
}

/// A method on a machine, with or without the parasite of section 4.3.
fn setting(machine: PaperMachine, method: &Method, stop: Stop, noisy: bool) -> Setting {
    let hardware = machine.hardware();
    let workers = hardware.all_cores();
    let (rows, columns) = Decomposition::worker_rows_and_columns(workers, 1);
    let grid =
        GridSize { rows: CELLS.rows * rows as usize, columns: CELLS.columns * columns as usize };
    let noisy_core = NoisePlace::Core(worker_beside_source(workers));
    let parasite = Noise { place: noisy_core, parasite: PARASITE };
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
        noise: noisy.then_some(parasite).into_iter().collect(),
    };
    Setting {
        label: label(machine, method.name, noisy),
        config,
        hardware,
        problem: stop.tolerance.is_some().then(|| Problem::paper(grid)),
        noise: None,
        keeps_history: false,
    }
}

/// All methods of Table 2 on both machines, quiet and noisy, to the solution.
fn all_to_solution() -> Plan {
    let settings = PaperMachine::ALL.into_iter().flat_map(|machine| {
        METHODS.iter().flat_map(move |method| {
            let method = shortened(method);
            [false, true].map(|noisy| setting(machine, &method, to_solution(), noisy))
        })
    });
    Plan { settings: settings.collect() }
}

/// The median of a figure of one method's runs; not a number where none ended.
fn median(
    runs: &Runs,
    machine: PaperMachine,
    method: &str,
    noisy: bool,
    figure: fn(&RunSample) -> f64,
) -> f64 {
    let figures = runs.figures(&label(machine, method, noisy), figure);
    Quartiles::of(&figures).map_or(f64::NAN, |quartiles| quartiles.median)
}

fn label(machine: PaperMachine, method: &str, noisy: bool) -> String {
    let state = if noisy { "noisy" } else { "quiet" };
    format!("{}, {method}, {state}", machine.name())
}

/// 200 µs of sleep, then 10000 iterations.
const PARASITE: Parasite = Parasite::Loop { sleep: Duration::from_micros(200), work: 10_000 };
