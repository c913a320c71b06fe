//! Halts that all ranks make together: wished by any rank, called by the first, counted by all.

use crate::run::Mode;
use crate::worker::SharedNumber;

/// One rank's part in the halts of all. Halts are numbered from 1, and every rank makes every one, so
/// that all ranks mean the same by a number: a wish or a command from before a halt can never be taken
/// for one about the next, however late it is seen.
///
/// A rank writes its wish into its [record](super::RankRecord); the first rank, once it has seen a wish, puts
/// the halt's number at [`Place::Command`](super::Place::Command) of every rank. All workers of a rank that
/// has seen it stop, and what is on its way between ranks arrives, in rounds: each rank
/// [settles](super::Rank::settle), and says how much it still waits for; the halt is made once the sum over
/// all ranks is 0.
///
/// In the synchronous mode wishes are compared after every iteration instead, and nobody calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Halts<N> {
    /// Number of halts made.
    made: N,
    /// Last halt that this rank has wished.
    wished: N,
    /// Last halt that this rank has called, where it is the first.
    called: N,
    is_synchronous: bool,
}

impl<N: SharedNumber> Halts<N> {
    /// Returns the halts of a run in which none was made yet.
    pub fn new(mode: Mode) -> Self {
        let none = || N::from(0);
        let is_synchronous = mode.is_synchronous();
        Self { made: none(), wished: none(), called: none(), is_synchronous }
    }

    /// Returns the number of the halt that comes next.
    pub fn next(&self) -> u64 {
        self.made.load().saturating_add(1)
    }

    /// Wishes the next halt. Any worker may, until it is halted.
    pub fn wish(&self) {
        self.wished.store(self.next());
    }

    /// Returns the number of the halt that this rank wishes; 0 where it wishes none.
    pub fn wished(&self) -> u64 {
        let wished = self.wished.load();
        if wished >= self.next() { wished } else { 0 }
    }

    /// Returns the number of the halt that the first rank is to call now, where any rank wishes the next
    /// one: once for every halt, so that no command is on its way once its halt is made.
    pub(super) fn call(&self, is_wished: bool) -> Option<u64> {
        let next = self.next();
        let calls = is_wished && !self.is_synchronous && self.called.load() < next;
        calls.then(|| {
            self.called.store(next);
            next
        })
    }

    /// Whether the next halt was called, where the last command to this rank is `command`.
    pub(super) fn is_called(&self, command: u64) -> bool {
        command >= self.next()
    }

    /// Hears the sum of a round in which every rank has said how much it still waits for
    /// ([`Rank::settle`](super::Rank::settle)); returns whether nothing is on its way any more, and the halt is
    /// made. All ranks hear the same sum.
    pub fn is_settled(&self, sum: u64) -> bool {
        if sum == 0 {
            self.made.store(self.next());
        }
        sum == 0
    }
}
