//! State of each subdomain, worker and node in the machine; the memory is lent by the host.

use core::cell::Cell;

use super::cores::CoreNoise;
use super::intervened::Intervened;
use super::numbers::{CLOSED, NONE};
use super::transfers::Migration;
use crate::balance::dplb::NodeBalancer;
use crate::balance::measured::{self, Measured};
use crate::balance::{Balancer, Mean};
use crate::base::id::{NodeId, SocketId, SubdomainId, WorkerId};
use crate::base::time::Instant;
use crate::node::worker::{Pass, Shares, Turn, Worker};
use crate::node::{Homes, Keeper, Visitor};
use crate::parts::Graph;
use crate::parts::halo::{Bounds, Location};
use crate::parts::ownership::{Holding, Link, Owner};
use crate::run::noise::{Noise, NoisePlace};
use crate::run::schedule::Leveling;
use crate::run::{Mode, RunConfig};
use crate::sim::hardware::{Hardware, WorkerPlaces};
use crate::sim::queue::{self, Pending};
use crate::sim::speed::{CoreTrace, Slowdown};
use crate::sim::tournament::Tournament;

/// One subdomain, besides its owner and its cells.
#[derive(Clone, Copy, Debug)]
// Aligned so that no element lies across two cache lines.
#[repr(align(32))]
pub struct SubdomainState {
    pub(super) version: u64,
    /// The worker that may sweep it, which follows its owner; or what was done with it in a halt.
    pub(super) holder: u32,
    /// The next one in its holder's working set.
    pub(super) next: u32,
    /// The worker that swept it last, in whose cache it is.
    pub(super) last: u32,
    /// The worker that helps with its sweep, or whether one may.
    pub(super) helper: u32,
    /// Size that its graph gives it.
    pub(super) size: [u32; 2],
}

impl SubdomainState {
    /// An unused entry of memory to be lent; [`super::Simulation::new`] fills it.
    pub const EMPTY: Self =
        Self { version: 0, holder: NONE, next: NONE, last: NONE, helper: CLOSED, size: [0; 2] };
}

/// Next action of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// The worker goes on at its next event.
    Ready,
    /// The worker ends a sweep at its next event.
    Sweeping,
    /// The worker does nothing until it is woken.
    Blocked,
    /// The worker does nothing until all are at the barrier.
    Barrier,
    /// The worker does nothing until the next pass of a halt begins.
    Halted,
    /// The worker does nothing until no subdomain is on its way between nodes.
    Settling,
}

/// One worker.
#[derive(Clone, Copy, Debug)]
// Aligned so that no element lies across two cache lines.
#[repr(align(64))]
pub struct WorkerState {
    pub(super) life: Worker,
    pub(super) phase: Phase,
    /// Whether its owner's list has changed.
    pub(super) dirty: bool,
    /// Whether another worker has made its sweep meanwhile.
    pub(super) lost: bool,
    /// Whether it was woken to look for something to sweep, and has found nothing yet.
    pub(super) looks: bool,
    /// First subdomain of its working set, which is in ascending order.
    pub(super) first: u32,
    /// Subdomain that it sweeps.
    pub(super) current: u32,
    /// The way through its working set, where it keeps that.
    pub(super) keeper: Keeper,
    /// Time at which its sweep began.
    pub(super) began: Instant,
    /// Its noise, as a part of the list of all.
    pub(super) slowdowns: (u32, u32),
    /// Pace, in 2^20th of the nominal time.
    pub(super) pace: u32,
}

impl WorkerState {
    /// An unused entry of memory to be lent; [`super::Simulation::new`] fills it.
    pub const EMPTY: Self = Self {
        life: Worker::new(WorkerId(0), Mode::Async, false),
        phase: Phase::Ready,
        dirty: false,
        lost: false,
        looks: false,
        first: NONE,
        current: NONE,
        keeper: Keeper::START,
        began: Instant::ZERO,
        slowdowns: (0, 0),
        pace: 0,
    };
}

