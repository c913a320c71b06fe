//! The events of a track.

use tresse_core::base::id::SubdomainId;
use tresse_core::base::time::Instant;
pub use tresse_core::node::executor::Activity;
use tresse_core::parts::ownership::Move;

/// Something that a worker or a parasite did; parts have at most `N` links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<const N: usize = 4> {
    /// Start of the event; never before the end of the track's previous event.
    pub start: Instant,
    /// End of the event; equal to the start for a [`Move`] and a taking.
    pub end: Instant,
    /// Kind of the event.
    pub what: What<N>,
}

/// The kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What<const N: usize = 4> {
    /// A sweep, reading the halos included.
    Sweep(Swept<N>),
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
pub struct Swept<const N: usize = 4> {
    /// The subdomain that was swept.
    pub subdomain: SubdomainId,
    /// Update count of the subdomain after the sweep, from 1.
    pub version: u64,
    /// Version of the halo that was read on each link, by the side's index where the part is a
    /// subdomain of a grid; `None` where there is no neighbour.
    pub halos: [Option<u64>; N],
}
