//! The waiting of one worker for another.

/// Number of pauses that a worker with a core of its own makes before it gives the core away.
const PAUSES: u32 = 4_000;
/// Number of such pauses where each also checks all neighbours, which takes as long as many pauses.
const LOOKS: u32 = 200;

/// Spins for a while, then gives the core away at each call.
///
/// With a core for each worker spinning is quickest; with fewer cores, or a parasite on the core,
/// whoever is waited for needs it.
#[derive(Debug)]
pub(super) struct Wait {
    spins: u32,
    spins_most: u32,
}

impl Wait {
    /// Returns a wait in which a worker only checks between two calls whether the wait is over.
    pub(super) fn pausing(oversubscribed: bool) -> Self {
        Self { spins: 0, spins_most: if oversubscribed { 0 } else { PAUSES } }
    }

    /// Returns a wait in which a worker checks between two calls everything that it could go on with.
    pub(super) fn looking(oversubscribed: bool) -> Self {
        Self { spins: 0, spins_most: if oversubscribed { 0 } else { LOOKS } }
    }

    /// Ends a wait, so that the next one spins anew.
    pub(super) fn ends(&mut self) {
        self.spins = 0;
    }

    pub(super) fn relax(&mut self) {
        if self.spins < self.spins_most {
            self.spins += 1;
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
    }
}
