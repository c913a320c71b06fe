//! The levels below the finest one: down, the direct solution, and up again.

use alloc::vec::Vec;
use core::ops::Range;

use super::memory::{OwnedBand, OwnedCoarse};
use super::{Effort, ForkJoin, Multigrid, Processes, evaluations, scaled};
use crate::multigrid::{
    Ascending, Band, Coarsest, Correction, Kernel, Level, Smoothing, Visit, ascend, bands, descend,
    solve_coarse,
};
use crate::real::Real;

impl<F: Real + Send + Sync, P: Processes<F>> Multigrid<F, P> {
    /// Calculates the correction of the level below the finest one from its right-hand side.
    pub(super) fn correct(&mut self, kernel: &(impl Kernel<F> + Sync), threads: &impl ForkJoin) {
        let levels = self.hierarchy.levels().get(1..).unwrap_or_default();
        let last = levels.len().saturating_sub(1);
        let is_shared = |level: &&Level| level.cells() >= self.scheme.shared_from;
        let shared = levels.iter().take(last).take_while(is_shared).count();
        let visits = self.scheme.coarse_visits;
        if shared == 0 {
            return self.solve_rest((0, visits), kernel, threads);
        }
        self.trade_second(|second| &mut second.rhs, 0);
        self.descend(0, kernel, threads);
        for visit in Visit::each(visits) {
            self.gather_third();
            for index in 1..shared {
                self.descend(index, kernel, threads);
            }
            self.solve_rest((shared, 1), kernel, threads);
            for index in (1..shared).rev() {
                self.ascend(index, Visit::ONLY, kernel, threads);
            }
            self.ascend(0, visit, kernel, threads);
            self.trade_second(|second| second.written(visit), 1);
        }
    }

    /// Brings the rows beside its own of an array of the second level, which has so many rows and columns beyond each end,
    /// where processes share that level.
    fn trade_second(&mut self, array: impl Fn(&mut OwnedCoarse<F>) -> &mut Vec<F>, beyond: usize) {
        let Self { hierarchy, processes, coarse, scheme, rows: [_, own], .. } = self;
        let (Some(level), Some(second)) = (hierarchy.levels().get(1), coarse.first_mut()) else {
            return;
        };
        if self.shares_second {
            let columns = level.columns.cells() + 2 * beyond;
            let rows = beyond..beyond + level.rows.cells();
            let all = array(second).get_mut(scaled(&rows, columns)).unwrap_or_default();
            processes.trade(all, scaled(own, columns), scheme.reach() * columns);
        }
    }

    /// Brings all of the right-hand side of the third level, of which each process has what follows from its rows of the
    /// second, where processes share that one.
    fn gather_third(&mut self) {
        let Self { hierarchy, processes, coarse, rows: [_, second], .. } = self;
        let third = hierarchy.levels().get(2).filter(|_| self.shares_second);
        if let (Some(level), Some(OwnedCoarse { rhs, .. })) = (third, coarse.get_mut(1)) {
            let own = coarse_rows(second, *level);
            processes.gather(rhs, scaled(&own, level.columns.cells()));
        }
    }

    /// Returns the bands of a coarser level that this process has, or which it shares out among its workers.
    fn bands_of_level(&self, index: usize) -> Vec<Band> {
        let Some(level) = self.hierarchy.levels().get(1 + index) else { return Vec::new() };
        if index > 0 || !self.shares_second {
            return bands(*level, (self.bands.len(), self.scheme.group), 1).collect();
        }
        let halved = |OwnedBand { band, .. }: &OwnedBand<F>| {
            let first = band.first / 2;
            Band { first, end: first + band.coarse_rows(*level) }
        };
        self.bands.iter().map(halved).collect()
    }

    /// Sums the right-hand side of a level that is shared for the next coarser one.
    fn descend(&mut self, index: usize, kernel: &(impl Kernel<F> + Sync), threads: &impl ForkJoin) {
        let bands = self.bands_of_level(index);
        let levels = self.hierarchy.levels().get(1 + index..).unwrap_or_default();
        if let (Some(levels), Some([fine, coarse, ..])) =
            (levels.first_chunk(), self.coarse.get_mut(index..))
        {
            descend_shared(*levels, &fine.rhs, &mut coarse.rhs, &bands, kernel, threads);
        }
    }

    /// Adds the correction of the next coarser level to that of a level that is shared, in a visit of that.
    fn ascend(
        &mut self,
        index: usize,
        visit: Visit,
        kernel: &(impl Kernel<F> + Sync),
        threads: &impl ForkJoin,
    ) {
        let cut = self.bands_of_level(index);
        let Self { hierarchy, coarse, bands, scheme, .. } = self;
        let levels = hierarchy.levels().get(1 + index..).unwrap_or_default();
        let (Some(levels), Some([fine, coarse, ..])) =
            (levels.first_chunk(), coarse.get_mut(index..))
        else {
            return;
        };
        let tasks = cut.into_iter().zip(bands);
        ascend_shared(*levels, (coarse, fine), (&scheme.smoothing, visit), tasks, kernel, threads);
    }

