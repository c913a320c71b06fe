//! The coarser levels: restriction by sums, prolongation by interpolation, and smoothing.

use super::band::Band;
use super::coarsest::Coarsest;
use super::finest::{row_of, row_of_mut};
use super::hierarchy::{Correction, Level, Rows};
use super::kernel::Kernel;
use super::pipeline::{Part, Pass, inner, set_ghost_row};
use super::smoothing::Smoothing;
use crate::base::bug::OrBug;
use crate::base::real::Real;
use crate::base::table::At;
use crate::field::grid::Side;

/// The memory of a coarser level.
#[derive(Debug)]
pub struct Coarse<'m, F> {
    /// Its right-hand side: [`Level::cells`] numbers.
    pub rhs: &'m mut [F],
    /// Its correction: [`Level::correction_len`] numbers.
    pub correction: &'m mut [F],
    /// Its correction at the end of every other cycle, where it has more than one: as many
    /// numbers.
    pub other: &'m mut [F],
}

/// What a prolongation to a level reads and writes.
#[derive(Debug)]
pub struct Prolongation<'a, F> {
    /// The right-hand side, of the band and of as many rows beside it as there are stages.
    pub rhs: Rows<'a, F>,
    /// The level's correction so far, to which that of the next coarser level is added; none is 0.
    pub base: Option<Correction<'a, F>>,
    /// The band's rows of the correction: [`Band::correction_rows`] of [`Level::stride`] numbers.
    pub target: &'a mut [F],
    /// The sums of the residual that is left, for the band's rows of the next coarser level:
    /// [`Band::coarse_rows`] of them, where the level has another cycle.
    pub restricted: Option<&'a mut [F]>,
}

/// Most cycles of a level in one cycle of the next finer level that a caller may ask for: with two
/// the level's equation is solved nearly to the end.
pub const MAX_CYCLES: usize = 8;

/// One of the cycles of a level that one cycle of the next finer level makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// Number of all of them.
    pub of: usize,
    /// Number of those after this one.
    pub to_come: usize,
}

impl Cycle {
    /// The only cycle.
    pub const ONLY: Self = Self { of: 1, to_come: 0 };

    /// Returns so many cycles, one after the other.
    pub fn each(of: usize) -> impl Iterator<Item = Self> {
        (0..of).rev().map(move |to_come| Self { of, to_come })
    }

    /// Whether the level has no correction yet.
    pub const fn is_first(self) -> bool {
        self.to_come + 1 >= self.of
    }

    /// Whether it writes [`Coarse::correction`], as the last one does.
    pub const fn writes_correction(self) -> bool {
        self.to_come.is_multiple_of(2)
    }

    /// Whether the level has no further cycle, so that nobody needs its residual.
    pub const fn is_last(self) -> bool {
        self.to_come == 0
    }
}

impl<F> Coarse<'_, F> {
    /// Returns the right-hand side of `level`, its correction so far, and the memory that this
    /// cycle writes its correction to: that of the last cycle to [`Coarse::correction`].
    pub fn in_cycle(
        &mut self,
        level: Level,
        cycle: Cycle,
    ) -> (&[F], Option<Correction<'_, F>>, &mut [F]) {
        let Self { rhs, correction, other } = self;
        let (before, target) = if cycle.writes_correction() {
            (&**other, &mut **correction)
        } else {
            (&**correction, &mut **other)
        };
        let base = Correction(Rows::all(before, level.stride()));
        (rhs, (!cycle.is_first()).then_some(base), target)
    }
}

