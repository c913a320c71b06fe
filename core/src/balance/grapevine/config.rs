//! Configuration of a run of Grapevine.

use core::fmt;

use serde::Serialize;

use crate::balance::objects::Millionths;

/// Processors that one tells in a round, at most.
pub const FANOUT_MAX: u32 = 64;

/// Processors that a table of bounded size holds, at most.
pub const KNOWN_MAX: usize = u64::BITS as usize;

/// Criterion that a transfer must meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "deserialize", derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
pub enum Criterion {
    /// Line 6 of the algorithm: the receiver stays below the average.
    Original,
    /// Its replacement 6': the receiver stays below the sender.
    Relaxed,
}

/// Chance of each known processor to be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "deserialize", derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
pub enum Cmf {
    /// The chance is in proportion to the load that a processor has less than the average; none at
    /// or above the average.
    Original,
    /// The chance is in proportion to the load that a processor has less than the most loaded known
    /// one, or than the average where that is more (vt's `NormByMax`); all are alike where all have
    /// that much.
    NormByMax,
}

/// Time at which the chances are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "deserialize", derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
pub enum CmfUpdate {
    /// The chances are computed once a turn, from the gossip, as on the slides (lines 1 and 2).
    Once,
    /// The chances are computed again after each acceptance.
    AfterAcceptance,
}

/// Order in which objects are offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "deserialize", derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Any order, by the seed.
    Arbitrary,
    /// The lowest number comes first.
    Id,
    /// The smallest load comes first.
    Ascending,
    /// The largest load comes first.
    Descending,
    /// The smallest object that makes up for the whole excess comes first; then smaller ones,
    /// descending; then larger ones, ascending. The order is descending where no object makes up
    /// for it.
    FewestMigrations,
    /// The objects that make up for the excess together, counted from the smallest, come first,
    /// descending; then larger ones, ascending.
    SmallObjects,
}

/// Treatment of an object for which no place was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "deserialize", derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
pub enum Pass {
    /// The object stays for this turn.
    Single,
    /// The object is looked at again after each acceptance, as in the simulator behind the slides.
    /// The work of a turn grows with the square of the objects.
    Restart,
}

/// Rule that tells which processors give away objects, and which are gossiped about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Threshold {
    /// Processors whose load is above this many times the average, at least 1, give until it no
    /// longer is (line 3); those below the average are gossiped about.
    Times(Millionths),
    /// Processors give in each iteration that are above the average by more than this part of the
    /// excess of the most loaded one: 8 means an eighth, at least 1. They give until they are at
    /// the average. All others are gossiped about. So the room left below the average goes to those
    /// who need it most.
    Falling(u32),
}

/// Load of a sender that is compared with a receiver's under [`Criterion::Relaxed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "deserialize", derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
pub enum SenderLoad {
    /// The load at that moment (line 8).
    Current,
    /// The load at the beginning of its turn, as in the simulator behind the slides' tables. For
    /// live loads only.
    AtTurn,
}

/// Loads of other processors that a decision sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "deserialize", derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
pub enum View {
    /// The true loads: the processors take turns, as in the simulation behind the slides.
    Live,
    /// The gossiped loads, and those that the sender itself has added: all overloaded processors
    /// act at once, as in any distributed run.
    Gossiped,
}

/// The parameters of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Config {
    /// Criterion that a transfer must meet.
    pub criterion: Criterion,
    /// Chances of the known processors.
    pub cmf: Cmf,
    /// Time at which the chances are computed.
    pub cmf_update: CmfUpdate,
    /// Order in which objects are offered.
    pub order: Order,
    /// Treatment of refused objects.
    pub pass: Pass,
    /// Loads that a decision sees.
    pub view: View,
    /// Processors that one remembers, 1 to [`KNOWN_MAX`]; `None`: all that it hears of.
    pub known: Option<u32>,
    /// Processors that one tells in a round, 1 to [`FANOUT_MAX`].
    pub fanout: u32,
    /// Rounds of gossip an iteration, at least 1.
    pub rounds: u32,
    /// Iterations, at most.
    pub iterations: u32,
    /// Number of times in an iteration that the overloaded may offer, at least 1: fewer times where
    /// that moves next to nothing any more. More than one is of use only where receivers may
    /// refuse.
    pub attempts: u32,
    /// Rule that tells which processors give away objects.
    pub threshold: Threshold,
    /// Load of a sender that it goes by.
    pub sender_load: SenderLoad,
    /// Whether a receiver may refuse an object that would overload it.
    pub refuse: bool,
    /// Whether two processors may exchange objects where a transfer is of no use. Needs `refuse`:
    /// the answer to the offer is what makes it safe.
    pub exchange: bool,
    /// Whether the best placement that was seen is taken instead of the last one.
    pub keep_best: bool,
    /// Runs from the start with other draws, of which the best is taken, at least 1.
    pub trials: u32,
    /// The imbalance at which a run ends.
    pub target: Millionths,
    /// Iterations in a row without any transfer after which a trial ends; 0: it goes on.
    pub idle: u32,
    /// Seed of all draws.
    pub seed: u64,
}

