//! How early a worker asks for more: by what it had left when the last answer came.

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

    /// It had nothing to do before the answer came: it asks with twice as many.
    pub const fn ran_dry(&mut self) {
        let tasks = 2 * self.tasks + 1;
        self.tasks = if tasks < MOST { tasks } else { MOST };
    }

    /// The answer came while it had `left` tasks: with half of them left, it asks later.
    pub const fn arrived(&mut self, left: usize) {
        if left > self.tasks as usize / 2 {
            self.tasks -= self.tasks.div_ceil(8);
        }
    }
}
