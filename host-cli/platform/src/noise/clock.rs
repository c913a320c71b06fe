//! Two clocks read together: the wall's, and the CPU time of the calling thread.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, Timespec, clock_gettime};

/// Wall and CPU time of one thread since a start.
pub struct ThreadClock {
    start: Instant,
    cpu_at_start: Duration,
}

impl ThreadClock {
    /// Starts both for the calling thread.
    pub fn start() -> Self {
        Self { start: Instant::now(), cpu_at_start: thread_cpu_time() }
    }

    /// Wall time since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Returns the wall's time at this time after the start.
    pub fn at(&self, elapsed: Duration) -> Instant {
        self.start + elapsed
    }

    /// CPU time since the start; to be asked on the thread that started the clock.
    pub fn used(&self) -> Duration {
        thread_cpu_time().saturating_sub(self.cpu_at_start)
    }

    /// Returns the share of the time since the start that the thread was running, 0 to 1.
    pub fn share(&self) -> f64 {
        let elapsed = self.elapsed().as_secs_f64();
        if elapsed > 0.0 { (self.used().as_secs_f64() / elapsed).min(1.0) } else { 0.0 }
    }
}

/// Returns the CPU time of the calling thread.
fn thread_cpu_time() -> Duration {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(ClockId::ThreadCPUTime);
    let nanoseconds = u32::try_from(tv_nsec).unwrap_or(0);
    Duration::new(u64::try_from(tv_sec).unwrap_or(0), nanoseconds)
}
