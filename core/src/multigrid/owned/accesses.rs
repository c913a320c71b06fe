//! What each task of a cycle reads and writes: one decision, from which follow both what a plan
//! declares and what a worker is lent.

use alloc::vec::Vec;
use core::ops::Range;

use super::Scheme;
use super::flow::Access;
use super::plan::{Layout, Step, Task};
use crate::multigrid::{Cycle, Level, Smoothing};

/// An array of a solver, whose rows are counted as they lie in memory. Levels are counted from the
/// one below the finest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Array {
    Cells,
    /// Copies of the ghost rows of each band of the finest level: a row for a band.
    GhostRows,
    Squares,
    Rhs(usize),
    /// What a level gives the next finer one.
    Correction(usize),
    /// The correction that every other cycle of a level writes.
    Other(usize),
}

impl Array {
    /// Returns the correction that a cycle of a level writes, and the one that it begins with.
    const fn target_and_base(level: usize, cycle: Cycle) -> [Self; 2] {
        let [correction, other] = [Self::Correction(level), Self::Other(level)];
        if cycle.writes_correction() { [correction, other] } else { [other, correction] }
    }

    /// Returns all arrays of a level.
    const fn of_level(level: usize) -> [Self; 3] {
        [Self::Rhs(level), Self::Correction(level), Self::Other(level)]
    }

    /// Returns the number by which a [`Flow`](super::flow::Flow) tells arrays apart.
    const fn number(self) -> usize {
        match self {
            Self::Cells => 0,
            Self::GhostRows => 1,
            Self::Squares => 2,
            Self::Rhs(level) => 3 + 3 * level,
            Self::Correction(level) => 4 + 3 * level,
            Self::Other(level) => 5 + 3 * level,
        }
    }
}

/// Lends the rows that a task asks for, or only notes the requests. `None` where another task has
/// one of them.
pub(super) trait Lender {
    type Read;
    type Written;
    type Squares;
    /// Lends rows of an array to be read.
    fn read(&mut self, array: Array, rows: Range<usize>) -> Option<Self::Read>;
    /// Lends rows of an array to be written.
    fn write(&mut self, array: Array, rows: Range<usize>) -> Option<Self::Written>;
    /// Lends all rows of an array to be written.
    fn write_all(&mut self, array: Array) -> Option<Self::Written>;
    /// Lends the sums of squares of some rows to be written.
    fn write_squares(&mut self, rows: Range<usize>) -> Option<Self::Squares>;
}

/// The rows that a task reads and writes, borrowed while it runs.
pub(super) enum TaskBuffers<L: Lender> {
    CopyGhostRows {
        above: L::Read,
        below: L::Read,
        ghost_rows: L::Written,
    },
    Finest {
        cells: L::Written,
        ghost_rows: L::Read,
        /// None is 0.
        correction: Option<L::Read>,
        restricted: L::Written,
        squares: L::Squares,
    },
    Restrict {
        fine: L::Read,
        coarse: L::Written,
    },
    /// Of each level the right-hand side and the two corrections.
    Rest(Vec<[L::Written; 3]>),
    Prolongate {
        rhs: L::Read,
        /// The correction of the next coarser level.
        coarse: L::Read,
        base: Option<L::Read>,
        target: L::Written,
        restricted: Option<L::Written>,
    },
}

/// Returns the stages of a prolongation, each of which evaluates one more ghost row of its band.
fn stages(smoothing: &Smoothing, cycle: Cycle) -> usize {
    smoothing.weights().len() + usize::from(!cycle.is_last())
}

