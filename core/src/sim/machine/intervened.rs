//! Effects of interventions on a core.

use super::intervention::Effect;
use crate::base::rng::Rng;
use crate::base::time::Instant;
use crate::sim::speed::{ParasiteCosts, Slowdown};

/// Effect of the interventions on one core: the first of its sources of noise, which turns the time
/// into the time that it leaves to the others.
#[derive(Clone, Debug)]
pub struct Intervened {
    /// Time of the last change, in nanoseconds.
    since: u64,
    /// Nanoseconds that were left to others until then.
    before: u64,
    throttle: CoreThrottle,
    /// Time that will be left when the worker's work ends; none while the worker does not work.
    ends: Option<u64>,
}

/// What interventions have done to a core.
#[derive(Clone, Debug)]
pub(super) enum CoreThrottle {
    /// The core runs at its own speed.
    Free,
    /// The core stands still.
    Stopped,
    /// A parasite takes time from the core.
    Slowed {
        /// The parasite at the end of the work under way.
        source: Slowdown<'static>,
        /// The parasite at the beginning of that work.
        began: Slowdown<'static>,
    },
}

impl Intervened {
    /// Memory that [`Simulation::new`](super::Simulation::new) fills.
    pub const FREE: Self = Self { since: 0, before: 0, throttle: CoreThrottle::Free, ends: None };

    /// Returns how many nanoseconds until `time` are left to others; `time` is not before the last
    /// work began.
    pub(super) fn left(&self, time: Instant) -> u64 {
        let since = time.0.saturating_sub(self.since);
        self.before.saturating_add(match &self.throttle {
            CoreThrottle::Free => since,
            CoreThrottle::Stopped => 0,
            CoreThrottle::Slowed { began, .. } => began.clone().left(since),
        })
    }

    /// Begins work now that ends as soon as `ends` nanoseconds in all are left to others; returns
    /// the time of its end.
    pub(super) fn begin_work(&mut self, now: Instant, ends: u64) -> Instant {
        if let CoreThrottle::Slowed { source, began } = &mut self.throttle {
            source.left(now.0.saturating_sub(self.since));
            began.clone_from(source);
        }
        self.ends = Some(ends);
        self.when(ends)
    }

    /// Returns the first time until which `left` nanoseconds are left to others.
    fn when(&mut self, left: u64) -> Instant {
        let more = left.saturating_sub(self.before);
        let since = match &mut self.throttle {
            CoreThrottle::Free => more,
            CoreThrottle::Stopped if more == 0 => 0,
            CoreThrottle::Stopped => u64::MAX,
            CoreThrottle::Slowed { source, .. } => source.when(more),
        };
        Instant(self.since.saturating_add(since))
    }

    /// Records that the worker's work has ended.
    pub(super) const fn end_work(&mut self) {
        self.ends = None;
    }

    pub(super) const fn is_stopped(&self) -> bool {
        matches!(self.throttle, CoreThrottle::Stopped)
    }

    /// Changes the throttle from now on. Returns when the work under way would have ended and when
    /// it ends now; none without work.
    pub(super) fn change(
        &mut self,
        now: Instant,
        throttle: CoreThrottle,
    ) -> Option<(Instant, Instant)> {
        let was = self.ends.map(|ends| {
            // A copy looks ahead: a source is never asked for an earlier time than before.
            let mut held = self.clone();
            held.when(ends)
        });
        (self.before, self.since, self.throttle) = (self.left(now), now.0, throttle);
        was.zip(self.ends.map(|ends| self.when(ends)))
    }
}

impl CoreThrottle {
    /// Returns the throttle of an effect; none where it would leave a core no time at all.
    pub(super) fn of(effect: Effect, costs: ParasiteCosts, rng: Rng) -> Option<Self> {
        Some(match effect {
            Effect::Free => Self::Free,
            Effect::Stopped => Self::Stopped,
            Effect::Slowed(parasite) => {
                let source = Slowdown::parasite(parasite, costs, rng)?;
                Self::Slowed { began: source.clone(), source }
            }
        })
    }
}
