//! The first paper's evaluation (Zarins & Weiland 2017, sections 3.4, 4 and 5).

mod amplitudes;
mod auto;
mod braid;
mod growth;
mod history;
mod landscape;
mod parameters;
mod pull;
mod table2;
mod time_to_solution;

use tresse_core::base::time::Duration;
use tresse_core::field::grid::{Arrangement, Decomposition};
use tresse_core::run::noise::{Noise, NoisePlace, Parasite};
use tresse_core::run::{
    Balance, GridSize, Imbalance, Mode, Nodes, PlbParams, Precision, RunConfig, Stop,
};
use tresse_core::sim::machine::Hardware;

use crate::{Figure, Runs, Setting, Simulation, Statement, says, shipped};
use tresse_draw::statistics::median;
use tresse_engine::experiments::methods::{METHODS, Method};
use tresse_engine::files::problem::{Problem, worker_beside_source};

pub(super) use amplitudes::AMPLITUDES;
pub(super) use auto::AUTO;
pub(super) use braid::BRAID;
pub(super) use history::HISTORY;
pub(super) use landscape::LANDSCAPE;
pub(super) use parameters::PARAMETERS;
pub(super) use pull::PULL;
pub(super) use table2::TABLE_2;
pub(super) use time_to_solution::TIME_TO_SOLUTION;

/// Size of a worker's part; small, so that hundreds of runs to the solution take half a minute.
const CELLS: GridSize = GridSize { rows: 48, columns: 48 };
/// Size of a part in section 4.2, as which they are timed.
const TIMED_AS: GridSize = GridSize { rows: 300, columns: 300 };

/// One of the two machines of Table 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PaperMachine {
    Cirrus,
    Archer,
}

impl PaperMachine {
    const ALL: [Self; 2] = [Self::Cirrus, Self::Archer];

    /// Returns the name of the machine in labels.
    const fn name(self) -> &'static str {
        match self {
            Self::Cirrus => "Cirrus",
            Self::Archer => "ARCHER",
        }
    }
}

/// Returns the tolerance of section 4.2, for the cells that we have: at the same stage of
/// diffusion.
///
/// A front between two values gets through a worker's part in a number of iterations that grows
/// with the square of its side, and the residual's norm falls like k^(−3/4) with the number k of
/// iterations. So that runs on few cells end where the papers' did, before the slowest modes of the
/// whole grid are all that is left, the tolerance is (300 ÷ side)^(3/2) as large.
fn to_solution() -> Stop {
    let ratio = TIMED_AS.rows as f64 / CELLS.rows as f64;
    Stop { tolerance: Some(1e-4 * ratio * ratio.sqrt()), ..Stop::NEVER }
}

/// Remark that explains [`shortened`], for people.
const SHORTENED: &str = "runs to the solution have 48x48 cells a core, timed as 300x300, and so \
                         (48 ÷ 300)² of the paper's iterations: ssync(30) waits at 1 iteration, \
                         hybrid(0.001, 500) mixes sockets every 12 rounds, and the tolerance is \
                         that of the same stage of diffusion, 1e-4 × (300 ÷ 48)^1.5";

/// Returns the method for runs to the solution, which are (side ÷ 300)² as long as the papers':
/// what happens once in 500 rounds there happens that much more often here, and 30 iterations there
/// are that many fewer here, but one at least.
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

/// Returns a method on a machine of the paper, with or without the parasite of section 4.3.
fn simulation(machine: PaperMachine, method: &Method, stop: Stop, noisy: bool) -> Simulation {
    let parasite = |workers| noisy.then(|| on(worker_beside_source(workers), PARASITE));
    simulation_on(shipped(&machine.name().to_lowercase()), method, stop, parasite)
}

/// Returns a parasite on a core as noise.
const fn on(core: u32, parasite: Parasite) -> Noise {
    Noise { place: NoisePlace::Core(core), parasite }
}

