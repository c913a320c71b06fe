//! What ranks write to each other.

use serde::{Deserialize, Serialize};
use tresse_core::sharing::{Message, Peer, PoolProgress};

/// A letter of one rank to another.
#[derive(Debug, Deserialize, Serialize)]
pub(super) enum Letter<T> {
    /// Somebody's message to somebody, with its tasks.
    Message {
        /// Whose it is.
        from: Peer,
        /// Whom it is to.
        to: Peer,
        /// The message.
        message: Message,
        /// Its tasks.
        tasks: Vec<T>,
    },
    /// The sender has read this number of bytes of the receiver's letters since it last said so.
    Read(u64),
    /// To the first rank: how far the sender is.
    Progress {
        /// Which rank that is.
        rank: u32,
        /// How far.
        progress: PoolProgress,
    },
    /// The sender cannot go on, or shall not: nobody goes on.
    CalledOff(CalledOff),
}

/// Why nobody goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum CalledOff {
    /// A rank has no room for its tasks.
    NoRoom,
    /// A rank was asked to end.
    AskedToEnd,
}
