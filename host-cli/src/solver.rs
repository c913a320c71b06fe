//! One run, in whichever precision and mode its configuration says.

use ndarray::Array2;
use tresse_core::run::{Mode, Precision};
use tresse_core::shared::SharedReal;

use crate::report::field::{Cells, FieldView};
use crate::report::history::Sample;
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

/// Runs a job to its end; `watch` sees samples of it meanwhile.
pub fn run(job: Job<'_>, watch: &mut dyn FnMut(&Sample)) -> Result<Finished, EngineError> {
    match job.config.precision {
        Precision::F32 => dispatch::<f32>(job, watch).map(|solution| Finished {
            field: Field::F32(solution.field),
            record: solution.record,
        }),
        Precision::F64 => dispatch::<f64>(job, watch).map(|solution| Finished {
            field: Field::F64(solution.field),
            record: solution.record,
        }),
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
