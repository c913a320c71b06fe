//! A manager's knowledge of one of its members.

use super::message::Counts;

/// Whether a member is to release tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Flow {
    /// The member releases tasks whenever its interval has passed.
    Open,
    /// The member releases none until tasks are wanted.
    Held,
    /// The member was told to release tasks as soon as it has some to spare.
    Asked,
}

/// A manager's knowledge of a worker, or of a manager that belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    /// Whether the member waits for tasks.
    pub(super) requested: bool,
    /// The member that waits next after this one.
    pub(super) next: u32,
    /// Counts of the member when it was idle, unless it was given something since.
    pub(super) idle: Option<Counts>,
    /// Messages with tasks that were sent to it.
    pub(super) works: u64,
    /// Messages with tasks that were sent to it, and grants.
    pub(super) given: u64,
    /// Messages with tasks that came from it.
    pub(super) got: u64,
    pub(super) flow: Flow,
}

impl Member {
    /// A member of which nothing was heard.
    pub const NEW: Self = Self {
        requested: false,
        next: u32::MAX,
        idle: None,
        works: 0,
        given: 0,
        got: 0,
        flow: Flow::Open,
    };

    /// Whether the member has nothing to do, nothing is on the way to it, and all that it has sent
    /// is here.
    pub(super) fn is_idle(&self) -> bool {
        self.idle.is_some_and(|counts| counts.given == self.given && counts.sent == self.got)
    }

    /// Returns how likely the member has tasks to spare; none where it may not be asked now.
    pub(super) fn may_be_asked(&self) -> Option<Likely> {
        match (self.flow, self.requested, self.idle) {
            (Flow::Asked, ..) | (_, true, Some(_)) => None,
            (_, false, _) => Some(Likely::Has),
            (_, true, None) => Some(Likely::Makes),
        }
    }
}

/// Likelihood that a member has tasks to spare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Likely {
    /// The member has not asked for any.
    Has,
    /// The member has asked for some, but is not idle: the task that it executes may make some, by
    /// now more than it has asked for.
    Makes,
}
