//! What happens in the machine, for whoever watches.

use crate::balance::dplb::Transfer;
use crate::id::{NodeId, SubdomainId, WorkerId};
use crate::ownership::Move;
use crate::time::Instant;

/// Why a worker does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// All others must get to the barrier.
    Barrier,
    /// No subdomain of its own may be swept: its neighbours are behind, or it has none.
    Neighbours,
    /// Everybody stops for a look at a consistent state.
    Halt,
}

/// Something that happens at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// The halos are read, and a sweep begins.
    Started {
        /// Who sweeps.
        worker: WorkerId,
        /// What.
        subdomain: SubdomainId,
        /// When it ends.
        until: Instant,
    },
    /// A sweep has ended; the new cells are published.
    Swept {
        /// Who swept.
        worker: WorkerId,
        /// What.
        subdomain: SubdomainId,
        /// The update count after it.
        version: u64,
    },
    /// A worker has nothing to do until something else happens.
    Waits {
        /// Who waits.
        worker: WorkerId,
        /// For what.
        wait: Wait,
    },
    /// A balancing round on a node; its moves follow.
    Round {
        /// Where.
        node: NodeId,
        /// Who makes it.
        worker: WorkerId,
    },
    /// A subdomain has another owner on its node.
    Moved(Move),
    /// A subdomain is to leave its node.
    Sent(Transfer),
    /// A subdomain has arrived on another node.
    Arrived {
        /// What came from where.
        transfer: Transfer,
        /// Who has it first.
        worker: WorkerId,
    },
    /// A subdomain stays on its node, since the other one has no room for it.
    Refused {
        /// What was offered to whom.
        transfer: Transfer,
        /// Who has it again.
        worker: WorkerId,
    },
    /// The residual of a consistent state was taken.
    Verified {
        /// Its sum of squares.
        sum: f64,
    },
}

/// Sees all events in order.
pub trait Watch {
    /// Something happens.
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
