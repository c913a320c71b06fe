//! How much of what was sent nobody has read yet, so that a rank that stands still is not written to
//! without end: what is on the way takes memory at the sender.

use tresse_core::id::RankId;

use crate::mpi::MOST_ON_THE_WAY;

/// Bytes by rank: those on the way to it, and those of it that were read.
pub(super) struct Unread {
    sent: Vec<u64>,
    total: u64,
    read: Vec<u64>,
    /// What is read is acknowledged in shares of this size.
    share: u64,
}

impl Unread {
    pub fn new(ranks: u32) -> Self {
        let none = vec![0; ranks as usize];
        // What no rank has acknowledged yet is together a quarter of what may be on the way.
        let share = MOST_ON_THE_WAY as u64 / 4 / u64::from(ranks.max(1));
        Self { sent: none.clone(), total: 0, read: none, share }
    }

    /// Reports whether so much is on the way that nothing should be sent but answers. These take the
    /// other half of the memory: there is at most one for each question.
    pub const fn is_congested(&self) -> bool {
        self.total > MOST_ON_THE_WAY as u64 / 2
    }

    /// A letter leaves.
    pub fn has_sent(&mut self, to: RankId, bytes: usize) {
        if let Some(sent) = self.sent.get_mut(to.index()) {
            *sent += bytes as u64;
            self.total += bytes as u64;
        }
    }

    /// A letter has arrived. What the rank that it is from is told, if it is time.
    pub fn has_read(&mut self, from: RankId, bytes: usize) -> Option<u64> {
        let read = self.read.get_mut(from.index())?;
        *read += bytes as u64;
        (*read > self.share).then(|| std::mem::take(read))
    }

    /// A rank has read this number of bytes.
    pub fn is_read(&mut self, by: RankId, bytes: u64) {
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

    /// Whoever reads ends the congestion, however many ranks there are.
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
                sender.has_sent(to, bytes);
                on_the_way.push((to, bytes));
            }
            assert!(on_the_way.iter().map(|(_, bytes)| bytes).sum::<usize>() < MOST_ON_THE_WAY);
            for (to, bytes) in on_the_way {
                // One reader stands for all: it looks at each sender's bytes apart, as ranks do.
                if let Some(read) = reader.has_read(to, bytes) {
                    sender.is_read(to, read);
                }
            }
            assert!(!sender.is_congested(), "{ranks}");
        }
    }
}
