//! One run, in whichever precision and mode its configuration says.

use std::fmt;
use std::sync::atomic::AtomicBool;

use ndarray::Array2;
use tresse_core::machine::SimulationError;
use tresse_core::run::{Precision, RunConfig};
use twox_hash::XxHash3_128;

use crate::platform::Placement;
use crate::problem::Problem;
use crate::recording::Recorder;
use crate::report::field::{FieldCells, FieldView};
use crate::report::history::HistorySample;
use crate::report::output::OutputError;
use crate::simulation::{self, VirtualJob};
use crate::solvers::Solver;
use crate::threads::{self, Cells, EngineError, Job, Observer, Observers, RunRecord, Solution};

/// The cells of a finished run, in its precision.
#[derive(Clone, Debug, PartialEq)]
pub enum Field {
    /// 32-bit floats, rows × columns.
    F32(Array2<f32>),
    /// 64-bit floats, rows × columns.
    F64(Array2<f64>),
}

impl Field {
    /// The field as the writers of files see it; none for a field without cells.
    pub fn view(&self) -> Option<FieldView<'_>> {
        let (rows, columns, cells) = match self {
            Self::F32(cells) => {
                (cells.nrows(), cells.ncols(), cells.as_slice().map(FieldCells::F32))
            }
            Self::F64(cells) => {
                (cells.nrows(), cells.ncols(), cells.as_slice().map(FieldCells::F64))
            }
        };
        FieldView::new(rows, columns, cells?).ok()
    }

    /// The hash of the size and of every bit of the cells.
    pub fn hash(&self) -> FieldHash {
        match self {
            Self::F32(cells) => hash(cells, |cell| cell.to_le_bytes()),
            Self::F64(cells) => hash(cells, |cell| cell.to_le_bytes()),
        }
    }
}

/// XXH3 of 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldHash(pub u128);

impl fmt::Display for FieldHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// The hash of a field whose cells come one after the other.
pub(crate) struct FieldHasher(XxHash3_128);

impl FieldHasher {
    pub(crate) fn new(rows: usize, columns: usize) -> Self {
        let mut hash = XxHash3_128::new();
        for length in [rows, columns] {
            hash.write(&(length as u64).to_le_bytes());
        }
        Self(hash)
    }

    /// Adds cells as little-endian bytes, row after row.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    pub(crate) fn finish(self) -> FieldHash {
        FieldHash(self.0.finish_128())
    }
}

fn hash<F, const N: usize>(cells: &Array2<F>, bytes: impl Fn(&F) -> [u8; N]) -> FieldHash {
    let mut hash = FieldHasher::new(cells.nrows(), cells.ncols());
    cells.iter().for_each(|cell| hash.add(&bytes(cell)));
    hash.finish()
}

/// A run that has ended.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The cells.
    pub field: Field,
    /// What was measured.
    pub record: RunRecord,
}

impl From<Solution<f32>> for Finished {
    fn from(Solution { field, record }: Solution<f32>) -> Self {
        Self { field: Field::F32(field), record }
    }
}

impl From<Solution<f64>> for Finished {
    fn from(Solution { field, record }: Solution<f64>) -> Self {
        Self { field: Field::F64(field), record }
    }
}

/// Solves a problem on the cores of this machine; see [`run`] for more of a say.
///
/// ```
/// use tresse::problem::Problem;
/// use tresse::solver;
/// use tresse_core::run::{End, GridSize, RunConfig, Stop};
///
/// let config = RunConfig {
///     workers: 2,
///     grid: GridSize { rows: 60, columns: 60 },
///     stop: Stop { tolerance: Some(1e-2), iterations: None },
///     ..RunConfig::default()
/// };
/// let finished = solver::solve(&config, &Problem::paper(config.grid))?;
/// assert_eq!(finished.record.end, End::Converged);
/// # Ok::<(), tresse::threads::EngineError>(())
/// ```
pub fn solve(config: &RunConfig, problem: &Problem) -> Result<Finished, EngineError> {
    let placement = Placement::here(config.workers)?;
    let job = Job { config, problem, placement: &placement, interrupt: &AtomicBool::new(false) };
    run(job, &mut |_| {})
}

/// Runs a job to its end by the engine; `watch` sees samples of it meanwhile.
pub fn run(job: Job<'_>, watch: &mut dyn FnMut(&HistorySample)) -> Result<Finished, EngineError> {
    observed(job, Observers::of_workers(vec![(); job.placement.seats.len()]), watch)
}

/// The same by a solver, in whose mode the job is.
pub fn run_by(
    solver: Solver,
    job: Job<'_>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Finished, EngineError> {
    match (solver, job.config.precision) {
        (Solver::Engine(_), _) => run(job, watch),
        (Solver::Rayon, Precision::F32) => {
            threads::solve_with_rayon::<f32>(job, watch).map(Into::into)
        }
        (Solver::Rayon, Precision::F64) => {
            threads::solve_with_rayon::<f64>(job, watch).map(Into::into)
        }
    }
}

/// The same in virtual time.
pub fn simulate(
    job: VirtualJob<'_>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Finished, SimulationError> {
    match job.config.precision {
        Precision::F32 => simulation::simulate::<f32>(job, watch, &mut ()).map(Finished::from),
        Precision::F64 => simulation::simulate::<f64>(job, watch, &mut ()).map(Finished::from),
    }
}

/// The same as [`run`], and records it. The run does not depend on what becomes of the
/// recording.
pub fn record(
    job: Job<'_>,
    recorder: Recorder,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<(Finished, Result<(), OutputError>), EngineError> {
    let (observers, unfinished) = recorder.into_parts();
    match observed(job, observers, watch) {
        Ok(finished) => {
            let stored = unfinished.finish(finished.field.hash(), finished.record.end);
            Ok((finished, stored))
        }
        Err(error) => {
            unfinished.abandon();
            Err(error)
        }
    }
}

fn observed<O>(
    job: Job<'_>,
    observers: Observers<O>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Finished, EngineError>
where
    O: for<'m> Observer<Cells<'m, f32>> + for<'m> Observer<Cells<'m, f64>>,
{
    match job.config.precision {
        Precision::F32 => {
            threads::solve::<f32, O>(job, observers, watch).map(|(solution, _)| solution.into())
        }
        Precision::F64 => {
            threads::solve::<f64, O>(job, observers, watch).map(|(solution, _)| solution.into())
        }
    }
}
