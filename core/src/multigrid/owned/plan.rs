//! A cycle as a list of steps: which of them follow from each other, and where processes exchange
//! what they have.

use alloc::vec;
use alloc::vec::Vec;
use core::mem;

use super::Scheme;
use super::flow::Flow;
use crate::multigrid::{Band, Cycle, Level, bands};

/// What is done to each band of a level. Levels are counted from the one below the finest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Copies the ghost rows of a band of the finest level before its neighbours write them.
    CopyGhostRows,
    /// Computes and restricts the residual of a band of the finest level, without smoothing.
    FinestResidual,
    /// Adds the correction to a band of the finest level, smooths it, and restricts its residual.
    SmoothFinest,
    /// Sums the right-hand side of a level for the next coarser one.
    Restrict(usize),
    /// Solves on all levels from `first_level` on, by `cycles` cycles of that one: a single task.
    Rest { first_level: usize, cycles: usize },
    /// Adds the correction of the next coarser level to that of a level, and smooths it.
    Prolongate(usize, Cycle),
}

/// What processes bring each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exchange {
    /// The ghost rows of their cells.
    Cells,
    /// All of the right-hand side of the second level.
    AllOfSecond,
    /// The ghost rows of it.
    SecondRhs,
    /// The ghost rows of the correction of the second level that this cycle has written.
    SecondCorrection(Cycle),
    /// All of the right-hand side of the third level.
    AllOfThird,
}

/// A step on one band.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    pub step: Step,
    /// Number of the band, from 0 on.
    pub index: usize,
    pub band: Band,
}

/// A part of a plan: an exchange of rows between processes, or tasks of this one.
#[derive(Debug)]
pub(super) enum Leg {
    Exchange(Exchange),
    Tasks(Vec<Task>, Flow),
}

/// What plans are made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout<'a> {
    pub scheme: &'a Scheme,
    /// All levels, the finest first.
    pub levels: &'a [Level],
    /// The bands of the finest level that this process has.
    pub finest: &'a [Band],
    /// Whether there are other processes.
    pub is_several: bool,
    /// Whether processes share the second level.
    pub shares_second: bool,
    /// Length of the factors of the direct solver.
    pub factors: usize,
}

impl Layout<'_> {
    /// Returns the plan of the residual before the first cycle, restricted to the level below the
    /// finest one.
    pub fn beginning(&self) -> Vec<Leg> {
        let mut plan = Planned::new(self);
        plan.finest(Step::FinestResidual);
        plan.finish()
    }

    /// Returns the plan of a cycle, from one residual to the next. Restriction to the coarser
    /// levels comes at its beginning: at the end of the last cycle nobody would read the result.
    pub fn cycle(&self) -> Vec<Leg> {
        let mut plan = Planned::new(self);
        plan.restrict();
        plan.correct();
        plan.finest(Step::SmoothFinest);
        plan.finish()
    }

    /// Returns the number of levels below the finest one that are shared by workers; the others are
    /// one task.
    fn shared(&self) -> usize {
        let is_shared = |level: &&Level| level.cells() >= self.scheme.shared_from;
        let [_, coarser @ .., _] = self.levels else { return 0 };
        coarser.iter().take_while(is_shared).count()
    }

    /// Returns this process's bands of a level below the finest one: those of its own rows where
    /// processes share it, else all rows.
    fn bands_of_level(&self, index: usize) -> Vec<Band> {
        let Some(level) = self.levels.get(1 + index) else { return Vec::new() };
        if index > 0 || !self.shares_second {
            return bands(*level, self.finest.len(), self.scheme.group, 1).collect();
        }
        let halved = |band: &Band| {
            let rows = band.of_coarser(*level);
            Band { first: rows.start, end: rows.end }
        };
        self.finest.iter().map(halved).collect()
    }

    /// Returns the number of workers that this process's bands are for.
    fn workers(&self) -> usize {
        self.finest.len().div_ceil(self.scheme.group.max(1)).max(1)
    }
}

