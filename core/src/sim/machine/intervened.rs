//! Effects of interventions on a core.

use super::intervention::Effect;
use crate::base::rng::Rng;
use crate::base::time::Instant;
use crate::sim::speed::{ParasiteCosts, Slowdown};

/// Effect of the interventions on one core: the first of its sources of noise, which turns the time
/// into the time that it leaves to the others.
#[derive(Clone, Debug)]
pub struct Intervened {
    /// Moment of the last change, and the time that was left until then.
    since: u64,
    before: u64,
    grip: Grip,
    /// Time that will be left when the worker's work ends; none while the worker does not work.
    ends: Option<u64>,
}

#[derive(Clone, Debug)]
pub(super) enum Grip {
    Free,
    Stopped,
    /// A source as it is when the work ends, and as it was when the work began.
    Slowed {
        source: Slowdown<'static>,
        began: Slowdown<'static>,
    },
}

impl Intervened {
    /// Memory that [`Simulation::new`](super::Simulation::new) fills.
    pub const FREE: Self = Self { since: 0, before: 0, grip: Grip::Free, ends: None };

    /// Returns the time that is left until `time`, which is not before the last work began.
    pub(super) fn left(&self, time: Instant) -> u64 {
        let since = time.0.saturating_sub(self.since);
        self.before.saturating_add(match &self.grip {
            Grip::Free => since,
            Grip::Stopped => 0,
            Grip::Slowed { began, .. } => began.clone().left(since),
        })
    }

    /// Begins work, at a time, that ends when this much time is left, and returns the time of its
    /// end.
    pub(super) fn work(&mut self, now: Instant, ends: u64) -> Instant {
        if let Grip::Slowed { source, began } = &mut self.grip {
            source.left(now.0.saturating_sub(self.since));
            began.clone_from(source);
        }
        self.ends = Some(ends);
        self.when(ends)
    }

    fn when(&mut self, left: u64) -> Instant {
        let more = left.saturating_sub(self.before);
        let since = match &mut self.grip {
            Grip::Free => more,
            Grip::Stopped if more == 0 => 0,
            Grip::Stopped => u64::MAX,
            Grip::Slowed { source, .. } => source.when(more),
        };
        Instant(self.since.saturating_add(since))
    }

    /// Records that the worker's work has ended.
    pub(super) const fn rest(&mut self) {
        self.ends = None;
    }

    pub(super) const fn is_stopped(&self) -> bool {
        matches!(self.grip, Grip::Stopped)
    }

    /// Changes the grip from now on; returns when the work under way would have ended, and when it
    /// ends now.
    pub(super) fn change(&mut self, now: Instant, grip: Grip) -> Option<(Instant, Instant)> {
        let was = self.ends.map(|ends| {
            // A copy looks ahead: a source is never asked for an earlier time than before.
            let mut held = self.clone();
            held.when(ends)
        });
        (self.before, self.since, self.grip) = (self.left(now), now.0, grip);
        was.zip(self.ends.map(|ends| self.when(ends)))
    }
}

impl Grip {
    /// Returns the grip of an effect; none where it would leave a core no time at all.
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
