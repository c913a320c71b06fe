//! Noise as data: what slows which core, by how much.

use core::fmt;

use serde::{Serialize, Serializer};

use crate::grammar::{Decimal, GrammarError, count, count32};
use crate::id::{NodeId, SocketId};
use crate::time::Duration;

/// The most noise sources of one run.
pub const MAX_NOISE: usize = 16;

/// Where the noise is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// One core, by the operating system's number.
    Core(u32),
    /// Every core of a socket.
    Socket(SocketId),
    /// Every core of a node.
    Node(NodeId),
}

/// What the noise does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parasite {
    /// Zarins & Weiland 2017, section 4.3: sleep, then so many iterations of `sum = sum * a + b`.
    Loop {
        /// The sleep between two bursts.
        sleep: Duration,
        /// Iterations of a burst.
        work: u64,
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
    /// Where it is.
    pub place: Place,
    /// What it does.
    pub parasite: Parasite,
}

impl Noise {
    /// Reads `WHERE,WHAT`.
    pub fn parse(text: &str) -> Result<Self, GrammarError> {
        let (place, what) = text.split_once([',']).ok_or(GrammarError::Noise)?;
        Ok(Self { place: Place::parse(place)?, parasite: Parasite::parse(what)? })
    }
}

impl Place {
    fn parse(text: &str) -> Result<Self, GrammarError> {
        let (kind, number) = text.split_once(['=']).ok_or(GrammarError::Place)?;
        let number = count32(number).map_err(|_| GrammarError::Place)?;
        match kind {
            "core" => Ok(Self::Core(number)),
            "socket" => Ok(Self::Socket(SocketId(number))),
            "node" => Ok(Self::Node(NodeId(number))),
            _ => Err(GrammarError::Place),
        }
    }
}

impl Parasite {
    /// The share of one core's time in millionths, from a decimal such as `0.19`.
    pub fn duty(text: &str) -> Result<Self, GrammarError> {
        Decimal::parse(text)
            .and_then(|decimal| decimal.scaled(6))
            .and_then(|millionths| u32::try_from(millionths).ok())
            .filter(|millionths| (1..1_000_000).contains(millionths))
            .map(|millionths| Self::Duty { millionths })
            .ok_or(GrammarError::Duty)
    }

    /// Reads `sleep=TIME,work=COUNT` or `duty=SHARE`.
    pub fn parse(text: &str) -> Result<Self, GrammarError> {
        if let Some(share) = text.strip_prefix("duty=") {
            return Self::duty(share);
        }
        let (mut sleep, mut work) = (None, None);
        for part in text.split([',']) {
            match part.split_once(['=']) {
                Some(("sleep", value)) if sleep.is_none() => sleep = Some(Duration::parse(value)?),
                Some(("work", value)) if work.is_none() => work = Some(count(value)?),
                _ => return Err(GrammarError::Noise),
            }
        }
        match (sleep, work) {
            (Some(sleep), Some(work)) if work > 0 => Ok(Self::Loop { sleep, work }),
            _ => Err(GrammarError::Noise),
        }
    }
}

impl fmt::Display for Noise {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::Core(core) => write!(f, "core={core},")?,
            Place::Socket(socket) => write!(f, "socket={socket},")?,
            Place::Node(node) => write!(f, "node={node},")?,
        }
        match self.parasite {
            Parasite::Loop { sleep, work } => write!(f, "sleep={sleep}s,work={work}"),
            Parasite::Duty { millionths } => {
                write!(f, "duty={}", Duration(u64::from(millionths) * 1_000))
            }
        }
    }
}

impl Serialize for Noise {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
