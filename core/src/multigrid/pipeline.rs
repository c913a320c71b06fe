//! The pass over a band: rows go through all smoothing steps, and the residual, one behind the
//! other.
//!
//! Each stage keeps the last two rows that it was given. With the next one it has what a row of its
//! own takes, and writes that over the oldest, which nobody needs any more; it goes on to the next
//! stage. So memory is read once and written once, and what lies between, two rows a stage, stays
//! in cache.

use core::mem;

use heapless::Vec;

use super::band::Band;
use super::hierarchy::Level;
use super::kernel::Kernel;
use super::level_axis::BoundaryClosure;
use super::smoothing::{MAX_STEPS, Smoothing};
use crate::base::bug::OrBug;
use crate::base::real::Real;
use crate::field::grid::Side;
use crate::field::stencil::ALIGNMENT;

/// Returns the numbers of workspace that a pass over rows of `level` needs: two rows for each
/// stage, one that moves, and a row of the next coarser level.
pub fn workspace_len(level: Level, coarser: Level, smoothing: &Smoothing) -> usize {
    let rows = 2 * (smoothing.weights().len() + 1) + 1;
    let rows = rows.saturating_mul(slot(level.stride())).saturating_add(ALIGNMENT);
    rows.saturating_add(coarser.stride())
}

/// Returns the numbers that a row of `stride` numbers takes, so that all rows are aligned behind
/// the cell beyond their beginning, as vectors of them are loaded twice as fast then.
const fn slot(stride: usize) -> usize {
    (stride.saturating_add(ALIGNMENT - 1)).next_multiple_of(ALIGNMENT)
}

/// Where the rows of a pass come from and go to.
pub(super) trait Part<F> {
    /// Writes a row of the level as it is before the first step into `into`, without its ghost
    /// cells.
    fn load(&mut self, row: usize, into: &mut [F]);

    /// Returns the right-hand side of a row; none where it is zero.
    fn rhs(&self, row: usize) -> Option<&[F]>;

    /// Returns the ghost values beyond both ends of a row; none where they follow from the row
    /// itself.
    fn ghost_ends(&self, row: usize) -> Option<[F; 2]>;

    /// Returns the ghost row at the top or the bottom; none where it follows from the rows next to
    /// it.
    fn ghost_row(&self, side: Side) -> Option<&[F]>;

    /// Takes a row after the last step, with its ghost cells.
    fn store(&mut self, row: usize, values: &[F]);

    /// Takes the residual of a row after the last step, without ghost cells.
    fn residual(&mut self, row: usize, residual: &[F]);
}

/// What a pass does.
pub(super) struct Pass<'a, K> {
    pub level: Level,
    pub weights: &'a [f64],
    /// Whether the residual after the last step is wanted.
    pub with_residual: bool,
    pub kernel: &'a K,
}

/// What a stage is given: the last two rows.
struct Stage<'m, F> {
    above: &'m mut [F],
    centre: &'m mut [F],
    /// How many of the two rows it has.
    held: usize,
}

/// A pass on its way.
struct Pipeline<'m, F> {
    stages: Vec<Stage<'m, F>, { MAX_STEPS + 1 }>,
    /// The row that is on its way from stage to stage.
    moving: &'m mut [F],
}

impl<'m, F> Pipeline<'m, F> {
    /// Cuts the workspace into aligned rows, two for each stage and one that moves; none where it
    /// is too short.
    fn new(workspace: &'m mut [F], stride: usize, stages: usize) -> Option<Self> {
        let start = workspace.as_ptr().align_offset(ALIGNMENT * size_of::<f32>());
        let slots = workspace.get_mut(start..)?.chunks_exact_mut(slot(stride).max(1));
        let mut rows = slots.filter_map(|slot| slot.get_mut(ALIGNMENT - 1..)?.get_mut(..stride));
        let moving = rows.next()?;
        let mut made = Vec::new();
        for _ in 0..stages {
            let stage = Stage { above: rows.next()?, centre: rows.next()?, held: 0 };
            made.push(stage).ok()?;
        }
        Some(Self { stages: made, moving })
    }
}

