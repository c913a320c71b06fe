//! A level, and the cycle over all of them.

use alloc::vec;
use alloc::vec::Vec;

use super::super::{Effort, Processes, Workers};
use super::share::{GHOST_ROWS, NINE_POINTS, Rows, Share, Team, rows_mut, wider};
use crate::base::real::Real;
use crate::base::table::At;
use crate::multigrid::weighted::{
    Direct, Operator, Size, Weights, coarse_row, interpolate_row, restrict_row, row_of, weights,
};

/// A level: its operator, of numbers of type `T`, and what a cycle needs on it.
#[derive(Debug)]
pub(super) struct OwnedLevel<T> {
    pub share: Share,
    pub operator: Operator<Vec<T>>,
    /// What smoothing multiplies residuals by: any numbers near the best ones.
    scale: Vec<f32>,
    /// Interpolation weights of the cells of the next coarser level.
    weights: Vec<Weights>,
    pub correction: Vec<f64>,
}

/// A level below the finest one, and its right-hand side.
pub(super) type Coarse = (OwnedLevel<f32>, Vec<f64>);

impl<T: Real> Operator<Vec<T>> {
    /// Returns an operator that couples each cell with the four beside it, all of whose couplings
    /// are 0.
    pub(super) fn five_points(size: Size) -> Self {
        let [right, below] = [(); 2].map(|()| vec![T::ZERO; size.len()]);
        let none = Vec::new;
        Self { beyond: none(), right, below_left: none(), below, below_right: none() }
    }

    /// Returns an operator that couples each cell with the eight around it, all of whose couplings
    /// are 0.
    fn nine_points(size: Size) -> Self {
        let [beyond, below_left, below_right] = [(); 3].map(|()| vec![T::ZERO; size.len()]);
        Self { beyond, below_left, below_right, ..Self::five_points(size) }
    }

    pub(super) fn lent(&self) -> Operator<&[T]> {
        let Self { beyond, right, below_left, below, below_right } = self;
        Operator { beyond, right, below_left, below, below_right }
    }
}

/// Returns one row of each array of an operator, to be written; the ring counts as row 0.
fn operator_row(operator: &mut Operator<Vec<f32>>, size: Size, row: usize) -> Operator<&mut [f32]> {
    let of = |array| rows_mut(size, &(row - 1..row), array);
    let Operator { beyond, right, below_left, below, below_right } = operator;
    Operator {
        beyond: of(beyond),
        right: of(right),
        below_left: of(below_left),
        below: of(below),
        below_right: of(below_right),
    }
}

impl<T: Real> OwnedLevel<T> {
    /// Returns a level whose operator this process has in its share and [`GHOST_ROWS`] around it.
    pub fn new<W: Workers, P>(
        share: Share,
        operator: Operator<Vec<T>>,
        team: &Team<'_, W, P>,
    ) -> Self {
        let size = share.size;
        let mut scale = vec![0.0; size.len()];
        let lent = operator.lent();
        team.each_row(share.rows(1), share.part(&mut scale), size.stride(), |row, scale| {
            lent.scale_row(size, row, scale);
        });
        Self { share, operator, scale, weights: Vec::new(), correction: vec![0.0; size.len()] }
    }

    /// Calculates the interpolation weights and the operator of the next coarser level from this
    /// level's operator, and returns that level. Collective.
    pub fn coarser<W: Workers, P: Processes<f64>>(
        &mut self,
        coarser: Size,
        team: &mut Team<'_, W, P>,
    ) -> OwnedLevel<f32> {
        let (size, lent) = (self.share.size, self.operator.lent());
        let share = self.share.coarser(coarser, team.scheme, team.processes);
        let own = self.share.coarse_rows(coarser);
        // Those beside its own are interpolated to its own cells.
        let weighted = wider(&own, 1, coarser.rows);
        let mut of_cells = vec![Weights::default(); coarser.cells()];
        let cells = weighted.start * coarser.columns..weighted.end * coarser.columns;
        let (part, columns) = (of_cells.stretch_mut(cells), coarser.columns);
        let rows = Rows { size: coarser, range: &weighted, sweeps: NINE_POINTS };
        team.each_row(rows, part, columns, |row, of_row| {
            for (column, place) in (1..).zip(of_row) {
                *place = weights(&lent, [size, coarser], row, column);
            }
        });
        let mut operator = Operator::nine_points(coarser);
        for row in own.start + 1..=own.end {
            let mut target = operator_row(&mut operator, coarser, row);
            coarse_row(&lent, [size, coarser], &of_cells, row, &mut target);
        }
        let Operator { beyond, right, below_left, below, below_right } = &mut operator;
        let read = wider(&share.rows, GHOST_ROWS, coarser.rows);
        let arrays = [beyond, right, below_left, below, below_right];
        for array in arrays.into_iter().filter(|_| self.share.is_part) {
            // Processes speak in double precision.
            let mut wide = vec![0.0; coarser.len()];
            let numbers = rows_mut(coarser, &own, &mut wide).iter_mut();
            let made = rows_mut(coarser, &own, array);
            numbers.zip(made).for_each(|(number, made)| *number = f64::from(*made));
            self.share.gather_coarser(&share, team.processes, &mut wide);
            share.trade(team.processes, &mut wide, GHOST_ROWS);
            let brought = rows_mut(coarser, &read, &mut wide);
            let numbers = rows_mut(coarser, &read, array).iter_mut();
            numbers.zip(brought).for_each(|(number, brought)| *number = f32::from_f64(*brought));
        }
        self.weights = of_cells;
        OwnedLevel::new(share, operator, team)
    }

