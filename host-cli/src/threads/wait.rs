//! How a worker waits for another.

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
    pub(super) fn new(oversubscribed: bool) -> Self {
        Self { spins: 0, spins_most: if oversubscribed { 0 } else { 4_000 } }
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
