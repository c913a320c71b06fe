//! Settings on which all processors of a run agree.

use core::fmt;

use super::message::{Phase, Step};
use crate::balance::grapevine::config::{Config, ConfigError, View};
use crate::balance::grapevine::gossip::known::Sampling;
use crate::balance::grapevine::moment::{Moment, Stage};
use crate::balance::objects::Average;
use crate::base::rng::Rng;

/// Amount of waiting in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Gossip goes in rounds, and all offers of an attempt are there before the first is answered:
    /// the order of messages changes nothing.
    Rounds,
    /// Gossip goes on when it is first heard, and offers are answered when they come.
    Messages,
}

/// Settings on which all processors of a run agree.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// The parameters.
    pub config: &'a Config,
    /// Amount of waiting.
    pub mode: Mode,
    /// Number of processors.
    pub processors: u32,
}

/// Reason why a run cannot be made with messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingError {
    /// A parameter is out of its bounds.
    Config(ConfigError),
    /// There are no processors.
    NoProcessors,
    /// The loads are live ones, which no processor has.
    Live,
    /// The tables have no bound, and no message holds them.
    Known,
    /// There is more than one trial.
    Trials,
}

impl fmt::Display for SettingError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config(error) => error.fmt(f),
            Self::NoProcessors => f.write_str("there are no processors"),
            Self::Live => f.write_str("only gossiped loads are known where there are messages"),
            Self::Known => f.write_str("a table goes into a message only where it is bounded"),
            Self::Trials => f.write_str("a run with messages has one trial"),
        }
    }
}

impl core::error::Error for SettingError {}

impl Setting<'_> {
    /// Whether a run can be made.
    pub fn check(&self) -> Result<(), SettingError> {
        let Config { view, known, trials, .. } = *self.config;
        match self.config.check() {
            Err(error) => Err(SettingError::Config(error)),
            Ok(()) if self.processors == 0 => Err(SettingError::NoProcessors),
            Ok(()) if view != View::Gossiped => Err(SettingError::Live),
            Ok(()) if known.is_none() => Err(SettingError::Known),
            Ok(()) if trials != 1 => Err(SettingError::Trials),
            Ok(()) => Ok(()),
        }
    }

    pub(super) const fn average(&self, total: u64) -> Average {
        Average { total, processors: self.processors }
    }

    const fn moment(&self, iteration: u32) -> Moment {
        Moment { seed: self.config.seed, trial: 0, iteration }
    }

    pub(super) fn draws(&self, iteration: u32, stage: Stage, name: u32) -> Rng {
        self.moment(iteration).draws(stage, name)
    }

    pub(super) fn sampling(&self, iteration: u32, name: u32) -> Sampling {
        let bound = self.config.known.unwrap_or(u32::MAX);
        Sampling::new(self.moment(iteration).salt(name), bound, self.processors)
    }

    /// Returns the step that follows within the iteration; none after its last step.
    pub(super) fn after(&self, Step { iteration, phase }: Step) -> Option<Step> {
        let Config { rounds, attempts, .. } = *self.config;
        let attempt = |number: u32| (number < attempts).then_some(Phase::Offers(number));
        let phase = match (phase, self.mode) {
            (Phase::Start | Phase::End, _) => None,
            (Phase::Gossip(round), Mode::Rounds) if round + 1 < rounds => {
                Some(Phase::Gossip(round + 1))
            }
            (Phase::Gossip(_), _) => attempt(0),
            (Phase::Offers(number), Mode::Rounds) => Some(Phase::Answers(number)),
            (Phase::Offers(number), Mode::Messages) | (Phase::Answers(number), _) => {
                attempt(number + 1)
            }
        };
        phase.map(|phase| Step { iteration, phase })
    }
}
