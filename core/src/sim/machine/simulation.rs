//! The machine's state, and its loop: one event after the other.

use core::cell::Cell;

use super::error::SimulationError;
use super::event::Watch;
use super::intervened::Intervened;
use super::memory::{
    Actor, Actors, NodeState, SimulationMemory, SimulationNeeds, SubdomainState, VisitsMemory,
    in_transit,
};
use super::prefetch::Prefetch;
use super::setup::{check, check_memory, fill_subdomains, fill_workers};
use super::suspended::{State, Suspended};
use super::transfers::{Directories, Migration};
use super::workers::Workers;
use crate::balance::dplb::NodeBalancer;
use crate::balance::measured::Measured;
use crate::balance::{Balancer, Mean};
use crate::base::id::{NodeId, SubdomainId, WorkerId};
use crate::base::table::{PerNode, PerPart, PerWorker};
use crate::base::time::Instant;
use crate::base::topology::Topology;
use crate::field::grid::Decomposition;
use crate::node::worker::{Shares, Turn};
use crate::parts::halo::Bounds;
use crate::parts::ownership::Ownership;
use crate::parts::{self, Graph, Part, SharedUnit};
use crate::run::schedule::Leveling;
use crate::run::{End, RunConfig};
use crate::sim::hardware::{Hardware, WorkerPlaces};
use crate::sim::queue::{LentQueue, Queue};
use crate::sim::speed::{CoreTrace, Slowdown};

/// A run in virtual time, of parts of any kind.
#[derive(Debug)]
pub struct Simulation<'a, 'm, T: Part, G = Decomposition, const N: usize = 4> {
    pub(super) config: &'a RunConfig,
    pub(super) hardware: &'a Hardware,
    pub(super) graph: &'a G,
    /// Distance between the numbers of the first part and of its farthest neighbour.
    pub(super) stride: u32,
    pub(super) places: WorkerPlaces,
    pub(super) actors: Actors,
    pub(super) state: State,
    pub(super) parts: PerPart<&'a mut [T]>,
    /// Memory for an edge on its way from part to part.
    pub(super) through: &'a [SharedUnit<T>],
    pub(super) workers: Workers<'a>,
    pub(super) subdomains: PerPart<&'a mut [SubdomainState]>,
    pub(super) nodes: PerNode<&'a mut [NodeState]>,
    pub(super) slowdowns: &'a mut [Slowdown<'m>],
    /// Effects of interventions on each worker's core; empty where nobody intervenes.
    pub(super) intervened: &'a mut [Intervened],
    pub(super) ownership: Ownership<'a>,
    pub(super) topology: Topology<'a>,
    pub(super) directories: Directories<'a>,
    /// Mean count of each node, as the others see it.
    pub(super) means: PerNode<&'a mut [Mean]>,
    pub(super) counts: PerPart<&'a mut [u64]>,
    /// Sums of squares, as last published.
    pub(super) residuals: PerPart<&'a mut [f64]>,
    pub(super) worker_updates: PerWorker<&'a mut [u64]>,
    pub(super) levelings: PerWorker<&'a mut [Leveling]>,
    pub(super) balancer_state: &'a mut [u64],
    pub(super) balancer_scratch: &'a mut [u64],
    pub(super) measured: Option<Measured<'a>>,
    pub(super) visits: Option<VisitsMemory<'a>>,
    /// Shares of the subdomains in the residuals of versions.
    pub(super) shares: PerPart<&'a mut [Shares<Cell<u64>>]>,
}

/// The parts of a run, lent to the machine.
#[derive(Debug)]
pub struct LentParts<'a, T: Part, G> {
    /// The graph of the parts.
    pub graph: &'a G,
    /// The parts, in the order of their numbers.
    pub parts: &'a mut [T],
    /// Memory for the longest edge of the graph, where [`Part::copy`] takes edges through memory.
    pub through: &'a [SharedUnit<T>],
}

impl<'a, T: Part, G> LentParts<'a, T, G> {
    /// Returns parts that copy edges from each other at once.
    pub const fn new(graph: &'a G, parts: &'a mut [T]) -> Self {
        Self { graph, parts, through: &[] }
    }
}

