//! Small random problems, and runs of them in any mode.

use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;
use std::{fs, panic, thread};
use tresse_core::base::real::Real;

use ndarray::Array2;
use tempfile::TempDir;
use tresse::engine::checkpoints::Checkpoints;
use tresse::engine::solver::{self, Field, Finished};
use tresse::engine::solvers::Solver;
use tresse::engine::threads::{self, Cells, Job, Observer, Observers, RunRecord, Solution};
use tresse::files::output::Outputs;
use tresse::files::problem::{Boundary, CellValues, Problem, Profile, side_length};
use tresse::files::recording::{Head, Recorder, Source};
use tresse::files::stored_cell::StoredCell;
use tresse::platform::{Placement, Platform};
use tresse_core::base::rng::Rng;
use tresse_core::field::grid::Side;
use tresse_core::run::{Balance, GridSize, RunConfig};

pub use tresse_core_tests::Failure;
pub use tresse_core_tests::configurations::{
    PULL, balancers, config, edge_memory, iterations, methods, smallest_grid, tolerance,
};

use crate::recording::{Recording, Sweep};

/// Random values of every kind a problem can have, all in 0..1, the source in 0..0.1.
pub fn random(seed: u64, grid: GridSize, with_source: bool) -> Problem {
    let mut rng = Rng::new(seed, 1);
    let boundary = Side::ALL.into_iter().fold(Boundary::default(), |boundary, side| {
        boundary.with(side, profile(&mut rng, side_length(side, grid)))
    });
    let initial = match rng.below(2) {
        0 => CellValues::Constant(number(&mut rng)),
        _ => values(&mut rng, grid, 1.0),
    };
    let source = if with_source { values(&mut rng, grid, 0.1) } else { CellValues::Constant(0.0) };
    let coefficient = CellValues::Constant(1.0);
    Problem { grid, boundary, initial, source, coefficient, cell_ratio: 1.0 }
}

/// The same problem with a coefficient that is different everywhere, over four orders of magnitude,
/// and for most seeds with a flux through one side.
pub fn heterogeneous(seed: u64, mut problem: Problem) -> Problem {
    let mut rng = Rng::new(seed, 2);
    if let Some(&side) = Side::ALL.get((seed % 5) as usize) {
        problem.boundary = problem.boundary.with_flux(side);
    }
    let values = (0..problem.grid.cells()).map(|_| (9.0 * number(&mut rng) - 4.0).exp()).collect();
    let coefficient = CellValues::Values { columns: problem.grid.columns, values };
    Problem { coefficient, ..problem }
}

/// The same problem, of which a fifth of the cells are left out.
pub fn with_holes(seed: u64, mut problem: Problem) -> Problem {
    let mut rng = Rng::new(seed, 3);
    for values in [&mut problem.coefficient, &mut problem.source] {
        if let CellValues::Constant(value) = *values {
            let columns = problem.grid.columns;
            *values =
                CellValues::Values { columns, values: vec![value; columns * problem.grid.rows] };
        }
    }
    let (CellValues::Values { values: k, .. }, CellValues::Values { values: source, .. }) =
        (&mut problem.coefficient, &mut problem.source)
    else {
        return problem;
    };
    for (k, source) in k.iter_mut().zip(source).filter(|_| rng.below(5) == 0) {
        (*k, *source) = (0.0, 0.0);
    }
    problem
}

/// The same problem with cells that are four times as high as wide.
pub fn stretched(problem: Problem) -> Problem {
    Problem { cell_ratio: 4.0, ..problem }
}

fn profile(rng: &mut Rng, length: usize) -> Profile {
    match rng.below(3) {
        0 => Profile::Constant(number(rng)),
        1 => Profile::Gaussian { amplitude: number(rng), centre: number(rng), width: 0.2 },
        _ => Profile::Values((0..length).map(|_| number(rng)).collect()),
    }
}

fn values(rng: &mut Rng, grid: GridSize, scale: f64) -> CellValues {
    let values = (0..grid.cells()).map(|_| scale * number(rng)).collect();
    CellValues::Values { columns: grid.columns, values }
}

/// Returns a number that is not a short binary fraction, so that sums of such numbers round.
fn number(rng: &mut Rng) -> f64 {
    f64::from(rng.below(1_000_003)) / 1_000_003.0
}

/// Returns the least and the greatest initial or boundary value.
pub fn range(problem: &Problem) -> (f64, f64) {
    let GridSize { rows, columns } = problem.grid;
    let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let initial = cells.map(|(row, column)| problem.initial.at(row, column));
    let boundary = Side::ALL.into_iter().flat_map(|side| {
        let length = side_length(side, problem.grid);
        (0..length).map(move |index| problem.boundary.value(side, index, length))
    });
    initial.chain(boundary).fold((f64::INFINITY, f64::NEG_INFINITY), |(least, greatest), value| {
        (least.min(value), greatest.max(value))
    })
}

/// Initial 1, boundary in 0..=1: a start above the solution.
pub fn from_above(grid: GridSize) -> Problem {
    let boundary = Boundary::default()
        .with(Side::Left, Profile::bell(1.0))
        .with(Side::Top, Profile::Constant(1.0))
        .with(Side::Right, Profile::Constant(0.3));
    let [initial, coefficient] = [const { CellValues::Constant(1.0) }; 2];
    let source = CellValues::Constant(0.0);
    Problem { grid, boundary, initial, source, coefficient, cell_ratio: 1.0 }
}

