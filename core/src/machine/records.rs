//! What nodes tell each other of how far they are (Zarins & Weiland 2020, section 3.2).

use super::fields::Fields;
use super::memory::{Actor, in_transit};
use super::numbers::{NO_NODE, NO_SUBDOMAIN};
use super::simulation::Simulation;
use crate::balance::Mean;
use crate::balance::dplb;
use crate::bug::OrBug;
use crate::id::NodeId;
use crate::run::NodeBalance;
use crate::time::{Duration, Instant};

/// How often a node that does not balance itself tells the others how far it is: as often as the
/// ranks of a real run look at each other.
const TELLS_EACH: Duration = Duration::from_millis(1);
/// What a node tells, a sum and a number, has the length of this number of cells.
const RECORD_CELLS: u64 = 2;

impl<P: Fields> Simulation<'_, '_, P> {
    /// A node tells the others how far it is, where that is due: as often as it balances itself
    /// (section 3.2: every node publishes a small structure that the others get).
    ///
    /// They see it when it has gone over the network, and until the next one has. So what a node
    /// knows of the others is never quite new, and each of several equally slow nodes may find
    /// another one behind itself and send nothing.
    #[inline]
    pub(super) fn tell(&mut self, node: NodeId) {
        if self.config.nodes.balance == NodeBalance::None {
            return;
        }
        let due = self
            .nodes
            .get(node.index())
            .or_bug(NO_NODE)
            .map_or(Instant::NEVER, |state| state.tells_at);
        let is_under_way =
            self.nodes.get(node.index()).or_bug(NO_NODE).is_some_and(|state| state.told.is_some());
        if self.now < due || is_under_way {
            return;
        }
        let mean = self.mean_with_arrivals(node);
        let period = self.config.balance.period().unwrap_or(TELLS_EACH);
        let Some(state) = self.nodes.get_mut(node.index()).or_bug(NO_NODE) else { return };
        state.tells_at = self.now.after(period);
        state.told = Some(mean);
        let arrival = self.now.after(self.hardware.costs.halo.network.time(RECORD_CELLS));
        self.workers.queue.push(arrival, self.actors.number(Actor::Record(node.0)));
    }

    /// What a node has told is where the others see it.
    pub(super) fn hear(&mut self, node: NodeId) {
        let told =
            self.nodes.get_mut(node.index()).or_bug(NO_NODE).and_then(|state| state.told.take());
        if let Some((place, told)) = self.means.get_mut(node.index()).or_bug(NO_NODE).zip(told) {
            *place = told;
        }
    }

    /// A node's own mean, with what is in flight to it where that counts as arrived.
    pub(super) fn mean_with_arrivals(&mut self, node: NodeId) -> Mean {
        let mut mean = [self.snapshot(node)];
        let sent = self.ownership.of(in_transit(self.config, node));
        let counts = sent.filter_map(|id| self.subdomains.get(id.index()).or_bug(NO_SUBDOMAIN));
        let in_flight = counts.map(|state| (NodeId(0), state.version));
        dplb::count_as_arrived(self.config.nodes.rule, &mut mean, in_flight);
        let [mean] = mean;
        mean
    }
}