/// One node; [`super::Simulation::new`] fills it.
#[derive(Clone, Debug, Default)]
pub struct NodeState {
    pub(super) balancer: Option<Balancer>,
    pub(super) node_balancer: Option<NodeBalancer>,
    /// Turn of the node's workers, which are counted from the node's first.
    pub(super) turn: Turn<Cell<u64>>,
    /// The last pass in which a worker has gone through all subdomains of the node.
    pub(super) gone_through: Option<Pass>,
    /// Whether somebody looks after the turn of a worker that waits.
    pub(super) turn_is_timed: bool,
    /// Time at which the node is to publish its mean count again.
    pub(super) tells_at: Instant,
    /// Mean count that the node has published, on its way to the others.
    pub(super) told: Option<Mean>,
    /// Migration of subdomains from and to the node; none where nodes do not balance.
    pub(super) migration: Option<Migration>,
}

/// All memory of a machine, in the lengths that [`SimulationNeeds`] tells.
#[derive(Debug)]
pub struct SimulationMemory<'a, 'm> {
    /// State of each subdomain.
    pub subdomains: &'a mut [SubdomainState],
    /// Owner of each subdomain.
    pub owners: &'a [Owner],
    /// Link of each subdomain in its owner's list.
    pub links: &'a mut [Link],
    /// Update count of each subdomain, as a balancing round sees it.
    pub counts: &'a mut [u64],
    /// Published sum of squares of each subdomain's residual.
    pub residuals: &'a mut [f64],
    /// State of each worker.
    pub workers: &'a mut [WorkerState],
    /// Sweeps that each worker has made since the start.
    pub worker_updates: &'a mut [u64],
    /// A bit for each worker that waits until it is woken ([`SimulationNeeds::waiting`]).
    pub waiting: &'a mut [u64],
    /// What each worker sweeps in its iteration.
    pub levelings: &'a mut [Leveling],
    /// State of the balancers for each worker from round to round.
    pub balancer_state: &'a mut [u64],
    /// Scratch for a number for each worker in a balancing round.
    pub balancer_scratch: &'a mut [u64],
    /// Socket of each worker.
    pub sockets: &'a mut [SocketId],
    /// All workers, in ascending order of (socket, worker).
    pub by_socket: &'a mut [WorkerId],
    /// [`SimulationNeeds::holdings`].
    pub holdings: &'a mut [Holding],
    /// State of each node.
    pub nodes: &'a mut [NodeState],
    /// Mean count of each node, as the others see it.
    pub means: &'a mut [Mean],
    /// [`SimulationNeeds::locations`].
    pub locations: &'a mut [Location],
    /// [`SimulationNeeds::handled`].
    pub handled: &'a mut [u32],
    /// [`SimulationNeeds::slots`].
    pub slots: &'a mut [bool],
    /// [`SimulationNeeds::pending`].
    pub pending: &'a mut [Pending],
    /// [`SimulationNeeds::slowdowns`].
    pub slowdowns: &'a mut [Slowdown<'m>],
    /// [`SimulationNeeds::intervened`].
    pub intervened: &'a mut [Intervened],
    /// [`SimulationNeeds::measured`].
    pub measured: Option<Measured<'a>>,
    /// [`SimulationNeeds::shares`].
    pub shares: &'a mut [Shares<Cell<u64>>],
    /// Memory of workers that claim subdomains for one sweep at a time; none where they keep them.
    pub visits: Option<VisitsMemory<'a>>,
}

/// Memory of workers that claim subdomains for one sweep at a time.
#[derive(Debug)]
pub struct VisitsMemory<'a> {
    /// A place for each subdomain.
    pub parts: &'a mut [SubdomainId],
    /// A place for each worker, and one more.
    pub starts: &'a mut [u32],
    /// What each worker chooses by.
    pub visitors: &'a mut [Visitor],
    /// Lowest version of the subdomains at home with each worker, as it was last published.
    pub least: &'a mut [u64],
    /// A place for each worker: who is furthest behind on its node.
    pub furthest: &'a mut [u32],
    /// Times that a subdomain was stuck in the hands of each worker.
    pub stuck: &'a mut [u64],
}

