//! The ways to share tasks.

use tresse_core::tasks::sharing::{Arbitration, Managers, Method, Release, SharingConfig};

/// A way to share tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// A manager that holds tasks, which workers release every interval (slides 17 to 19, 31).
    Original,
    /// The original way with copies of the manager's chunks, and a claim for each of their tasks
    /// (slides 20 to 29).
    Published,
    /// The published way with one claim for each copy, and releases only while tasks are wanted.
    Ours,
    /// The adaptive way, which has nothing to tune.
    Adaptive,
    /// Stealing: a worker without tasks asks another.
    Stealing,
    /// Stealing with copies of the tasks that the victim keeps (slide 46, A).
    SpeculativeStealing,
    /// Stealing ahead: a worker with few tasks asks another (slide 46, B).
    PrefetchStealing,
}

impl Way {
    /// Returns the name of the way in labels.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Original => "original",
            Self::Published => "speculative as published",
            Self::Ours => "speculative, ours",
            Self::Adaptive => "adaptive",
            Self::Stealing => "stealing",
            Self::SpeculativeStealing => "A, speculative stealing",
            Self::PrefetchStealing => "B, prefetch stealing",
        }
    }

    /// Returns the stem of a file's name.
    pub const fn stem(self) -> &'static str {
        match self {
            Self::Original => "original",
            Self::Published => "published",
            Self::Ours => "speculative",
            Self::Adaptive => "adaptive",
            Self::Stealing => "stealing",
            Self::SpeculativeStealing => "speculative-stealing",
            Self::PrefetchStealing => "prefetch-stealing",
        }
    }

    /// Returns the configuration of the way with a chunk and a release interval.
    pub const fn config(self, chunk: u32, interval: u32) -> SharingConfig {
        let method = match self {
            Self::Original => Method::Sharing,
            Self::Published | Self::Ours => Method::Speculative,
            Self::Adaptive => Method::Adaptive,
            Self::Stealing => Method::Stealing,
            Self::SpeculativeStealing => Method::SpeculativeStealing,
            Self::PrefetchStealing => Method::PrefetchStealing,
        };
        let config = SharingConfig { chunk, interval, ..SharingConfig::new(method) };
        match self {
            Self::Published => SharingConfig {
                arbitration: Arbitration::Task,
                release: Release::Interval,
                ..config
            },
            _ => config,
        }
    }

    /// Returns the managers of some workers: one, as published, or, for the adaptive way, as many
    /// as are needed.
    pub const fn managers(self, workers: u32) -> Managers {
        match self {
            Self::Adaptive => Managers::enough_for(workers),
            _ => Managers::one(workers),
        }
    }
}

/// Remark that names the command-line flags of the ways.
pub(super) const WAYS: &str = "original is `--method sharing`, speculative as published \
                               `--method speculative --arbitration task --release interval`, \
                               speculative, ours `--method speculative` (a claim for each copy, \
                               tasks released while they are wanted), all with one manager; \
                               adaptive is `--method adaptive`, with a tree of managers from 65 \
                               workers on. The slides say no more of their protocol than slides 17 \
                               to 31 show: what is run as published is a reconstruction, with 2 \
                               copies that come with each chunk (A: one) and 64 tasks without an \
                               answer at most";

/// Remark about speculation as published, which does harm where a manager has much to do.
pub(super) const COLLAPSE: &str = "a claim for each task is a message more for the manager, and one back: where \
                                   it has more to do than it can, as with small intervals, \
                                   workers wait for it, speculate in the meantime, and claim even \
                                   more";
