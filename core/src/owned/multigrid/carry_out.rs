//! The tasks of a visit, done on rows that are lent.

use alloc::vec::Vec;

use super::accesses::stages;
use super::memory::LentCoarse;
use super::plan::{Step, Task};
use crate::bug::OrBug;
use crate::multigrid::{
    Ascending, Band, Coarse, Coarsest, Correction, Finest, Fixed, Kernel, Level, Rows, Smoothing,
    Visit, ascend, descend, restrict_residual, solve_coarse, visit_finest,
};
use crate::real::Real;
use crate::shared::LentRows;

/// All memory of a solver, while its workers do the tasks of a flow.
#[derive(Debug)]
pub(super) struct Lent<'m, F> {
    /// All levels, the finest first.
    pub levels: &'m [Level],
    pub smoothing: &'m Smoothing,
    /// The rows beside a band that a visit reads.
    pub reach: usize,
    pub fixed: Fixed<'m, F>,
    pub cells: LentRows<'m, F>,
    /// For each band of the finest level, the rows beside it: those above in the first half, those below in the second.
    pub beside: LentRows<'m, F>,
    pub squares: LentRows<'m, f64>,
    pub coarse: Vec<LentCoarse<'m, F>>,
    pub direct: LentRows<'m, f64>,
    /// A row for each worker.
    pub workspaces: LentRows<'m, F>,
}

impl<F: Real> Lent<'_, F> {
    /// Does a task, as this worker.
    pub fn carry_out(&self, worker: usize, task: Task, kernel: &impl Kernel<F>) {
        let Task { step, index, band } = task;
        let done = match step {
            Step::Copy => self.copy(index, band),
            Step::Begin | Step::Finest => self.finest(worker, task, kernel),
            Step::Descend(level) => self.descend(level, band, kernel),
            Step::Rest(first, visits) => self.rest(worker, (first, visits), kernel),
            Step::Ascend(level, visit) => self.ascend(worker, (level, visit), band, kernel),
        };
        done.or_bug("a task has begun whose rows another one has");
    }

    fn pair(&self, index: usize) -> Option<[Level; 2]> {
        self.levels.get(index..)?.first_chunk().copied()
    }

    fn copy(&self, index: usize, band: Band) -> Option<()> {
        let [level, _] = self.pair(0)?;
        let (around, columns) = (band.window(level, self.reach), level.columns.cells());
        let mut beside = self.beside.write(index..index + 1)?;
        let (above, below) = beside.split_at_mut_checked(self.reach * columns)?;
        for (target, rows) in [(above, around.first..band.first), (below, band.end..around.end)] {
            let rows = self.cells.read(rows)?;
            target.get_mut(..rows.len())?.copy_from_slice(&rows);
        }
        Some(())
    }

    fn finest(
        &self,
        worker: usize,
        Task { step, index, band }: Task,
        kernel: &impl Kernel<F>,
    ) -> Option<()> {
        let levels @ [level, coarser] = self.pair(0)?;
        let (around, columns) = (band.window(level, self.reach), level.columns.cells());
        let beside = self.beside.read(index..index + 1)?;
        let (above, below) = beside.split_at_checked(self.reach * columns)?;
        let second = self.coarse.first()?;
        let mut cells = self.cells.write(band.range())?;
        let mut restricted = second.rhs.write(band.of_coarser(coarser))?;
        let mut squares = self.squares.write(band.range())?;
        let mut workspace = self.workspaces.write(worker..worker + 1)?;
        let mut finest = Finest {
            cells: &mut cells,
            above: above.get(..(band.first - around.first) * columns)?,
            below: below.get(..(around.end - band.end) * columns)?,
            restricted: &mut restricted,
            squares: &mut squares,
        };
        let (finest, fixed) = (&mut finest, self.fixed);
        if step == Step::Begin {
            restrict_residual(levels, band, fixed, finest, kernel, &mut workspace);
            return Some(());
        }
        let read = around.between(coarser);
        let values = second.correction.read(read.clone())?;
        let correction = correction(&values, coarser, read.start);
        let smoothing = self.smoothing;
        visit_finest(levels, band, smoothing, correction, fixed, finest, kernel, &mut workspace);
        Some(())
    }

    fn descend(&self, index: usize, band: Band, kernel: &impl Kernel<F>) -> Option<()> {
        let levels @ [_, coarser] = self.pair(1 + index)?;
        let fine = self.coarse.get(index)?.rhs.read(band.range())?;
        let mut coarse = self.coarse.get(index + 1)?.rhs.write(band.of_coarser(coarser))?;
        descend(levels, band, &fine, &mut coarse, kernel);
        Some(())
    }

    fn ascend(
        &self,
        worker: usize,
        (index, visit): (usize, Visit),
        band: Band,
        kernel: &impl Kernel<F>,
    ) -> Option<()> {
        let levels @ [level, coarser] = self.pair(1 + index)?;
        let [fine, coarse] = self.coarse.get(index..)?.first_chunk()?;
        let window = band.window(level, stages(self.smoothing, visit));
        let (target, base) = if visit.writes_correction() {
            (&fine.correction, &fine.other)
        } else {
            (&fine.other, &fine.correction)
        };
        let rhs = fine.rhs.read(window.range())?;
        let rhs = Rows { values: &rhs, stride: level.columns.cells(), first: window.first };
        let base = if visit.is_first() {
            None
        } else {
            Some(base.read(window.first + 1..window.end + 1)?)
        };
        let base = base.as_deref().map(|base| correction(base, level, window.first + 1));
        let mut restricted =
            if visit.is_last() { None } else { Some(coarse.rhs.write(band.of_coarser(coarser))?) };
        let mut target = target.write(band.of_correction(level))?;
        let restricted = restricted.as_deref_mut();
        let ascending = Ascending { rhs, base, target: &mut target, restricted };
        let read = window.between(coarser);
        let values = coarse.correction.read(read.clone())?;
        let below = correction(&values, coarser, read.start);
        let mut workspace = self.workspaces.write(worker..worker + 1)?;
        ascend(levels, band, self.smoothing, below, ascending, kernel, &mut workspace);
        Some(())
    }

    fn rest(
        &self,
        worker: usize,
        (first, visits): (usize, usize),
        kernel: &impl Kernel<F>,
    ) -> Option<()> {
        let levels = self.levels.get(1 + first..)?;
        let lent = self.coarse.get(first..)?.iter().map(LentCoarse::write_all);
        let mut lent: Vec<_> = lent.collect::<Option<_>>()?;
        let memory =
            lent.iter_mut().map(|[rhs, correction, other]| Coarse { rhs, correction, other });
        let mut memory: Vec<_> = memory.collect();
        let mut factors = self.direct.write_all()?;
        let mut coarsest = Coarsest::resume(*levels.last()?, &mut factors);
        let mut workspace = self.workspaces.write(worker..worker + 1)?;
        let way = (self.smoothing, visits);
        solve_coarse(levels, &mut memory, &mut coarsest, way, kernel, &mut workspace);
        Some(())
    }
}

/// Returns some rows of a level's correction, from row `first` on, the row beyond the top counted.
const fn correction<F>(values: &[F], level: Level, first: usize) -> Correction<'_, F> {
    Correction(Rows { values, stride: level.stride(), first })
}
