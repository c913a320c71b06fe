//! The report of one phase.

use serde::Serialize;
use tresse_core::balance::grapevine::Iteration;

use crate::balancing::{Balanced, Instance};
use crate::load_statistics::LoadStatistics;

/// Number of a processor's bytes in a message of gossip: its name in 32 bits, its load in 64.
pub(super) const ENTRY_BYTES: u64 = 12;
/// Number of bytes before the processors: sender, iteration, round, and number of entries, 32 bits
/// each.
pub(super) const HEADER_BYTES: u64 = 16;

/// The report of one phase, before and after balancing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct PhaseReport {
    pub phase: u64,
    pub processors: u32,
    pub objects: usize,
    /// The number of objects that must stay where they are.
    pub fixed: usize,
    pub initial_imbalance: f64,
    /// The iterations of all trials.
    pub iterations: Vec<IterationReport>,
    /// Trial, from 1, and iteration whose placement was taken; 0 for the placement of the start.
    pub taken: Taken,
    pub final_imbalance: f64,
    /// Lower bound of the imbalance of all placements.
    pub least_imbalance: f64,
    /// Number of objects that have moved.
    pub migrations: usize,
    /// Bytes of these objects on their way; `None` where the trace does not say.
    pub bytes_moved: Option<u64>,
    /// Number of messages of gossip.
    pub messages: u64,
    /// Bytes of the messages of gossip.
    pub gossip_bytes: u64,
    /// Greatest memory use of a processor, before and after; `None` where the trace does not say.
    pub most_memory: Option<[u64; 2]>,
    /// Whether a processor uses more memory than it may after balancing; `None` where there is no
    /// bound.
    pub exceeds_memory: Option<bool>,
    /// Statistics of the objects' loads, in seconds.
    pub object_loads: Option<LoadStatistics>,
    /// Statistics of the processors' loads before balancing, in seconds.
    pub initial_loads: Option<LoadStatistics>,
    /// Statistics of the processors' loads after balancing, in seconds.
    pub final_loads: Option<LoadStatistics>,
    pub interrupted: bool,
    /// Seconds of balancing.
    pub seconds: f64,
}

/// The trial and the iteration whose placement was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Taken {
    pub trial: u32,
    pub iteration: u32,
}

/// One iteration, as the slides' tables have it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct IterationReport {
    /// Number of the trial, from 1.
    pub trial: u32,
    /// Number of the iteration, from 1.
    pub iteration: u32,
    pub transfers: u64,
    pub rejected: u64,
    /// Rejected ÷ (transfers + rejected); `None` where there was no proposal.
    pub rejection_rate: Option<f64>,
    /// Number of offers that receivers refused.
    pub refused: u64,
    pub exchanges: u64,
    pub messages: u64,
    pub gossip_bytes: u64,
    pub imbalance: f64,
}

impl IterationReport {
    /// Returns the report of one iteration; there is no rate of rejection without proposals.
    fn of(made: &Iteration, instance: &Instance) -> Self {
        let (tally, told) = (made.tally, made.told);
        let proposals = tally.transfers + tally.rejected;
        Self {
            trial: made.trial + 1,
            iteration: made.number,
            transfers: tally.transfers,
            rejected: tally.rejected,
            rejection_rate: (proposals > 0).then(|| tally.rejected as f64 / proposals as f64),
            refused: tally.refused,
            exchanges: tally.exchanges,
            messages: told.messages,
            gossip_bytes: told.messages * HEADER_BYTES + told.entries * ENTRY_BYTES,
            imbalance: instance.imbalance(made.max),
        }
    }
}

impl PhaseReport {
    /// Returns the report of a balanced phase, in which trials count from 1.
    pub fn of(phase: u64, instance: &Instance, balanced: &Balanced) -> Self {
        let Balanced { owners, outcome, .. } = balanced;
        let made = balanced.iterations.iter();
        let iterations: Vec<_> = made.map(|made| IterationReport::of(made, instance)).collect();
        let sum = |of: fn(&IterationReport) -> u64| iterations.iter().map(of).sum();
        let [before, after] =
            [instance.owners(), owners].map(|owners| instance.most_memory(owners));
        Self {
            phase,
            processors: instance.processors(),
            objects: instance.len(),
            fixed: instance.fixed(),
            initial_imbalance: instance.imbalance(outcome.initial_max),
            taken: Taken { trial: outcome.trial + 1, iteration: outcome.iteration },
            final_imbalance: instance.imbalance(outcome.final_max),
            least_imbalance: instance.imbalance(instance.lower_bound()),
            migrations: instance.moves(owners).count(),
            bytes_moved: instance.bytes_moved(owners),
            messages: sum(|made| made.messages),
            gossip_bytes: sum(|made| made.gossip_bytes),
            most_memory: before.zip(after).map(<[u64; 2]>::from),
            exceeds_memory: after.zip(instance.limit()).map(|(after, limit)| after > limit),
            object_loads: LoadStatistics::of(&instance.seconds()),
            initial_loads: LoadStatistics::of(&instance.processor_seconds(instance.owners())),
            final_loads: LoadStatistics::of(&instance.processor_seconds(owners)),
            interrupted: balanced.interrupted,
            seconds: balanced.seconds,
            iterations,
        }
    }

    /// Reports whether no placement is better, and this one is allowed.
    pub fn is_optimal(&self) -> bool {
        self.final_imbalance <= self.least_imbalance && self.exceeds_memory != Some(true)
    }
}
