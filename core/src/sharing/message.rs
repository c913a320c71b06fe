//! What workers and managers tell each other.

use heapless::Vec;
use serde::Serialize;

use crate::id::{ManagerId, WorkerId};

/// The most tasks of a chunk.
pub const MAX_CHUNK: usize = 128;

/// The most copies of chunks that one message carries.
pub const MAX_COPIES: usize = 4;

/// The most messages that a worker reads between two steps. Without a limit, others that ask it over and
/// over, each as soon as it is answered, could keep it from executing what it could then give them.
pub const MOST_AT_A_LOOK: usize = 16;

/// Who sends or gets a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "deserialize", derive(serde::Deserialize))]
pub enum Peer {
    /// A worker.
    Worker(WorkerId),
    /// A manager, which may belong to another one as a worker does.
    Manager(ManagerId),
}

/// One chunk of which there is a copy, as its owner knows it: never the same for two chunks of an
/// owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "deserialize", derive(serde::Deserialize))]
pub struct CopyId(pub u64);

/// A copy of a chunk that its owner keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "deserialize", derive(serde::Deserialize))]
pub struct Copied {
    /// Which chunk it is.
    pub id: CopyId,
    /// Its tasks.
    pub len: u16,
}

/// The copies that one message carries.
pub type Copies = Vec<Copied, MAX_COPIES>;

/// A list of as many of some things as there are places for.
pub(super) fn list<T, const N: usize>(things: impl IntoIterator<Item = T>) -> Vec<T, N> {
    let mut list = Vec::new();
    for thing in things.into_iter().take(N) {
        // `take` has counted the places.
        let _ = list.push(thing);
    }
    list
}

/// What somebody who has nothing to do has sent and got: it is at the end of its work only if nothing
/// is on the way to it and all that it has sent is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "deserialize", derive(serde::Deserialize))]
pub struct Counts {
    /// Messages with tasks, or with the right to execute some, that it has got.
    pub given: u64,
    /// Messages with tasks that it has sent, or with the right to execute some of its own.
    pub sent: u64,
}

/// A message. Its tasks, where it has some, go beside it.
///
/// Messages may come in any order; none is lost and none comes twice.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "deserialize", derive(serde::Deserialize))]
pub enum Message {
    /// To a manager: this member has no tasks left, or few. It asks again only after it got some,
    /// or to add that it is idle.
    Request {
        /// The messages of [`Message::Work`] that it has got.
        works: u64,
        /// It has nothing to do, and nothing to wait for but an answer to this.
        idle: Option<Counts>,
    },
    /// To a manager: tasks for others.
    Release,
    /// To the owner of a chunk of which the sender has a copy: may it be executed here? A task of it,
    /// by its place in the chunk, or all of it.
    Claim {
        /// Which chunk.
        copy: CopyId,
        /// Which of its tasks; all, where there is none.
        task: Option<u8>,
    },
    /// Tasks to execute. Those of the copies follow them.
    Work {
        /// The number of tasks before those of copies.
        own: u16,
        /// The copies.
        copies: Copies,
    },
    /// From a victim that has no tasks to give, but copies of those that it keeps for itself.
    Nothing {
        /// The copies.
        copies: Copies,
    },
    /// The answer to a claim: what was claimed is the sender's no more.
    Granted {
        /// Which chunk.
        copy: CopyId,
        /// Which of its tasks; all, where there is none.
        task: Option<u8>,
    },
    /// The answer to a claim of what another has got, or the owner has begun.
    Refused {
        /// Which chunk.
        copy: CopyId,
        /// Which of its tasks; all, where there is none.
        task: Option<u8>,
    },
    /// From a manager: release tasks as soon as there are some to spare.
    Want,
    /// From a manager: release none until they are wanted.
    Hold,
    /// To a victim: give tasks.
    Steal,
    /// To the manager, without a pool: the sender has nothing to do.
    Idle(Counts),
    /// From the manager: has anything changed since the sender was idle?
    Probe {
        /// Which probe it is.
        round: u32,
    },
    /// The answer to a probe.
    Report {
        /// Which probe it answers.
        round: u32,
        /// What the sender has sent and got, where it is still idle.
        idle: Option<Counts>,
    },
    /// All tasks are executed.
    End,
}

/// Where messages go.
pub trait Outbox<T> {
    /// Sends a message with its tasks, which are those of all `parts` one after the other.
    fn send(&mut self, to: Peer, message: Message, parts: &[&[T]]);
}

impl<T, F: FnMut(Peer, Message, &[&[T]])> Outbox<T> for F {
    fn send(&mut self, to: Peer, message: Message, parts: &[&[T]]) {
        self(to, message, parts);
    }
}