/// Memory that the queue is to read ahead, of the fields that it does not borrow.
macro_rules! prefetch {
    ($machine:expr) => {
        Prefetch {
            workers: $machine.workers.states.as_slice(),
            worker_updates: $machine.worker_updates.as_slice(),
            subdomains: $machine.subdomains.as_slice(),
            residuals: $machine.residuals.as_slice(),
            visits: $machine.visits.as_ref().filter(|_| $machine.state.control.visits()),
            stride: $machine.stride,
        }
    };
}

impl<'a, 'm, T: Part, G: Graph<N>, const N: usize> Simulation<'a, 'm, T, G, N> {
    /// Returns the run of `config` on `hardware` at time zero; the parts are those of the graph, as
    /// the run begins with them, in the order of their numbers.
    pub fn new(
        config: &'a RunConfig,
        hardware: &'a Hardware,
        traces: &[CoreTrace<'m>],
        lent: LentParts<'a, T, G>,
        mut memory: SimulationMemory<'a, 'm>,
    ) -> Result<Self, SimulationError> {
        check(config, hardware, traces)?;
        let graph = lent.graph;
        parts::check(graph, lent.parts.len(), config)?;
        let places = WorkerPlaces::of(config, hardware);
        let actors = Actors::of(config);
        let needs = SimulationNeeds::of(config, hardware, traces);
        let needs = if memory.intervened.is_empty() { needs } else { needs.with_interventions() };
        check_memory(&memory, &needs)?;
        let mean = fill_subdomains(config, graph, memory.subdomains, memory.owners);
        for (worker, (socket, place)) in
            (0..).map(WorkerId).zip(memory.sockets.iter_mut().zip(&mut *memory.by_socket))
        {
            *socket = places.socket(worker);
            *place = worker;
        }
        Ownership::new(memory.owners, memory.links, memory.holdings)?;
        fill_workers(config, hardware, traces, memory.workers, memory.slowdowns)?;
        memory.intervened.fill(Intervened::FREE);
        let bounds = Bounds::of(config);
        let SimulationMemory { locations, handled, slots, .. } = &mut memory;
        let locations = PerPart::of(&mut **locations);
        Directories { locations, handled, slots, bounds }.fill(config, graph);
        let balances = config.nodes.balance.moves_subdomains();
        for (node, state) in (0..).map(NodeId).zip(memory.nodes.iter_mut()) {
            *state = NodeState {
                balancer: Some(Balancer::new(config, u64::from(node.0), Instant::ZERO)),
                node_balancer: Some(NodeBalancer::new(node, config, Instant::ZERO)),
                migration: balances.then(|| Migration::new(node, bounds)),
                turn: Turn::new(places.node_workers),
                ..NodeState::default()
            };
        }
        memory.worker_updates.fill(0);
        memory.waiting.fill(0);
        memory.levelings.fill(Leveling::ALL);
        memory.balancer_state.fill(0);
        memory.counts.fill(0);
        memory.means.fill(Mean::default());
        memory.measured.iter_mut().for_each(Measured::clear);
        memory.shares.fill_with(Shares::none);
        memory.visits.iter_mut().for_each(|visits| visits.fill(config, graph));
        let sweep = hardware.costs.sweep(mean);
        let (all, workers) = (actors.all() as usize, memory.workers.len());
        let queue = LentQueue::new(memory.pending, all, workers, sweep).state();
        let state = State::at_start(config, graph.diameter(), needs);
        let suspended = Suspended { queue, state };
        let mut machine = Self::resume(config, hardware, lent, memory, suspended)?;
        machine.start();
        Ok(machine)
    }

    /// Lets the next event happen. False once the run has ended.
    #[inline]
    pub fn step(&mut self, watch: &mut impl Watch) -> bool {
        if self.state.end.is_some() {
            return false;
        }
        let prefetch = prefetch!(self);
        match self.workers.queue.pop(|events| prefetch.read(events)) {
            Some((at, actor)) if at < Instant::NEVER => {
                self.state.now = at;
                match self.actors.actor(actor) {
                    Actor::Worker(worker) => self.act(worker, watch),
                    Actor::Barrier => self.release(watch),
                    Actor::Look(node) => self.poll_node_balancer(NodeId(node), watch),
                    Actor::Record(node) => self.receive_record(NodeId(node)),
                    Actor::Round(node) => self.take_waiting_turn(NodeId(node), watch),
                    Actor::Migration(node) => self.migrate(NodeId(node), watch),
                    Actor::Command => self.halt_called(),
                    Actor::Patrol => self.patrol(),
                }
            }
            _ => self.state.end = Some(End::Stalled),
        }
        self.state.end.is_none()
    }

    /// Returns the time of the next event; none where there is no event.
    pub(super) fn next_at(&mut self) -> Option<Instant> {
        let prefetch = prefetch!(self);
        self.workers.queue.first(|events| prefetch.read(events))
    }

    /// Asks the run to end; the first node's worker that has the turn lets all halt after its
    /// iteration.
    pub fn interrupt(&mut self) {
        self.state.interrupted = true;
        self.nodes[NodeId(0)].turn.hurry();
        self.time_turn(NodeId(0));
    }

    /// Gives back the lent memory; [`Simulation::resume`] goes on as if nothing had happened.
    pub fn suspend(self) -> Suspended {
        Suspended { queue: self.workers.queue.state(), state: self.state }
    }

    /// Goes on with a run. A host does so for every frame, so of the parts only their number is
    /// checked again, and of the workers that they are in the order of their sockets.
    /// Configuration, hardware and graph are those that it began with; parts and memory are as it
    /// left them, or copies of these.
    pub fn resume(
        config: &'a RunConfig,
        hardware: &'a Hardware,
        lent: LentParts<'a, T, G>,
        memory: SimulationMemory<'a, 'm>,
        suspended: Suspended,
    ) -> Result<Self, SimulationError> {
        let LentParts { graph, parts, through } = lent;
        parts::check_number(graph, parts.len(), config)?;
        check_memory(&memory, &suspended.state.needs)?;
        let actors = Actors::of(config);
        let SimulationMemory { owners, links, holdings, sockets, by_socket, .. } = memory;
        let SimulationMemory { locations, handled, slots, .. } = memory;
        let (all, workers) = (actors.all() as usize, memory.workers.len());
        let queue = Queue::resume(memory.pending, all, workers, suspended.queue);
        Ok(Self {
            config,
            hardware,
            graph,
            stride: stride(graph),
            places: WorkerPlaces::of(config, hardware),
            actors,
            state: suspended.state,
            parts: PerPart::of(parts),
            through,
            workers: Workers::resume(memory.workers, queue, memory.waiting),
            subdomains: PerPart::of(memory.subdomains),
            nodes: PerNode::of(memory.nodes),
            slowdowns: memory.slowdowns,
            intervened: memory.intervened,
            ownership: Ownership::resume(owners, links, holdings),
            topology: Topology::new(sockets, by_socket)?,
            directories: Directories {
                locations: PerPart::of(locations),
                handled,
                slots,
                bounds: Bounds::of(config),
            },
            means: PerNode::of(memory.means),
            counts: PerPart::of(memory.counts),
            residuals: PerPart::of(memory.residuals),
            worker_updates: PerWorker::of(memory.worker_updates),
            levelings: PerWorker::of(memory.levelings),
            balancer_state: memory.balancer_state,
            balancer_scratch: memory.balancer_scratch,
            measured: memory.measured,
            visits: memory.visits,
            shares: PerPart::of(memory.shares),
        })
    }

    /// Returns the workers of a node.
    pub(super) fn workers_of(&self, node: NodeId) -> Topology<'a> {
        let number = self.places.node_workers as usize;
        self.topology.within(node.index() * number, number)
    }

    /// Returns the owner of the subdomains in transit to a node.
    pub(super) const fn in_transit(&self, node: NodeId) -> WorkerId {
        in_transit(self.config, node)
    }
}

/// Returns the distance between the numbers of the first part and of its farthest neighbour.
fn stride<G: Graph<N>, const N: usize>(graph: &G) -> u32 {
    let neighbours = graph.neighbours(SubdomainId(0)).into_iter().flatten();
    neighbours.map(|id| id.0).max().unwrap_or(0)
}
