//! What the tasks of a plan take.

use super::flow::Effort;
use super::plan::{Layout, Leg, Step, Task};
use crate::base::table::At;
use crate::multigrid::{Band, Level, Smoothing};

impl Layout<'_> {
    /// Returns what each process does for itself, on the levels that processes do not share, as a
    /// number of rows of the second level whose share of a cycle takes as long.
    pub(super) fn unshared(&self) -> usize {
        let Some(&[finest, second]) = self.levels.first_chunk() else { return 0 };
        let whole = Layout { finest: &[Band::whole(finest)], ..*self };
        let is_shared = |step| match step {
            Step::CopyGhostRows | Step::FinestResidual | Step::SmoothFinest => true,
            Step::Restrict(index) | Step::Prolongate(index, _) => index == 0 && self.shares_second,
            Step::Rest { .. } => false,
        };
        let (mut shared, mut own) = (0_u64, 0_u64);
        for leg in whole.cycle() {
            let Leg::Tasks(tasks, _) = leg else { continue };
            for task in tasks {
                let sum = if is_shared(task.step) { &mut shared } else { &mut own };
                *sum = sum.saturating_add(self.effort(task).evaluations());
            }
        }
        let rows = u128::from(own) * second.rows.cells() as u128;
        rows.checked_div(shared.into()).unwrap_or(0).try_into().unwrap_or(usize::MAX)
    }

    /// Returns the cells that a task brings into cache, and how often it evaluates them.
    pub(super) fn effort(&self, Task { step, band, .. }: Task) -> Effort {
        let smoothing = &self.scheme.smoothing;
        let columns = |index: usize| self.levels.get(index).map_or(0, |l| l.columns.cells());
        let with_overlap = band.rows() + 2 * self.scheme.reach();
        match step {
            Step::CopyGhostRows => Effort::of(2 * self.scheme.reach(), columns(0), 1),
            Step::FinestResidual => Effort::of(with_overlap, columns(0), 1),
            Step::SmoothFinest => Effort::of(with_overlap, columns(0), evaluations(smoothing) + 1),
            Step::Restrict(index) => Effort::of(band.rows(), columns(1 + index), 1),
            Step::Rest { first_level, cycles } => {
                let levels = self.levels.stretch(1 + first_level..);
                effort_of_rest(levels, smoothing, cycles, self.factors)
            }
            Step::Prolongate(index, cycle) => {
                let rows = band.rows() + 2 * smoothing.weights().len();
                let evaluations = evaluations(smoothing) + u32::from(!cycle.is_last());
                Effort::of(rows, columns(1 + index), evaluations)
            }
        }
    }
}

/// Returns how often a level's cells are evaluated on the way up: by interpolation, and by each
/// step.
fn evaluations(smoothing: &Smoothing) -> u32 {
    u32::try_from(smoothing.weights().len() + 1).unwrap_or(u32::MAX)
}

/// Returns the effort of levels that are one task: sums down, interpolation and smoothing up, and
/// the direct solution, which goes through its `factors` twice; all below the first of them as
/// often as that has a cycle.
fn effort_of_rest(
    levels: &[Level],
    smoothing: &Smoothing,
    cycles: usize,
    factors: usize,
) -> Effort {
    let cells: u64 = levels.iter().map(|level| level.cells() as u64).sum();
    let evaluated = cells.saturating_mul((evaluations(smoothing) + 1).into());
    let cells = evaluated.saturating_add(2 * factors as u64).saturating_mul(cycles as u64);
    Effort { cells, sweeps: 1 }
}
