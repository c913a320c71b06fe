//! Borrowing: a worker that is ahead takes over what is furthest behind, and returns it once that
//! is level with its own.
//!
//! This answers the open question of Zarins & Weiland 2017 (section 6, work stealing): what is
//! stolen is lag, and only where there is some. A worker levels its subdomains
//! ([`Leveling`](crate::run::schedule::Leveling)), so that what it has borrowed catches up.

mod derived;

use super::plb::count_of;
use crate::base::id::{SubdomainId, WorkerId};
use crate::base::table::At;
use crate::base::topology::Topology;
use crate::parts::ownership::{Move, Ownership};

pub use derived::Derived;
pub(super) use derived::Seen;

/// Workers on different sockets borrow where a subdomain is this many times as far behind as on one
/// socket: what is borrowed, and its halos, have a longer way.
const ACROSS: u64 = 2;

/// The level of a worker that has no subdomain of its own.
const NOTHING: u64 = u64::MAX;

/// How far behind a subdomain must be, and how many are borrowed at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// A subdomain is borrowed when it is more than this number of updates behind the least updated
    /// one of the worker that takes it.
    pub lag: u64,
    /// The most subdomains that are borrowed in a round, on each socket and between sockets.
    pub pairs: usize,
}

/// Memory of the workers that borrow, in the order of [`Topology::workers`].
#[derive(Debug)]
pub struct Memory<'l> {
    /// What each has borrowed, and from whom; zero at the start.
    pub loans: &'l mut [u64],
    /// Scratch for the count of each worker's least updated subdomain.
    pub levels: &'l mut [u64],
}

/// A subdomain that a worker has borrowed, and the worker that it is returned to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Loan {
    part: SubdomainId,
    home: WorkerId,
}

impl Loan {
    /// Decodes a loan from its word; none from zero.
    const fn of(word: u64) -> Option<Self> {
        let [a, b, c, d, home @ ..] = word.to_le_bytes();
        let part = u32::from_le_bytes([a, b, c, d]);
        match u32::from_le_bytes(home).checked_sub(1) {
            Some(home) => Some(Self { part: SubdomainId(part), home: WorkerId(home) }),
            None => None,
        }
    }

    /// Encodes the loan as a word, which is not zero.
    fn word(self) -> u64 {
        u64::from(self.part.0) | (u64::from(self.home.0) + 1) << 32
    }
}

/// Returns what is level, and then lends what is behind: on each socket, and then between sockets.
///
/// A worker borrows one subdomain at a time, and keeps one of its own at least. Ties go to the
/// worker that comes first in the topology, and to the lowest subdomain.
pub fn round(
    counts: &[u64],
    memory: Memory<'_>,
    ownership: &mut Ownership<'_>,
    topology: &Topology<'_>,
    limits: Limits,
    out: &mut impl FnMut(Move),
) {
    let workers = topology.workers();
    let Memory { loans, levels } = memory;
    debug_assert!(loans.len().min(levels.len()) >= workers.len(), "a worker has no memory");
    for (&worker, loan) in workers.iter().zip(loans.iter_mut()) {
        give_back(counts, ownership, worker, loan, out);
    }
    for ((&worker, &mut loan), place) in workers.iter().zip(loans.iter_mut()).zip(levels.iter_mut())
    {
        *place = level(counts, ownership, worker, loan);
    }
    let mut round = Round { counts, ownership, limits, out };
    let (mut loans_left, mut levels_left) = (&mut *loans, &mut *levels);
    let mut sockets = 0;
    for socket in topology.sockets() {
        let (loans, other_loans) = core::mem::take(&mut loans_left).cut_mut(socket.len());
        let (levels, other_levels) = core::mem::take(&mut levels_left).cut_mut(socket.len());
        round.lend(socket, loans, levels, limits.lag);
        (loans_left, levels_left) = (other_loans, other_levels);
        sockets += 1;
    }
    if sockets > 1 {
        round.lend(workers, loans, levels, limits.lag.saturating_mul(ACROSS));
    }
}

/// Returns to its home what a worker has borrowed, if that is level with its own subdomains.
fn give_back(
    counts: &[u64],
    ownership: &mut Ownership<'_>,
    worker: WorkerId,
    loan: &mut u64,
    out: &mut impl FnMut(Move),
) {
    let Some(Loan { part, home }) = Loan::of(*loan) else { return };
    // It may have gone to another node meanwhile, which keeps it.
    let is_gone = ownership.owner(part) != Some(worker);
    if !is_gone && count_of(counts, part) < level(counts, ownership, worker, *loan) {
        return;
    }
    *loan = 0;
    if !is_gone && let Some(made) = ownership.give(part, home) {
        out(made);
    }
}

/// A round of lending.
struct Round<'r, 'm, O> {
    counts: &'r [u64],
    ownership: &'r mut Ownership<'m>,
    limits: Limits,
    out: &'r mut O,
}

impl<O: FnMut(Move)> Round<'_, '_, O> {
    /// Lends among some workers, up to as many times as there are pairs: the one that is furthest
    /// ahead gets the least updated subdomain of the one that is furthest behind, as long as that
    /// is more than `lag` updates behind.
    fn lend(&mut self, workers: &[WorkerId], loans: &mut [u64], levels: &mut [u64], lag: u64) {
        for _ in 0..self.limits.pairs {
            let places = || workers.iter().zip(loans.iter()).zip(levels.iter()).enumerate();
            let ahead = places()
                .filter(|&(_, ((_, &loan), &level))| loan == 0 && level != NOTHING)
                // The last of the highest in reverse order is the first.
                .rev()
                .max_by_key(|&(_, (_, &level))| level);
            let behind = places()
                .filter(|&(_, ((&worker, &loan), _))| self.owned(worker, loan) > 1)
                .min_by_key(|&(_, (_, &level))| level);
            let Some(((place, ((&to, _), &high)), (from_place, ((&from, &loan), &low)))) =
                ahead.zip(behind)
            else {
                return;
            };
            if high.saturating_sub(low) <= lag {
                return;
            }
            let kept = Loan::of(loan);
            let Some((_, part)) = least(self.counts, self.ownership, from, kept) else { return };
            let made = self.ownership.hand_over(part, to);
            (self.out)(made);
            if let Some(loan) = loans.get_mut(place) {
                *loan = Loan { part, home: from }.word();
            }
            if let Some(level) = levels.get_mut(from_place) {
                *level = self::level(self.counts, self.ownership, from, loan);
            }
        }
    }

    /// Returns the number of a worker's own subdomains.
    fn owned(&self, worker: WorkerId, loan: u64) -> u32 {
        self.ownership.held(worker).saturating_sub(u32::from(loan != 0))
    }
}

/// Returns the count of a worker's least updated own subdomain, or [`NOTHING`] without one.
fn level(counts: &[u64], ownership: &Ownership<'_>, worker: WorkerId, loan: u64) -> u64 {
    least(counts, ownership, worker, Loan::of(loan)).map_or(NOTHING, |(least, _)| least)
}

/// Returns the least updated subdomain of a worker, with its count, apart from what it has
/// borrowed.
fn least(
    counts: &[u64],
    ownership: &Ownership<'_>,
    worker: WorkerId,
    loan: Option<Loan>,
) -> Option<(u64, SubdomainId)> {
    let own = ownership.of(worker).filter(|&part| loan.is_none_or(|loan| loan.part != part));
    own.map(|part| (count_of(counts, part), part)).min()
}
