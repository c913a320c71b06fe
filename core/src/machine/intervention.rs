//! What somebody does to cores while they run.

use core::fmt;

use crate::grammar::ParseError;
use crate::noise::{NoisePlace, Parasite};
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