    /// Solves for the levels that are one task, those from `first` below the finest on, by so many visits of the first
    /// of them.
    fn solve_rest(
        &mut self,
        (first, visits): (usize, usize),
        kernel: &impl Kernel<F>,
        threads: &impl ForkJoin,
    ) {
        let Self { hierarchy, coarse, direct, bands, scheme, .. } = self;
        let levels = hierarchy.levels().get(1 + first..).unwrap_or_default();
        let rest = coarse.get_mut(first..).unwrap_or_default();
        let (Some(last), Some(task)) = (levels.last(), bands.first_mut()) else { return };
        let smoothing = &scheme.smoothing;
        threads.alone(effort_of_rest(levels, smoothing, visits, direct.len()), || {
            let mut memory: Vec<_> = rest.iter_mut().map(OwnedCoarse::lent).collect();
            let mut coarsest = Coarsest::resume(*last, direct);
            let way = (smoothing, visits);
            solve_coarse(levels, &mut memory, &mut coarsest, way, kernel, &mut task.workspace);
        });
    }
}

/// Returns the effort of levels that are one task: sums down, interpolation and smoothing up, and the direct solution,
/// which goes through its `factors` twice; all below the first of them as often as that is visited.
fn effort_of_rest(
    levels: &[Level],
    smoothing: &Smoothing,
    visits: usize,
    factors: usize,
) -> Effort {
    let cells: u64 = levels.iter().map(|level| level.cells() as u64).sum();
    let evaluated = cells.saturating_mul((evaluations(smoothing) + 1).into());
    let cells = evaluated.saturating_add(2 * factors as u64).saturating_mul(visits as u64);
    Effort { cells, sweeps: 1 }
}

/// Returns the rows of the next coarser level that follow from these rows, the first of which is even.
fn coarse_rows(rows: &Range<usize>, coarser: Level) -> Range<usize> {
    let (band, first) = (Band { first: rows.start, end: rows.end }, rows.start / 2);
    first..first + if rows.is_empty() { 0 } else { band.coarse_rows(coarser) }
}

/// Descends from consecutive bands of a level.
fn descend_shared<F: Real + Send + Sync>(
    levels: [Level; 2],
    fine: &[F],
    coarse: &mut [F],
    bands: &[Band],
    kernel: &(impl Kernel<F> + Sync),
    threads: &impl ForkJoin,
) {
    let [level, coarser] = levels;
    let (columns, of_coarse) = (level.columns.cells(), coarser.columns.cells());
    let first = bands.first().map_or(0, |band| band.first / 2);
    let mut rest = coarse.get_mut(first * of_coarse..).unwrap_or_default();
    let tasks = bands.iter().filter_map(|band| {
        Some((*band, rest.split_off_mut(..band.coarse_rows(coarser) * of_coarse)?))
    });
    let effort = |(band, _): &(Band, &mut [F])| Effort::of(band.rows(), columns, 1);
    threads.each(tasks.collect(), effort, |(band, coarse)| {
        let fine = fine.get(band.first * columns..band.end * columns).unwrap_or_default();
        descend(levels, band, fine, coarse, kernel);
    });
}

/// Ascends to consecutive bands of a level.
fn ascend_shared<'t, F: Real + Send + Sync + 't>(
    levels: [Level; 2],
    (coarse, fine): (&mut OwnedCoarse<F>, &mut OwnedCoarse<F>),
    (smoothing, visit): (&Smoothing, Visit),
    tasks: impl Iterator<Item = (Band, &'t mut OwnedBand<F>)>,
    kernel: &(impl Kernel<F> + Sync),
    threads: &impl ForkJoin,
) {
    let [level, coarser] = levels;
    let mut fine = fine.lent();
    let (rhs, base, rest) = fine.visited(level, visit);
    let OwnedCoarse { rhs: restricted, correction, .. } = coarse;
    let below = Correction { values: correction, stride: coarser.stride() };
    let (stride, of_coarse) = (level.stride(), coarser.columns.cells());
    let mut tasks = tasks.peekable();
    let first = tasks.peek().map_or(0, |(band, _)| band.first);
    // The row beyond the top goes with the first band.
    let above = if first == 0 { 0 } else { (first + 1) * stride };
    let mut rest = rest.get_mut(above..).unwrap_or_default();
    let mut restricted = restricted.get_mut(first / 2 * of_coarse..).unwrap_or_default();
    let tasks = tasks.filter_map(|(band, task)| {
        let target = rest.split_off_mut(..band.correction_rows(level) * stride)?;
        let sums = restricted.split_off_mut(..band.coarse_rows(coarser) * of_coarse)?;
        let restricted = (!visit.is_last()).then_some(sums);
        Some((band, Ascending { rhs, base, target, restricted }, &mut task.workspace))
    });
    let evaluations = evaluations(smoothing) + u32::from(!visit.is_last());
    let effort = |task: &(Band, Ascending<'_, F>, &mut Vec<F>)| {
        let beside = 2 * smoothing.weights().len();
        Effort::of(task.0.rows() + beside, level.columns.cells(), evaluations)
    };
    threads.each(tasks.collect(), effort, |(band, ascending, workspace)| {
        ascend(levels, band, smoothing, below, ascending, kernel, workspace);
    });
}