/// Restricts the right-hand side of a level by summing it over pairs of rows and columns, for those
/// rows of the next coarser level whose pairs begin in `band`. `fine` has the rows of the band,
/// `coarse` has [`Band::coarse_rows`] rows.
pub fn restrict<F: Real>(
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

/// Calculates a band of a level's correction: prolongates that of the next coarser level, adds it
/// to the one so far, and smooths.
///
/// `workspace` has [`workspace_len`](super::workspace_len) numbers.
pub fn prolongate<F: Real>(
    levels: [Level; 2],
    band: Band,
    smoothing: &Smoothing,
    coarse: Correction<'_, F>,
    prolongation: Prolongation<'_, F>,
    kernel: &impl Kernel<F>,
    workspace: &mut [F],
) {
    let [level, coarser] = levels;
    let (blended, rows) = workspace.cut_mut(coarser.stride());
    (prolongation.target.len() == band.correction_rows(level) * level.stride())
        .or_bug("a band of a correction has other memory than its rows");
    let with_residual = prolongation.restricted.is_some();
    let mut part = ProlongationPass { levels, band, coarse, blended, prolongation, kernel };
    if let Some(restricted) = &mut part.prolongation.restricted {
        restricted.fill(F::ZERO);
    }
    Pass { level, weights: smoothing.weights(), with_residual, kernel }.over(band, &mut part, rows);
}

/// Solves the equation of the first of these levels on one thread, by `cycles` cycles of it, each
/// with a V-cycle below. Its right-hand side is given; its correction is written, and those of all
/// levels below. The last level is that of `coarsest`.
pub fn solve_coarse<F: Real>(
    levels: &[Level],
    memory: &mut [Coarse<'_, F>],
    coarsest: &mut Coarsest<'_>,
    smoothing: &Smoothing,
    cycles: usize,
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
    restrict(pair, band, fine.rhs, coarse.rhs, kernel);
    for cycle in Cycle::each(cycles) {
        solve_coarse(levels_below, below, coarsest, smoothing, 1, kernel, workspace);
        let Some(Coarse { rhs: restricted, correction, .. }) = below.first_mut() else { return };
        let correction = Correction(Rows::all(correction, coarser.stride()));
        let restricted = (!cycle.is_last()).then_some(&mut **restricted);
        let (rhs, base, target) = fine.in_cycle(*level, cycle);
        let rhs = Rows::all(rhs, level.columns.cells());
        let prolongation = Prolongation { rhs, base, target, restricted };
        prolongate(pair, band, smoothing, correction, prolongation, kernel, workspace);
    }
}

/// Where the rows of a prolongation to a band come from and go to.
struct ProlongationPass<'a, F, K> {
    levels: [Level; 2],
    band: Band,
    coarse: Correction<'a, F>,
    blended: &'a mut [F],
    prolongation: Prolongation<'a, F>,
    kernel: &'a K,
}

impl<F, K> ProlongationPass<'_, F, K> {
    /// Returns the row counted from the band's first one; none for a ghost row.
    fn place(&self, row: usize) -> Option<usize> {
        row.checked_sub(self.band.first).filter(|_| row < self.band.end)
    }
}

impl<F: Real, K: Kernel<F>> Part<F> for ProlongationPass<'_, F, K> {
    fn load(&mut self, row: usize, into: &mut [F]) {
        let [near, far] = self.coarse.around(row);
        self.kernel.blend_rows(self.blended, near, far);
        let base = self.prolongation.base.map(|base| base.of(row));
        self.kernel.interpolate_row(into, base.map(inner), self.blended);
    }

    fn rhs(&self, row: usize) -> Option<&[F]> {
        Some(self.prolongation.rhs.row(row))
    }

    fn ghost_ends(&self, _: usize) -> Option<[F; 2]> {
        None
    }

    fn ghost_row(&self, _: Side) -> Option<&[F]> {
        None
    }

    fn store(&mut self, row: usize, values: &[F]) {
        let Some(place) = self.place(row) else { return };
        let ([level, _], target) = (self.levels, &mut *self.prolongation.target);
        let (stride, [above, below]) = (level.stride(), level.rows.closures());
        let place = place + usize::from(self.band.first == 0);
        if let Some(target) = row_of_mut(target, place, stride) {
            target.iter_mut().zip(values).for_each(|(target, value)| *target = *value);
        }
        if row == 0
            && let Some(target) = row_of_mut(target, 0, stride)
        {
            set_ghost_row(target, values, &[], above);
        }
        // A row beyond the end that follows from two is one that no finer row lies next to.
        if row + 1 == level.rows.cells()
            && below.before.is_none()
            && let Some(target) = row_of_mut(target, place + 1, stride)
        {
            set_ghost_row(target, values, &[], below);
        }
    }

    fn residual(&mut self, row: usize, residual: &[F]) {
        let (Some(place), [_, coarser]) = (self.place(row), self.levels) else { return };
        // The first row of a band is even.
        let restricted = self.prolongation.restricted.as_deref_mut().unwrap_or_default();
        if let Some(coarse) = row_of_mut(restricted, place / 2, coarser.columns.cells()) {
            self.kernel.add_pairs(coarse, residual);
        }
    }
}
