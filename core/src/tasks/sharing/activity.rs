//! Activities of workers and managers.

/// Present activity of a worker or a manager. A worker always has one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Activity {
    /// A worker executes tasks of its own.
    Tasks,
    /// A worker executes tasks of copies, before it is certain that it may.
    Copies,
    /// A worker has nothing to execute, has asked for tasks or claimed some, and got some in the
    /// end.
    Searching,
    /// A worker has nothing to execute, and nothing came any more; or nobody asks a manager for
    /// anything.
    Idle,
    /// A manager works, or a worker does a manager's work in its place.
    Managing,
    /// A worker reads and writes messages, where that is told apart from the rest, as in virtual
    /// time.
    Messages,
}

impl Activity {
    /// Every activity, in the order of their numbers.
    pub const ALL: [Self; 6] =
        [Self::Tasks, Self::Copies, Self::Searching, Self::Idle, Self::Managing, Self::Messages];

    /// Returns the name, for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tasks => "own tasks",
            Self::Copies => "copies",
            Self::Searching => "searching",
            Self::Idle => "idle",
            Self::Managing => "managing",
            Self::Messages => "messages",
        }
    }

    /// Returns the place in [`Activity::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }
}
