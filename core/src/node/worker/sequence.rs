//! Fixed sequences of commands: at the beginning, between two synchronous iterations of several
//! nodes, and for the one worker that ends a pass, before the next one begins.

use super::Command;

/// Commands that follow each other whatever happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Sequence {
    /// All workers fill what is theirs, so that it lies in memory near them. After the barrier they
    /// freeze it.
    Beginning,
    /// Step between two synchronous iterations, where there are other nodes.
    Step,
    /// All parts of this node are frozen: all nodes agree on the count at which they halt, in the
    /// exact mode.
    Agreement,
    /// All parts of this node are frozen: what is on its way between nodes arrives, and the newest
    /// edges.
    Meeting,
    /// The first residual is published.
    Begin,
    /// The residual is published.
    Decision,
    /// Everything is saved.
    Saved,
}

use Command::{Agree, Barrier, Begin, Decide, Fetch, Fill, Release, Saved, Settle, Step, Take};

impl Sequence {
    /// Returns the commands of the sequence, in their order.
    const fn commands(self) -> &'static [Command] {
        match self {
            Self::Beginning => &[Release, Take, Fill, Barrier],
            Self::Step => &[Barrier, Step, Barrier],
            Self::Agreement => &[Agree],
            Self::Meeting => &[Settle, Fetch],
            Self::Begin => &[Begin],
            Self::Decision => &[Decide],
            Self::Saved => &[Saved],
        }
    }

    /// Returns the command at an index; none after the last.
    pub(super) fn at(self, place: u8) -> Option<Command> {
        self.commands().get(usize::from(place)).copied()
    }
}
