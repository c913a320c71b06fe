//! The first paper's evaluation (Zarins & Weiland 2017, sections 3.4, 4 and 5).

mod table2;

use tresse_core::grid::Decomposition;
use tresse_core::machine::Hardware;
use tresse_core::noise::{Noise, Parasite, Place};
use tresse_core::run::{GridSize, Imbalance, Nodes, PlbParams, Precision, RunConfig, Stop};
use tresse_core::time::Duration;

use super::experiment::Setting;
use super::machines;
use crate::methods::Method;
use crate::problem::Problem;

pub(super) use table2::TABLE_2;

/// Cells of a worker's part; few, so that many runs fit into a coffee break.
fn cells() -> GridSize { let c = std::env::var("CELLS").map_or(60, |v| v.parse().unwrap()); GridSize { rows: c, columns: c } }
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
        Hardware { costs: machines::timed_as(hardware.costs, cells(), TIMED_AS), ..hardware }
    }
}

/// To the tolerance of section 4.2.
fn to_solution() -> Stop { Stop { tolerance: Some(1e-4 * (300.0 / cells().rows as f64).powf(1.5)), iterations: None } }

/// A method on a machine, with or without the parasite of section 4.3.
fn setting(machine: Machine, method: &Method, stop: Stop, noisy: bool) -> Setting {
    let hardware = machine.hardware();
    let workers = hardware.all_cores();
    let (rows, columns) = Decomposition::worker_rows_and_columns(workers, 1);
    let grid =
        GridSize { rows: cells().rows * rows as usize, columns: cells().columns * columns as usize };
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
        problem: stop.tolerance.is_some().then(|| {
            let e = |n: &str, d: f64| std::env::var(n).ok().and_then(|v| v.parse().ok()).unwrap_or(d);
            let mut p = Problem::paper(grid);
            p.boundary = crate::problem::Boundary::default().with(tresse_core::grid::Side::Top, crate::problem::Profile::Gaussian { amplitude: e("AMP", 10.0), centre: e("CEN", 0.5), width: e("WID", 0.1) });
            p
        }),
        noise: None,
        keeps_history: false,
    }
}

fn label(machine: Machine, method: &str, noisy: bool) -> String {
    let noise = if noisy { "noisy" } else { "quiet" };
    format!("{}, {method}, {noise}", machine.name())
}

/// 200 µs of sleep, then 10000 iterations.
const PARASITE: Parasite = Parasite::Loop { sleep: Duration::from_micros(200), work: 10_000 };