impl<K> Pass<'_, K> {
    /// Passes once over `band` and its ghost rows: all smoothing steps, and the residual where that
    /// is wanted. Each row of the band is stored at the end; what is stored beyond the band is not
    /// used.
    pub(super) fn over<F: Real, P: Part<F>>(&self, band: Band, part: &mut P, workspace: &mut [F])
    where
        K: Kernel<F>,
    {
        let stages = self.weights.len() + usize::from(self.with_residual);
        let window = band.window(self.level, stages);
        let pipeline = Pipeline::new(workspace, self.level.stride(), stages);
        let mut pipeline = pipeline.or_bug("a pass is lent less memory than it needs");
        for row in window.first..window.end {
            part.load(row, inner_mut(pipeline.moving));
            self.set_ghost_ends(part, row, pipeline.moving);
            self.push(&mut pipeline, 0, row, part);
        }
        if window.end == self.level.rows.cells() {
            self.flush(&mut pipeline, part);
        }
    }

    /// Gives the moving row, which is number `row` of the level, to the stages from `first` on,
    /// until one keeps it.
    fn push<F: Real, P: Part<F>>(
        &self,
        pipeline: &mut Pipeline<'_, F>,
        first: usize,
        mut row: usize,
        part: &mut P,
    ) where
        K: Kernel<F>,
    {
        let Pipeline { stages, moving } = pipeline;
        if first == 0 && self.weights.is_empty() {
            part.store(row, moving);
        }
        for (index, stage) in stages.iter_mut().enumerate().skip(first) {
            if stage.held == 0 && row == 0 {
                self.begin(stage, moving, part);
            }
            if stage.held < 2 {
                let kept = if stage.held == 0 { &mut stage.above } else { &mut stage.centre };
                mem::swap(kept, moving);
                stage.held += 1;
                return;
            }
            row = row.saturating_sub(1);
            self.evaluate(index, row, stage, moving, part);
            mem::swap(&mut stage.above, &mut stage.centre);
            mem::swap(&mut stage.centre, moving);
        }
        if self.with_residual {
            part.residual(row, inner(moving));
        }
    }

    /// Fills the stage's row above with the ghost row at the top, before row 0, which is moving.
    fn begin<F: Real, P: Part<F>>(&self, stage: &mut Stage<'_, F>, moving: &[F], part: &P) {
        match part.ghost_row(Side::Top) {
            Some(given) => copy(inner_mut(stage.above), given),
            None => set_ghost_row(stage.above, moving, &[], self.level.rows.closures()[0]),
        }
        stage.held = 1;
    }

    /// Brings the last row of the level through all stages: the ghost row at the bottom takes the
    /// place of the row below.
    fn flush<F: Real, P: Part<F>>(&self, pipeline: &mut Pipeline<'_, F>, part: &mut P)
    where
        K: Kernel<F>,
    {
        let last = self.level.rows.cells().saturating_sub(1);
        for index in 0..pipeline.stages.len() {
            let Some(stage) = pipeline.stages.get_mut(index) else { return };
            let Stage { above, centre, .. } = stage;
            if let Some(given) = part.ghost_row(Side::Bottom) {
                copy(inner_mut(pipeline.moving), given);
            } else {
                let [_, below] = self.level.rows.closures();
                set_ghost_row(pipeline.moving, centre, above, below);
            }
            self.evaluate(index, last, stage, pipeline.moving, part);
            mem::swap(&mut stage.above, &mut pipeline.moving);
            self.push(pipeline, index + 1, last, part);
        }
    }

    /// Evaluates stage `index` at a row, a smoothing step or the residual, and writes the result
    /// over the row above. `below` is the row below.
    fn evaluate<F: Real, P: Part<F>>(
        &self,
        index: usize,
        row: usize,
        stage: &mut Stage<'_, F>,
        below: &[F],
        part: &mut P,
    ) where
        K: Kernel<F>,
    {
        let Some(weight) = self.weights.get(index) else {
            self.kernel.residual_row(
                inner_mut(stage.above),
                stage.centre,
                inner(below),
                part.rhs(row),
            );
            return;
        };
        self.smooth(*weight, row, stage, below, part.rhs(row));
        self.set_ghost_ends(part, row, stage.above);
        if index + 1 == self.weights.len() {
            part.store(row, stage.above);
        }
    }

    /// Makes one damped Jacobi step on a row, and writes it over the row above. Cells at the ends
    /// have another diagonal than those between.
    fn smooth<F: Real>(
        &self,
        weight: f64,
        row: usize,
        Stage { above, centre, .. }: &mut Stage<'_, F>,
        below: &[F],
        rhs: Option<&[F]>,
    ) where
        K: Kernel<F>,
    {
        let Level { rows, columns } = self.level;
        let diagonal = 4.0 + rows.excess(row);
        let scale = |excess: f64| F::from_f64(weight / (diagonal + excess));
        let last = columns.cells().saturating_sub(1);
        // The old row above is gone when the cells between are done.
        let ends = [0, last].map(|column| {
            let rhs = rhs.and_then(|rhs| rhs.get(column));
            smooth_cell(column, above, centre, below, rhs, scale(columns.excess(column)))
        });
        let target = inner_mut(above);
        self.kernel.smooth_row(target, centre, inner(below), rhs, scale(0.0));
        for (column, value) in [0, last].into_iter().zip(ends) {
            if let (Some(cell), Some(value)) = (target.get_mut(column), value) {
                *cell = value;
            }
        }
    }

    /// Sets the ghost values beyond both ends of a row.
    fn set_ghost_ends<F: Real, P: Part<F>>(&self, part: &P, row: usize, values: &mut [F]) {
        match (part.ghost_ends(row), values) {
            (Some([start, end]), [first, .., last]) => (*first, *last) = (start, end),
            (_, values) => set_ghost_ends(values, self.level.columns.closures()),
        }
    }
}

