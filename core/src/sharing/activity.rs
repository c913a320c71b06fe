//! What workers and managers are at.

/// What a worker or a manager is at. A worker is always at one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Activity {
    /// A worker: executes tasks of its own.
    Tasks,
    /// A worker: executes tasks of copies, before it is certain that it may.
    Copies,
    /// A worker: has nothing to execute, has asked for tasks or claimed some, and got some in the end.
    Searching,
    /// A worker: has nothing to execute, and nothing came any more. A manager: nobody asks it for
    /// anything.
    Idle,
    /// A manager works, or a worker does in its place what a manager does.
    Managing,
    /// A worker: reads and writes messages, where that is told apart from the rest, as in virtual time.
    Messages,
}

impl Activity {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 6] =
        [Self::Tasks, Self::Copies, Self::Searching, Self::Idle, Self::Managing, Self::Messages];

    /// Its name, for people.
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

    /// Its place in [`Activity::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }
}
