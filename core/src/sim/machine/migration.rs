//! Subdomains on their way between nodes (Zarins & Weiland 2020, section 3): core's own sender and
//! receiver ([`crate::ranks::migration`]), whose words and cells take their time over the network.
//!
//! An offer and an answer are one word each; the head of a packet and then the cells are fetched.
//! Nobody searches here: where each subdomain lies is known to the machine, so that halos are read
//! there.

use super::event::{Event, Watch};
use super::memory::{Actor, NodeState};
use super::numbers::{FROZEN, NONE};
use super::simulation::Simulation;
use super::transfers::{Directories, Leg, Migration, slots_of};
use crate::balance::dplb::{self, Transfer};
use crate::base::bug::OrBug;
use crate::base::id::{NodeId, SubdomainId, WorkerId};
use crate::base::table::{At, PerNode};
use crate::base::time::Duration;
use crate::parts::halo::{DirectoryEntry, Location};
use crate::parts::{Graph, Part};
use crate::ranks::migration::{Departure, Look, Offer, Packet, SendOutcome, Write};
use crate::sim::hardware::Path;

impl<T: Part, G: Graph<N>, const N: usize> Simulation<'_, '_, T, G, N> {
    /// Lets a node compare its mean count with those that the others have published, and perhaps
    /// send a subdomain.
    pub(super) fn poll_node_balancer(&mut self, node: NodeId, watch: &mut impl Watch) {
        if self.is_halted() {
            // Nothing leaves while everything is to arrive.
            let Some(period) = self.config.nodes.balance.period() else { return };
            let next = self.state.now.after(period);
            self.workers.queue.push(next, self.actors.number(Actor::Look(node.0)));
            return;
        }
        // Its own mean is as it is.
        let own = self.mean_with_arrivals(node);
        let told = core::mem::replace(&mut self.means[node], own);
        let workers = self.workers_of(node).workers();
        let Self { nodes, counts, ownership, graph, means, .. } = self;
        let state = &mut nodes[node];
        let Some(balancer) = &mut state.node_balancer else { return };
        let boundary = dplb::boundary_counts(*graph, ownership, workers, counts.as_slice());
        let transfer =
            balancer.poll(self.state.now, means.as_slice(), ownership, workers, boundary);
        let next = balancer.poll_at();
        self.means[node] = told;
        if let Some(transfer) = transfer {
            self.send(transfer, watch);
        }
        self.workers.queue.push(next, self.actors.number(Actor::Look(node.0)));
    }

    /// Begins to send a subdomain, unless another one is on its way: from now on the subdomain
    /// belongs to the other node, but the worker that holds it sweeps it until its iteration ends.
    fn send(&mut self, transfer: Transfer, watch: &mut impl Watch) {
        let Transfer { subdomain, from, to } = transfer;
        let entry = self.entry(from, subdomain);
        if !self.migration(from).sender.send(transfer, entry) {
            self.end_flight(from);
            return;
        }
        let made = self.ownership.give(subdomain, self.in_transit(to));
        watch.see(self.state.now, Event::Sent(transfer));
        if let Some(made) = made {
            self.workers.mark(made.from, self.state.now);
        }
        match self.subdomains[subdomain].holder {
            NONE => self.depart(from, subdomain),
            holder => self.workers.mark(WorkerId(holder), self.state.now),
        }
    }

    /// Offers a subdomain to its new node, if it is the one that is to leave; nobody holds it any
    /// more.
    pub(super) fn depart(&mut self, from: NodeId, subdomain: SubdomainId) {
        let Some(migration) = &mut self.nodes[from].migration else { return };
        let departs = |departure: Departure| departure.transfer.subdomain == subdomain;
        if migration.sender.departure().is_some_and(departs)
            && let Some(offer) = migration.sender.let_go()
        {
            self.write(from, offer);
        }
    }

