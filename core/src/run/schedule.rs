//! The next permitted step of a worker under sync, exact, ssync(n) and async (section 5).

mod leveling;

use crate::run::Mode;

pub use leveling::Leveling;

/// The version of a neighbour's edge that a subdomain reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The newest that is published.
    Newest,
    /// Exactly this one: a barrier, or the order of data flow, keeps it there.
    Exactly(u64),
}

impl Wanted {
    /// Whether a neighbour whose newest version is `newest` no longer keeps the wanted one: it
    /// keeps the newest and the one before.
    #[inline]
    pub const fn is_gone(self, newest: u64) -> bool {
        match self {
            Self::Newest => false,
            Self::Exactly(version) => newest.saturating_sub(version) > 1,
        }
    }
}

impl Mode {
    /// Whether the mode lets a subdomain at update count `own` be swept while a neighbour is at
    /// count `neighbour`.
    #[inline]
    pub const fn admits(self, own: u64, neighbour: u64) -> bool {
        match self {
            Self::Async => true,
            Self::SemiSync(bound) => own.saturating_sub(neighbour) <= bound as u64,
            Self::Sync | Self::Exact => own <= neighbour,
        }
    }

    /// Returns the version of a neighbour's edge that a subdomain at count `own` reads.
    #[inline]
    pub const fn wanted(self, own: u64) -> Wanted {
        match self {
            Self::Sync | Self::Exact => Wanted::Exactly(own),
            Self::SemiSync(_) | Self::Async => Wanted::Newest,
        }
    }
}

/// Returns the number of updates of all subdomains together that `iterations` iterations are: one
/// is a sweep of every subdomain, on average (rule 11).
pub const fn updates_asked(subdomains: u64, iterations: u64) -> u64 {
    iterations.saturating_mul(subdomains)
}

/// Whether `updates` of all subdomains together complete the requested iterations; false where none
/// are requested.
pub const fn is_done(updates: u64, subdomains: u64, iterations: Option<u64>) -> bool {
    match iterations {
        Some(iterations) => updates >= updates_asked(subdomains, iterations),
        None => false,
    }
}

/// Returns the number of its own sweeps at which a worker, now at `own`, adds up the sweeps of all
/// workers again; `left` is what all together still lack.
///
/// Adding up costs a cache line of each worker. A worker waits for half of its even share of what
/// is left. So it adds up some twenty times in a run and, near the end, once an iteration, whatever
/// the others' paces are.
pub const fn next_count(own: u64, left: u64, workers: u32) -> u64 {
    match left.checked_div(2 * workers as u64) {
        Some(share) => own.saturating_add(share),
        None => own,
    }
}