    /// Returns the factors of the operator for a direct solution.
    pub fn factored(&self) -> Vec<f64> {
        let mut factors = vec![0.0; Direct::memory_len(self.share.size)];
        Direct::factor(self.share.size, &self.operator.lent(), &mut factors);
        factors
    }

    /// Makes the smoothing steps for the right-hand side. With `from_zero`, before the cycle below,
    /// the correction begins as zero. `residual` is scratch memory.
    fn smooth<W: Workers, P: Processes<f64>>(
        &mut self,
        (rhs, from_zero): (&[f64], bool),
        residual: &mut [f64],
        team: &mut Team<'_, W, P>,
    ) {
        let scheme = team.scheme;
        for (step, weight) in scheme.smoothing.weights().iter().enumerate() {
            let is_first = from_zero && step == 0;
            if !is_first {
                self.find_residual(rhs, residual, team);
            }
            let Self { share, scale, correction, .. } = self;
            let (size, residual) = (share.size, if is_first { rhs } else { &*residual });
            team.each_row(share.rows(1), share.part(correction), size.stride(), |row, target| {
                let changes = row_of(scale, size, row).iter().zip(row_of(residual, size, row));
                for (target, (scale, residual)) in target.iter_mut().zip(changes) {
                    let change = weight * (f64::from(*scale) * residual);
                    *target = if is_first { change } else { *target + change };
                }
            });
        }
    }

    /// Writes the residual of the equation with the correction so far.
    fn find_residual<W: Workers, P: Processes<f64>>(
        &mut self,
        rhs: &[f64],
        residual: &mut [f64],
        team: &mut Team<'_, W, P>,
    ) {
        let Self { share, operator, correction, .. } = self;
        find_residual(share, &operator.lent(), (correction, Some(rhs)), residual, team);
    }

    /// Restricts the residual to the right-hand side of the next coarser level. Collective.
    fn restrict<W: Workers, P: Processes<f64>>(
        &self,
        residual: &mut [f64],
        (coarse, rhs): &mut Coarse,
        team: &mut Team<'_, W, P>,
    ) {
        let Self { share, weights, .. } = self;
        share.trade(team.processes, residual, 1);
        let (size, coarser, residual) = (share.size, coarse.share.size, &*residual);
        let own = share.coarse_rows(coarser);
        let target = rows_mut(coarser, &own, rhs);
        // Each sum is of nine cells, four of them new.
        let rows = Rows { size: coarser, range: &own, sweeps: NINE_POINTS };
        team.each_row(rows, target, coarser.stride(), |row, target| {
            let of_row = weights.get((row - 1) * coarser.columns..);
            let of_row = of_row.and_then(|rows| rows.get(..coarser.columns)).unwrap_or_default();
            restrict_row(residual, [size, coarser], of_row, row, target);
        });
        share.gather_coarser(&coarse.share, team.processes, rhs);
    }

    /// Prolongates the correction of the next coarser level, and adds it. Collective.
    fn interpolate<W: Workers, P: Processes<f64>>(
        &mut self,
        coarse: &mut OwnedLevel<f32>,
        team: &mut Team<'_, W, P>,
    ) {
        let Self { share, weights, correction, .. } = self;
        coarse.share.trade(team.processes, &mut coarse.correction, 1);
        let (size, coarser) = (share.size, coarse.share.size);
        team.each_row(share.rows(1), share.part(correction), size.stride(), |row, target| {
            interpolate_row(&coarse.correction, [size, coarser], weights, row, target);
        });
    }
}

/// Writes `rhs − A·field`, or `−A·field` without a right-hand side, after it has fetched the ghost
/// rows of the field. Collective.
pub(super) fn find_residual<T: Real, W: Workers, P: Processes<f64>>(
    share: &Share,
    operator: &Operator<&[T]>,
    (field, rhs): (&mut [f64], Option<&[f64]>),
    target: &mut [f64],
    team: &mut Team<'_, W, P>,
) {
    share.trade(team.processes, field, 1);
    let (size, field) = (share.size, &*field);
    let rows = share.rows(NINE_POINTS);
    team.each_row(rows, share.part(target), size.stride(), |row, target| {
        operator.residual_row(size, row, field, rhs, target);
    });
}

/// Writes the correction of a level for a right-hand side, by `times` cycles of the levels below it
/// between smoothing steps. `direct` are the factors of the coarsest level, `residual` is scratch
/// memory that all levels share. Collective.
pub(super) fn cycle<T: Real, W: Workers, P: Processes<f64>>(
    (fine, rhs): (&mut OwnedLevel<T>, &[f64]),
    below: &mut [Coarse],
    times: usize,
    (direct, residual): (&mut [f64], &mut [f64]),
    team: &mut Team<'_, W, P>,
) {
    let [coarse, further @ ..] = below else {
        // Through the factors, forwards and backwards.
        let effort = Effort { cells: 2 * direct.len() as u64, sweeps: 1 };
        let mut coarsest = Direct::resume(fine.share.size, direct);
        return team.threads.alone(effort, || coarsest.solve(rhs, &mut fine.correction));
    };
    fine.smooth((rhs, true), residual, team);
    let has_half = fine.share.size.steps(coarse.0.share.size) != [2, 2];
    // A level of half the cells would otherwise take as long as the one above.
    for _ in 0..if has_half { 1 } else { times } {
        fine.find_residual(rhs, residual, team);
        fine.restrict(residual, coarse, team);
        let (level, sums) = &mut *coarse;
        cycle((level, sums), further, team.scheme.coarse_cycles, (direct, residual), team);
        fine.interpolate(level, team);
    }
    fine.smooth((rhs, false), residual, team);
}
