//! What somebody does to cores while they run.

use core::fmt;

use super::error::SimulationError;
use super::event::Watch;
use super::memory::Actor;
use super::numbers::NO_WORKER;
use super::simulation::Simulation;
use crate::bug::OrBug;
use crate::grammar::ParseError;
use crate::id::{NodeId, SocketId, WorkerId};
use crate::noise::{NoisePlace, Parasite};
use crate::part::{Graph, Part};
use crate::rng::Rng;
use crate::sim::speed::{ParasiteCosts, Slowdown};
use crate::time::{Duration, Instant};

/// A change of how fast some cores run, from a moment of a run on: in place of what an earlier one has
/// made of them, and beside all noise.
///
/// As an argument of a run it is known before; a person makes it while the run goes on. Both are the same
/// run to the bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intervention {
    /// Before everything else that happens then.
    pub at: Instant,
    /// Which cores.
    pub place: NoisePlace,
    /// What they do from then on.
    pub effect: Effect,
}

/// What an intervention makes of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing takes its time, but noise.
    Free,
    /// A parasite takes some of its time.
    Slowed(Parasite),
    /// It stands still.
    Stopped,
}

impl Intervention {
    /// All of them, for help.
    pub const FORMS: &str =
        "TIME,WHERE,WHAT, such as 0.1,core=2,duty=0.5; WHAT is that of a noise, stop or free";

    /// What a text that is none should have been.
    pub const EXPECTED: ParseError = ParseError::new(
        "expected TIME,WHERE,WHAT: a time such as 20ms, then core=C, socket=S or node=N, then what a \
                 noise does there, or stop, or free, such as 20ms,core=2,duty=0.5",
    );

    /// Reads one of [`Intervention::FORMS`].
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let (at, rest) = text.split_once([',']).ok_or(Self::EXPECTED)?;
        let (place, what) = rest.split_once([',']).ok_or(Self::EXPECTED)?;
        Ok(Self {
            at: Instant(Duration::parse(at).map_err(|_| Self::EXPECTED)?.0),
            place: NoisePlace::parse(place)?,
            effect: Effect::parse(what)?,
        })
    }
}

impl Effect {
    /// Reads `free`, `stop`, or what a noise does.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        match text {
            "free" => Ok(Self::Free),
            "stop" => Ok(Self::Stopped),
            _ => Parasite::parse(text).map(Self::Slowed),
        }
    }
}

/// As in `0.1,core=2,duty=0.5`; reads back with [`Intervention::parse`].
impl fmt::Display for Intervention {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{}", Duration(self.at.0), self.place, self.effect)
    }
}

impl fmt::Display for Effect {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Free => f.write_str("free"),
            Self::Stopped => f.write_str("stop"),
            Self::Slowed(parasite) => parasite.fmt(f),
        }
    }
}

/// What interventions have made of one core: the first of its sources of noise, which turns the time
/// into what it leaves to the others.
#[derive(Clone, Debug)]
pub struct Intervened {
    /// Since when, and what was left until then.
    since: u64,
    before: u64,
    grip: Grip,
    /// What will be left when its worker's work ends; none while that does not work.
    ends: Option<u64>,
}

#[derive(Clone, Debug)]
enum Grip {
    Free,
    Stopped,
    /// A source as it is when the work ends, and as it was when that began.
    Slowed {
        source: Slowdown<'static>,
        began: Slowdown<'static>,
    },
}

impl Intervened {
    /// Memory that [`Simulation::new`] fills.
    pub const FREE: Self = Self { since: 0, before: 0, grip: Grip::Free, ends: None };

    /// The time that is left until `time`, which is not before the last work began.
    pub(super) fn left(&self, time: Instant) -> u64 {
        let since = time.0.saturating_sub(self.since);
        self.before.saturating_add(match &self.grip {
            Grip::Free => since,
            Grip::Stopped => 0,
            Grip::Slowed { began, .. } => began.clone().left(since),
        })
    }

