//! A level, and the cycle over all of them.

use alloc::vec;
use alloc::vec::Vec;

use super::super::{Effort, Processes, Workers};
use super::share::{BESIDE, NINE_POINTS, Rows, Share, Team, rows_mut, wider};
use crate::bug::OrBug;
use crate::multigrid::weighted::{
    Direct, Operator, Size, Weights, coarse_row, interpolate_row, restrict_row, row_of, weights,
};

/// A level: its operator, and what a cycle needs on it.
#[derive(Debug)]
pub(super) struct OwnedLevel {
    pub share: Share,
    pub operator: Operator<Vec<f64>>,
    /// What smoothing multiplies residuals by.
    scale: Vec<f64>,
    /// Of the cells of the next coarser level.
    weights: Vec<Weights>,
    pub rhs: Vec<f64>,
    pub correction: Vec<f64>,
    pub residual: Vec<f64>,
}

impl Operator<Vec<f64>> {
    pub(super) fn zero(size: Size) -> Self {
        let array = || vec![0.0; size.len()];
        Self {
            centre: array(),
            right: array(),
            below_left: array(),
            below: array(),
            below_right: array(),
        }
    }

    pub(super) fn lent(&self) -> Operator<&[f64]> {
        let Self { centre, right, below_left, below, below_right } = self;
        Operator { centre, right, below_left, below, below_right }
    }
}

/// Returns a row of each of an operator's arrays, the ring counted.
fn operator_row(operator: &mut Operator<Vec<f64>>, size: Size, row: usize) -> Operator<&mut [f64]> {
    let of = |array| rows_mut(size, &(row - 1..row), array);
    let Operator { centre, right, below_left, below, below_right } = operator;
    Operator {
        centre: of(centre),
        right: of(right),
        below_left: of(below_left),
        below: of(below),
        below_right: of(below_right),
    }
}

impl OwnedLevel {
    /// Returns a level whose operator this process has as far as its share and [`BESIDE`] it.
    pub fn new<T: Workers, P>(
        share: Share,
        operator: Operator<Vec<f64>>,
        team: &Team<'_, T, P>,
    ) -> Self {
        let size = share.size;
        let array = || vec![0.0; size.len()];
        let mut scale = array();
        let lent = operator.lent();
        team.each_row(share.rows(1), share.part(&mut scale), size.stride(), |row, scale| {
            lent.scale_row(size, row, scale);
        });
        let (weights, rhs, correction, residual) = (Vec::new(), array(), array(), array());
        Self { share, operator, scale, weights, rhs, correction, residual }
    }

    /// Sets the weights of the cells of the next coarser level, and returns that. Collective.
    pub fn coarser<T: Workers, P: Processes<f64>>(
        &mut self,
        coarser: Size,
        team: &mut Team<'_, T, P>,
    ) -> Self {
        let (size, lent) = (self.share.size, self.operator.lent());
        let share = self.share.coarser(coarser, team.scheme, team.processes);
        let own = self.share.coarse_rows(coarser);
        // Those beside its own are interpolated to its own cells.
        let weighted = wider(&own, 1, coarser.rows);
        let mut of_cells = vec![Weights::default(); coarser.cells()];
        let cells = weighted.start * coarser.columns..weighted.end * coarser.columns;
        let part = of_cells.get_mut(cells).or_bug("a row of weights is missing");
        let (part, columns) = (part.unwrap_or_default(), coarser.columns);
        let rows = Rows { size: coarser, range: &weighted, sweeps: NINE_POINTS };
        team.each_row(rows, part, columns, |row, of_row| {
            for (column, place) in (1..).zip(of_row) {
                *place = weights(&lent, [size, coarser], row, column);
            }
        });
        let mut operator = Operator::zero(coarser);
        for row in own.start + 1..=own.end {
            let mut target = operator_row(&mut operator, coarser, row);
            coarse_row(&lent, [size, coarser], &of_cells, row, &mut target);
        }
        let Operator { centre, right, below_left, below, below_right } = &mut operator;
        for array in [centre, right, below_left, below, below_right] {
            self.share.gather_coarser(&share, team.processes, array);
            share.trade(team.processes, array, BESIDE);
        }
        self.weights = of_cells;
        Self::new(share, operator, team)
    }

    /// Writes the residual of the correction.
    fn find_residual<T: Workers, P: Processes<f64>>(&mut self, team: &mut Team<'_, T, P>) {
        let Self { share, operator, rhs, correction, residual, .. } = self;
        find_residual(share, &operator.lent(), (correction, rhs), residual, team);
    }