impl VisitsMemory<'_> {
    /// Whether each list is as long as so many subdomains and workers need.
    pub(super) const fn fits(&self, subdomains: usize, workers: usize) -> bool {
        self.parts.len() == subdomains
            && self.starts.len() == workers + 1
            && self.visitors.len() == workers
            && self.least.len() == workers
            && self.furthest.len() == workers
            && self.stuck.len() == workers
    }

    /// Puts every subdomain into the list of its home, and resets the visitors.
    pub(super) fn fill<G: Graph<N>, const N: usize>(&mut self, config: &RunConfig, graph: &G) {
        Homes::new(graph, |part| graph.first_owner(part, config), self.parts, self.starts);
        self.visitors.fill(Visitor::new(config));
        self.least.fill(0);
        self.stuck.fill(0);
        let node = config.workers_per_node().max(1) as usize;
        let nodes = self.least.chunks_mut(node).zip(self.furthest.chunks_mut(node));
        nodes.for_each(|(least, furthest)| Tournament::resume(least, furthest).begin());
    }
}

/// Lengths of the memory that a machine needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimulationNeeds {
    /// Subdomains.
    pub subdomains: usize,
    /// Workers.
    pub workers: usize,
    /// Nodes.
    pub nodes: usize,
    /// Workers, and one for each node where there are several: the owner of subdomains in flight to
    /// it.
    pub holdings: usize,
    /// Subdomains, where nodes send them to each other; otherwise 0.
    pub locations: usize,
    /// Pairs of nodes, where nodes send subdomains to each other; otherwise 0.
    pub handled: usize,
    /// Slots of all nodes, where nodes send subdomains to each other; otherwise 0.
    pub slots: usize,
    /// Words with a bit for each worker.
    pub waiting: usize,
    /// Actors, which have at most one event each, and a few places that are left empty.
    pub pending: usize,
    /// Sources of noise, counted for each core that they are on.
    pub slowdowns: usize,
    /// Workers, where somebody may intervene; otherwise 0.
    pub intervened: usize,
    /// Memory of a balancer that goes by measured sweeps; none without one.
    pub measured: Option<measured::MeasuredNeeds>,
    /// Subdomains, in the exact mode; otherwise 0.
    pub shares: usize,
    /// Whether workers claim subdomains for one sweep at a time.
    pub visits: bool,
}

impl SimulationNeeds {
    /// Returns the needs of a run on a machine; `traces` are the speeds of single cores over time.
    pub fn of(config: &RunConfig, hardware: &Hardware, traces: &[CoreTrace<'_>]) -> Self {
        let (workers, nodes) = (config.workers as usize, config.nodes.number as usize);
        let places = WorkerPlaces::of(config, hardware);
        let noise = CoreNoise::of(config, traces);
        let sources = |worker| noise.sources(WorkerId(worker), &places, hardware);
        let in_transit = if nodes > 1 { nodes } else { 0 };
        let subdomains = usize::try_from(config.subdomains()).unwrap_or(usize::MAX);
        let balances = config.nodes.balance.moves_subdomains();
        let moving = |number| if balances { number } else { 0 };
        let slots = Bounds::of(config).slots as usize;
        Self {
            subdomains,
            workers,
            nodes,
            holdings: workers + in_transit,
            locations: moving(subdomains),
            handled: moving(nodes.saturating_mul(nodes)),
            slots: moving(nodes.saturating_mul(slots)),
            waiting: workers.div_ceil(u64::BITS as usize),
            pending: queue::places(Actors::of(config).all() as usize, workers),
            slowdowns: (0..config.workers).map(sources).sum(),
            intervened: 0,
            measured: measured::MeasuredNeeds::of(config),
            shares: if config.mode == Mode::Exact { subdomains } else { 0 },
            visits: config.may_visit(),
        }
    }

    /// Returns the needs with those of interventions ([`super::Simulation::intervene`]).
    pub const fn with_interventions(self) -> Self {
        Self { intervened: self.workers, ..self }
    }
}

impl WorkerPlaces {
    /// Returns places with a worker on every core.
    #[cfg(feature = "alloc")]
    pub const fn all(hardware: &Hardware) -> Self {
        let Hardware { cores, sockets, .. } = *hardware;
        Self { node_workers: hardware.node_cores(), cores, sockets }
    }

    /// Returns the places of a run's workers, one on each core of a node from its first on.
    pub fn of(config: &RunConfig, hardware: &Hardware) -> Self {
        Self {
            node_workers: config.workers_per_node(),
            cores: hardware.cores,
            sockets: hardware.sockets,
        }
    }