    /// Begins work, at a time, that ends when this much time is left.
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

    /// Its worker's work has ended.
    pub(super) const fn rest(&mut self) {
        self.ends = None;
    }

    pub(super) const fn is_stopped(&self) -> bool {
        matches!(self.grip, Grip::Stopped)
    }

    /// From now on another grip; when the work ends now, and when it would have ended.
    fn change(&mut self, now: Instant, grip: Grip) -> Option<(Instant, Instant)> {
        let was = self.ends.map(|ends| {
            // Where the source is now it is asked for nothing earlier.
            let mut held = self.clone();
            held.when(ends)
        });
        (self.before, self.since, self.grip) = (self.left(now), now.0, grip);
        was.zip(self.ends.map(|ends| self.when(ends)))
    }
}

impl Grip {
    /// None where a core would be left no time at all.
    fn of(effect: Effect, costs: ParasiteCosts, rng: Rng) -> Option<Self> {
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

/// The first of the streams of random numbers for interventions.
const STREAM: u64 = 1 << 43;

impl<T: Part, G: Graph<N>, const N: usize> Simulation<'_, '_, T, G, N> {
    /// Lets everything happen that is due before a time, which it is then; false once the run has
    /// ended. Whoever goes on like this waits for what may still be done about cores that stand still.
    pub fn advance(&mut self, until: Instant, watch: &mut impl Watch) -> bool {
        while self.end.is_none() {
            if self.next_at().is_none_or(|at| at >= until) {
                self.now = self.now.max(until);
                return true;
            }
            self.step(watch);
        }
        false
    }

    /// Refuses what cannot be done on this machine; the memory for interventions must have been lent.
    pub fn check_intervention(&self, intervention: &Intervention) -> Result<(), SimulationError> {
        let (config, hardware) = (self.config, self.hardware);
        let nodes = config.nodes.number;
        let is_there = match intervention.place {
            NoisePlace::Core(core) => core < nodes.saturating_mul(hardware.node_cores()),
            NoisePlace::Socket(SocketId(socket)) => socket < nodes.saturating_mul(hardware.sockets),
            NoisePlace::Node(NodeId(node)) => node < nodes,
        };
        if !is_there {
            return Err(SimulationError::NoPlaceToIntervene(*intervention));
        }
        if self.intervened.is_empty() {
            return Err(SimulationError::Memory);
        }
        let grip = Grip::of(intervention.effect, hardware.costs.parasite(), Rng::new(0, 0));
        grip.map(|_| ()).ok_or(SimulationError::NoTime)
    }

    /// Lets everything happen that is due before an intervention, and intervenes; one whose time has
    /// passed comes now. Work under way ends when it would have, had the intervention been known.
    pub fn intervene(
        &mut self,
        intervention: &Intervention,
        watch: &mut impl Watch,
    ) -> Result<(), SimulationError> {
        self.check_intervention(intervention)?;
        if !self.advance(intervention.at, watch) {
            return Ok(());
        }
        let number = u64::from(self.interventions_made);
        self.interventions_made = self.interventions_made.saturating_add(1);
        for worker in (0..self.config.workers).map(WorkerId) {
            if !self.places.is_at(worker, intervention.place) {
                continue;
            }
            let stream = STREAM + (number << 24) + u64::from(self.places.core(worker));
            let rng = Rng::new(self.config.seed, stream);
            let grip = Grip::of(intervention.effect, self.hardware.costs.parasite(), rng);
            let grip = grip.ok_or(SimulationError::NoTime)?;
            let state = self.intervened.get_mut(worker.index()).or_bug(NO_WORKER);
            if let Some((was, is)) = state.and_then(|state| state.change(self.now, grip)) {
                let actor = self.actors.number(Actor::Worker(worker));
                self.workers.queue.retime(actor, was, is.max(self.now));
            }
        }
        Ok(())
    }
}
