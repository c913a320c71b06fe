//! Records in which nodes publish their mean counts for each other (Zarins & Weiland 2020, section
//! 3.2).

use super::memory::{Actor, in_transit};
use super::simulation::Simulation;
use crate::balance::{Mean, dplb};
use crate::base::id::NodeId;
use crate::base::time::Duration;
use crate::parts::{Graph, Part};

/// Period in which a node that does not balance itself publishes its mean count: as often as the
/// ranks of a real run look at each other.
const RECORD_PERIOD: Duration = Duration::from_millis(1);
/// Length in cells of a message with a node's record, which is a sum and a number.
const RECORD_CELLS: u64 = 2;

impl<T: Part, G: Graph<N>, const N: usize> Simulation<'_, '_, T, G, N> {
    /// Publishes a node's mean count for the others, where that is due: as often as the node
    /// balances itself (section 3.2: every node publishes a small structure that the others get).
    ///
    /// The others see the record when it has gone over the network, and until the next one has. So
    /// a node's knowledge of the others is never quite new, and each of several equally slow nodes
    /// may find another one behind itself and send nothing.
    #[inline]
    pub(super) fn publish_record(&mut self, node: NodeId) {
        if !self.config.nodes.balance.moves_subdomains() {
            return;
        }
        let due = self.nodes[node].tells_at;
        let is_under_way = self.nodes[node].told.is_some();
        if self.state.now < due || is_under_way {
            return;
        }
        let mean = self.mean_with_arrivals(node);
        let period = self.config.balance.period().unwrap_or(RECORD_PERIOD);
        let state = &mut self.nodes[node];
        state.tells_at = self.state.now.after(period);
        state.told = Some(mean);
        let arrival = self.state.now.after(self.hardware.costs.halo.network.time(RECORD_CELLS));
        self.workers.queue.push(arrival, self.actors.number(Actor::Record(node.0)));
    }

    /// Makes the record that a node has published visible to the others: it has arrived.
    pub(super) fn receive_record(&mut self, node: NodeId) {
        if let Some(told) = self.nodes[node].told.take() {
            self.means[node] = told;
        }
    }

    /// Returns a node's own mean, with the subdomains in flight to it where these count as arrived.
    pub(super) fn mean_with_arrivals(&mut self, node: NodeId) -> Mean {
        let mut mean = [self.snapshot(node)];
        let sent = self.ownership.of(in_transit(self.config, node));
        let in_flight = sent.map(|id| (NodeId(0), self.subdomains[id].version));
        dplb::count_as_arrived(self.config.nodes.rule, &mut mean, in_flight);
        let [mean] = mean;
        mean
    }
}
