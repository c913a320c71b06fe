//! The balancers of a run, with their grammar: all that is known of one beside its rounds
//! ([`Balancer`](crate::balance::Balancer)).

use core::fmt;

use super::policy::serialize_as_text;
use crate::base::grammar::{ParseError, count, count32};
use crate::base::time::{Duration, Instant};

/// Workers between which a balancer moves subdomains, and the thresholds within which it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// No moves at all.
    Nobody,
    /// Moves between any two workers, within the thresholds.
    All,
    /// Moves between two workers of a socket, within the thresholds.
    Sockets,
    /// Moves between two workers of a socket in every round, and between sockets in every n-th
    /// round.
    SocketsAndAcross(u32),
    /// Exchanges between any two workers with subdomains, one for one, so that thresholds do not
    /// matter.
    Exchange,
    /// Moves between any two workers, but never of somebody's only subdomain.
    Surplus,
    /// Moves between any two workers, in whatever way.
    Anybody,
}

/// The balancer that runs, and its period (Zarins & Weiland 2017, sections 3.3 and 3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Balance {
    /// Subdomains stay where they are.
    None,
    /// Algorithm 1 over all workers.
    Joint(Duration),
    /// Algorithm 1 for each socket on its own.
    Split(Duration),
    /// Split, and every n-th round one random subdomain between sockets.
    Hybrid(Duration, u32),
    /// Section 3.4, first attempt: swap the least and the most updated subdomains.
    Swap(Duration),
    /// Section 3.4, second attempt: the most updated go to the workers with the smallest rate.
    Gradient(Duration),
    /// Grapevine with gossiped loads (Pébaÿ & Lifflander 2019), those being measured sweep times.
    Grapevine(Duration),
    /// A worker that is more than this number of updates ahead borrows what is furthest behind,
    /// until that is level ([`borrow`](crate::balance::borrow)); looked at in this period.
    Borrow(Duration, u64),
    /// Borrowing, with a period and a lag that are derived from what the run is seen to do
    /// ([`Derived`](crate::balance::borrow::Derived)); where that does not keep the workers
    /// together, pulling from then on ([`RunConfig::may_switch`](super::RunConfig::may_switch)).
    Auto,
    /// Nothing moves, and work is pulled: a worker borrows a subdomain that is more than this
    /// number of updates behind its own, and returns it once it is level with them
    /// ([`Visitor`](crate::node::Visitor)).
    Pull(u64),
}

/// The parameters of [`Balance::Auto`], which are derived as the run goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// Time from one round to the next.
    pub period: Duration,
    /// Updates by which a subdomain is behind before it is borrowed.
    pub lag: u64,
    /// Where the run has turned to pulling: since when, and why.
    pub switched: Option<Switched>,
}

impl Chosen {
    /// The parameters with which a run begins.
    pub const FIRST: Self = Self { period: Duration::from_micros(1_000), lag: 16, switched: None };
}

/// When a run with [`Balance::Auto`] went on as [`Balance::Pull`], and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switched {
    /// The time of that halt.
    pub at: Instant,
    /// Highest minus lowest count of a subdomain at the last look before it.
    pub spread: u64,
}

impl Balance {
    /// An example of each balancer, as shells offer them.
    pub const EXAMPLES: [&str; 10] = [
        "auto",
        "none",
        "borrow:0.001,16",
        "joint:0.001",
        "split:0.001",
        "hybrid:0.001,500",
        "swap:0.001",
        "gradient:0.001",
        "grapevine:0.001",
        "pull:8",
    ];

    /// Updates that a subdomain is behind before it is pulled, where no other number is given.
    pub const LAG: u64 = 8;

    /// All forms of a balancer, for help, where `F` is explained as the seconds between rounds.
    pub const FORMS: &str = "auto, none, joint:F, split:F, hybrid:F,N (every N-th round between sockets), swap:F, \
                             gradient:F, grapevine:F (by measured sweep times instead of counts), borrow:F,B \
                             (take over what is more than B updates behind, until it is level) or pull:B (the \
                             same sweep by sweep)";

    /// Error for a text that names no balancer.
    pub const EXPECTED: ParseError = ParseError::new(
        "expected auto, none, joint:F, split:F, hybrid:F,N, swap:F, gradient:F, grapevine:F, borrow:F,B or \
                 pull:B (F: seconds between rounds, such as 0.001; N: rounds; B: updates)",
    );

