//! The clock of recordings and calibrations.

use quanta::Clock;
use tresse_core::time::Instant;

/// The time since a moment, by the processor's own counter where it has one that keeps time: it is
/// read once a sweep, and asking the system takes twice as long and holds the next sweep up.
#[derive(Clone, Debug)]
pub(crate) struct Since {
    clock: Clock,
    origin: u64,
}

impl Since {
    /// From now on.
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