    /// Whether a source of noise is on the core of a worker.
    pub fn is_on(&self, worker: WorkerId, noise: &Noise) -> bool {
        self.is_at(worker, noise.place)
    }

    /// Whether the core of a worker is the core, or on the socket or node, that `place` names.
    pub fn is_at(&self, worker: WorkerId, place: NoisePlace) -> bool {
        match place {
            NoisePlace::Core(core) => self.core(worker) == core,
            NoisePlace::Socket(socket) => self.socket(worker) == socket,
            NoisePlace::Node(node) => self.node(worker) == node,
        }
    }
}

/// Actors that have events, by number: workers, the barrier, the nodes' looks at each other, their
/// rounds that are due while the worker whose turn it is waits, the records that they publish for
/// each other, the subdomain that each node sends, the first node's command to all to halt, and
/// the patrol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Actors {
    workers: u32,
    nodes: u32,
}

/// One of the actors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Actor {
    /// A worker whose action ends, or that goes on.
    Worker(WorkerId),
    /// The barrier, which opens.
    Barrier,
    /// A node that compares its progress with that of the others.
    Look(u32),
    /// A node whose balancing round is due while the worker whose turn it is waits.
    Round(u32),
    /// The record that a node has published, which arrives.
    Record(u32),
    /// The subdomain that a node sends, whose word or cells arrive.
    Migration(u32),
    /// The first node's command to all to halt, which arrives.
    Command,
    /// Whoever wakes workers that wait, so that they help with what is stuck.
    Patrol,
}

impl Actors {
    pub const fn of(config: &RunConfig) -> Self {
        Self { workers: config.workers, nodes: config.nodes.number }
    }

    /// Returns the number of actors.
    pub const fn all(self) -> u32 {
        self.nodes.saturating_mul(4).saturating_add(self.workers).saturating_add(3)
    }

    /// Returns the number by which the queue knows an actor.
    pub const fn number(self, actor: Actor) -> u32 {
        match actor {
            Actor::Worker(worker) => worker.0,
            Actor::Barrier => self.workers,
            Actor::Look(node) => self.workers + 1 + node,
            Actor::Round(node) => self.workers + 1 + self.nodes + node,
            Actor::Record(node) => self.workers + 1 + 2 * self.nodes + node,
            Actor::Migration(node) => self.workers + 1 + 3 * self.nodes + node,
            Actor::Command => self.workers + 1 + 4 * self.nodes,
            Actor::Patrol => self.workers + 2 + 4 * self.nodes,
        }
    }

    /// Returns the actor of a number: the inverse of [`number`](Self::number).
    #[inline]
    pub const fn actor(self, number: u32) -> Actor {
        if number < self.workers {
            return Actor::Worker(WorkerId(number));
        }
        let rest = number - self.workers;
        if rest == 0 {
            return Actor::Barrier;
        }
        if rest <= self.nodes {
            return Actor::Look(rest - 1);
        }
        if rest <= 2 * self.nodes {
            return Actor::Round(rest - 1 - self.nodes);
        }
        if rest <= 3 * self.nodes {
            return Actor::Record(rest - 1 - 2 * self.nodes);
        }
        if rest <= 4 * self.nodes {
            return Actor::Migration(rest - 1 - 3 * self.nodes);
        }
        if rest == 4 * self.nodes + 1 { Actor::Command } else { Actor::Patrol }
    }
}

/// Returns the owner of the subdomains in transit to a node: a number behind those of the workers.
pub(super) const fn in_transit(config: &RunConfig, node: NodeId) -> WorkerId {
    WorkerId(config.workers + node.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actors_are_numbered_without_gap() {
        let actors = Actors { workers: 3, nodes: 2 };
        assert_eq!(actors.all(), 3 + 1 + 4 * 2 + 2);
        for number in 0..actors.all() {
            assert_eq!(actors.number(actors.actor(number)), number);
        }
        assert_eq!(actors.actor(actors.all() - 3), Actor::Migration(1));
        assert_eq!(actors.actor(actors.all() - 2), Actor::Command);
        assert_eq!(actors.actor(actors.all() - 1), Actor::Patrol);
    }
}
