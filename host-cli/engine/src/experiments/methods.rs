//! The methods of the paper, in the order of its Table 2, and what goes beyond it.

use serde::Serialize;
use tresse_core::base::time::Duration;
use tresse_core::run::{Balance, Mode};

/// A way to solve, with the paper's name for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Method {
    /// Name of the paper, with its parameters.
    pub name: &'static str,
    /// The neighbours that a sweep waits for.
    pub mode: Mode,
    /// Number of subdomains of each worker: the n of `async(n)`.
    pub split: u32,
    /// Balancer between the workers.
    pub balance: Balance,
}

/// Time between two balancing rounds.
const PERIOD: Duration = Duration::from_millis(1);

const fn method(name: &'static str, mode: Mode, split: u32, balance: Balance) -> Method {
    Method { name, mode, split, balance }
}

/// The methods of Zarins & Weiland 2017, Table 2.
pub const METHODS: [Method; 8] = [
    method("sync", Mode::Sync, 1, Balance::None),
    method("ssync(1)", Mode::SemiSync(1), 1, Balance::None),
    method("ssync(30)", Mode::SemiSync(30), 1, Balance::None),
    method("async(1)", Mode::Async, 1, Balance::None),
    method("async(4)", Mode::Async, 4, Balance::None),
    method("async(4) + split(0.001)", Mode::Async, 4, Balance::Split(PERIOD)),
    method("async(4) + joint(0.001)", Mode::Async, 4, Balance::Joint(PERIOD)),
    method("async(4) + hybrid(0.001, 500)", Mode::Async, 4, Balance::Hybrid(PERIOD, 500)),
];

/// Methods that go beyond the papers, with which `compare` sets theirs side by side.
pub const BEYOND: [Method; 3] = [
    method("async(4) + auto", Mode::Async, 4, Balance::Auto),
    method("async(4) + pull(8)", Mode::Async, 4, Balance::Pull(Balance::LAG)),
    method("exact(4) + pull", Mode::Exact, 4, Balance::Pull(Balance::LAG)),
];
