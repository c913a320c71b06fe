//! Tasks that show which were committed and how often.

use tresse_core::tasks::sharing::{Extent, Full, Stack, Work};

/// Tasks `0..number`, where `n` makes `3 n + 1` to `3 n + 3`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Numbered {
    /// Number of tasks.
    pub number: u8,
    /// Numbers of the tasks that were committed here, one for each commit.
    pub committed: Vec<u8>,
}

impl Work for Numbered {
    type Task = u8;
    type Outcome = ();

    fn execute(&mut self, task: &u8, children: &mut Stack<'_, u8>) -> Result<(), Full> {
        children.reserve(3)?;
        for child in 3 * task + 1..=3 * task + 3 {
            if child < self.number {
                children.push(child)?;
            }
        }
        Ok(())
    }

    fn commit(&mut self, task: &u8, (): ()) {
        self.committed.push(*task);
        self.committed.sort_unstable();
    }
}

/// A tree by hashes: a task is a number and the depth below it.
#[derive(Clone, Debug, Default)]
pub struct Hashed {
    /// The most children of a task.
    pub branches: u32,
    /// Tasks that were committed.
    pub nodes: u64,
    /// The sum of their numbers.
    pub sum: u64,
    /// Tasks that were rolled back.
    pub undone: u64,
    /// Fault that is planted.
    pub wrong: Wrong,
}

/// A wrong kind of task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wrong {
    /// No fault.
    #[default]
    Nothing,
    /// Counts a task's result before it is certain that the task is this worker's.
    CountsAtOnce,
    /// Keeps a task that was another's as if it had been this worker's.
    KeepsUndone,
}

/// A task of [`Hashed`].
pub type HashedTask = (u64, u8);

const fn mix(number: u64) -> u64 {
    let hash = (number ^ number >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ hash >> 29
}

impl Hashed {
    /// Returns a tree without a fault.
    pub fn new(branches: u32) -> Self {
        Self { branches, ..Self::default() }
    }

    /// Returns the nodes of a tree and the sum of their numbers, by one worker alone.
    ///
    /// # Panics
    /// If a task has more than 64 children.
    pub fn alone(root: HashedTask, branches: u32) -> (u64, u64) {
        let mut tree = Self::new(branches);
        let mut stack = vec![root];
        while let Some(task) = stack.pop() {
            let (mut places, mut extent) = ([HashedTask::default(); 64], Extent::NONE);
            let mut children = Stack::new(&mut places, &mut extent);
            let outcome = tree.execute(&task, &mut children);
            stack.extend_from_slice(children.as_slice());
            tree.commit(&task, outcome.unwrap_or_else(|full| panic!("{full}")));
        }
        (tree.nodes, tree.sum)
    }

    fn count(&mut self, number: u64) {
        self.nodes += 1;
        self.sum = self.sum.wrapping_add(number);
    }
}

impl Work for Hashed {
    type Task = HashedTask;
    type Outcome = u64;

    fn execute(
        &mut self,
        &(number, depth): &Self::Task,
        children: &mut Stack<'_, Self::Task>,
    ) -> Result<u64, Full> {
        let branches = if depth == 0 { 0 } else { mix(number) % u64::from(self.branches + 1) };
        children.reserve(usize::try_from(branches).unwrap_or(usize::MAX))?;
        for branch in 0..branches {
            children.push((mix(number.wrapping_mul(31) + branch), depth - 1))?;
        }
        if self.wrong == Wrong::CountsAtOnce {
            self.count(number);
        }
        Ok(number)
    }

    fn commit(&mut self, _: &Self::Task, number: u64) {
        if self.wrong != Wrong::CountsAtOnce {
            self.count(number);
        }
    }

    fn undo(&mut self, _: &Self::Task, number: u64) {
        self.undone += 1;
        if self.wrong == Wrong::KeepsUndone {
            self.count(number);
        }
    }
}