    /// Makes the smoothing steps; those before the cycle below begin with a correction of zero.
    fn smooth<T: Workers, P: Processes<f64>>(
        &mut self,
        from_zero: bool,
        team: &mut Team<'_, T, P>,
    ) {
        let scheme = team.scheme;
        for (step, weight) in scheme.smoothing.weights().iter().enumerate() {
            let is_first = from_zero && step == 0;
            if !is_first {
                self.find_residual(team);
            }
            let Self { share, scale, rhs, correction, residual, .. } = self;
            let (size, residual) = (share.size, if is_first { &*rhs } else { &*residual });
            team.each_row(share.rows(1), share.part(correction), size.stride(), |row, target| {
                let changes = row_of(scale, size, row).iter().zip(row_of(residual, size, row));
                for (target, (scale, residual)) in target.iter_mut().zip(changes) {
                    let change = weight * (scale * residual);
                    *target = if is_first { change } else { *target + change };
                }
            });
        }
    }

    /// Writes the right-hand side of the next coarser level: the sums of the residual.
    fn restrict<T: Workers, P: Processes<f64>>(
        &mut self,
        coarse: &mut Self,
        team: &mut Team<'_, T, P>,
    ) {
        let Self { share, weights, residual, .. } = self;
        share.trade(team.processes, residual, 1);
        let (size, coarser) = (share.size, coarse.share.size);
        let own = share.coarse_rows(coarser);
        let target = rows_mut(coarser, &own, &mut coarse.rhs);
        // Each sum is of nine cells, four of them new.
        let rows = Rows { size: coarser, range: &own, sweeps: NINE_POINTS };
        team.each_row(rows, target, coarser.stride(), |row, target| {
            let of_row = weights.get((row - 1) * coarser.columns..);
            let of_row = of_row.and_then(|rows| rows.get(..coarser.columns)).unwrap_or_default();
            restrict_row(residual, [size, coarser], of_row, row, target);
        });
        share.gather_coarser(&coarse.share, team.processes, &mut coarse.rhs);
    }

    /// Adds what the next coarser level has found.
    fn interpolate<T: Workers, P: Processes<f64>>(
        &mut self,
        coarse: &mut Self,
        team: &mut Team<'_, T, P>,
    ) {
        let Self { share, weights, correction, .. } = self;
        coarse.share.trade(team.processes, &mut coarse.correction, 1);
        let (size, coarser) = (share.size, coarse.share.size);
        team.each_row(share.rows(1), share.part(correction), size.stride(), |row, target| {
            interpolate_row(&coarse.correction, [size, coarser], weights, row, target);
        });
    }
}

/// Writes a right-hand side minus the operator's product with a field, for which it brings the rows of the field that
/// are beside this process's. Collective.
pub(super) fn find_residual<T: Workers, P: Processes<f64>>(
    share: &Share,
    operator: &Operator<&[f64]>,
    (field, rhs): (&mut [f64], &[f64]),
    target: &mut [f64],
    team: &mut Team<'_, T, P>,
) {
    share.trade(team.processes, field, 1);
    let (size, field) = (share.size, &*field);
    let rows = share.rows(NINE_POINTS);
    team.each_row(rows, share.part(target), size.stride(), |row, target| {
        operator.residual_row(size, row, field, rhs, target);
    });
}

/// Writes the correction of the first of these levels for its right-hand side, by `times` cycles of those below it.
/// Collective.
pub(super) fn cycle<T: Workers, P: Processes<f64>>(
    levels: &mut [OwnedLevel],
    times: usize,
    direct: &mut [f64],
    team: &mut Team<'_, T, P>,
) {
    let [fine, below @ ..] = levels else { return };
    if below.is_empty() {
        // Through the factors, forwards and backwards.
        let effort = Effort { cells: 2 * direct.len() as u64, sweeps: 1 };
        let OwnedLevel { share, rhs, correction, .. } = fine;
        let mut coarsest = Direct::resume(share.size, direct);
        return team.threads.alone(effort, || coarsest.solve(rhs, correction));
    }
    fine.smooth(true, team);
    let has_half =
        below.first().is_some_and(|coarse| fine.share.size.steps(coarse.share.size) != [2, 2]);
    // A level of half the cells would otherwise take as long as the one above.
    for _ in 0..if has_half { 1 } else { times } {
        fine.find_residual(team);
        let Some(coarse) = below.first_mut() else { return };
        fine.restrict(coarse, team);
        cycle(below, team.scheme.coarse_visits, direct, team);
        let Some(coarse) = below.first_mut() else { return };
        fine.interpolate(coarse, team);
    }
    fine.smooth(false, team);
}
