//! The tasks of a cycle, done on rows that are lent.

use alloc::vec::Vec;
use core::ops::Range;

use super::Scheme;
use super::accesses::{Array, Lender, Loan};
use super::memory::LentCoarse;
use super::plan::{Step, Task};
use crate::base::bug::OrBug;
use crate::base::real::Real;
use crate::multigrid::{
    Coarse, Coarsest, Correction, Finest, Fixed, Kernel, LentRows, Level, Prolongation, Rows,
    RowsRead, RowsWritten, prolongate, restrict, restrict_residual, smooth_finest, solve_coarse,
};

/// All memory of a solver, while its workers do the tasks of a flow.
#[derive(Debug)]
pub(super) struct Lent<'m, F> {
    /// All levels, the finest first.
    pub levels: &'m [Level],
    pub scheme: &'m Scheme,
    pub fixed: Fixed<'m, F>,
    pub cells: LentRows<'m, F>,
    /// For each band of the finest level, the rows beside it: those above in the first half, those
    /// below in the second.
    pub beside: LentRows<'m, F>,
    pub squares: LentRows<'m, f64>,
    pub coarse: Vec<LentCoarse<'m, F>>,
    pub direct: LentRows<'m, f64>,
    /// A row for each worker.
    pub workspaces: LentRows<'m, F>,
}

impl<'m, F> Lent<'m, F> {
    fn array(&self, array: Array) -> Option<&LentRows<'m, F>> {
        match array {
            Array::Cells => Some(&self.cells),
            Array::Beside => Some(&self.beside),
            Array::Squares => None,
            Array::Rhs(level) => self.coarse.get(level).map(|coarse| &coarse.rhs),
            Array::Correction(level) => self.coarse.get(level).map(|coarse| &coarse.correction),
            Array::Other(level) => self.coarse.get(level).map(|coarse| &coarse.other),
        }
    }
}

impl<'a, F> Lender for &'a Lent<'_, F> {
    type Read = RowsRead<'a, F>;
    type Written = RowsWritten<'a, F>;
    type Squares = RowsWritten<'a, f64>;

    fn read(&mut self, array: Array, rows: Range<usize>) -> Option<Self::Read> {
        self.array(array)?.read(rows)
    }

    fn write(&mut self, array: Array, rows: Range<usize>) -> Option<Self::Written> {
        self.array(array)?.write(rows)
    }

    fn write_all(&mut self, array: Array) -> Option<Self::Written> {
        self.array(array)?.write_all()
    }

    fn write_squares(&mut self, rows: Range<usize>) -> Option<Self::Squares> {
        self.squares.write(rows)
    }
}

impl<F: Real> Lent<'_, F> {
    /// Does a task, as this worker.
    pub fn carry_out(&self, worker: usize, task: Task, kernel: &impl Kernel<F>) {
        let loan = Loan::of(task, (self.levels, self.scheme), &mut &*self);
        let done = loan.and_then(|loan| self.work(worker, task, loan, kernel));
        done.or_bug("a task has begun whose rows another one has");
    }

    fn pair(&self, index: usize) -> Option<[Level; 2]> {
        self.levels.get(index..)?.first_chunk().copied()
    }

    fn work(
        &self,
        worker: usize,
        Task { step, band, .. }: Task,
        loan: Loan<&Self>,
        kernel: &impl Kernel<F>,
    ) -> Option<()> {
        let smoothing = &self.scheme.smoothing;
        let mut workspace = self.workspaces.write(worker..worker + 1)?;
        match (loan, step) {
            (Loan::Copy { above, below, mut beside }, _) => {
                let half = beside.len() / 2;
                let (before, behind) = beside.split_at_mut_checked(half)?;
                before.get_mut(half - above.len()..)?.copy_from_slice(&above);
                behind.get_mut(..below.len())?.copy_from_slice(&below);
            }
            (Loan::Finest { mut cells, beside, correction, mut restricted, mut squares }, _) => {
                let levels @ [_, second] = self.pair(0)?;
                let (above, below) = beside.split_at_checked(beside.len() / 2)?;
                let (restricted, squares) = (&mut *restricted, &mut *squares);
                let mut finest = Finest { cells: &mut cells, above, below, restricted, squares };
                let (finest, fixed) = (&mut finest, self.fixed);
                if let Some(rows) = &correction {
                    let added = of_level(rows, second);
                    smooth_finest(
                        levels,
                        band,
                        smoothing,
                        added,
                        fixed,
                        finest,
                        kernel,
                        &mut workspace,
                    );
                } else {
                    restrict_residual(levels, band, fixed, finest, kernel, &mut workspace);
                }
            }
            (Loan::Restrict { fine, mut coarse }, Step::Restrict(index)) => {
                restrict(self.pair(1 + index)?, band, &fine, &mut coarse, kernel);
            }
            (
                Loan::Prolongate { rhs, coarse, base, mut target, restricted },
                Step::Prolongate(index, _),
            ) => {
                let levels @ [level, coarser] = self.pair(1 + index)?;
                let mut restricted = restricted;
                let prolongation = Prolongation {
                    rhs: rows(&rhs, level.columns.cells()),
                    base: base.as_ref().map(|base| of_level(base, level)),
                    target: &mut target,
                    restricted: restricted.as_deref_mut(),
                };
                let below = of_level(&coarse, coarser);
                prolongate(levels, band, smoothing, below, prolongation, kernel, &mut workspace);
            }
            (Loan::Rest(mut lent), Step::Rest(first, cycles)) => {
                let levels = self.levels.get(1 + first..)?;
                let memory = lent.iter_mut().map(|[rhs, correction, other]| Coarse {
                    rhs,
                    correction,
                    other,
                });
                let mut memory: Vec<_> = memory.collect();
                let mut factors = self.direct.write_all()?;
                let mut coarsest = Coarsest::resume(*levels.last()?, &mut factors);
                let way = (smoothing, cycles);
                solve_coarse(levels, &mut memory, &mut coarsest, way, kernel, &mut workspace);
            }
            _ => return None,
        }
        Some(())
    }
}

fn rows<'r, F>(read: &'r RowsRead<'_, F>, stride: usize) -> Rows<'r, F> {
    Rows { values: read, stride, first: read.first() }
}

/// Returns some rows of a level's correction, the row beyond the top counted.
fn of_level<'r, F>(read: &'r RowsRead<'_, F>, level: Level) -> Correction<'r, F> {
    Correction(rows(read, level.stride()))
}
