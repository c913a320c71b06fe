//! What each task of a visit reads, writes, and takes.

use alloc::vec;
use alloc::vec::Vec;

use super::effort::Effort;
use super::flow::Access;
use super::plan::{Layout, Leg, Step, Task};
use crate::multigrid::{Band, Level, Smoothing, Visit};

/// The arrays of a solver, whose rows are counted as they lie in memory.
mod arrays {
    use crate::multigrid::Visit;

    pub(super) const CELLS: usize = 0;
    /// The rows beside each band of the finest level: a row for a band.
    pub(super) const BESIDE: usize = 1;
    pub(super) const SQUARES: usize = 2;

    /// The right-hand side of a level.
    pub(super) const fn rhs(level: usize) -> usize {
        3 + 3 * level
    }

    /// The correction that a visit of a level writes; with the other it begins.
    pub(super) const fn target(level: usize, visit: Visit) -> usize {
        rhs(level) + if visit.writes_correction() { 1 } else { 2 }
    }

    pub(super) const fn base(level: usize, visit: Visit) -> usize {
        rhs(level) + if visit.writes_correction() { 2 } else { 1 }
    }

    /// The correction that the next finer level is given.
    pub(super) const fn correction(level: usize) -> usize {
        rhs(level) + 1
    }
}

/// Rows of a whole array.
const ALL: core::ops::Range<usize> = 0..usize::MAX;

/// Returns the stages of an ascent, which are rows beside a band that it evaluates.
pub(super) fn stages(smoothing: &Smoothing, visit: Visit) -> usize {
    smoothing.weights().len() + usize::from(!visit.is_last())
}

impl Layout<'_> {
    /// Returns what a task reads and writes.
    pub(super) fn accesses(&self, Task { step, index, band }: Task) -> Vec<Access> {
        let smoothing = &self.scheme.smoothing;
        let levels = |index: usize| Some([*self.levels.get(index)?, *self.levels.get(index + 1)?]);
        let (Some([finest, second]), reach) = (levels(0), self.scheme.reach()) else {
            return Vec::new();
        };
        match step {
            Step::Copy => {
                let around = band.window(finest, reach);
                vec![
                    Access::read(arrays::CELLS, around.first..band.first),
                    Access::read(arrays::CELLS, band.end..around.end),
                    Access::write(arrays::BESIDE, index..index + 1),
                ]
            }
            Step::Begin | Step::Finest => {
                let mut accesses = vec![
                    Access::write(arrays::CELLS, band.range()),
                    Access::read(arrays::BESIDE, index..index + 1),
                    Access::write(arrays::rhs(0), band.of_coarser(second)),
                    Access::write(arrays::SQUARES, band.range()),
                ];
                if step == Step::Finest {
                    let read = band.window(finest, reach).between(second);
                    accesses.push(Access::read(arrays::correction(0), read));
                }
                accesses
            }
            Step::Descend(index) => {
                let Some([_, coarser]) = levels(1 + index) else { return Vec::new() };
                vec![
                    Access::read(arrays::rhs(index), band.range()),
                    Access::write(arrays::rhs(index + 1), band.of_coarser(coarser)),
                ]
            }
            Step::Rest(first, _) => {
                let arrays = arrays::rhs(first)..arrays::rhs(self.levels.len());
                arrays.map(|array| Access::write(array, ALL)).collect()
            }
            Step::Ascend(index, visit) => {
                let Some([level, coarser]) = levels(1 + index) else { return Vec::new() };
                let window = band.window(level, stages(smoothing, visit));
                let mut accesses = vec![
                    Access::read(arrays::rhs(index), window.range()),
                    Access::read(arrays::correction(index + 1), window.between(coarser)),
                    Access::write(arrays::target(index, visit), band.of_correction(level)),
                ];
                if !visit.is_first() {
                    let rows = window.first + 1..window.end + 1;
                    accesses.push(Access::read(arrays::base(index, visit), rows));
                }
                if !visit.is_last() {
                    accesses.push(Access::write(arrays::rhs(index + 1), band.of_coarser(coarser)));
                }
                accesses
            }
        }
    }

    /// Returns the rows of the level below the finest one whose share of a visit takes as long as what each process does
    /// for itself: the levels that processes do not share.
    pub(super) fn unshared(&self) -> usize {
        let Some(&[finest, second]) = self.levels.first_chunk() else { return 0 };
        let whole = Layout { finest: &[Band::whole(finest)], ..*self };
        let is_shared = |step| match step {
            Step::Copy | Step::Begin | Step::Finest => true,
            Step::Descend(index) | Step::Ascend(index, _) => index == 0 && self.shares_second,
            Step::Rest(..) => false,
        };
        let (mut shared, mut own) = (0_u64, 0_u64);
        for leg in whole.visit() {
            let Leg::Tasks(tasks, _) = leg else { continue };
            for task in tasks {
                let sum = if is_shared(task.step) { &mut shared } else { &mut own };
                *sum = sum.saturating_add(self.effort(task).evaluations());
            }
        }
        let rows = u128::from(own) * second.rows.cells() as u128;
        rows.checked_div(shared.into()).unwrap_or(0).try_into().unwrap_or(usize::MAX)
    }

    /// Returns what a task takes.
    pub(super) fn effort(&self, Task { step, band, .. }: Task) -> Effort {
        let smoothing = &self.scheme.smoothing;
        let columns = |index: usize| self.levels.get(index).map_or(0, |l| l.columns.cells());
        let with_overlap = band.rows() + 2 * self.scheme.reach();
        match step {
            Step::Copy => Effort::of(2 * self.scheme.reach(), columns(0), 1),
            Step::Begin => Effort::of(with_overlap, columns(0), 1),
            Step::Finest => Effort::of(with_overlap, columns(0), evaluations(smoothing) + 1),
            Step::Descend(index) => Effort::of(band.rows(), columns(1 + index), 1),
            Step::Rest(first, visits) => {
                let levels = self.levels.get(1 + first..).unwrap_or_default();
                effort_of_rest(levels, smoothing, visits, self.factors)
            }
            Step::Ascend(index, visit) => {
                let rows = band.rows() + 2 * smoothing.weights().len();
                let evaluations = evaluations(smoothing) + u32::from(!visit.is_last());
                Effort::of(rows, columns(1 + index), evaluations)
            }
        }
    }
}

