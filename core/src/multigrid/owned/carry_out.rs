//! The tasks of a cycle, done on rows that are lent.

use alloc::vec::Vec;
use core::ops::Range;

use super::Scheme;
use super::accesses::{Array, Lender, TaskBuffers};
use super::memory::LentCoarse;
use super::plan::{Step, Task};
use crate::base::bug::{OrBug, stop};
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
    /// Copies of the ghost rows of each band of the finest level: those above in the first half of
    /// a row, those below in the second.
    pub ghost_rows: LentRows<'m, F>,
    pub squares: LentRows<'m, f64>,
    pub coarse: Vec<LentCoarse<'m, F>>,
    pub direct: LentRows<'m, f64>,
    /// A row for each worker.
    pub workspaces: LentRows<'m, F>,
}

impl<'m, F> Lent<'m, F> {
    /// Returns an array of cells; none for the squares, which have another type.
    fn array(&self, array: Array) -> Option<&LentRows<'m, F>> {
        match array {
            Array::Cells => Some(&self.cells),
            Array::GhostRows => Some(&self.ghost_rows),
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
    /// Borrows the rows of a task and runs it, as worker number `worker`.
    pub fn carry_out(&self, worker: usize, task: Task, kernel: &impl Kernel<F>) {
        let buffers = TaskBuffers::of(task, self.levels, self.scheme, &mut &*self);
        let done = buffers.and_then(|buffers| self.run_task(worker, task, buffers, kernel));
        done.or_bug("a task has begun whose rows another one has");
    }

    /// Returns the level of this number, the finest being 0, and the next coarser one.
    fn pair(&self, index: usize) -> Option<[Level; 2]> {
        self.levels.get(index..)?.first_chunk().copied()
    }

    /// Runs a task as worker number `worker`, on the rows that it has borrowed; none where its
    /// memory is too short or its workspace is taken.
    fn run_task(
        &self,
        worker: usize,
        Task { step, band, .. }: Task,
        buffers: TaskBuffers<&Self>,
        kernel: &impl Kernel<F>,
    ) -> Option<()> {
        let smoothing = &self.scheme.smoothing;
        let mut workspace = self.workspaces.write(worker..worker + 1)?;
        match (buffers, step) {
            (TaskBuffers::CopyGhostRows { above, below, mut ghost_rows }, _) => {
                let half = ghost_rows.len() / 2;
                let (ghosts_above, ghosts_below) = ghost_rows.split_at_mut_checked(half)?;
                ghosts_above.get_mut(half - above.len()..)?.copy_from_slice(&above);
                ghosts_below.get_mut(..below.len())?.copy_from_slice(&below);
            }
            (
                TaskBuffers::Finest {
                    mut cells,
                    ghost_rows,
                    correction,
                    mut restricted,
                    mut squares,
                },
                _,
            ) => {
                let levels @ [_, second] = self.pair(0)?;
                let (above, below) = ghost_rows.split_at_checked(ghost_rows.len() / 2)?;
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
            (TaskBuffers::Restrict { fine, mut coarse }, Step::Restrict(index)) => {
                restrict(self.pair(1 + index)?, band, &fine, &mut coarse, kernel);
            }
            (
                TaskBuffers::Prolongate { rhs, coarse, base, mut target, restricted },
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
            (TaskBuffers::Rest(mut rows), Step::Rest { first_level, cycles }) => {
                let levels = self.levels.get(1 + first_level..)?;
                let memory = rows.iter_mut().map(|[rhs, correction, other]| Coarse {
                    rhs,
                    correction,
                    other,
                });
                let mut memory: Vec<_> = memory.collect();
                let mut factors = self.direct.write_all()?;
                let mut coarsest = Coarsest::resume(*levels.last()?, &mut factors);
                let scratch = &mut workspace;
                solve_coarse(
                    levels,
                    &mut memory,
                    &mut coarsest,
                    smoothing,
                    cycles,
                    kernel,
                    scratch,
                );
            }
            _ => stop("a task has the rows of another step"),
        }
        Some(())
    }
}

/// Returns borrowed rows of `stride` numbers with the number of the first of them.
fn rows<'r, F>(read: &'r RowsRead<'_, F>, stride: usize) -> Rows<'r, F> {
    Rows { values: read, stride, first: read.first() }
}

/// Returns some rows of a level's correction, the row beyond the top counted.
fn of_level<'r, F>(read: &'r RowsRead<'_, F>, level: Level) -> Correction<'r, F> {
    Correction(rows(read, level.stride()))
}
