//! Events of the machine, for whoever watches.

use crate::balance::dplb::Transfer;
use crate::base::id::{NodeId, SubdomainId, WorkerId};
use crate::base::time::Instant;
use crate::parts::ownership::Move;

/// Reason why a worker does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The worker is at the barrier, and all others must get there.
    Barrier,
    /// No subdomain of the worker's own may be swept: its neighbours are behind, or there is none.
    Neighbours,
    /// Everybody stops for a look at a consistent state.
    Halt,
}

/// Something that happens at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// The halos are read, and a sweep begins.
    Started {
        /// The worker that sweeps.
        worker: WorkerId,
        /// The subdomain that is swept.
        subdomain: SubdomainId,
        /// Time at which the sweep ends.
        until: Instant,
    },
    /// A worker helps with the sweep that another one is stuck in.
    Helps {
        /// The worker that helps.
        worker: WorkerId,
        /// The subdomain that is swept.
        subdomain: SubdomainId,
        /// Time at which its sweep ends.
        until: Instant,
    },
    /// A sweep has ended that another worker has published meanwhile.
    Discarded {
        /// The worker whose sweep it is.
        worker: WorkerId,
        /// The subdomain that was swept.
        subdomain: SubdomainId,
    },
    /// A sweep has ended; the new cells are published.
    Swept {
        /// The worker that swept.
        worker: WorkerId,
        /// The subdomain that was swept.
        subdomain: SubdomainId,
        /// The update count after it.
        version: u64,
    },
    /// A worker has nothing to do until something else happens.
    Waits {
        /// The worker that waits.
        worker: WorkerId,
        /// Reason for the wait.
        wait: Wait,
    },
    /// A balancing round on a node; its moves follow.
    Round {
        /// The node that is balanced.
        node: NodeId,
        /// The worker that makes the round.
        worker: WorkerId,
    },
    /// A subdomain has another owner on its node.
    Moved(Move),
    /// A subdomain is to leave its node.
    Sent(Transfer),
    /// A subdomain has arrived on another node.
    Arrived {
        /// The subdomain, and the nodes between which it has moved.
        transfer: Transfer,
        /// The worker that has it first.
        worker: WorkerId,
    },
    /// A subdomain stays on its node, since the other one has no room for it.
    Refused {
        /// The subdomain, and the nodes between which it was to move.
        transfer: Transfer,
        /// The worker that has it again.
        worker: WorkerId,
    },
    /// Everybody is halted, the balancer was not enough, and from now on subdomains stay at home
    /// and are claimed for one sweep at a time; the moves that bring them home follow.
    Switched,
    /// The residual of a consistent state was taken.
    Verified {
        /// Its sum of squares.
        sum: f64,
    },
}

/// Sees all events in order.
pub trait Watch {
    /// Takes an event that happens now.
    fn see(&mut self, now: Instant, event: Event);
}

/// Nobody watches.
impl Watch for () {
    #[inline]
    fn see(&mut self, _: Instant, _: Event) {}
}

impl<W: FnMut(Instant, Event)> Watch for W {
    #[inline]
    fn see(&mut self, now: Instant, event: Event) {
        self(now, event);
    }
}
