//! The choices between nodes, with their grammar.

use core::fmt;

use serde::Serialize;

use super::policy::serialize_as_text;
use crate::base::grammar::{ParseError, count};
use crate::base::time::{Duration, in_seconds};

/// The balancer between nodes, and its period (Zarins & Weiland 2020, section 3.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NodeBalance {
    /// Subdomains stay on their nodes.
    #[default]
    None,
    /// DPLB: the least progressed node sends to the most progressed one.
    Dplb {
        /// Time between two looks at the other nodes.
        period: Duration,
        /// Difference between the highest and the lowest mean count that must be exceeded before
        /// anything moves.
        threshold: u64,
    },
    /// Random moves: every [`CHAOS_PERIOD`] each node sends a random subdomain to a random other
    /// node, but never its last. This does not balance; it tests the machinery that moves
    /// subdomains.
    Chaos {
        /// The seed of the random choices.
        seed: u64,
    },
    /// Rows move between two cycles of multigrid, by the time that each node has worked in the last
    /// ones (`FairShares`); there are no subdomains.
    Rows,
}

/// Time between two moves under [`NodeBalance::Chaos`].
pub const CHAOS_PERIOD: Duration = Duration::from_millis(2);

impl NodeBalance {
    /// Error for a text that names no balancer between nodes.
    pub const EXPECTED: ParseError = ParseError::new(
        "expected none, rows, dplb:F,THRESHOLD (F: seconds between looks, above 0; THRESHOLD: \
                 updates), such as dplb:0.5,10",
    );

    /// Reads `none`, `rows`, `dplb:F,THRESHOLD` or `chaos:SEED`.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        if text == "none" {
            return Ok(Self::None);
        }
        if text == "rows" {
            return Ok(Self::Rows);
        }
        if let Some(seed) = text.strip_prefix("chaos:") {
            let seed = count(seed).map_err(|_| Self::EXPECTED)?;
            return Ok(Self::Chaos { seed });
        }
        let value = text.strip_prefix("dplb:").ok_or(Self::EXPECTED)?;
        let (period, threshold) = value.split_once([',']).ok_or(Self::EXPECTED)?;
        match (Duration::parse(period), count(threshold)) {
            (Ok(period), Ok(threshold)) if period > Duration::ZERO => {
                Ok(Self::Dplb { period, threshold })
            }
            _ => Err(Self::EXPECTED),
        }
    }

    /// Whether subdomains move between nodes.
    pub const fn moves_subdomains(self) -> bool {
        matches!(self, Self::Dplb { .. } | Self::Chaos { .. })
    }

    /// Returns the time between two looks at the other nodes; none where no subdomain moves.
    pub const fn period(self) -> Option<Duration> {
        match self {
            Self::None | Self::Rows => None,
            Self::Dplb { period, .. } => Some(period),
            Self::Chaos { .. } => Some(CHAOS_PERIOD),
        }
    }
}

impl fmt::Display for NodeBalance {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Rows => f.write_str("rows"),
            Self::Dplb { period, threshold } => write!(f, "dplb:{period},{threshold}"),
            Self::Chaos { seed } => write!(f, "chaos:{seed}"),
        }
    }
}

/// The rule by which DPLB takes a node's transfers into account (rule 8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NodeRule {
    /// Subdomains in flight count as arrived, one at a time is in flight from a node, no worker is
    /// left with fewer than its lower threshold, and no node gets more than the upper threshold
    /// times its workers.
    #[default]
    Settled,
    /// The same, but what is sent is the least updated subdomain beside one of another node, in
    /// place of a random one: what is furthest behind gets the faster node first, and nodes keep
    /// together what they have.
    Boundary,
    /// The four steps of the paper and nothing else.
    Published,
}

impl NodeRule {
    /// Error for a text that names no rule.
    pub const EXPECTED: ParseError = ParseError::new("expected settled, boundary or published");

    /// Reads `settled`, `boundary` or `published`.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        match text {
            "settled" => Ok(Self::Settled),
            "boundary" => Ok(Self::Boundary),
            "published" => Ok(Self::Published),
            _ => Err(Self::EXPECTED),
        }
    }

    /// Whether the rule keeps workers and nodes from being emptied or flooded; all rules but the
    /// paper's do.
    pub const fn is_settled(self) -> bool {
        !matches!(self, Self::Published)
    }
}

impl fmt::Display for NodeRule {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Settled => "settled",
            Self::Boundary => "boundary",
            Self::Published => "published",
        })
    }
}

/// Nodes, and how work moves between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Nodes {
    /// Number of nodes; the workers are spread over them evenly, in ascending order.
    pub number: u32,
    /// Balancer between nodes.
    pub balance: NodeBalance,
    /// Transfers that the balancer takes into account.
    pub rule: NodeRule,
    /// Time for which a node sends nothing after it has sent.
    #[serde(serialize_with = "in_seconds")]
    pub cooldown: Duration,
}

impl Nodes {
    /// One node, which has nobody to send to.
    pub const ONE: Self = Self {
        number: 1,
        balance: NodeBalance::None,
        rule: NodeRule::Settled,
        cooldown: Duration::ZERO,
    };
}

serialize_as_text!(NodeBalance, NodeRule);
