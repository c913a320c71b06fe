//! Noise as a person asks for it: at a place, or somewhere.

use core::fmt;

use super::{Noise, NoisePlace, Parasite, Share};
use crate::base::grammar::{ParseError, count32};

/// A source of noise at a place, or a number of them anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoiseChoice {
    /// `core=2,duty=0.4`: noise at the place that is asked for.
    Fixed(Noise),
    /// `any-node=0..15,duty=0.15..0.4`: noise at the places that the run's seed chooses.
    Scattered(Scattered),
}

/// Equal noise at distinct random places (Zarins & Weiland 2020, section 5: nodes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scattered {
    /// Kind of the places.
    pub kind: PlaceKind,
    /// Number of places that are chosen.
    pub number: Range,
    /// The parasite at each place.
    pub parasite: ScatteredParasite,
}

/// Kind of place that noise can be put on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceKind {
    /// Cores that the run may use.
    Core,
    /// Sockets with workers.
    Socket,
    /// Nodes of the run.
    Node,
}

/// The parasite at each of the random places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScatteredParasite {
    /// One parasite everywhere.
    Same(Parasite),
    /// A duty in millionths, drawn for each place on its own.
    Duty(Range),
}

/// Numbers from the least to the most, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The lowest.
    pub least: u32,
    /// The highest; not below the lowest.
    pub most: u32,
}

impl NoiseChoice {
    /// Reads `WHERE,WHAT`, as [`Noise::parse`] or with `any-core=K`, `any-socket=K` or
    /// `any-node=K`, where K is a number or a range such as `0..15`; then a duty may be a range
    /// too.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        match text.strip_prefix("any-") {
            None => Noise::parse(text).map(Self::Fixed),
            Some(rest) => Scattered::parse(rest).map(Self::Scattered),
        }
    }

    /// Returns the maximum number of sources that the choice can become.
    pub const fn most(&self) -> u32 {
        match self {
            Self::Fixed(_) => 1,
            Self::Scattered(scattered) => scattered.number.most,
        }
    }
}

impl From<Noise> for NoiseChoice {
    fn from(noise: Noise) -> Self {
        Self::Fixed(noise)
    }
}

impl Scattered {
    /// Error for a text after `any-core=` and the like that is no number of places.
    pub const EXPECTED: ParseError = ParseError::new(
        "expected a number of places after any-core=, any-socket= or any-node=, such as 3, \
                 or a range of them, such as 0..15",
    );

    /// Reads the text after `any-`: `KIND=NUMBERS,PARASITE`, such as `node=0..15,duty=0.15..0.4`.
    fn parse(text: &str) -> Result<Self, ParseError> {
        let (place, what) = text.split_once([',']).ok_or(Parasite::EXPECTED)?;
        let (kind, number) = place.split_once(['=']).ok_or(NoisePlace::EXPECTED)?;
        let kind = match kind {
            "core" => PlaceKind::Core,
            "socket" => PlaceKind::Socket,
            "node" => PlaceKind::Node,
            _ => return Err(NoisePlace::EXPECTED),
        };
        let number = Range::parse(number, |text| count32(text).ok()).ok_or(Self::EXPECTED)?;
        Ok(Self { kind, number, parasite: ScatteredParasite::parse(what)? })
    }
}

impl ScatteredParasite {
    /// Error for a text that is no share or range of shares.
    pub const EXPECTED: ParseError = ParseError::new(
        "expected a share of the core's time above 0 and below 1, such as 0.19, or a range \
                 of them, such as 0.15..0.4",
    );

    /// Reads a parasite as [`Parasite::parse`] does, or `duty=` with a range of shares.
    fn parse(text: &str) -> Result<Self, ParseError> {
        let Some(share) = text.strip_prefix("duty=") else {
            return Parasite::parse(text).map(Self::Same);
        };
        let range = Range::parse(share, Parasite::share).ok_or(Self::EXPECTED)?;
        Ok(match range {
            Range { least, most } if least == most => {
                Self::Same(Parasite::Duty { millionths: least })
            }
            range => Self::Duty(range),
        })
    }
}

impl Range {
    /// Reads `A..B`, or `A` alone, where `number` reads each end; none where A exceeds B.
    fn parse(text: &str, number: impl Fn(&str) -> Option<u32>) -> Option<Self> {
        // Not `split_once("..")`: the standard library's search for a text has panicking paths.
        let mut pairs = text.bytes().zip(text.bytes().skip(1));
        let (least, most) = match pairs.position(|pair| pair == (b'.', b'.')) {
            None => (text, text),
            Some(dots) => {
                let (least, rest) = text.split_at_checked(dots)?;
                (least, rest.strip_prefix("..")?)
            }
        };
        let range = Self { least: number(least)?, most: number(most)? };
        (range.least <= range.most).then_some(range)
    }
}

impl fmt::Display for NoiseChoice {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(noise) => noise.fmt(f),
            Self::Scattered(scattered) => scattered.fmt(f),
        }
    }
}

impl fmt::Display for Scattered {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            PlaceKind::Core => "core",
            PlaceKind::Socket => "socket",
            PlaceKind::Node => "node",
        };
        let Range { least, most } = self.number;
        write!(f, "any-{kind}={least}")?;
        if most > least {
            write!(f, "..{most}")?;
        }
        match self.parasite {
            ScatteredParasite::Same(parasite) => write!(f, ",{parasite}"),
            ScatteredParasite::Duty(Range { least, most }) => {
                write!(f, ",duty={}..{}", Share(least), Share(most))
            }
        }
    }
}
