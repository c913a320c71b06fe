//! Collective operations of all ranks.
//!
//! An error in one of these ends all ranks with MPI's own message: there is no way on from it.

use std::ops::Range;

use mpi::collective::SystemOperation;
use mpi::request;
use mpi::topology::{Process, Rank, SimpleCommunicator};
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Equivalence, Root, Source};
use tresse::engine::checkpoints::Group;
use tresse_core::base::id::RankId;

use crate::mpi::entry::Entry;
use crate::mpi::error::WindowError;

/// Greatest number of bytes or cells that are sent at once: MPI counts in 31 bits.
const PART: usize = 1 << 30;

/// A trade of cells with another rank, which gives as many.
#[derive(Debug)]
pub(crate) struct Trade<'a, F> {
    /// The other rank.
    pub(crate) with: RankId,
    /// Cells that the other rank gets.
    pub(crate) sent: &'a [F],
    /// Cells that the other rank gives.
    pub(crate) received: &'a mut [F],
}

impl Group for Entry {
    fn max(&mut self, own: u64) -> u64 {
        self.max_u64(own)
    }

    fn gather(&mut self, said: Vec<u8>) -> Option<Vec<Vec<u8>>> {
        self.gather_bytes(said)
    }

    fn broadcast(&mut self, said: &mut Vec<u8>) {
        Self::broadcast(self, said);
    }
}

/// Collective operations, each of which all ranks call in the same order.
impl Entry {
    /// Returns a result of this rank, if all ranks have one. Collective: nobody goes on to wait for
    /// a rank that has given up.
    pub fn together<T>(
        &mut self,
        what: &'static str,
        result: Result<T, WindowError>,
    ) -> Result<T, WindowError> {
        let failed = self.sum_u64(u64::from(result.is_err()));
        result.and_then(|it| if failed == 0 { Ok(it) } else { Err(WindowError::OtherRank(what)) })
    }

    /// Waits for all ranks.
    pub fn barrier(&mut self) {
        self.world().barrier();
    }

    /// Returns the sum of every rank's number, modulo 2⁶⁴.
    pub fn sum_u64(&mut self, own: u64) -> u64 {
        self.reduce(own, SystemOperation::sum())
    }

    /// Adds to each number those that the other ranks have at its place; all have as many.
    pub fn sum_all(&mut self, numbers: &mut [u64]) {
        let own = numbers.to_vec();
        self.world().all_reduce_into(&own, numbers, SystemOperation::sum());
    }

    /// Returns the largest of every rank's number.
    pub fn max_u64(&mut self, own: u64) -> u64 {
        self.reduce(own, SystemOperation::max())
    }

    /// Returns every rank's number, by rank.
    pub fn all_gather_u64(&mut self, own: u64) -> Vec<u64> {
        let mut all = vec![0; self.ranks() as usize];
        self.world().all_gather_into(&own, &mut all);
        all
    }

    /// Gathers the words of all ranks, each of which has as many, in the order of the ranks.
    pub(crate) fn all_gather_words(&mut self, own: &[u64], all: &mut [u64]) {
        self.world().all_gather_into(own, all);
    }

    /// Completes the numbers of an array, of which every rank has one range, in the order of the
    /// ranks; `own` is this rank's.
    pub(crate) fn all_gather_ranges<F: Equivalence>(&mut self, all: &mut [F], own: Range<usize>) {
        let world = self.world();
        let mut rest = all;
        for (rank, length) in self.all_gather_u64(own.len() as u64).into_iter().enumerate() {
            let length = usize::try_from(length).unwrap_or(usize::MAX).min(rest.len());
            let (range, after) = rest.split_at_mut(length);
            // In place: nothing is copied.
            range.chunks_mut(PART).for_each(|part| process(&world, rank).broadcast_into(part));
            rest = after;
        }
    }

    /// Replaces the bytes of every rank by those of rank 0.
    pub fn broadcast(&mut self, bytes: &mut Vec<u8>) {
        let world = self.world();
        let root = world.process_at_rank(0);
        let mut length = bytes.len() as u64;
        root.broadcast_into(&mut length);
        bytes.resize(usize::try_from(length).unwrap_or(usize::MAX), 0);
        for part in bytes.chunks_mut(PART) {
            root.broadcast_into(part);
        }
    }

    /// Replaces the words of every rank by those of rank 0.
    pub(crate) fn broadcast_words(&mut self, words: &mut [u64]) {
        self.world().process_at_rank(0).broadcast_into(words);
    }

    /// Returns the number that rank 0 has.
    pub fn first_u8(&mut self, own: u8) -> u8 {
        let mut number = own;
        self.world().process_at_rank(0).broadcast_into(&mut number);
        number
    }

    /// Returns every rank's bytes, by rank, on rank 0, and `None` on the others.
    pub fn gather_bytes(&mut self, own: Vec<u8>) -> Option<Vec<Vec<u8>>> {
        let all = self.all_to_all_bytes(vec![own]);
        (self.rank().0 == 0).then_some(all)
    }

