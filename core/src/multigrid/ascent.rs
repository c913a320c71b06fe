//! The coarser levels: down by sums, up by interpolation and smoothing.

use super::band::Band;
use super::coarsest::Coarsest;
use super::finest::{row_of, row_of_mut};
use super::hierarchy::{Correction, Level};
use super::kernel::Kernel;
use super::pipeline::{Part, Pass, continue_row};
use super::smoothing::Smoothing;
use crate::bug::OrBug;
use crate::grid::Side;
use crate::real::Real;

/// The memory of a coarser level.
#[derive(Debug)]
pub struct Coarse<'m, F> {
    /// Its right-hand side: [`Level::cells`] numbers.
    pub rhs: &'m mut [F],
    /// Its correction: [`Level::correction_len`] numbers.
    pub correction: &'m mut [F],
}

/// Sums the right-hand side of a level over pairs of rows and columns, for those rows of the next coarser level
/// whose pairs begin in `band`; `fine` has the rows of the band, `coarse` has [`Band::coarse_rows`] rows.
pub fn descend<F: Real>(
    [level, coarser]: [Level; 2],
    band: Band,
    fine: &[F],
    coarse: &mut [F],
    kernel: &impl Kernel<F>,
) {
    coarse.fill(F::ZERO);
    for row in 0..band.rows() {
        let target = row_of_mut(coarse, row / 2, coarser.columns.cells());
        // The last row may be without a pair, and then without a row of the coarser level.
        if let (Some(target), Some(fine)) = (target, row_of(fine, row, level.columns.cells())) {
            kernel.add_pairs(target, fine);
        }
    }
}

/// Calculates a band of a level's correction: interpolates that of the next coarser one, and smooths.
///
/// `rhs` is that of the whole level; `target` has [`Band::correction_rows`] rows of [`Level::stride`] numbers;
/// `workspace` has [`workspace_len`](super::workspace_len) numbers.
#[expect(clippy::too_many_arguments, reason = "memory of different owners")]
pub fn ascend<F: Real>(
    [level, coarser]: [Level; 2],
    band: Band,
    smoothing: &Smoothing,
    coarse: Correction<'_, F>,
    rhs: &[F],
    target: &mut [F],
    kernel: &impl Kernel<F>,
    workspace: &mut [F],
) {
    let Some((blended, rows)) = workspace.split_at_mut_checked(coarser.stride()) else {
        false.or_bug("an ascent is lent less memory than it needs");
        return;
    };
    (target.len() == band.correction_rows(level) * level.stride())
        .or_bug("a band of a correction has other memory than its rows");
    let mut part = Ascent { level, band, coarse, blended, rhs, target, kernel };
    Pass { level, weights: smoothing.weights(), with_residual: false, kernel }
        .over(band, &mut part, rows);
}

/// Solves the equation of the first of these levels by one V-cycle on one thread: its right-hand side is given,
/// and its correction is written, along with all of the levels below it. The last level is that of `coarsest`.
pub fn solve_coarse<F: Real>(
    levels: &[Level],
    memory: &mut [Coarse<'_, F>],
    coarsest: &mut Coarsest<'_>,
    smoothing: &Smoothing,
    kernel: &impl Kernel<F>,
    workspace: &mut [F],
) {
    let [fine, below @ ..] = memory else { return };
    let [level, coarser, ..] = levels else {
        return coarsest.solve(fine.rhs, fine.correction);
    };
    let (Some(coarse), levels_below) = (below.first_mut(), levels.get(1..).unwrap_or_default())
    else {
        return coarsest.solve(fine.rhs, fine.correction);
    };
    let (pair, band) = ([*level, *coarser], Band::whole(*level));
    descend(pair, band, fine.rhs, coarse.rhs, kernel);
    solve_coarse(levels_below, below, coarsest, smoothing, kernel, workspace);
    let Some(Coarse { correction, .. }) = below.first() else { return };
    let correction = Correction { values: correction, stride: coarser.stride() };
    ascend(pair, band, smoothing, correction, fine.rhs, fine.correction, kernel, workspace);
}

struct Ascent<'a, F, K> {
    level: Level,
    band: Band,
    coarse: Correction<'a, F>,
    blended: &'a mut [F],
    rhs: &'a [F],
    target: &'a mut [F],
    kernel: &'a K,
}

impl<F: Real, K: Kernel<F>> Part<F> for Ascent<'_, F, K> {
    fn load(&mut self, row: usize, into: &mut [F]) {
        let around = self.coarse.around(row).or_bug("a correction has fewer rows than its level");
        if let Some([near, far]) = around {
            self.kernel.blend_rows(self.blended, near, far);
        }
        self.kernel.interpolate_row(into, None, self.blended);
    }

    fn rhs(&self, row: usize) -> Option<&[F]> {
        row_of(self.rhs, row, self.level.columns.cells())
            .or_bug("a right-hand side has fewer rows than its level")
    }

    fn beyond_ends(&self, _: usize) -> Option<[F; 2]> {
        None
    }

    fn beyond(&self, _: Side) -> Option<&[F]> {
        None
    }

    fn store(&mut self, row: usize, values: &[F]) {
        let Band { first, end } = self.band;
        if row < first || row >= end {
            return;
        }
        let (stride, alphas) = (self.level.stride(), self.level.rows.alphas());
        let place = row - first + usize::from(first == 0);
        if let Some(target) = row_of_mut(self.target, place, stride) {
            target.iter_mut().zip(values).for_each(|(target, value)| *target = *value);
        }
        if row == 0
            && let Some(target) = row_of_mut(self.target, 0, stride)
        {
            continue_row(target, values, None, alphas[0]);
        }
        if row + 1 == self.level.rows.cells()
            && let Some(target) = row_of_mut(self.target, place + 1, stride)
        {
            continue_row(target, values, None, alphas[1]);
        }
    }

    fn residual(&mut self, _: usize, _: &[F]) {}
}
