//! Tasks that follow from each other by the rows that they read and write, and which of them a
//! worker does next.
//!
//! Nothing waits but for rows: a task may begin as soon as those before it in the list have ended
//! that write what it reads or writes, or read what it writes. So the result is that of the list
//! from its first task to its last, on any number of workers, however fast each of them is.
//!
//! A worker takes tasks of its own home first, and otherwise one of another's. Among those it takes
//! the one behind which most work is left to be done one task after the other (the critical path;
//! Topcuoglu, Hariri & Wu 2002 call it the upward rank), and of equal ones the first of the list.

use alloc::collections::BinaryHeap;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::ops::Range;

use crate::base::bug::Minus;

/// What a task takes, for whoever keeps the time and whoever chooses what is next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Cells that are brought into cache.
    pub cells: u64,
    /// How often each of them is evaluated then, in sweeps by the 5-point stencil.
    pub sweeps: u32,
}

impl Effort {
    /// Returns the effort of evaluating rows of so many cells so often.
    pub(super) const fn of(rows: usize, columns: usize, sweeps: u32) -> Self {
        Self { cells: (rows as u64).saturating_mul(columns as u64), sweeps }
    }

    /// Returns the number of evaluations.
    pub const fn evaluations(self) -> u64 {
        self.cells.saturating_mul(self.sweeps as u64)
    }
}

/// Rows of one of some arrays that a task reads, or writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Number of the array.
    pub array: usize,
    /// The rows.
    pub rows: Range<usize>,
    /// Whether they are written; otherwise they are read.
    pub writes: bool,
}

impl Access {
    /// Returns a reading access.
    pub const fn read(array: usize, rows: Range<usize>) -> Self {
        Self { array, rows, writes: false }
    }

    /// Returns a writing access.
    pub const fn write(array: usize, rows: Range<usize>) -> Self {
        Self { array, rows, writes: true }
    }

    /// Whether two tasks with these accesses must not run at the same time, nor change places.
    fn conflicts(&self, other: &Self) -> bool {
        let overlap = self.rows.start.max(other.rows.start) < self.rows.end.min(other.rows.end);
        self.array == other.array && overlap && (self.writes || other.writes)
    }
}

/// A task of a flow.
#[derive(Clone, Debug)]
struct Task {
    effort: Effort,
    /// The worker that takes it first.
    home: usize,
    /// Number of the tasks that it waits for.
    waits_for: usize,
    /// The tasks that follow from it, which come after it in the list.
    followers: Vec<usize>,
    /// Evaluations on the longest chain of tasks that begins with it and wait for each other.
    rank: u64,
}

/// Tasks in an order in which they could be done one after the other.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    tasks: Vec<Task>,
    workers: usize,
}

impl Flow {
    /// Returns the flow of a list of tasks, each with its effort, its home worker, and its
    /// accesses. A task waits for those before it in the list whose accesses conflict with its own.
    pub fn new(
        workers: usize,
        list: impl IntoIterator<Item = (Effort, usize, Vec<Access>)>,
    ) -> Self {
        let mut tasks: Vec<Task> = Vec::new();
        // What tasks so far have done to the rows of arrays, unless others have written these rows
        // since.
        let mut past: Vec<(usize, Access)> = Vec::new();
        for (number, (effort, home, accesses)) in list.into_iter().enumerate() {
            let mut before = Vec::new();
            for access in &accesses {
                let conflicting = past.iter().filter(|(_, earlier)| earlier.conflicts(access));
                before.extend(conflicting.map(|(task, _)| *task));
            }
            before.sort_unstable();
            before.dedup();
            for task in &before {
                if let Some(task) = tasks.get_mut(*task) {
                    task.followers.push(number);
                }
            }
            past.retain(|(_, earlier)| !accesses.iter().any(|access| covers(access, earlier)));
            past.extend(accesses.into_iter().map(|access| (number, access)));
            let (waits_for, followers) = (before.len(), Vec::new());
            let home = home.min(workers.saturating_sub(1));
            tasks.push(Task { effort, home, waits_for, followers, rank: 0 });
        }
        let mut flow = Self { tasks, workers };
        flow.set_ranks();
        flow
    }

    /// Sets the rank of each task from the last to the first: the evaluations on the longest chain
    /// of tasks that begins with it.
    fn set_ranks(&mut self) {
        for number in (0..self.tasks.len()).rev() {
            let Some(task) = self.tasks.get(number) else { return };
            let ranks = task.followers.iter().filter_map(|follower| self.tasks.get(*follower));
            let longest = ranks.map(|follower| follower.rank).max().unwrap_or(0);
            let rank = task.effort.evaluations().saturating_add(longest);
            if let Some(task) = self.tasks.get_mut(number) {
                task.rank = rank;
            }
        }
    }

    /// Returns the number of tasks.
    pub const fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Whether there is nothing to do.
    pub const fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Returns the effort of a task.
    pub fn effort(&self, task: usize) -> Effort {
        self.tasks.get(task).map(|task| task.effort).unwrap_or_default()
    }

    /// Begins a run of the flow, in which tasks that wait for none may begin.
    pub fn begin(&self) -> Running<'_> {
        let waits_for = self.tasks.iter().map(|task| task.waits_for).collect();
        let mut running =
            Running { flow: self, waits_for, ready: vec![BinaryHeap::new(); self.workers.max(1)] };
        for (number, task) in self.tasks.iter().enumerate() {
            if task.waits_for == 0 {
                running.make_ready(number);
            }
        }
        running
    }
}

/// Whether an access makes an earlier one obsolete for later tasks: it writes all of the same rows,
/// so that they wait for it in any case.
fn covers(access: &Access, earlier: &Access) -> bool {
    access.writes
        && access.array == earlier.array
        && access.rows.start <= earlier.rows.start
        && earlier.rows.end <= access.rows.end
}

/// A flow that is being done.
#[derive(Clone, Debug)]
pub struct Running<'f> {
    flow: &'f Flow,
    /// Number of the tasks that each task still waits for.
    waits_for: Vec<usize>,
    /// The tasks of each home that may begin, by their ranks.
    ready: Vec<BinaryHeap<(u64, Reverse<usize>)>>,
}

impl Running<'_> {
    /// Returns the number of tasks that may begin.
    pub fn ready(&self) -> usize {
        self.ready.iter().map(BinaryHeap::len).sum()
    }

    /// Returns the next task for this worker: of its own home first, else of another's, the one
    /// with the highest rank. None where no task may begin now.
    pub fn take(&mut self, worker: usize) -> Option<usize> {
        if let Some((_, Reverse(task))) = self.ready.get_mut(worker).and_then(BinaryHeap::pop) {
            return Some(task);
        }
        let longest = self.ready.iter_mut().max_by_key(|heap| heap.peek().copied())?;
        longest.pop().map(|(_, Reverse(task))| task)
    }

    /// Ends a task that was taken. Returns the number of tasks that may begin now because of that.
    pub fn end(&mut self, task: usize) -> usize {
        let flow = self.flow;
        let followers = flow.tasks.get(task).map(|task| &task.followers);
        let mut more = 0;
        for &follower in followers.into_iter().flatten() {
            let Some(left) = self.waits_for.get_mut(follower) else { continue };
            *left = left.minus(1);
            if *left == 0 {
                self.make_ready(follower);
                more += 1;
            }
        }
        more
    }

    /// Puts a task among those of its home that may begin.
    fn make_ready(&mut self, number: usize) {
        let Some(task) = self.flow.tasks.get(number) else { return };
        if let Some(heap) = self.ready.get_mut(task.home) {
            heap.push((task.rank, Reverse(number)));
        }
    }
}
