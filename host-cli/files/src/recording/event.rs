//! What happens on a track.

use tresse_core::id::SubdomainId;
use tresse_core::ownership::Move;
use tresse_core::time::Instant;

/// Something that a worker or a parasite did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When it began; never before the end of the track's event before.
    pub start: Instant,
    /// When it ended; the start, for a [`Move`] and a taking.
    pub end: Instant,
    /// What it was.
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
    /// The update count after it, from 1.
    pub version: u64,
    /// By side, the version of the halo that was read; none at the boundary of the grid.
    pub halos: [Option<u64>; 4],
}

/// What a worker does beside its sweeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Activity {
    /// A balancing round that decided this number of moves.
    Round {
        /// Moves.
        moves: u32,
    },
    /// A look at the published residuals.
    Detection,
    /// Taking the residual of a state that all agree on.
    Verification,
    /// Waiting for all other workers.
    Barrier,
    /// Waiting for neighbours that the mode does not let it leave behind.
    Gate,
    /// Waiting for a subdomain that another worker still holds.
    HandOver,
}
