//! The waiting of one worker for another.

use std::thread;
use std::time::{Duration, Instant};

use tresse_core::node::executor::Wait;

/// Number of pauses that a worker with a core of its own makes before it gives the core away.
const PAUSES: u32 = 4_000;
/// Number of such pauses where each also checks all neighbours, which takes as long as many pauses.
const LOOKS: u32 = 200;
/// Time for which a worker then gives the core away at each look, but stays ready to run.
const READY: Duration = Duration::from_micros(500);
/// The longest sleep after that.
const ASLEEP: Duration = Duration::from_millis(1);

/// Spins for a while, then gives the core away at each look, and at last sleeps between two looks.
///
/// With a core for each worker spinning is quickest; with fewer cores, or a parasite on the core,
/// whoever is waited for needs it. Where another program has taken the core of whoever is waited
/// for, it may as well have this one, too: a sleep is an eighth of the wait so far, which it can
/// lengthen by no more.
#[derive(Debug, Default)]
pub(super) struct Pause {
    spins: u32,
    /// Time at which the spinning had not helped.
    since: Option<Instant>,
}

impl Pause {
    /// Ends a wait, so that the next one spins anew.
    #[inline]
    pub(super) fn ends(&mut self) {
        *self = Self::default();
    }

    /// Makes one step of waiting: spins at first, then yields, and at last sleeps. Without a core
    /// of its own the thread never spins.
    pub(super) fn relax(&mut self, wait: Wait, oversubscribed: bool) {
        let most = match wait {
            _ if oversubscribed => 0,
            Wait::Workers => PAUSES,
            Wait::Sweep | Wait::Halo => LOOKS,
        };
        if self.spins < most {
            self.spins += 1;
            std::hint::spin_loop();
            return;
        }
        let waited = self.since.get_or_insert_with(Instant::now).elapsed();
        if waited < READY {
            thread::yield_now();
        } else {
            thread::sleep((waited / 8).min(ASLEEP));
        }
    }
}