    /// Gives each rank, by rank, its bytes (none where `messages` is too short), and returns the
    /// bytes from each rank.
    pub fn all_to_all_bytes(&mut self, mut messages: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let world = self.world();
        let (rank, ranks) = (self.rank().index(), self.ranks() as usize);
        messages.resize_with(ranks, Vec::new);
        let sent: Vec<_> = messages.iter().map(|message| message.len() as u64).collect();
        let mut lengths = vec![0_u64; ranks];
        world.all_to_all_into(&sent, &mut lengths);
        let lengths = lengths.iter().map(|length| usize::try_from(*length).unwrap_or(usize::MAX));
        let mut received: Vec<_> = lengths.map(|length| vec![0; length]).collect();
        for step in 1..ranks {
            let (to, from) = ((rank + step) % ranks, (rank + ranks - step) % ranks);
            exchange(&world, (to, &messages[to]), (from, &mut received[from]));
        }
        received[rank] = std::mem::take(&mut messages[rank]);
        received
    }

    /// Brings the numbers in the range `needed` from the ranks that have them; `own` is the range
    /// of this rank. The ranges of all ranks are in the order of the ranks.
    pub(crate) fn bring<F: Equivalence>(
        &mut self,
        all: &mut [F],
        own: Range<usize>,
        needed: Range<usize>,
    ) {
        let said = [own.start, own.end, needed.start, needed.end].map(|end| end as u64);
        let mut ranges = vec![0; said.len() * self.ranks() as usize];
        self.all_gather_words(&said, &mut ranges);
        let (world, rank) = (self.world(), self.rank().index());
        let end = |place: usize| usize::try_from(ranges[place]).unwrap_or(usize::MAX);
        let of = |rank: usize| {
            let first = rank * said.len();
            [end(first)..end(first + 1), end(first + 2)..end(first + 3)]
        };
        let others = || (0..self.ranks() as usize).filter(|other| *other != rank);
        // The numbers that are sent, and those that come to lie before and behind them.
        let (above, rest) = all.split_at_mut(own.start);
        let (mine, below) = rest.split_at_mut(own.len());
        let sent = |other: usize| {
            let [_, needed] = of(other);
            let sent = common(&own, &needed);
            sent.map_or(&mine[..0], |sent| &mine[sent.start - own.start..sent.end - own.start])
        };
        let most = others().map(|other| sent(other).len().div_ceil(PART)).sum();
        request::multiple_scope(most, |scope, requests| {
            for other in others() {
                for part in sent(other).chunks(PART) {
                    requests.add(process(&world, other).immediate_send(scope, part));
                }
            }
            for other in others() {
                let [theirs, _] = of(other);
                let Some(places) = common(&needed, &theirs) else { continue };
                let received = if other < rank {
                    &mut above[places]
                } else {
                    &mut below[places.start - own.end..places.end - own.end]
                };
                for part in received.chunks_mut(PART) {
                    process(&world, other).receive_into(part);
                }
            }
            requests.wait_all(&mut Vec::with_capacity(most));
        });
    }

    /// Trades with up to two other ranks at once, which do the same; nothing is allocated.
    pub(crate) fn trade<F: Equivalence>(&mut self, trades: [Option<Trade<'_, F>>; 2]) {
        let world = self.world();
        let mut parts = trades.map(|trade| {
            trade.into_iter().flat_map(|Trade { with, sent, received }| {
                let parts = sent.chunks(PART).zip(received.chunks_mut(PART));
                parts.map(move |part| (with, part))
            })
        });
        loop {
            let next = parts.each_mut().map(Iterator::next);
            if next.iter().all(Option::is_none) {
                return;
            }
            request::scope(|scope| {
                let requests = next.map(|part| {
                    part.map(|(with, (sent, received))| {
                        let with = process(&world, with.index());
                        // What arrives finds its place.
                        let received = with.immediate_receive_into(scope, received);
                        (received, with.immediate_send(scope, sent))
                    })
                });
                for (received, sent) in requests.into_iter().flatten() {
                    received.wait_without_status();
                    sent.wait_without_status();
                }
            });
        }
    }

    /// Combines one word of each rank, and returns the result on all of them. Collective.
    fn reduce(&mut self, own: u64, operation: SystemOperation) -> u64 {
        let mut all = 0;
        self.world().all_reduce_into(&own, &mut all, operation);
        all
    }
}

/// Sends a message to rank `to`, and receives one of known length from rank `from` at the same
/// time.
fn exchange(
    world: &SimpleCommunicator,
    (to, message): (usize, &[u8]),
    (from, received): (usize, &mut [u8]),
) {
    let (to, from) = (process(world, to), process(world, from));
    let parts = message.len().div_ceil(PART);
    request::multiple_scope(parts, |scope, requests| {
        for part in message.chunks(PART) {
            requests.add(to.immediate_send(scope, part));
        }
        for part in received.chunks_mut(PART) {
            from.receive_into(part);
        }
        requests.wait_all(&mut Vec::with_capacity(parts));
    });
}

/// Returns the places that are in both ranges, if there are any.
fn common(one: &Range<usize>, other: &Range<usize>) -> Option<Range<usize>> {
    let common = one.start.max(other.start)..one.end.min(other.end);
    Some(common).filter(|common| !common.is_empty())
}

fn process(world: &SimpleCommunicator, rank: usize) -> Process<'_> {
    world.process_at_rank(Rank::try_from(rank).unwrap_or(Rank::MAX))
}