/// Returns a method on all cores of a machine, with the noise that there is for so many workers.
fn simulation_on<N: IntoIterator<Item = Noise>>(
    mut hardware: Hardware,
    method: &Method,
    stop: Stop,
    noise: impl FnOnce(u32) -> N,
) -> Simulation {
    hardware.costs = hardware.costs.timed_as(CELLS, TIMED_AS);
    let workers = hardware.all_cores();
    let Arrangement { rows, columns } = Decomposition::worker_arrangement(workers, 1);
    let grid =
        GridSize { rows: CELLS.rows * rows as usize, columns: CELLS.columns * columns as usize };
    let config = RunConfig {
        grid,
        workers,
        split: method.split,
        mode: method.mode,
        balance: method.balance,
        help: true,
        always_help: false,
        plb: PlbParams::default(),
        nodes: Nodes::ONE,
        imbalance: Imbalance::default(),
        stop,
        precision: Precision::F64,
        seed: 0,
        noise: noise(workers).into_iter().collect(),
    };
    let problem = stop.has_tolerance().then(|| Problem::paper(grid));
    Simulation { config, hardware, problem, noise: None, keeps_history: false }
}

/// Iterations at which the runs for iteration rate and spread end (section 4.2).
const ITERATIONS: u64 = 5_000;

/// Returns a run on ARCHER with the parasite of section 4.3, until one worker has made this number
/// of iterations: on the paper's cells, whose number is of no account, as none is computed.
fn progress(method: &Method, iterations: u64) -> Simulation {
    let stop = Stop { iterations: Some(iterations), ..Stop::NEVER };
    let mut simulation = simulation(PaperMachine::Archer, method, stop, true);
    let GridSize { rows, columns } = simulation.config.grid;
    simulation.config.grid = GridSize {
        rows: rows / CELLS.rows * TIMED_AS.rows,
        columns: columns / CELLS.columns * TIMED_AS.columns,
    };
    Simulation { hardware: shipped("archer"), ..simulation }
}

/// Returns all methods on both machines, quiet and noisy.
fn on_both_machines(methods: &[Method], stop: Stop) -> Vec<Setting> {
    let settings = PaperMachine::ALL.into_iter().flat_map(|machine| {
        methods.iter().flat_map(move |method| {
            [false, true].map(|noisy| {
                let label = label(machine, method.name, noisy);
                simulation(machine, method, stop, noisy).labelled(label)
            })
        })
    });
    settings.collect()
}

/// Returns all methods of Table 2 to the solution.
fn all_to_solution() -> Vec<Setting> {
    on_both_machines(&METHODS.each_ref().map(shortened), to_solution())
}

/// Returns the label of a method's runs on a machine.
fn label(machine: PaperMachine, method: &str, noisy: bool) -> String {
    let state = if noisy { "noisy" } else { "quiet" };
    format!("{}, {method}, {state}", machine.name())
}

/// All runs of one machine.
#[derive(Clone, Copy)]
struct View<'a> {
    runs: &'a Runs,
    machine: PaperMachine,
}

impl<'a> View<'a> {
    /// Returns the views of both machines.
    fn of_both(runs: &'a Runs) -> [Self; 2] {
        PaperMachine::ALL.map(|machine| Self { runs, machine })
    }

    const fn name(self) -> &'static str {
        self.machine.name()
    }

    /// Returns a statement about this machine that is still to be judged.
    fn says(self, text: &str) -> Statement {
        says(format!("on {}, {text}", self.name()))
    }

    /// Returns the label of a method's runs.
    fn label(self, method: &str, noisy: bool) -> String {
        label(self.machine, method, noisy)
    }

    /// Returns a figure of all runs of a method.
    fn figures(self, method: &str, noisy: bool, figure: Figure) -> Vec<f64> {
        self.runs.figures(&self.label(method, noisy), figure)
    }

    /// Returns the median; NaN where no run ended.
    fn median(self, method: &str, noisy: bool, figure: Figure) -> f64 {
        median(&self.figures(method, noisy, figure))
    }

    /// Returns the percentage by which noise raises a figure of a method.
    fn increases(self, method: &str, figure: Figure) -> Vec<f64> {
        let [quiet, noisy] = [false, true].map(|noisy| self.label(method, noisy));
        self.runs.increases(&quiet, &noisy, figure)
    }
}

/// Parasite that sleeps for 200 µs, and then makes 10000 iterations.
const PARASITE: Parasite = Parasite::Loop { sleep: Duration::from_micros(200), work: 10_000 };
