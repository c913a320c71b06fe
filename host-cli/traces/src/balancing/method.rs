//! The balancers of loads that can be compared.

use serde::Serialize;
use tresse_core::balance::grapevine::{Config, Criterion, SenderLoad, View};

/// A balancer with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// No object moves.
    None,
    /// Every object goes to a random processor, by this seed.
    Random(u64),
    /// The longest processing time first.
    Lpt,
    /// The largest differencing method.
    KarmarkarKarp,
    /// Gossip and transfers.
    Grapevine(Config),
}

impl Method {
    /// Returns the method's name for `--method`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Random(_) => "random",
            Self::Lpt => "lpt",
            Self::KarmarkarKarp => "karmarkar-karp",
            Self::Grapevine(_) => "grapevine",
        }
    }

    /// Returns the greatest number of times that the method reports its progress.
    pub fn steps(&self) -> u64 {
        match self {
            Self::Grapevine(config) => u64::from(config.trials) * u64::from(config.iterations),
            _ => 0,
        }
    }
}

/// A method in a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contender {
    /// Name of the method in the comparison.
    pub name: &'static str,
    /// The method.
    pub method: Method,
}

/// Returns all methods: none, random, the central references, Grapevine as on the slides, Grapevine
/// with gossiped loads, and Grapevine as `ours` has it, whose seed all of them take.
pub fn contenders(ours: Config) -> [Contender; 8] {
    let slides = Config { seed: ours.seed, ..Config::SLIDES };
    let relaxed = Config { criterion: Criterion::Relaxed, ..slides };
    let gossiped = Config { view: View::Gossiped, sender_load: SenderLoad::Current, ..relaxed };
    [
        ("none", Method::None),
        ("random", Method::Random(ours.seed)),
        ("lpt", Method::Lpt),
        ("karmarkar-karp", Method::KarmarkarKarp),
        ("slides, 6", Method::Grapevine(slides)),
        ("slides, 6'", Method::Grapevine(relaxed)),
        ("gossiped, 6'", Method::Grapevine(gossiped)),
        ("grapevine", Method::Grapevine(ours)),
    ]
    .map(|(name, method)| Contender { name, method })
}