    /// Takes the next step of a migration from this node: the word, head or cells on their way have
    /// arrived.
    pub(super) fn migrate(&mut self, from: NodeId, watch: &mut impl Watch) {
        let migration = self.migration(from);
        let Some(departure) = migration.sender.departure() else { return };
        let to = departure.transfer.to;
        match core::mem::replace(&mut migration.leg, Leg::Rest) {
            Leg::Offer(offer) => {
                migration.leg = Leg::Mail(offer);
                self.read_mail(to);
            }
            Leg::Head => self.check_packet(departure),
            Leg::Cells => self.install(departure, watch),
            Leg::Answer(answer) => self.end(from, to, answer, watch),
            Leg::Rest | Leg::Mail(_) => debug_assert!(false, "nothing is on its way"),
        }
    }

    /// Lets a node judge all offers in its mail, until it fetches a packet.
    fn read_mail(&mut self, to: NodeId) {
        for from in (0..self.config.nodes.number).map(NodeId) {
            let goes = |departure: Departure| departure.transfer.to == to;
            let sent = self.migration(from);
            let look = match sent.leg {
                Leg::Mail(offer) if sent.sender.departure().is_some_and(goes) => {
                    self.read_offer(to, from, offer)
                }
                _ => Look::Nothing,
            };
            match look {
                Look::Nothing => {}
                Look::Refuse(answer) => self.write(to, answer),
                Look::Fetch(_) => {
                    let time = self.network().time(Packet::<N>::WORDS as u64);
                    self.set_off(from, Leg::Head, time);
                    return;
                }
            }
        }
    }

    /// Lets the receiver on node `to` judge the offer `word` of node `from`: it ignores, refuses or
    /// fetches.
    fn read_offer(&mut self, to: NodeId, from: NodeId, word: u64) -> Look {
        let offered = Offer::decode(word, self.directories.bounds).map(|offer| offer.subdomain);
        let entry = offered.map_or(DirectoryEntry::Unknown, |id| self.entry(to, id));
        let place = to.index() * self.nodes.len() + from.index();
        let Self { nodes, directories: Directories { handled, slots, bounds, .. }, .. } = self;
        let mut slots = slots_of(slots, *bounds, to);
        let handled = handled.at_mut(place);
        migration_of(nodes, to).receiver.look(from, word, handled, |_| entry, &mut slots)
    }

    /// Judges the head of a packet that was fetched. Fetches the cells if it is the one that was
    /// offered, and refuses it otherwise.
    fn check_packet(&mut self, Departure { transfer, epoch, .. }: Departure) {
        let Transfer { subdomain, from, to } = transfer;
        let state = &self.subdomains[subdomain];
        let cells = self.graph.cells(state.size);
        let locations = &self.directories.locations;
        let of = |id| self.graph.neighbours(id).map(|neighbour| Some(locations[neighbour?]));
        let packet = Packet {
            subdomain,
            epoch: epoch.saturating_sub(1),
            version: state.version,
            residual: self.residuals[subdomain].to_bits(),
            sweep_time: Duration::ZERO,
            units: cells,
            neighbours: of(subdomain),
        };
        let entry = self.entry(to, subdomain);
        if self.migration(to).receiver.fetched(&packet, entry) {
            let time = self.hardware.costs.hand_over.network.time(cells);
            self.set_off(from, Leg::Cells, time);
            return;
        }
        let Self { nodes, directories: Directories { slots, bounds, .. }, .. } = self;
        let mut slots = slots_of(slots, *bounds, to);
        if let Some(answer) = migration_of(nodes, to).receiver.refuse(&mut slots) {
            self.write(to, answer);
        }
    }

    /// Hands a subdomain whose cells have arrived to a worker of its new node.
    fn install(&mut self, departure: Departure, watch: &mut impl Watch) {
        let Departure { transfer, .. } = departure;
        for write in self.migration(transfer.to).receiver.installed().into_iter().flatten() {
            self.write(transfer.to, write);
        }
        let Some(worker) = self.place(transfer.subdomain, transfer.to) else { return };
        self.state.transfers += 1;
        watch.see(self.state.now, Event::Arrived { transfer, worker });
        self.read_mail(transfer.to);
    }

