//! Subdomains on their way between nodes (Zarins & Weiland 2020, section 3).

use super::event::{Event, Watch};
use super::fields::Fields;
use super::memory::{Actor, NONE};
use super::simulation::{Machine, dock};
use crate::balance::dplb::{self, Transfer};
use crate::id::{NodeId, SubdomainId, WorkerId};

impl<P: Fields> Machine<'_, '_, P> {
    /// Brings what every node has published up to date, once for all that look at this moment.
    ///
    /// Averages are kept as the updates are made, and are read where they are (section 3.2): those
    /// of one moment can be compared, while from averages of different ages each of several equally
    /// slow nodes would find another one behind itself, and none would send.
    fn publish_all(&mut self) {
        if self.published == Some(self.now) {
            return;
        }
        self.published = Some(self.now);
        let number = self.config.nodes.number;
        let nodes = || (0..number).map(NodeId);
        for node in nodes() {
            let mean = self.snapshot(node);
            if let Some(place) = self.means.get_mut(node.index()) {
                *place = mean;
            }
        }
        let Self { config, ownership, subdomains, means, .. } = self;
        let count = |id: SubdomainId| subdomains.get(id.index()).map(|state| state.version);
        let in_flight = nodes().flat_map(|node| {
            let sent = ownership.of(dock(config, node));
            sent.filter_map(count).map(move |count| (node, count))
        });
        dplb::count_as_arrived(config.nodes.rule, means, in_flight);
    }

    /// A node looks at what the others have published, and perhaps sends a subdomain.
    pub(super) fn look(&mut self, node: NodeId, watch: &mut impl Watch) {
        self.publish_all();
        let workers = self.team(node).workers();
        let Some(state) = self.nodes.get_mut(node.index()) else { return };
        let Some(sender) = &mut state.sender else { return };
        let transfer = sender.poll(self.now, self.means, &self.ownership, workers);
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
        match self.subdomains.get(subdomain.index()).map(|state| state.holder) {
            Some(NONE) | None => self.depart(from, subdomain),
            Some(holder) => self.crew.mark(WorkerId(holder), self.now),
        }
    }

    /// A subdomain that nobody holds any more leaves its node.
    pub(super) fn depart(&mut self, from: NodeId, subdomain: SubdomainId) {
        let Some(node) = self.nodes.get(from.index()) else { return };
        let is_it =
            |flight: &Option<Transfer>| flight.is_some_and(|flight| flight.subdomain == subdomain);
        let flights = (0..).zip(&node.flights);
        let Some((place, _)) = flights.into_iter().find(|(_, flight)| is_it(flight)) else {
            return;
        };
        let Some(state) = self.subdomains.get(subdomain.index()) else { return };
        let cells = u64::from(state.rows) * u64::from(state.columns);
        let arrival = self.now.after(self.hardware.costs.hand_over.network.time(cells));
        self.crew.queue.push(arrival, self.actors.number(Actor::Flight(from.0, place)));
    }

    /// A subdomain arrives, and goes to one of the node's workers.
    pub(super) fn land(&mut self, from: NodeId, place: u32, watch: &mut impl Watch) {
        let Some(node) = self.nodes.get_mut(from.index()) else { return };
        let Some(transfer) = node.flights.get_mut(place as usize).and_then(Option::take) else {
            return;
        };
        if let Some(sender) = &mut node.sender {
            sender.arrived();
        }
        let workers = self.team(transfer.to).workers();
        let Some(worker) = dplb::place(&self.ownership, workers) else { return };
        self.ownership.give(transfer.subdomain, worker);
        if let Some(state) = self.subdomains.get_mut(transfer.subdomain.index()) {
            // It arrives in this worker's memory, and has paid for that.
            state.last = worker.0;
        }
        self.transfers += 1;
        self.crew.mark(worker, self.now);
        watch.see(self.now, Event::Arrived { transfer, worker });
    }
}