/// Makes one damped Jacobi step on one cell, as [`smooth_row`](super::smooth_row) does on a row.
/// Rows have one ghost cell at each end; none for a cell that is not there.
fn smooth_cell<F: Real>(
    column: usize,
    above: &[F],
    centre: &[F],
    below: &[F],
    rhs: Option<&F>,
    scale: F,
) -> Option<F> {
    let [left, middle, right] = [0, 1, 2].map(|place| centre.get(column + place).copied());
    let neighbours = (*above.get(column + 1)? + *below.get(column + 1)?) + (left? + right?);
    let sum = rhs.map_or(neighbours, |rhs| neighbours + *rhs);
    Some(middle? + scale * (sum - F::FOUR * middle?))
}

/// Sets the ghost values beyond both ends of a row of a correction, by the closures of the ends.
pub(super) fn set_ghost_ends<F: Real>(values: &mut [F], [start, end]: [BoundaryClosure; 2]) {
    if let [beyond, first, ..] = values {
        *beyond = F::from_f64(start.last) * *first;
    }
    match (values, end.before) {
        ([.., before, last, beyond], Some(share)) => {
            *beyond = F::from_f64(end.last) * *last + F::from_f64(share) * *before;
        }
        ([.., last, beyond], _) => *beyond = F::from_f64(end.last) * *last,
        _ => {}
    }
}

/// Writes the ghost row of a correction at the top or the bottom, by the closure of that end.
/// `last` is the row at the end, `before` the one before it.
pub(super) fn set_ghost_row<F: Real>(
    target: &mut [F],
    last: &[F],
    before: &[F],
    closure: BoundaryClosure,
) {
    let share = F::from_f64(closure.last);
    match closure.before {
        None => target.iter_mut().zip(last).for_each(|(target, last)| *target = share * *last),
        Some(of_before) => {
            let of_before = F::from_f64(of_before);
            for ((target, last), before) in target.iter_mut().zip(last).zip(before) {
                *target = share * *last + of_before * *before;
            }
        }
    }
}

fn copy<F: Copy>(target: &mut [F], from: &[F]) {
    target.iter_mut().zip(from).for_each(|(target, value)| *target = *value);
}

/// Returns a row without the cells beyond its ends.
pub(super) fn inner<F>(row: &[F]) -> &[F] {
    if let [_, inner @ .., _] = row { inner } else { &[] }
}

/// [`inner`] to write to.
pub(super) fn inner_mut<F>(row: &mut [F]) -> &mut [F] {
    if let [_, inner @ .., _] = row { inner } else { &mut [] }
}
