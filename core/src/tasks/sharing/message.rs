//! Messages of workers and managers.

use heapless::Vec;
use serde::Serialize;

use crate::base::id::{ManagerId, WorkerId};

/// The most tasks of a chunk.
pub const MAX_CHUNK: usize = 128;

/// The most copies of chunks that one message carries.
pub const MAX_COPIES: usize = 4;

/// The most messages that a worker reads between two steps. Without a limit, others that ask it
/// over and over, each as soon as it is answered, could keep it from executing what it could then
/// give them.
pub const MOST_AT_A_LOOK: usize = 16;

/// Sender or receiver of a message.
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
    /// Number of the chunk.
    pub id: CopyId,
    /// Its tasks.
    pub len: u16,
}

/// The copies that one message carries.
pub type Copies = Vec<Copied, MAX_COPIES>;

/// Collects things into a list of bounded length; what does not fit is left out.
pub(super) fn list<T, const N: usize>(things: impl IntoIterator<Item = T>) -> Vec<T, N> {
    let mut list = Vec::new();
    for thing in things.into_iter().take(N) {
        // `take` has counted the places.
        let _ = list.push(thing);
    }
    list
}

/// Counts of messages that somebody who has nothing to do has sent and got: it is at the end of its
/// work only if nothing is on the way to it and all that it has sent is known.
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
    /// Tells a manager that this member has no tasks left, or few. The member asks again only after
    /// it got some, or to add that it is idle.
    Request {
        /// The messages of [`Message::Work`] that it has got.
        works: u64,
        /// Counts of a member that has nothing to do, and nothing to wait for but an answer to
        /// this.
        idle: Option<Counts>,
    },
    /// Gives a manager tasks for others.
    Release,
    /// Asks the owner of a chunk, of which the sender has a copy, whether it may be executed here:
    /// a task of it, by its place in the chunk, or all of it.
    Claim {
        /// Number of the chunk.
        copy: CopyId,
        /// Place of the task; none for all tasks.
        task: Option<u8>,
    },
    /// Gives tasks to execute. The tasks of the copies follow them.
    Work {
        /// The number of tasks before those of copies.
        own: u16,
        /// The copies.
        copies: Copies,
    },
    /// Answers for a victim that has no tasks to give, but copies of those that it keeps for
    /// itself.
    Nothing {
        /// The copies.
        copies: Copies,
    },
    /// Grants a claim: the claimed tasks are the sender's no more.
    Granted {
        /// Number of the chunk.
        copy: CopyId,
        /// Place of the task; none for all tasks.
        task: Option<u8>,
    },
    /// Refuses a claim of tasks that another has got, or the owner has begun.
    Refused {
        /// Number of the chunk.
        copy: CopyId,
        /// Place of the task; none for all tasks.
        task: Option<u8>,
    },
    /// Asks for a manager to release tasks as soon as there are some to spare.
    Want,
    /// Asks for a manager to release no tasks until they are wanted.
    Hold,
    /// Asks a victim to give tasks.
    Steal,
    /// Tells the manager, without a pool, that the sender has nothing to do.
    Idle(Counts),
    /// Asks for the manager whether anything has changed since the receiver was idle.
    Probe {
        /// Number of the probe.
        round: u32,
    },
    /// Answers a probe.
    Report {
        /// Number of the probe.
        round: u32,
        /// Counts of the sender, where it is still idle.
        idle: Option<Counts>,
    },
    /// Tells that all tasks are executed.
    End,
}

/// Receiver of the messages that are sent.
pub trait Outbox<T> {
    /// Sends a message with its tasks, which are those of all `parts` one after the other.
    fn send(&mut self, to: Peer, message: Message, parts: &[&[T]]);
}

impl<T, F: FnMut(Peer, Message, &[&[T]])> Outbox<T> for F {
    fn send(&mut self, to: Peer, message: Message, parts: &[&[T]]) {
        self(to, message, parts);
    }
}