/// Returns the methods of all solvers, including the baseline.
pub fn methods_of_all_solvers() -> Vec<(Solver, Balance)> {
    let of_engine = methods().into_iter().map(|(mode, balance)| (mode.into(), balance));
    of_engine.chain([(Solver::Rayon, Balance::None)]).collect()
}

/// Workers on the allowed cores, as many on each as it takes; two sockets if there are two workers.
pub fn placement(workers: u32) -> Result<Placement, Failure> {
    let mut placement = Placement::plan(&Platform::detect()?, Some(workers), None)?;
    let half = placement.seats.len().div_ceil(2);
    for seat in placement.seats.iter_mut().skip(half) {
        seat.socket.0 += 1;
    }
    Ok(placement)
}

/// Runs on the engine; the cells come back in double precision, which is exact.
pub fn run(problem: &Problem, config: &RunConfig) -> Result<(Array2<f64>, RunRecord), Failure> {
    run_by(config.mode.into(), problem, config, &AtomicBool::new(false))
}

/// [`run`] by any solver, which somebody may end early.
pub fn run_by(
    by: Solver,
    problem: &Problem,
    config: &RunConfig,
    interrupt: &AtomicBool,
) -> Result<(Array2<f64>, RunRecord), Failure> {
    let placement = placement(config.workers)?;
    let job = Job { config, problem, placement: &placement, interrupt };
    let finished = solver::run_by(by, job, &mut |_| {})?;
    let field = match finished.field {
        Field::F32(cells) => cells.mapv(f64::from),
        Field::F64(cells) => cells,
    };
    Ok((field, finished.record))
}

/// Runs on pinned threads and answers every sweep that was made, by subdomain and version; the
/// recording makes the workers interleave, see [`Recording`].
pub fn record<F: Real + StoredCell>(
    problem: &Problem,
    config: &RunConfig,
) -> Result<(Solution<F>, Vec<Sweep>), Failure> {
    let recordings = (0..config.workers).map(Recording::of_worker).collect();
    let (solution, recordings) = observe(problem, config, recordings)?;
    let mut sweeps: Vec<_> = recordings.into_iter().flat_map(|one| one.sweeps).collect();
    sweeps.sort_by_key(|sweep| (sweep.subdomain, sweep.version));
    Ok((solution, sweeps))
}

/// Runs on pinned threads, with an observer for each worker.
pub fn observe<F: Real + StoredCell, O: for<'m> Observer<Cells<'m, F>>>(
    problem: &Problem,
    config: &RunConfig,
    observers: Vec<O>,
) -> Result<(Solution<F>, Vec<O>), Failure> {
    observe_until((problem, config), observers, &AtomicBool::new(false))
}

/// Runs on pinned threads, with an observer for each worker, until it is over or somebody
/// interrupts it.
pub fn observe_until<F: Real + StoredCell, O: for<'m> Observer<Cells<'m, F>>>(
    (problem, config): (&Problem, &RunConfig),
    observers: Vec<O>,
    interrupt: &AtomicBool,
) -> Result<(Solution<F>, Vec<O>), Failure> {
    let placement = placement(config.workers)?;
    let job = Job { config, problem, placement: &placement, interrupt };
    Ok(threads::solve(job, Checkpoints::default(), Observers::of_workers(observers), &mut |_| {})?)
}

/// Runs on pinned threads and records the schedule; answers the recording's bytes as well.
pub fn record_schedule(
    problem: &Problem,
    config: &RunConfig,
) -> Result<(Finished, Vec<u8>), Failure> {
    let placement = placement(config.workers)?;
    let interrupt = AtomicBool::new(false);
    let job = Job { config, problem, placement: &placement, interrupt: &interrupt };
    let (folder, recorder) = recorder(job)?;
    let (finished, stored) = solver::record(job, Checkpoints::default(), recorder, &mut |_| {})?;
    stored?;
    Ok((finished, fs::read(folder.path().join(RECORDING))?))
}

/// The name of a recording in its folder.
pub const RECORDING: &str = "run.tresse";

/// Returns a recorder for a job, and the folder of its file, which goes when it is dropped.
pub fn recorder(job: Job<'_>) -> Result<(TempDir, Recorder), Failure> {
    let folder = tempfile::tempdir()?;
    let file = Outputs::default().file("--record", &folder.path().join(RECORDING))?;
    let noise = job.noisy_cores()?.into_iter().map(|(noise, core)| Source { noise, core });
    let head = Head::new(job.config, job.problem, job.placement.cores(), noise.collect());
    Ok((folder, Recorder::start(head, file)?))
}

/// Fails if `task` hangs: the limit is far beyond what it takes on the slowest machine.
pub fn within_ten_minutes<T: Send + 'static>(
    what: &str,
    task: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    let (done, outcome) = mpsc::channel();
    let thread = thread::spawn(move || done.send(task()));
    match outcome.recv_timeout(Duration::from_mins(10)) {
        Ok(result) => Ok(result),
        Err(RecvTimeoutError::Timeout) => Err(format!("{what} hangs").into()),
        Err(RecvTimeoutError::Disconnected) => match thread.join() {
            Err(payload) => panic::resume_unwind(payload),
            Ok(_) => Err(format!("{what} was lost").into()),
        },
    }
}
