//! Noise as data: the core that is slowed, and by how much.

mod bursts;
mod choice;
mod scatter;

use core::fmt;

use serde::{Serialize, Serializer};

use crate::base::grammar::{Decimal, ParseError, count, count32};
use crate::base::id::{NodeId, SocketId};
use crate::base::time::Duration;

pub use bursts::{ParasiteCycle, generator};
pub use choice::{NoiseChoice, PlaceKind, Range, Scattered, ScatteredParasite};
pub use scatter::{NoisePlaces, ScatterError, resolve};

/// The most noise sources of one run.
pub const MAX_NOISE: usize = 32;

/// Place of a source of noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoisePlace {
    /// A single core, by the operating system's number.
    Core(u32),
    /// Every core of a socket.
    Socket(SocketId),
    /// Every core of a node.
    Node(NodeId),
}

/// Behaviour of a source of noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parasite {
    /// Zarins & Weiland 2017, section 4.3: sleep, then `work` iterations of `sum = sum * a + b`.
    Loop {
        /// The sleep between two bursts.
        sleep: Duration,
        /// Iterations of a burst.
        work: u64,
    },
    /// Rests and works in cycles of random lengths, see [`ParasiteCycle`].
    Bursts {
        /// The mean length of a burst, in time of the core; above 0.
        burst: Duration,
        /// The mean time between two bursts; above 0.
        gap: Duration,
    },
    /// DPLB 2020, section 4: takes a share of the core's time, in millionths.
    Duty {
        /// Millionths of the core's time, above 0 and below 1,000,000.
        millionths: u32,
    },
}

/// One source of noise: `core=2,sleep=200us,work=10000` or `socket=0,duty=0.4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noise {
    /// The cores that are slowed.
    pub place: NoisePlace,
    /// The work that slows them.
    pub parasite: Parasite,
}

impl Noise {
    /// Reads `WHERE,WHAT`.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let (place, what) = text.split_once([',']).ok_or(Parasite::EXPECTED)?;
        Ok(Self { place: NoisePlace::parse(place)?, parasite: Parasite::parse(what)? })
    }
}

impl NoisePlace {
    /// Error for a text that names no place.
    pub const EXPECTED: ParseError = ParseError::new(
        "expected core=C, socket=S, node=N, any-core=K, any-socket=K or any-node=K before \
                 the first comma",
    );

    /// Reads `core=C`, `socket=S` or `node=N`.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let (kind, number) = text.split_once(['=']).ok_or(Self::EXPECTED)?;
        let number = count32(number).map_err(|_| Self::EXPECTED)?;
        match kind {
            "core" => Ok(Self::Core(number)),
            "socket" => Ok(Self::Socket(SocketId(number))),
            "node" => Ok(Self::Node(NodeId(number))),
            _ => Err(Self::EXPECTED),
        }
    }
}

impl Parasite {
    /// All forms of a parasite, for help, each after a place.
    pub const FORMS: &str = "sleep=200us,work=10000, burst=46us,gap=200us (random lengths with these means) or \
                             duty=0.19 (share of a core's time)";

    /// Error for a text that names no parasite.
    pub const EXPECTED: ParseError = ParseError::new(
        "expected sleep=TIME,work=COUNT, burst=TIME,gap=TIME or duty=SHARE after the place, each TIME with \
         its unit, as in sleep=200us,work=10000",
    );

    /// Error for bursts or gaps of length zero.
    pub const EXPECTED_BURSTS: ParseError =
        ParseError::new("expected burst=TIME,gap=TIME after the place, both above 0");

    /// Error for a text that is no share.
    pub const EXPECTED_DUTY: ParseError =
        ParseError::new("expected a share of the core's time above 0 and below 1, such as 0.19");

    /// Reads the share of one core's time in millionths, from a decimal such as `0.19`.
    pub fn duty(text: &str) -> Result<Self, ParseError> {
        Self::share(text).map(|millionths| Self::Duty { millionths }).ok_or(Self::EXPECTED_DUTY)
    }

    /// Reads a share above 0 and below 1, such as `0.19`, in millionths.
    fn share(text: &str) -> Option<u32> {
        Decimal::parse(text)
            .and_then(|decimal| decimal.scaled(6))
            .and_then(|millionths| u32::try_from(millionths).ok())
            .filter(|millionths| (1..1_000_000).contains(millionths))
    }

    /// Returns random bursts with these mean lengths; an error where one of them is 0.
    fn bursts(burst: Duration, gap: Duration) -> Result<Self, ParseError> {
        let possible = burst > Duration::ZERO && gap > Duration::ZERO;
        possible.then_some(Self::Bursts { burst, gap }).ok_or(Self::EXPECTED_BURSTS)
    }

    /// Returns the mean time of a rest and a burst. It is the sleep alone for a loop, whose work is
    /// not timed, and 0 for a duty, whose cycles are short.
    pub const fn cycle(&self) -> Duration {
        match *self {
            Self::Loop { sleep, .. } => sleep,
            Self::Bursts { burst, gap } => Duration(burst.0.saturating_add(gap.0)),
            Self::Duty { .. } => Duration::ZERO,
        }
    }

    /// Whether the parasite draws random lengths, by the [`generator`] of its number on its node.
    pub const fn is_random(&self) -> bool {
        matches!(self, Self::Bursts { .. })
    }

    /// Reads a parasite in one of [`Parasite::FORMS`].
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        if let Some(share) = text.strip_prefix("duty=") {
            return Self::duty(share);
        }
        let (first, second) = text.split_once([',']).ok_or(Self::EXPECTED)?;
        let value = |key| first.strip_prefix(key).or_else(|| second.strip_prefix(key));
        match (value("sleep="), value("work="), value("burst="), value("gap=")) {
            (Some(sleep), Some(work), None, None) => {
                let (sleep, work) = (Duration::parse_with_unit(sleep)?, count(work)?);
                (work > 0).then_some(Self::Loop { sleep, work }).ok_or(Self::EXPECTED)
            }
            (None, None, Some(burst), Some(gap)) => {
                Self::bursts(Duration::parse_with_unit(burst)?, Duration::parse_with_unit(gap)?)
            }
            _ => Err(Self::EXPECTED),
        }
    }
}

/// Millionths as a decimal fraction, such as `0.19`.
struct Share(u32);

impl fmt::Display for Share {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The same digits as those of microseconds in seconds.
        Duration::from_micros(u64::from(self.0)).fmt(f)
    }
}

impl fmt::Display for Noise {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.place, self.parasite)
    }
}

impl fmt::Display for NoisePlace {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Core(core) => write!(f, "core={core}"),
            Self::Socket(socket) => write!(f, "socket={socket}"),
            Self::Node(node) => write!(f, "node={node}"),
        }
    }
}

impl fmt::Display for Parasite {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Loop { sleep, work } => write!(f, "sleep={sleep}s,work={work}"),
            Self::Bursts { burst, gap } => write!(f, "burst={burst}s,gap={gap}s"),
            Self::Duty { millionths } => write!(f, "duty={}", Share(millionths)),
        }
    }
}

impl Serialize for Noise {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
