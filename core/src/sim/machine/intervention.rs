//! Interventions: changes that somebody makes to cores while they run.

use core::fmt;

use crate::base::grammar::ParseError;
use crate::base::time::{Duration, Instant};
use crate::run::noise::{NoisePlace, Parasite};

/// A change of the speed of some cores, from a moment of a run on: it replaces the effect of an
/// earlier intervention on them, and comes beside all noise.
///
/// As an argument of a run it is known before; a person makes it while the run goes on. Both are
/// the same run to the bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intervention {
    /// Time of the change, which comes before everything else that happens then.
    pub at: Instant,
    /// The cores that change.
    pub place: NoisePlace,
    /// The effect on them from then on.
    pub effect: Effect,
}

/// Effect of an intervention on a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing but noise takes the core's time.
    Free,
    /// A parasite takes some of the core's time.
    Slowed(Parasite),
    /// The core stands still.
    Stopped,
}

impl Intervention {
    /// All forms of an intervention, for help.
    pub const FORMS: &str =
        "TIME,WHERE,WHAT, such as 0.1,core=2,duty=0.5; WHAT is that of a noise, stop or free";

    /// Error for a text that is no intervention.
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
    /// Reads `free`, `stop`, or the form of a parasite.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        match text {
            "free" => Ok(Self::Free),
            "stop" => Ok(Self::Stopped),
            _ => Parasite::parse(text).map(Self::Slowed),
        }
    }
}

/// Writes an intervention as in `0.1,core=2,duty=0.5`; reads back with [`Intervention::parse`].
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