impl<L: Lender> TaskBuffers<L> {
    /// Borrows the rows that a task reads and writes; none where the lender lacks some of them.
    /// `levels` are all levels, the finest first.
    pub fn of(
        Task { step, index, band }: Task,
        levels: &[Level],
        scheme: &Scheme,
        lender: &mut L,
    ) -> Option<Self> {
        let pair = |index: usize| levels.get(index..)?.first_chunk().copied();
        let [finest, second] = pair(0)?;
        let around = band.window(finest, scheme.reach());
        Some(match step {
            Step::CopyGhostRows => Self::CopyGhostRows {
                above: lender.read(Array::Cells, around.first..band.first)?,
                below: lender.read(Array::Cells, band.end..around.end)?,
                ghost_rows: lender.write(Array::GhostRows, index..index + 1)?,
            },
            Step::FinestResidual | Step::SmoothFinest => Self::Finest {
                cells: lender.write(Array::Cells, band.range())?,
                ghost_rows: lender.read(Array::GhostRows, index..index + 1)?,
                correction: match step {
                    Step::FinestResidual => None,
                    _ => Some(lender.read(Array::Correction(0), around.between(second))?),
                },
                restricted: lender.write(Array::Rhs(0), band.of_coarser(second))?,
                squares: lender.write_squares(band.range())?,
            },
            Step::Restrict(index) => {
                let [_, coarser] = pair(1 + index)?;
                Self::Restrict {
                    fine: lender.read(Array::Rhs(index), band.range())?,
                    coarse: lender.write(Array::Rhs(index + 1), band.of_coarser(coarser))?,
                }
            }
            Step::Rest { first_level, .. } => {
                let mut all = |array| lender.write_all(array);
                let mut of_level = |level| {
                    let [rhs, correction, other] = Array::of_level(level);
                    Some([all(rhs)?, all(correction)?, all(other)?])
                };
                Self::Rest(
                    (first_level..levels.len() - 1).map(&mut of_level).collect::<Option<_>>()?,
                )
            }
            Step::Prolongate(index, cycle) => {
                let [level, coarser] = pair(1 + index)?;
                let window = band.window(level, stages(&scheme.smoothing, cycle));
                let [target, base] = Array::target_and_base(index, cycle);
                let around = window.first + 1..window.end + 1;
                let left = Array::Rhs(index + 1);
                Self::Prolongate {
                    rhs: lender.read(Array::Rhs(index), window.range())?,
                    coarse: lender.read(Array::Correction(index + 1), window.between(coarser))?,
                    base: if cycle.is_first() { None } else { Some(lender.read(base, around)?) },
                    target: lender.write(target, band.of_correction(level))?,
                    restricted: if cycle.is_last() {
                        None
                    } else {
                        Some(lender.write(left, band.of_coarser(coarser))?)
                    },
                }
            }
        })
    }
}

/// Lends nothing, and notes what is asked for.
struct Noted(Vec<Access>);

impl Lender for Noted {
    type Read = ();
    type Written = ();
    type Squares = ();

    fn read(&mut self, array: Array, rows: Range<usize>) -> Option<()> {
        self.0.push(Access::read(array.number(), rows));
        Some(())
    }

    fn write(&mut self, array: Array, rows: Range<usize>) -> Option<()> {
        self.0.push(Access::write(array.number(), rows));
        Some(())
    }

    fn write_all(&mut self, array: Array) -> Option<()> {
        self.write(array, 0..usize::MAX)
    }

    fn write_squares(&mut self, rows: Range<usize>) -> Option<()> {
        self.write(Array::Squares, rows)
    }
}

impl Layout<'_> {
    /// Returns what a task reads and writes.
    pub(super) fn accesses(&self, task: Task) -> Vec<Access> {
        let mut noted = Noted(Vec::new());
        TaskBuffers::of(task, self.levels, self.scheme, &mut noted);
        noted.0
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeMap;

    use super::*;
    use crate::multigrid::owned::plan::Leg;
    use crate::multigrid::{Band, Hierarchy, MAX_STEPS, MOST_READERS};

    /// Returns the most tasks of a plan that read a row between two that write it: no more can have
    /// it at once.
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

    /// Returns the most readers of a row in the plans of a grid, on one process and on one of
    /// several.
    fn most_of(rows: usize, scheme: &Scheme) -> usize {
        let hierarchy = Hierarchy::new(rows, 3, scheme.coarsest).unwrap();
        let levels = hierarchy.levels();
        let finest: Vec<Band> = scheme.cut(*levels.first_chunk().unwrap()).collect();
        let mut most = 0;
        for shares_second in [false, levels.len() > 2] {
            let is_several = shares_second;
            let layout =
                Layout { scheme, levels, finest: &finest, is_several, shares_second, factors: 1 };
            for plan in [layout.beginning(), layout.cycle()] {
                most = most.max(most_readers(&layout, &plan));
            }
        }
        most
    }

    /// However many workers there are: bands become low on the coarser levels, where many steps
    /// read far beyond them.
    #[test]
    fn no_row_has_more_readers_than_it_can_count() {
        let mut most = 0;
        for steps in 1..=MAX_STEPS {
            let smoothing = Smoothing::chebyshev(steps).unwrap();
            for rows in [2, 25, 64, 131, 255, 400, 723] {
                for (bands, group) in [(1, 1), (7, 1), (12, 3), (64, 1), (64, 4), (400, 1)] {
                    for coarse_cycles in 1..=3 {
                        let smoothing = smoothing.clone();
                        let (coarsest, shared_from) = (1, 1);
                        let scheme = Scheme {
                            smoothing,
                            coarsest,
                            coarse_cycles,
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
