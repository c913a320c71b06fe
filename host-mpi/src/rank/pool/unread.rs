//! Counts the bytes sent that no rank has read yet, so that a rank that stands still is not written
//! to without end: messages on their way take memory at the sender.

use tresse_core::base::id::RankId;

use crate::mpi::MOST_ON_THE_WAY;

/// Bytes by rank: those on their way to the rank, and those of the rank that were read.
pub(super) struct Unread {
    sent: Vec<u64>,
    total: u64,
    read: Vec<u64>,
    /// Number of read bytes that are acknowledged at once.
    share: u64,
}

impl Unread {
    /// Returns counters that are all 0, for this many ranks.
    pub fn new(ranks: u32) -> Self {
        let none = vec![0; ranks as usize];
        // What no rank has acknowledged yet is together a quarter of what may be on the way.
        let share = MOST_ON_THE_WAY as u64 / 4 / u64::from(ranks.max(1));
        Self { sent: none.clone(), total: 0, read: none, share }
    }

    /// Reports whether so many bytes are on their way that only answers should be sent. Answers
    /// take the other half of the memory: there is at most one for each question.
    pub const fn is_congested(&self) -> bool {
        self.total > MOST_ON_THE_WAY as u64 / 2
    }

    /// Counts the bytes of a message that leaves for a rank.
    pub fn note_sent(&mut self, to: RankId, bytes: usize) {
        if let Some(sent) = self.sent.get_mut(to.index()) {
            *sent += bytes as u64;
            self.total += bytes as u64;
        }
    }

    /// Counts a message that has arrived; returns the number of bytes to acknowledge to its sender,
    /// if it is time.
    pub fn note_read(&mut self, from: RankId, bytes: usize) -> Option<u64> {
        let read = self.read.get_mut(from.index())?;
        *read += bytes as u64;
        (*read > self.share).then(|| std::mem::take(read))
    }

    /// Subtracts the bytes that a rank has acknowledged from those that it has not read.
    pub fn note_read_by(&mut self, by: RankId, bytes: u64) {
        if let Some(sent) = self.sent.get_mut(by.index()) {
            let bytes = bytes.min(*sent);
            *sent -= bytes;
            self.total -= bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that reading ends the congestion, for any number of ranks.
    #[test]
    fn what_is_read_makes_room() {
        for ranks in [2, 3, 100, 4_096] {
            let [mut sender, mut reader] = [(); 2].map(|()| Unread::new(ranks));
            let mut on_the_way = vec![];
            for to in (1..ranks).map(RankId).cycle() {
                if sender.is_congested() {
                    break;
                }
                let bytes = 1_000 + to.index();
                sender.note_sent(to, bytes);
                on_the_way.push((to, bytes));
            }
            assert!(on_the_way.iter().map(|(_, bytes)| bytes).sum::<usize>() < MOST_ON_THE_WAY);
            for (to, bytes) in on_the_way {
                // One reader stands for all: it looks at each sender's bytes apart, as ranks do.
                if let Some(read) = reader.note_read(to, bytes) {
                    sender.note_read_by(to, read);
                }
            }
            assert!(!sender.is_congested(), "{ranks}");
        }
    }
}
