//! Halts that all nodes make together: wished by any node, called by the first, counted by all.

use crate::base::SharedNumber;
use crate::run::Mode;

/// One node's part in the halts of all. Halts are numbered from 1, and every node makes every one,
/// so that all nodes mean the same by a number: a wish or a command from before a halt can never be
/// taken for one about the next, however late it is seen.
///
/// A node tells the first one its wish: a rank by the `requested_halt` of its record, see `ranks`.
/// The first node commands every node to halt, by the halt's number. All workers of a node that has
/// the command stop, and what is on its way between nodes arrives, in rounds: each node says how
/// much it still waits for, and the halt is made once the sum over all nodes is 0.
///
/// In the synchronous mode wishes are compared after every iteration instead, and nobody calls. In
/// the exact mode nodes stop where they are, agree on the highest count of all, and halt once all
/// have come to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Halts<N> {
    /// Number of halts made.
    made: N,
    /// Number of the last halt that this node has requested.
    wished: N,
    /// Number of the last halt that this node has called, where it is the first node.
    called: N,
    is_synchronous: bool,
}

impl<N: SharedNumber> Halts<N> {
    /// Returns the state of a run without a halt so far.
    pub fn new(mode: Mode) -> Self {
        let none = || N::from(0);
        let is_synchronous = mode.is_synchronous();
        Self { made: none(), wished: none(), called: none(), is_synchronous }
    }

    /// Returns the number of the next halt.
    pub fn next(&self) -> u64 {
        self.made.load().saturating_add(1)
    }

    /// Requests the next halt. Any worker may, until it is halted.
    pub fn wish(&self) {
        self.wished.store(self.next());
    }

    /// Returns the number of the halt that this node requests; 0 where it requests none.
    pub fn wished(&self) -> u64 {
        let wished = self.wished.load();
        if wished >= self.next() { wished } else { 0 }
    }

    /// On the first node, returns the number of the halt to call now, where `is_requested` by any
    /// node. It is returned once for each halt, so that no command is on its way once its halt is
    /// made.
    pub(crate) fn call(&self, is_requested: bool) -> Option<u64> {
        let next = self.next();
        let calls = is_requested && !self.is_synchronous && self.called.load() < next;
        calls.then(|| {
            self.called.store(next);
            next
        })
    }

    /// Whether the next halt was called; `command` is the number in the last command to this node.
    #[cfg(target_has_atomic = "64")]
    pub(crate) fn is_called(&self, command: u64) -> bool {
        command >= self.next()
    }

    /// Handles the sum of a round: how much all nodes together still wait for. Where it is 0,
    /// counts the halt as made and returns true. All nodes get the same sum.
    pub fn settle(&self, sum: u64) -> bool {
        if sum == 0 {
            self.made.store(self.next());
        }
        sum == 0
    }
}
