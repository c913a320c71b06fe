//! Earliness of a worker's requests for more tasks: learned from the number of tasks that it had
//! left when the last answer came.

/// The most tasks with which a worker asks for more.
const MOST: u32 = 32;

/// The number of tasks at which a worker asks, which it learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Ahead {
    tasks: u32,
}

impl Ahead {
    pub const NEW: Self = Self { tasks: 1 };

    pub const fn tasks(self) -> usize {
        self.tasks as usize
    }

    /// Records that the worker had nothing to do before the answer came: it asks with twice as many
    /// tasks left.
    pub const fn ran_dry(&mut self) {
        let tasks = 2 * self.tasks + 1;
        self.tasks = if tasks < MOST { tasks } else { MOST };
    }

    /// Records that the answer came while the worker had `left` tasks: with more than half of the
    /// number left, it asks later.
    pub const fn arrived(&mut self, left: usize) {
        if left > self.tasks as usize / 2 {
            self.tasks -= self.tasks.div_ceil(8);
        }
    }
}
