//! Sends and receives the messages of a rank.

use std::collections::VecDeque;
use std::thread;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tresse_core::base::id::RankId;
use tresse_core::tasks::sharing::{Message, Peer, PoolProgress};

use super::Places;
use super::rank_message::{CalledOff, RankMessage};
use super::unread::Unread;
use crate::mpi::{Entry, Messages};

/// Number of bytes that a message takes besides its own while it is on its way.
pub(super) const OVERHEAD: usize = 128;

/// Carries bytes from this rank to others, each message whole, and those to one rank in their
/// order.
pub(super) trait Mail {
    /// Sends a message, and does not wait for the other rank.
    fn send(&self, to: RankId, bytes: &[u8]);

    /// Returns a message that has arrived and the rank that sent it, if there is one.
    fn next(&self) -> Option<(RankId, Vec<u8>)>;
}

impl Mail for Messages {
    fn send(&self, to: RankId, bytes: &[u8]) {
        Self::send(self, to, bytes);
    }

    fn next(&self) -> Option<(RankId, Vec<u8>)> {
        Self::next(self)
    }
}

/// A rank's messages.
pub(super) struct Post<T, M> {
    places: Places,
    rank: RankId,
    ranks: u32,
    mail: M,
    /// The messages of this rank to itself.
    own: VecDeque<RankMessage<T>>,
    unread: Unread,
    /// Numbers of messages sent, by rank.
    sent: Vec<u64>,
    received: u64,
    messages: u64,
    /// Error of a message that could not be written or read, after which the rank cannot go on.
    failure: Option<postcard::Error>,
}

impl<T: Copy + Serialize + DeserializeOwned, M: Mail> Post<T, M> {
    /// Returns the post of one of `ranks`, before any message.
    pub fn new(rank: RankId, ranks: u32, places: Places, mail: M) -> Self {
        let sent = vec![0; ranks as usize];
        Self {
            places,
            rank,
            ranks,
            mail,
            own: VecDeque::new(),
            unread: Unread::new(ranks),
            sent,
            received: 0,
            messages: 0,
            failure: None,
        }
    }

    /// Returns the rank.
    pub const fn rank(&self) -> RankId {
        self.rank
    }

    /// Returns the error of a message that could not be written or read.
    pub const fn failure(&self) -> Option<&postcard::Error> {
        self.failure.as_ref()
    }

    /// Returns the number of messages sent from here, including those to this rank.
    pub const fn messages(&self) -> u64 {
        self.messages
    }

    /// Reports whether so many bytes are on their way that others are given time to read them.
    pub const fn is_congested(&self) -> bool {
        self.unread.is_congested()
    }

    /// Sends a message with the tasks of all `parts`. One to this rank itself is queued and takes
    /// no way through MPI.
    pub fn send(&mut self, from: Peer, to: Peer, message: Message, parts: &[&[T]]) {
        self.messages += 1;
        let rank = self.places.rank(to);
        let rank_message = RankMessage::Message { from, to, message, tasks: parts.concat() };
        if rank == self.rank {
            self.own.push_back(rank_message);
        } else {
            self.send_message(rank, &rank_message);
        }
    }

    /// Tells all other ranks to stop.
    pub fn call_off(&mut self, why: CalledOff) {
        let own = self.rank;
        for rank in (0..self.ranks).map(RankId).filter(|rank| *rank != own) {
            self.send_message(rank, &RankMessage::CalledOff(why));
        }
    }

    /// Sends the progress of this rank to the first one.
    pub fn report_progress(&mut self, progress: PoolProgress) {
        let rank_message = RankMessage::Progress { rank: self.rank.0, progress };
        if self.rank == RankId(0) {
            self.own.push_back(rank_message);
        } else {
            self.send_message(RankId(0), &rank_message);
        }
    }

    /// Sends the bytes of a message to another rank and counts them as unread. Keeps the error
    /// where it has no bytes.
    fn send_message(&mut self, rank: RankId, rank_message: &RankMessage<T>) {
        match postcard::to_stdvec(rank_message) {
            Ok(bytes) => {
                self.mail.send(rank, &bytes);
                self.unread.note_sent(rank, bytes.len() + OVERHEAD);
                if let Some(sent) = self.sent.get_mut(rank.index()) {
                    *sent += 1;
                }
            }
            Err(error) => self.failure = Some(error),
        }
    }

    /// Returns the next message that has arrived, if there is one; one from this rank itself comes
    /// first.
    pub fn next(&mut self) -> Option<RankMessage<T>> {
        if let Some(rank_message) = self.own.pop_front() {
            return Some(rank_message);
        }
        let (from, bytes) = self.mail.next()?;
        self.received += 1;
        if let Some(read) = self.unread.note_read(from, bytes.len() + OVERHEAD) {
            self.send_message(from, &RankMessage::Read(read));
        }
        let rank_message = match postcard::from_bytes(&bytes) {
            Ok(rank_message) => rank_message,
            Err(error) => {
                self.failure = Some(error);
                return None;
            }
        };
        if let RankMessage::Read(bytes) = rank_message {
            self.unread.note_read_by(from, bytes);
        }
        Some(rank_message)
    }

    /// Receives all messages to this rank that are still on their way, so that none is left behind.
    /// Collective.
    pub fn settle(&mut self, entry: &mut Entry) {
        let sent = self.sent.iter().map(|number| number.to_le_bytes().to_vec()).collect();
        let expected = entry.all_to_all_bytes(sent);
        let number = |bytes: &Vec<u8>| bytes.as_slice().try_into().map_or(0, u64::from_le_bytes);
        let expected: u64 = expected.iter().map(number).sum();
        while self.received < expected {
            match self.mail.next() {
                Some(_) => self.received += 1,
                None => thread::yield_now(),
            }
        }
    }
}
