//! The events of a track.

use tresse_core::base::id::SubdomainId;
use tresse_core::base::time::Instant;
use tresse_core::parts::ownership::Move;

/// Something that a worker or a parasite did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Start of the event; never before the end of the track's previous event.
    pub start: Instant,
    /// End of the event; equal to the start for a [`Move`] and a taking.
    pub end: Instant,
    /// Kind of the event.
    pub what: What,
}

/// The kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A sweep, reading the halos included.
    Sweep(Swept),
    /// The decision to move a subdomain; its round follows.
    Moved(Move),
    /// A worker took a subdomain into its hands.
    Took(SubdomainId),
    /// Anything else that a worker did.
    Did(Activity),
    /// A parasite worked.
    Burst,
}

/// One sweep of one subdomain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swept {
    /// The subdomain that was swept.
    pub subdomain: SubdomainId,
    /// Update count of the subdomain after the sweep, from 1.
    pub version: u64,
    /// Version of the halo that was read on each side, by the side's index; `None` at the boundary
    /// of the grid.
    pub halos: [Option<u64>; 4],
}

/// The activities of a worker beside its sweeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Activity {
    /// A balancing round, with the number of moves that it decided.
    Round {
        /// Number of moves.
        moves: u32,
    },
    /// A look at the published residuals.
    Detection,
    /// Computing the residual of a state that all workers agree on.
    Verification,
    /// Waiting for all other workers.
    Barrier,
    /// Waiting for neighbours that the mode requires to catch up.
    Gate,
    /// Waiting for a subdomain that another worker still holds.
    HandOver,
}
