//! What a manager knows of one of its members.

use super::message::Counts;

/// Whether a member is to release tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Flow {
    /// Whenever its interval has passed.
    Open,
    /// Not until tasks are wanted.
    Held,
    /// As soon as it has some to spare: it was told so.
    Asked,
}

/// What a manager knows of a worker, or of a manager that belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    /// It waits for tasks.
    pub(super) requested: bool,
    /// The next one that waits.
    pub(super) next: u32,
    /// What it counted when it was idle, unless it was given something since.
    pub(super) idle: Option<Counts>,
    /// Messages with tasks that were sent to it.
    pub(super) works: u64,
    /// The same, with grants.
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

    /// It has nothing to do, nothing is on the way to it, and all that it has sent is here.
    pub(super) fn is_idle(&self) -> bool {
        self.idle.is_some_and(|counts| counts.given == self.given && counts.sent == self.got)
    }

    /// Whether it may be asked for tasks, and how likely it is to have some.
    pub(super) fn may_be_asked(&self) -> Option<Likely> {
        match (self.flow, self.requested, self.idle) {
            (Flow::Asked, ..) | (_, true, Some(_)) => None,
            (_, false, _) => Some(Likely::Has),
            (_, true, None) => Some(Likely::Makes),
        }
    }
}

/// How likely a member has tasks to spare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Likely {
    /// It has not asked for any.
    Has,
    /// It has asked for some, but is not idle: what it does may make some, by now more than it has asked for.
    Makes,
}
