//! What a worker may do next under sync, ssync(n) and async (section 5).

use crate::run::Mode;

/// Which version of a neighbour's edge a subdomain reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The newest that is published.
    Newest,
    /// Exactly this one: what a barrier guarantees to be there.
    Exactly(u64),
}

impl Wanted {
    /// Whether a neighbour that is at `newest` does not keep this version any more: it keeps the newest
    /// and the one before.
    #[inline]
    pub const fn is_gone(self, newest: u64) -> bool {
        match self {
            Self::Newest => false,
            Self::Exactly(version) => newest.saturating_sub(version) > 1,
        }
    }
}

impl Mode {
    /// Whether a subdomain at count `own` may be swept while a neighbour is at count `neighbour`.
    #[inline]
    pub const fn admits(self, own: u64, neighbour: u64) -> bool {
        match self {
            Self::Async => true,
            Self::SemiSync(bound) => own.saturating_sub(neighbour) <= bound as u64,
            Self::Sync | Self::Rayon => own <= neighbour,
        }
    }

    /// The halo that a subdomain at count `own` reads.
    #[inline]
    pub const fn wanted(self, own: u64) -> Wanted {
        match self {
            Self::Sync | Self::Rayon => Wanted::Exactly(own),
            Self::SemiSync(_) | Self::Async => Wanted::Newest,
        }
    }
}

/// Whether a worker that has made so many sweeps has done the iterations asked for: one iteration
/// is a sweep of as many subdomains as a worker starts with (section 4.2).
pub const fn is_done(worker_updates: u64, split: u32, iterations: Option<u64>) -> bool {
    match iterations {
        Some(iterations) => worker_updates >= iterations.saturating_mul(split as u64),
        None => false,
    }
}
