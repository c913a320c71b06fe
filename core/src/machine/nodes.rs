//! Subdomains on their way between nodes (Zarins & Weiland 2020, section 3).

use super::event::{Event, Watch};
use super::fields::Fields;
use super::memory::{Actor, NO_NODE, NO_SUBDOMAIN, NONE};
use super::simulation::{Machine, dock};
use crate::balance::Mean;
use crate::balance::dplb::{self, Transfer};
use crate::bug::OrBug;
use crate::id::{NodeId, SubdomainId, WorkerId};
use crate::run::NodeBalance;
use crate::time::{Duration, Instant};

/// How often a node that does not balance itself tells the others how far it is: as often as the
/// ranks of a real run look at each other.
const TELLS_EACH: Duration = Duration::from_millis(1);
/// What a node tells, a sum and a number, has the length of so many cells.
const RECORD_CELLS: u64 = 2;

impl<P: Fields> Machine<'_, '_, P> {
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
        self.crew.queue.push(arrival, self.actors.number(Actor::Record(node.0)));
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
    fn mean_with_arrivals(&mut self, node: NodeId) -> Mean {
        let mut mean = [self.snapshot(node)];
        let sent = self.ownership.of(dock(self.config, node));
        let counts = sent.filter_map(|id| self.subdomains.get(id.index()).or_bug(NO_SUBDOMAIN));
        let in_flight = counts.map(|state| (NodeId(0), state.version));
        dplb::count_as_arrived(self.config.nodes.rule, &mut mean, in_flight);
        let [mean] = mean;
        mean
    }

    /// A node looks at what it has heard of the others, and perhaps sends a subdomain.
    pub(super) fn look(&mut self, node: NodeId, watch: &mut impl Watch) {
        // Its own mean is as it is.
        let own = self.mean_with_arrivals(node);
        let told = self
            .means
            .get_mut(node.index())
            .or_bug(NO_NODE)
            .map(|place| core::mem::replace(place, own));
        let workers = self.team(node).workers();
        let Some(state) = self.nodes.get_mut(node.index()).or_bug(NO_NODE) else { return };
        let Some(sender) = &mut state.sender else { return };
        let transfer = sender.poll(self.now, self.means, &self.ownership, workers);
        if let Some((place, told)) = self.means.get_mut(node.index()).or_bug(NO_NODE).zip(told) {
            *place = told;
        }
        let next = sender.poll_at();
        match (transfer, state.flights.iter_mut().find(|flight| flight.is_none())) {
            (Some(transfer), Some(place)) => {
                *place = Some(transfer);
                self.send(transfer, watch);
            }
            // Sent nothing: everything that may be in flight is.
            (Some(_), None) => sender.arrived(),
            (None, _) => {}
        }
        self.crew.queue.push(next, self.actors.number(Actor::Look(node.0)));
    }

    /// From now on the subdomain belongs to the other node, but the worker that holds it sweeps it
    /// until its iteration ends.
    fn send(&mut self, transfer: Transfer, watch: &mut impl Watch) {
        let Transfer { subdomain, from, to } = transfer;
        let made = self.ownership.give(subdomain, self.dock(to));
        watch.see(self.now, Event::Sent(transfer));
        if let Some(made) = made {
            self.crew.mark(made.from, self.now);
        }
        match self.subdomains.get(subdomain.index()).or_bug(NO_SUBDOMAIN).map(|state| state.holder)
        {
            Some(NONE) | None => self.depart(from, subdomain),
            Some(holder) => self.crew.mark(WorkerId(holder), self.now),
        }
    }

    /// A subdomain that nobody holds any more leaves its node.
    pub(super) fn depart(&mut self, from: NodeId, subdomain: SubdomainId) {
        let Some(node) = self.nodes.get(from.index()).or_bug(NO_NODE) else { return };
        let is_it =
            |flight: &Option<Transfer>| flight.is_some_and(|flight| flight.subdomain == subdomain);
        let flights = (0..).zip(&node.flights);
        let Some((place, _)) = flights.into_iter().find(|(_, flight)| is_it(flight)) else {
            return;
        };
        let Some(state) = self.subdomains.get(subdomain.index()).or_bug(NO_SUBDOMAIN) else {
            return;
        };
        let cells = u64::from(state.rows) * u64::from(state.columns);
        let arrival = self.now.after(self.hardware.costs.hand_over.network.time(cells));
        self.crew.queue.push(arrival, self.actors.number(Actor::Flight(from.0, place)));
    }

    /// A subdomain arrives, and goes to one of the node's workers.
    pub(super) fn land(&mut self, from: NodeId, place: u32, watch: &mut impl Watch) {
        let Some(node) = self.nodes.get_mut(from.index()).or_bug(NO_NODE) else { return };
        let Some(transfer) = node.flights.get_mut(place as usize).and_then(Option::take) else {
            return;
        };
        if let Some(sender) = &mut node.sender {
            sender.arrived();
        }
        let workers = self.team(transfer.to).workers();
        let Some(worker) = dplb::place(&self.ownership, workers) else { return };
        self.ownership.give(transfer.subdomain, worker);
        if let Some(state) =
            self.subdomains.get_mut(transfer.subdomain.index()).or_bug(NO_SUBDOMAIN)
        {
            // It arrives in this worker's memory, and has paid for that.
            state.last = worker.0;
        }
        self.transfers += 1;
        self.crew.mark(worker, self.now);
        watch.see(self.now, Event::Arrived { transfer, worker });
    }
}