    /// Hands the sender the answer to its offer, which ends the flight of the subdomain.
    fn end(&mut self, from: NodeId, to: NodeId, answer: u64, watch: &mut impl Watch) {
        let outcome = self.migration(from).sender.answered(to, answer);
        match outcome.or_bug("an answer to no offer") {
            SendOutcome::Accepted(departure) => {
                let Directories { slots, bounds, .. } = &mut self.directories;
                slots_of(slots, *bounds, from).give_back(departure.slot);
            }
            SendOutcome::Refused(transfer) => {
                if let Some(worker) = self.place(transfer.subdomain, from) {
                    watch.see(self.state.now, Event::Refused { transfer, worker });
                }
            }
        }
        self.end_flight(from);
        // Another node may meanwhile have offered the subdomain that this one has just given away.
        self.read_mail(from);
        self.wake_settled();
    }

    /// Gives a subdomain in transit to a worker of a node, and returns the worker; none where the
    /// node has no workers.
    fn place(&mut self, subdomain: SubdomainId, node: NodeId) -> Option<WorkerId> {
        let worker = dplb::place(&self.ownership, self.workers_of(node).workers())?;
        self.ownership.give(subdomain, worker);
        let is_frozen = self.is_halted();
        let state = &mut self.subdomains[subdomain];
        if is_frozen {
            state.holder = FROZEN;
        }
        // The subdomain arrives in this worker's memory, which its way has been charged for.
        state.last = worker.0;

        self.workers.mark(worker, self.state.now);
        Some(worker)
    }

    /// Records with a node's balancer that the subdomain that it sent is not in flight any more.
    fn end_flight(&mut self, node: NodeId) {
        if let Some(balancer) = &mut self.nodes[node].node_balancer {
            balancer.arrived();
        }
    }

    /// Sends a word that node `own` writes for others.
    fn write(&mut self, own: NodeId, write: Write) {
        let time = self.network().time(1);
        match write {
            Write::Offer(_, offer) => self.set_off(own, Leg::Offer(offer.encode()), time),
            Write::Answer(to, answer) => self.set_off(to, Leg::Answer(answer.encode()), time),
            Write::Entry(id, DirectoryEntry::Here { slot, epoch }) => {
                self.directories.locations[id] = Location { rank: own, slot, epoch };
            }
            // Forwards and tags are not simulated: every node knows where a subdomain is.
            Write::Entry(..) | Write::HaloTag(..) => {}
        }
    }

    /// Returns the entry of a node's directory about a subdomain. A forward leads to the node where
    /// the subdomain is now.
    fn entry(&self, node: NodeId, id: SubdomainId) -> DirectoryEntry {
        let migration = self.nodes[node].migration.as_ref();
        let departure = migration.and_then(|migration| migration.sender.departure());
        // The subdomain counts as still there until its sender knows of the answer.
        if let Some(Departure { slot, epoch, .. }) =
            departure.filter(|departure| departure.transfer.subdomain == id)
        {
            return DirectoryEntry::Here { slot, epoch: epoch.saturating_sub(1) };
        }
        match self.directories.locations[id] {
            Location { rank: to, slot, epoch } if to == node => {
                DirectoryEntry::Here { slot, epoch }
            }
            Location { rank: to, epoch, .. } if epoch > 0 => DirectoryEntry::Left { to, epoch },
            _ => DirectoryEntry::Unknown,
        }
    }

    fn migration(&mut self, node: NodeId) -> &mut Migration {
        migration_of(&mut self.nodes, node)
    }

    /// Returns the cost of words between nodes.
    const fn network(&self) -> Path {
        self.hardware.costs.halo.network
    }

    /// Sends the next word, head or cells of the subdomain that a node sends, which take `time` to
    /// arrive.
    fn set_off(&mut self, from: NodeId, leg: Leg, time: Duration) {
        self.migration(from).leg = leg;
        self.workers
            .queue
            .push(self.state.now.after(time), self.actors.number(Actor::Migration(from.0)));
    }
}

/// Returns a node's sender and receiver of subdomains, where nodes balance.
fn migration_of<'n>(nodes: &'n mut PerNode<&mut [NodeState]>, node: NodeId) -> &'n mut Migration {
    nodes[node].migration.as_mut().or_bug("nodes that do not balance send a subdomain")
}
