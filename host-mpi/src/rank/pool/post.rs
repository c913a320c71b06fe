//! Letters from and to a rank.

use std::collections::VecDeque;
use std::thread;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tresse_core::id::RankId;
use tresse_core::sharing::{Message, Peer, PoolProgress};

use super::Places;
use super::letter::Letter;
use super::unread::Unread;
use crate::mpi::{Entry, Letters};

/// What a letter takes besides its bytes, while it is on its way.
const OVERHEAD: usize = 128;

/// A rank's letters.
pub(super) struct Post<T> {
    places: Places,
    rank: RankId,
    letters: Letters,
    /// Of this rank to itself.
    own: VecDeque<Letter<T>>,
    unread: Unread,
    /// Letters by rank.
    sent: Vec<u64>,
    received: u64,
    messages: u64,
}

impl<T: Copy + Serialize + DeserializeOwned> Post<T> {
    /// Collective.
    pub fn new(entry: &mut Entry, places: Places) -> Self {
        let sent = vec![0; entry.ranks() as usize];
        Self {
            places,
            rank: entry.rank(),
            letters: Letters::new(entry),
            own: VecDeque::new(),
            unread: Unread::new(entry.ranks()),
            sent,
            received: 0,
            messages: 0,
        }
    }

    /// Messages that were sent from here, those to this rank included.
    pub const fn messages(&self) -> u64 {
        self.messages
    }

    /// Whether so much is on the way that others are given time to read it.
    pub const fn is_congested(&self) -> bool {
        self.unread.is_congested()
    }

    pub fn send(
        &mut self,
        entry: &mut Entry,
        (from, to): (Peer, Peer),
        message: Message,
        parts: &[&[T]],
    ) {
        self.messages += 1;
        let rank = self.places.rank(to);
        let letter = Letter::Message { from, to, message, tasks: parts.concat() };
        if rank == self.rank {
            self.own.push_back(letter);
        } else {
            self.send_letter(entry, rank, &letter);
        }
    }

    /// Tells all other ranks that nobody goes on.
    pub fn call_off(&mut self, entry: &mut Entry) {
        let own = self.rank;
        for rank in (0..entry.ranks()).map(RankId).filter(|rank| *rank != own) {
            self.send_letter(entry, rank, &Letter::CalledOff);
        }
    }

    /// Tells the first rank how far this one is.
    pub fn tell(&mut self, entry: &mut Entry, progress: PoolProgress) {
        let letter = Letter::Progress { rank: self.rank.0, progress };
        if self.rank == RankId(0) {
            self.own.push_back(letter);
        } else {
            self.send_letter(entry, RankId(0), &letter);
        }
    }

    fn send_letter(&mut self, entry: &mut Entry, rank: RankId, letter: &Letter<T>) {
        match postcard::to_stdvec(letter) {
            Ok(bytes) => {
                self.letters.send(rank, &bytes);
                self.unread.has_sent(rank, bytes.len() + OVERHEAD);
                if let Some(sent) = self.sent.get_mut(rank.index()) {
                    *sent += 1;
                }
            }
            Err(error) => entry.give_up(&error),
        }
    }

    /// A letter that has arrived.
    pub fn next(&mut self, entry: &mut Entry) -> Option<Letter<T>> {
        if let Some(letter) = self.own.pop_front() {
            return Some(letter);
        }
        let (from, bytes) = self.letters.next()?;
        self.received += 1;
        if let Some(read) = self.unread.has_read(from, bytes.len() + OVERHEAD) {
            self.send_letter(entry, from, &Letter::Read(read));
        }
        let letter = match postcard::from_bytes(&bytes) {
            Ok(letter) => letter,
            Err(error) => entry.give_up(&error),
        };
        if let Letter::Read(bytes) = letter {
            self.unread.is_read(from, bytes);
        }
        Some(letter)
    }

    /// Takes all letters to this rank that are still on their way, so that none is left behind.
    /// Collective.
    pub fn settle(&mut self, entry: &mut Entry) {
        let sent = self.sent.iter().map(|number| number.to_le_bytes().to_vec()).collect();
        let expected = entry.all_to_all_bytes(sent);
        let number = |bytes: &Vec<u8>| bytes.as_slice().try_into().map_or(0, u64::from_le_bytes);
        let expected: u64 = expected.iter().map(number).sum();
        while self.received < expected {
            match self.letters.next() {
                Some(_) => self.received += 1,
                None => thread::yield_now(),
            }
        }
    }
}
