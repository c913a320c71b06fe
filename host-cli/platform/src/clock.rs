//! Real time as the core's time.

use std::sync::OnceLock;

use tresse_core::base::time::Instant;

/// Nanoseconds since it was started, as when the first sweep could start; zero before.
#[derive(Debug, Default)]
pub struct Clock(OnceLock<std::time::Instant>);

impl Clock {
    /// Starts the clock; only the first call counts.
    pub fn start(&self) {
        self.0.get_or_init(std::time::Instant::now);
    }

    /// Returns the time on it.
    #[inline]
    pub fn now(&self) -> Instant {
        let elapsed = self.0.get().map(std::time::Instant::elapsed).unwrap_or_default();
        Instant(u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX))
    }
}
