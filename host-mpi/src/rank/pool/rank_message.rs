//! The messages that ranks send each other.

use serde::{Deserialize, Serialize};
use tresse_core::tasks::sharing::{Message, Peer, PoolProgress};

/// A message of one rank to another.
#[derive(Debug, Deserialize, Serialize)]
pub(super) enum RankMessage<T> {
    /// A message between a worker and a manager, with its tasks.
    Message {
        /// Sender of the message.
        from: Peer,
        /// Receiver of the message.
        to: Peer,
        /// The message.
        message: Message,
        /// Tasks of the message.
        tasks: Vec<T>,
    },
    /// The number of bytes of the receiver's messages that the sender has read since it last
    /// reported this.
    Read(u64),
    /// The progress of the sender, for the first rank.
    Progress {
        /// Rank of the sender.
        rank: u32,
        /// Progress of the sender.
        progress: PoolProgress,
    },
    /// The sender cannot go on, or must not: all ranks stop.
    CalledOff(CalledOff),
}

/// A reason for which all ranks stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum CalledOff {
    /// A rank has no room for its tasks.
    NoRoom,
    /// A rank was asked to end.
    AskedToEnd,
}
