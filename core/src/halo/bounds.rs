//! Limits on the numbers that a word from another rank may contain, and words of two numbers.

use crate::id::{RankId, SlotId, SubdomainId};
use crate::run::{NodeBalance, NodeRule, RunConfig};

/// Limits on the numbers that a word from another rank may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// Subdomains of the run.
    pub subdomains: u32,
    /// Ranks of the run.
    pub ranks: u32,
    /// Slots of each rank.
    pub slots: u32,
}

impl Bounds {
    /// Returns the bounds of a run: a rank has as many slots as it may have subdomains, and some
    /// more for those that several ranks send at the same time; a subdomain for which there is no
    /// slot is refused.
    pub fn of(config: &RunConfig) -> Self {
        let subdomains = u32::try_from(config.subdomains()).unwrap_or(u32::MAX);
        let workers = config.workers_per_node();
        let first = workers.saturating_mul(config.split);
        let nodes = config.nodes;
        let slots = match (nodes.balance, nodes.rule) {
            (NodeBalance::None | NodeBalance::Rows, _) => first,
            (NodeBalance::Dplb { .. }, NodeRule::Settled | NodeRule::Boundary) => {
                let most = workers.saturating_mul(config.plb.high);
                first.max(most).saturating_add(nodes.number.min(workers + 2)).min(subdomains)
            }
            (NodeBalance::Dplb { .. }, NodeRule::Published) | (NodeBalance::Chaos { .. }, _) => {
                subdomains
            }
        };
        Self { subdomains, ranks: nodes.number, slots }
    }

    pub(crate) fn subdomain(self, id: u32) -> Option<SubdomainId> {
        (id < self.subdomains).then_some(SubdomainId(id))
    }

    pub(crate) fn rank(self, id: u32) -> Option<RankId> {
        (id < self.ranks).then_some(RankId(id))
    }

    pub(crate) fn slot(self, id: u32) -> Option<SlotId> {
        (id < self.slots).then_some(SlotId(id))
    }
}

/// Returns a word of two halves.
pub(crate) const fn word(high: u32, low: u32) -> u64 {
    (high as u64) << u32::BITS | low as u64
}

/// Returns the high and the low half of a word.
#[expect(clippy::cast_possible_truncation, reason = "each half fits its type")]
pub(crate) const fn halves(word: u64) -> (u32, u32) {
    ((word >> u32::BITS) as u32, word as u32)
}