/// Returns how often a level's cells are evaluated on the way up: by interpolation, and by each step.
fn evaluations(smoothing: &Smoothing) -> u32 {
    u32::try_from(smoothing.weights().len() + 1).unwrap_or(u32::MAX)
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

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeMap;

    use super::*;
    use crate::multigrid::{Hierarchy, MAX_STEPS};
    use crate::owned::multigrid::Scheme;
    use crate::shared::MOST_READERS;

    /// Returns the most tasks of a plan that read a row between two that write it: no more can have it at once.
    fn most_readers(layout: &Layout<'_>, plan: &[Leg]) -> usize {
        let mut most = 0;
        for leg in plan {
            let Leg::Tasks(tasks, _) = leg else { continue };
            let mut readers: BTreeMap<(usize, usize), usize> = BTreeMap::new();
            for access in tasks.iter().flat_map(|task| layout.accesses(*task)) {
                let Access { array, rows, writes } = access;
                if writes {
                    readers.retain(|(of, row), _| *of != array || !rows.contains(row));
                    continue;
                }
                for row in rows {
                    let readers = readers.entry((array, row)).or_default();
                    *readers += 1;
                    most = most.max(*readers);
                }
            }
        }
        most
    }

    /// Returns the most readers of a row in the plans of a grid, on one process and on one of several.
    fn most_of(rows: usize, scheme: &Scheme) -> usize {
        let hierarchy = Hierarchy::new(rows, 3, scheme.coarsest).unwrap();
        let levels = hierarchy.levels();
        let finest: Vec<Band> = scheme.cut(*levels.first_chunk().unwrap()).collect();
        let mut most = 0;
        for shares_second in [false, levels.len() > 2] {
            let is_several = shares_second;
            let layout =
                Layout { scheme, levels, finest: &finest, is_several, shares_second, factors: 1 };
            for plan in [layout.beginning(), layout.visit()] {
                most = most.max(most_readers(&layout, &plan));
            }
        }
        most
    }

    /// However many workers there are: bands become low on the coarser levels, where many steps read far beyond them.
    #[test]
    fn no_row_has_more_readers_than_it_can_count() {
        let mut most = 0;
        for steps in 1..=MAX_STEPS {
            let smoothing = Smoothing::chebyshev(steps).unwrap();
            for rows in [2, 25, 64, 131, 255, 400, 723] {
                for (bands, group) in [(1, 1), (7, 1), (12, 3), (64, 1), (64, 4), (400, 1)] {
                    for coarse_visits in 1..=3 {
                        let smoothing = smoothing.clone();
                        let (coarsest, shared_from) = (1, 1);
                        let scheme = Scheme {
                            smoothing,
                            coarsest,
                            coarse_visits,
                            bands,
                            group,
                            shared_from,
                        };
                        most = most.max(most_of(rows, &scheme));
                    }
                }
            }
        }
        assert!((10..=MOST_READERS).contains(&most), "{most} read a row");
    }
}