    /// Error for a number of updates that is none.
    pub const EXPECTED_LAG: ParseError =
        ParseError::new("expected a number of updates, such as pull:8 or borrow:0.001,16");

    /// Error for a balancer without a period.
    pub const EXPECTED_PERIOD: ParseError = ParseError::new(
        "expected a period in plain digits, of 1ns or more, after the colon, such as split:0.001, and with hybrid \
                 rounds from 1 on, such as hybrid:0.001,500",
    );

    /// Reads a balancer with its parameters, in one of [`Balance::FORMS`].
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        match text {
            "none" => return Ok(Self::None),
            "auto" => return Ok(Self::Auto),
            _ => {}
        }
        let (name, value) = text.split_once([':']).unwrap_or((text, ""));
        let period = |value| {
            Duration::parse(value)
                .ok()
                .filter(|&period| period > Duration::ZERO)
                .ok_or(Self::EXPECTED_PERIOD)
        };
        match name {
            "pull" if text == name => Ok(Self::Pull(Self::LAG)),
            "pull" => count(value).map(Self::Pull).map_err(|_| Self::EXPECTED_LAG),
            "borrow" => {
                let (time, lag) = value.split_once([',']).ok_or(Self::EXPECTED_LAG)?;
                let lag = count(lag).map_err(|_| Self::EXPECTED_LAG)?;
                Ok(Self::Borrow(period(time)?, lag))
            }
            "joint" => period(value).map(Self::Joint),
            "split" => period(value).map(Self::Split),
            "swap" => period(value).map(Self::Swap),
            "gradient" => period(value).map(Self::Gradient),
            "grapevine" => period(value).map(Self::Grapevine),
            "hybrid" => {
                let (time, rounds) = value.split_once([',']).ok_or(Self::EXPECTED_PERIOD)?;
                match count32(rounds) {
                    Ok(rounds) if rounds > 0 => Ok(Self::Hybrid(period(time)?, rounds)),
                    _ => Err(Self::EXPECTED_PERIOD),
                }
            }
            _ => Err(Self::EXPECTED),
        }
    }

    /// Returns the time between two rounds, or the first such time where it is derived; none where
    /// there are no rounds.
    pub const fn period(self) -> Option<Duration> {
        match self {
            Self::None | Self::Pull(_) => None,
            Self::Auto => Some(Chosen::FIRST.period),
            Self::Borrow(period, _)
            | Self::Joint(period)
            | Self::Split(period)
            | Self::Hybrid(period, _)
            | Self::Swap(period)
            | Self::Gradient(period)
            | Self::Grapevine(period) => Some(period),
        }
    }

    /// Returns between which workers the balancer moves subdomains, and within which thresholds.
    pub const fn reach(self) -> Reach {
        match self {
            Self::None => Reach::Nobody,
            Self::Joint(_) => Reach::All,
            Self::Split(_) => Reach::Sockets,
            Self::Hybrid(_, rounds) => Reach::SocketsAndAcross(rounds),
            Self::Swap(_) | Self::Gradient(_) => Reach::Exchange,
            Self::Borrow(..) | Self::Auto => Reach::Surplus,
            Self::Grapevine(_) | Self::Pull(_) => Reach::Anybody,
        }
    }

    /// Whether a worker sweeps its least updated subdomains more often than the others, so that
    /// those it has taken over catch up; see [`Leveling`](crate::run::schedule::Leveling).
    pub const fn levels(self) -> bool {
        matches!(self, Self::Borrow(..) | Self::Auto)
    }

    /// Whether the balancer goes by the time that sweeps take, which is measured only for it.
    pub const fn measures_sweeps(self) -> bool {
        matches!(self, Self::Grapevine(_))
    }
}

impl fmt::Display for Balance {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Joint(period) => write!(f, "joint:{period}"),
            Self::Split(period) => write!(f, "split:{period}"),
            Self::Hybrid(period, rounds) => write!(f, "hybrid:{period},{rounds}"),
            Self::Swap(period) => write!(f, "swap:{period}"),
            Self::Gradient(period) => write!(f, "gradient:{period}"),
            Self::Grapevine(period) => write!(f, "grapevine:{period}"),
            Self::Borrow(period, lag) => write!(f, "borrow:{period},{lag}"),
            Self::Auto => f.write_str("auto"),
            Self::Pull(lag) => write!(f, "pull:{lag}"),
        }
    }
}

serialize_as_text!(Balance);