impl Config {
    /// The slides' setting: criterion 6, k = 10, f = 6, 10 iterations, T = 1.
    pub const SLIDES: Self = Self {
        criterion: Criterion::Original,
        cmf: Cmf::Original,
        cmf_update: CmfUpdate::Once,
        order: Order::Arbitrary,
        pass: Pass::Restart,
        view: View::Live,
        known: None,
        fanout: 6,
        rounds: 10,
        iterations: 10,
        attempts: 1,
        threshold: Threshold::Times(Millionths::ONE),
        sender_load: SenderLoad::AtTurn,
        refuse: false,
        exchange: false,
        keep_best: false,
        trials: 1,
        target: Millionths(0),
        idle: 0,
        seed: 0,
    };

    /// Tresse's own setting: stale loads of a few known processors, receivers that may refuse, and
    /// exchanges.
    pub const DISTRIBUTED: Self = Self {
        criterion: Criterion::Relaxed,
        cmf: Cmf::NormByMax,
        cmf_update: CmfUpdate::AfterAcceptance,
        order: Order::Descending,
        pass: Pass::Single,
        view: View::Gossiped,
        known: Some(64),
        fanout: 3,
        rounds: 4,
        iterations: 20,
        attempts: 32,
        threshold: Threshold::Falling(8),
        sender_load: SenderLoad::Current,
        refuse: true,
        exchange: true,
        keep_best: true,
        idle: 3,
        ..Self::SLIDES
    };

    /// Whether every parameter is within its bounds and they go together.
    pub fn check(&self) -> Result<(), ConfigError> {
        let most = u32::try_from(KNOWN_MAX).unwrap_or(u32::MAX);
        match self {
            _ if self.known.is_some_and(|known| known == 0 || known > most) => {
                Err(ConfigError::Known)
            }
            _ if self.fanout == 0 || self.fanout > FANOUT_MAX => Err(ConfigError::Fanout),
            _ if self.rounds == 0 => Err(ConfigError::Rounds),
            _ if self.attempts == 0 => Err(ConfigError::Attempts),
            _ if self.trials == 0 => Err(ConfigError::Trials),
            _ if self.trials > 1 && !self.keep_best => Err(ConfigError::LastOfTrials),
            _ if self.exchange && !self.refuse => Err(ConfigError::Exchange),
            _ if self.sender_load == SenderLoad::AtTurn && self.view == View::Gossiped => {
                Err(ConfigError::SenderLoad)
            }
            _ => match self.threshold {
                Threshold::Times(times) if times < Millionths::ONE => Err(ConfigError::Threshold),
                Threshold::Falling(0) => Err(ConfigError::Threshold),
                Threshold::Times(_) | Threshold::Falling(_) => Ok(()),
            },
        }
    }
}

/// A parameter that is out of its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigError {
    /// The number of known processors.
    Known,
    /// The fan-out.
    Fanout,
    /// There are no rounds.
    Rounds,
    /// There are no attempts.
    Attempts,
    /// There are no trials.
    Trials,
    /// Several trials, of which the best is not kept.
    LastOfTrials,
    /// A threshold below 1.
    Threshold,
    /// The load at the turn's beginning, where receivers do not see it.
    SenderLoad,
    /// Exchanges without refusals.
    Exchange,
}

impl fmt::Display for ConfigError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known => write!(f, "a processor remembers 1 to {KNOWN_MAX} others, or all"),
            Self::Fanout => write!(f, "the fan-out is 1 to {FANOUT_MAX}"),
            Self::Rounds => f.write_str("gossip takes at least one round"),
            Self::Attempts => f.write_str("an iteration has at least one attempt"),
            Self::Trials => f.write_str("there is at least one trial"),
            Self::LastOfTrials => f.write_str("of several trials the best is kept"),
            Self::Threshold => f.write_str("the threshold is at least 1"),
            Self::SenderLoad => {
                f.write_str("the load at the beginning of a turn is for live loads only")
            }
            Self::Exchange => {
                f.write_str("exchanges are safe only where the receiver may refuse: allow that too")
            }
        }
    }
}

impl core::error::Error for ConfigError {}
