//! One run, in whichever precision and mode its configuration says.

use ndarray::Array2;
use tresse_core::machine::MachineError;
use tresse_core::run::{Mode, Precision};
use tresse_core::shared::SharedReal;

use crate::report::field::{Cells, FieldView};
use crate::report::history::Sample;
use crate::simulation::{self, VirtualJob};
use crate::threads::{self, EngineError, Job, Record, Solution};

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
            Self::F32(cells) => (cells.nrows(), cells.ncols(), cells.as_slice().map(Cells::F32)),
            Self::F64(cells) => (cells.nrows(), cells.ncols(), cells.as_slice().map(Cells::F64)),
        };
        FieldView::new(rows, columns, cells?).ok()
    }
}

/// A run that has ended.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The cells.
    pub field: Field,
    /// What was measured.
    pub record: Record,
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

/// Runs a job to its end; `watch` sees samples of it meanwhile.
pub fn run(job: Job<'_>, watch: &mut dyn FnMut(&Sample)) -> Result<Finished, EngineError> {
    match job.config.precision {
        Precision::F32 => dispatch::<f32>(job, watch).map(Finished::from),
        Precision::F64 => dispatch::<f64>(job, watch).map(Finished::from),
    }
}

/// The same in virtual time.
pub fn simulate(
    job: VirtualJob<'_>,
    watch: &mut dyn FnMut(&Sample),
) -> Result<Finished, MachineError> {
    match job.config.precision {
        Precision::F32 => simulation::simulate::<f32>(job, watch, &mut ()).map(Finished::from),
        Precision::F64 => simulation::simulate::<f64>(job, watch, &mut ()).map(Finished::from),
    }
}

fn dispatch<F: SharedReal>(
    job: Job<'_>,
    watch: &mut dyn FnMut(&Sample),
) -> Result<Solution<F>, EngineError> {
    if job.config.mode == Mode::Rayon {
        return threads::solve_with_rayon(job, watch);
    }
    let observers = vec![(); job.placement.seats.len()];
    threads::solve(job, observers, watch).map(|(solution, _)| solution)
}