/// A plan that is being made.
struct Planned<'l> {
    layout: &'l Layout<'l>,
    /// Number of levels below the finest one that workers share.
    shared: usize,
    legs: Vec<Leg>,
    /// Tasks since the last exchange.
    tasks: Vec<Task>,
}

impl<'l> Planned<'l> {
    fn new(layout: &'l Layout<'l>) -> Self {
        Self { layout, shared: layout.shared(), legs: Vec::new(), tasks: Vec::new() }
    }

    /// Adds the restriction of the right-hand side to all shared levels, and to the first one below
    /// them.
    fn restrict(&mut self) {
        if self.layout.shares_second {
            self.exchange(Exchange::SecondRhs);
        } else if self.layout.is_several {
            self.exchange(Exchange::AllOfSecond);
        }
        if self.shared > 0 {
            self.step(Step::Restrict(0));
            self.restrict_from_third();
        }
    }

    /// Adds the coarse-grid correction: the tasks that solve for the correction of the level below
    /// the finest one.
    fn correct(&mut self) {
        let cycles = self.layout.scheme.coarse_cycles;
        if self.shared == 0 {
            return self.step(Step::Rest { first_level: 0, cycles });
        }
        for cycle in Cycle::each(cycles) {
            if !cycle.is_first() {
                self.restrict_from_third();
            }
            self.step(Step::Rest { first_level: self.shared, cycles: 1 });
            for index in (1..self.shared).rev() {
                self.step(Step::Prolongate(index, Cycle::ONLY));
            }
            self.step(Step::Prolongate(0, cycle));
            if self.layout.shares_second {
                self.exchange(Exchange::SecondCorrection(cycle));
            }
        }
    }

    /// Adds a step on the finest level, after the exchange and the copy of ghost rows that it
    /// needs.
    fn finest(&mut self, step: Step) {
        if self.layout.is_several {
            self.exchange(Exchange::Cells);
        }
        self.step(Step::CopyGhostRows);
        self.step(step);
    }

    /// Adds the right-hand sides of the shared levels from the third one on, each restricted from
    /// the level above it.
    fn restrict_from_third(&mut self) {
        if self.layout.shares_second {
            self.exchange(Exchange::AllOfThird);
        }
        for index in 1..self.shared {
            self.step(Step::Restrict(index));
        }
    }

    /// Adds an exchange between processes, before which all tasks so far have ended.
    fn exchange(&mut self, exchange: Exchange) {
        self.end_tasks();
        self.legs.push(Leg::Exchange(exchange));
    }

    /// Adds a task of this step for each band of its level; none where this process has no rows.
    fn step(&mut self, step: Step) {
        let layout = self.layout;
        let cut = match step {
            _ if layout.finest.is_empty() => Vec::new(),
            Step::CopyGhostRows | Step::FinestResidual | Step::SmoothFinest => {
                layout.finest.to_vec()
            }
            Step::Restrict(level) | Step::Prolongate(level, _) => layout.bands_of_level(level),
            Step::Rest { .. } => vec![Band { first: 0, end: 0 }],
        };
        let task = |(index, band)| Task { step, index, band };
        self.tasks.extend(cut.into_iter().enumerate().map(task));
    }

    /// Closes the list of tasks as a leg of its own, in which they wait for each other only by the
    /// rows that they share.
    fn end_tasks(&mut self) {
        let (layout, tasks) = (self.layout, mem::take(&mut self.tasks));
        if tasks.is_empty() {
            return;
        }
        let bands = layout.finest.len().max(1);
        let workers = layout.workers();
        let list = tasks.iter().map(|task| {
            let home = task.index.saturating_mul(workers).checked_div(bands).unwrap_or(0);
            (layout.effort(*task), home, layout.accesses(*task))
        });
        let flow = Flow::new(workers, list);
        self.legs.push(Leg::Tasks(tasks, flow));
    }

    /// Returns the whole plan.
    fn finish(mut self) -> Vec<Leg> {
        self.end_tasks();
        self.legs
    }
}
