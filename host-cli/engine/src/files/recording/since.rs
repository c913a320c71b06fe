//! The clock of recordings and calibrations.

use quanta::Clock;
use tresse_core::base::time::Instant;

/// A clock of the time since a moment, by the processor's own counter where that keeps time: the
/// clock is read once a sweep, and asking the system would take twice as long and delay the next
/// sweep.
#[derive(Clone, Debug)]
pub(crate) struct Since {
    clock: Clock,
    origin: u64,
}

impl Since {
    /// Starts the clock now.
    pub(crate) fn start() -> Self {
        let clock = Clock::new();
        let origin = clock.raw();
        Self { clock, origin }
    }

    #[inline]
    pub(crate) fn now(&self) -> Instant {
        Instant(self.clock.delta_as_nanos(self.origin, self.clock.raw()))
    }
}
