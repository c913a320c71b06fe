//! The machine's state, and its loop: one event after the other.

use core::cell::Cell;

use super::error::SimulationError;
use super::event::Watch;
use super::intervened::Intervened;
use super::memory::{
    Actor, Actors, NodeState, SimulationMemory, SimulationNeeds, SubdomainState, WorkerState,
    in_transit,
};
use super::numbers::{NO_NODE, NONE};
use super::prefetch::Prefetch;
use super::setup::{check, check_memory, fill_subdomains, fill_workers};
use super::suspended::Suspended;
use super::transfers::{Directories, Migration};
use super::visits::VisitsMemory;
use crate::balance::dplb::NodeBalancer;
use crate::balance::measured::Measured;
use crate::balance::{Balancer, Mean};
use crate::bug::OrBug;
use crate::grid::Decomposition;
use crate::halo::Bounds;
use crate::id::{NodeId, SubdomainId, WorkerId};
use crate::node::Visitor;
use crate::ownership::Ownership;
use crate::part::{self, Graph, Part};
use crate::progress::{Progress, Staleness};
use crate::run::{Chosen, End, RunConfig};
use crate::schedule::Leveling;
use crate::sim::hardware::{Hardware, WorkerPlaces};
use crate::sim::queue::LentQueue;
use crate::sim::speed::{CoreTrace, Slowdown, part};
use crate::time::Instant;
use crate::topology::Topology;
use crate::worker::{Control, Detection, Halts, Residuals, Shares, Sum, Turn};

/// Outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulationOutcome {
    /// Reason for the end.
    pub end: End,
    /// Time of the end.
    pub at: Instant,
    /// Sum of squares of the residual before the first sweep.
    pub initial: f64,
    /// Last published sum of squares when a look at a consistent state was asked for.
    pub detected: Option<f64>,
    /// Sum of squares on the last consistent state.
    pub verified: f64,
}

/// Workers and the queue of their events.
#[derive(Debug)]
pub(super) struct Workers<'a> {
    pub states: &'a mut [WorkerState],
    pub queue: LentQueue<'a>,
    /// Number of those that wait until they are woken.
    pub blocked: u32,
}

/// A run in virtual time, of parts of any kind.
#[derive(Debug)]
pub struct Simulation<'a, 'm, T, G = Decomposition, const N: usize = 4> {
    pub(super) config: &'a RunConfig,
    pub(super) hardware: &'a Hardware,
    pub(super) graph: &'a G,
    /// Distance between the numbers of the first part and of its farthest neighbour.
    pub(super) stride: u32,
    pub(super) places: WorkerPlaces,
    pub(super) actors: Actors,
    pub(super) needs: SimulationNeeds,
    pub(super) parts: &'a mut [T],
    pub(super) now: Instant,
    pub(super) workers: Workers<'a>,
    pub(super) subdomains: &'a mut [SubdomainState],
    pub(super) nodes: &'a mut [NodeState],
    pub(super) slowdowns: &'a mut [Slowdown<'m>],
    /// Effects of interventions on each worker's core; empty where nobody intervenes.
    pub(super) intervened: &'a mut [Intervened],
    pub(super) ownership: Ownership<'a>,
    pub(super) topology: Topology<'a>,
    pub(super) directories: Directories<'a>,
    /// Mean count of each node, as the others see it.
    pub(super) means: &'a mut [Mean],
    pub(super) counts: &'a mut [u64],
    /// Sums of squares, as last published.
    pub(super) residuals: &'a mut [f64],
    pub(super) worker_updates: &'a mut [u64],
    pub(super) levelings: &'a mut [Leveling],
    pub(super) kept: &'a mut [u64],
    pub(super) room: &'a mut [u64],
    pub(super) measured: Option<Measured<'a>>,
    pub(super) visits: Option<VisitsMemory<'a>>,
    pub(super) control: Control<Cell<u64>>,
    /// Halts of all nodes: their workers meet at the same barriers, so that all have made the same.
    pub(super) halts: Halts<Cell<u64>>,
    pub(super) detection: Detection,
    /// Residuals of versions, in the exact mode, and the subdomains' shares in them.
    pub(super) versions: Option<Residuals<Cell<u64>>>,
    pub(super) shares: &'a mut [Shares<Cell<u64>>],
    pub(super) initial: f64,
    pub(super) verified: f64,
    pub(super) updates: u64,
    /// Sweeps of subdomains at home with another worker.
    pub(super) away: u64,
    /// Sweeps that another worker was stuck in.
    pub(super) helped: u64,
    /// Whether somebody looks after what is stuck while workers wait.
    pub(super) patrols: bool,
    /// Number of sweeps when somebody last did, and the looks since then.
    pub(super) patrolled: (u64, u32),
    pub(super) staleness: Staleness,
    pub(super) transfers: u64,
    pub(super) interventions_made: u32,
    /// Workers at the barrier.
    pub(super) arrived: u32,
    /// Whether the clock has started.
    pub(super) has_begun: bool,
    pub(super) interrupted: bool,
    pub(super) end: Option<End>,
}

/// Memory that the queue is to read ahead, of the fields that it does not borrow.
macro_rules! prefetch {
    ($machine:expr) => {
        Prefetch {
            workers: $machine.workers.states,
            worker_updates: $machine.worker_updates,
            subdomains: $machine.subdomains,
            residuals: $machine.residuals,
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
        (graph, parts): (&'a G, &'a mut [T]),
        mut memory: SimulationMemory<'a, 'm>,
    ) -> Result<Self, SimulationError> {
        check(config, hardware, traces)?;
        part::check((graph, parts.len()), config)?;
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
        memory.levelings.fill(Leveling::ALL);
        memory.kept.fill(0);
        memory.counts.fill(0);
        memory.means.fill(Mean::default());
        memory.measured.iter_mut().for_each(Measured::clear);
        memory.shares.fill_with(Shares::none);
        memory.visits.iter_mut().for_each(|visits| visits.fill(config, graph));
        let sweep = hardware.costs.sweep(mean);
        let (all, workers) = (actors.all() as usize, memory.workers.len());
        let queue = LentQueue::new(memory.pending, all, workers, sweep).state();
        let suspended = Suspended::at_start(config, graph.diameter(), needs, queue);
        let mut machine = Self::resume(config, hardware, (graph, parts), memory, suspended)?;
        machine.start();
        Ok(machine)
    }

    /// Lets the next event happen; false once the run has ended.
    #[inline]
    pub fn step(&mut self, watch: &mut impl Watch) -> bool {
        if self.end.is_some() {
            return false;
        }
        let prefetch = prefetch!(self);
        match self.workers.queue.pop(|events| prefetch.read(events)) {
            Some((at, actor)) if at < Instant::NEVER => {
                self.now = at;
                match self.actors.actor(actor) {
                    Actor::Worker(worker) => self.act(worker, watch),
                    Actor::Barrier => self.release(watch),
                    Actor::Look(node) => self.look(NodeId(node), watch),
                    Actor::Record(node) => self.hear(NodeId(node)),
                    Actor::Round(node) => self.take_waiting_turn(NodeId(node), watch),
                    Actor::Migration(node) => self.migrate(NodeId(node), watch),
                    Actor::Command => self.halt_called(),
                    Actor::Patrol => self.patrol(),
                }
            }
            _ => self.end = Some(End::Stalled),
        }
        self.end.is_none()
    }

    /// Returns the time of the next event; none where there is no event.
    pub(super) fn next_at(&mut self) -> Option<Instant> {
        let prefetch = prefetch!(self);
        self.workers.queue.first(|events| prefetch.read(events))
    }

    /// Asks the run to end; the next worker that takes its turn lets all halt.
    pub const fn interrupt(&mut self) {
        self.interrupted = true;
    }

    /// Returns the time of the last event.
    pub const fn now(&self) -> Instant {
        self.now
    }

    /// Returns the outcome of the run; none while it goes on.
    pub fn outcome(&self) -> Option<SimulationOutcome> {
        self.end.map(|end| SimulationOutcome {
            end,
            at: self.now,
            initial: self.initial,
            detected: self.detection.detected(),
            verified: self.verified,
        })
    }

    /// Returns the update count of each subdomain.
    pub fn counts(&self) -> impl Iterator<Item = u64> + '_ {
        self.subdomains.iter().map(|subdomain| subdomain.version)
    }

    /// Returns the progress of all subdomains.
    pub fn progress(&self) -> Progress {
        Progress::of(self.counts())
    }

    /// Returns the sum of squares of the residual before the first sweep.
    pub const fn initial_residual(&self) -> f64 {
        self.initial
    }

    /// Returns the sum of squares of the published residuals.
    pub fn published_residual(&self) -> f64 {
        self.residuals.iter().sum()
    }

    /// Returns the last residual that is known of one version of all parts: in the exact mode, while everybody
    /// goes on; in others none.
    pub fn known_residual(&self) -> Option<Sum> {
        self.versions.as_ref().and_then(Residuals::known)
    }

    /// Returns the sum of squares of each part's residual as it was last published.
    pub const fn residuals(&self) -> &[f64] {
        self.residuals
    }

    /// Returns the staleness of the halos that were read.
    pub const fn staleness(&self) -> Staleness {
        self.staleness
    }

    /// Returns the largest spread that workers have seen in their turns.
    pub const fn spread_max(&self) -> u64 {
        self.detection.spread_max()
    }

    /// Returns the number of subdomains that changed their owner on a node.
    pub fn moves(&self) -> u64 {
        self.balancers().map(Balancer::moves).sum()
    }

    /// Returns the number of subdomains that arrived on another node.
    pub const fn transfers(&self) -> u64 {
        self.transfers
    }

    /// Returns the number of balancing rounds on nodes.
    pub fn rounds(&self) -> u64 {
        self.balancers().map(Balancer::rounds).sum()
    }

    /// Returns the parameters that the balancer of the first node has arrived at, where it derives them.
    pub fn chosen(&self) -> Option<Chosen> {
        self.balancers().next().and_then(Balancer::chosen)
    }

    pub(super) fn balancers(&self) -> impl Iterator<Item = &Balancer> {
        self.nodes.iter().filter_map(|node| node.balancer.as_ref())
    }

    /// Whether subdomains are claimed for one sweep at a time, from the beginning on or by now
    /// ([`RunConfig::may_turn`]).
    pub fn visits(&self) -> bool {
        self.control.visits()
    }

    /// Returns the number of sweeps.
    pub const fn updates(&self) -> u64 {
        self.updates
    }

    /// Returns the number of sweeps of subdomains at home with another worker, where subdomains are claimed
    /// for one sweep at a time ([`RunConfig::visits`]).
    pub const fn away(&self) -> u64 {
        self.away
    }

    /// Returns the number of sweeps that another worker was stuck in, and which the one that helped was done with first.
    pub const fn helped(&self) -> u64 {
        self.helped
    }

    /// Returns the most sweeps for which a worker claims a subdomain ([`Visitor::sweeps_a_claim`]); 0 where
    /// subdomains are kept.
    pub fn sweeps_a_claim(&self) -> u32 {
        let visitors = self.visits.iter().flat_map(|visits| visits.visitors.iter());
        visitors.map(Visitor::sweeps_a_claim).max().unwrap_or(0)
    }

    /// Returns the owner of a subdomain; beyond the workers' numbers while it is in flight to
    /// another node.
    pub fn owner(&self, subdomain: SubdomainId) -> Option<WorkerId> {
        self.ownership.owner(subdomain)
    }

    /// Returns the number of subdomains that a worker owns.
    pub fn held(&self, worker: WorkerId) -> u32 {
        self.ownership.held(worker)
    }

    /// Returns the subdomain that a worker is sweeping.
    pub fn sweeping(&self, worker: WorkerId) -> Option<SubdomainId> {
        self.workers
            .states
            .get(worker.index())
            .and_then(|state| super::numbers::subdomain(state.current))
    }

    /// Returns the working set of a worker, in ascending order.
    pub fn working_set(&self, worker: WorkerId) -> impl Iterator<Item = SubdomainId> + '_ {
        let first = self.workers.states.get(worker.index()).map_or(NONE, |state| state.first);
        let known = super::numbers::subdomain;
        core::iter::successors(known(first), move |id| {
            self.subdomains.get(id.index()).and_then(|state| known(state.next))
        })
    }

    /// Returns the parts, in the order of their numbers.
    pub const fn parts(&self) -> &[T] {
        self.parts
    }

    /// Calls `out` with the core, the source's place in the configuration's list, and the share of
    /// the core's time that it took so far, for each source on each core.
    pub fn noise_taken(&mut self, mut out: impl FnMut(u32, usize, f64)) {
        let background = self.hardware.background.len();
        for (worker, state) in (0..).map(WorkerId).zip(self.workers.states.iter()) {
            let numbers =
                (0..).zip(&self.config.noise).filter(|(_, noise)| self.places.is_on(worker, noise));
            let mut numbers = numbers.map(|(number, _)| number);
            let intervened = self.intervened.get(worker.index());
            let mut time = intervened.map_or(self.now.0, |state| state.left(self.now));
            for (index, source) in (0..).zip(part(self.slowdowns, state.slowdowns)) {
                let left = source.left(time);
                if index >= background
                    && let Some(number) = numbers.next()
                {
                    let taken = time.saturating_sub(left) as f64 / (self.now.0.max(1)) as f64;
                    out(self.places.core(worker), number, taken);
                }
                time = left;
            }
        }
    }

    /// Returns the workers of a node.
    pub(super) fn workers_of(&self, node: NodeId) -> Topology<'a> {
        let number = self.places.node_workers as usize;
        let workers = self.topology.within(node.index() * number, number);
        workers.or_bug(NO_NODE).unwrap_or(self.topology)
    }

    /// Returns the owner of the subdomains in transit to a node.
    pub(super) const fn in_transit(&self, node: NodeId) -> WorkerId {
        in_transit(self.config, node)
    }
}

/// Returns the distance between the numbers of the first part and of its farthest neighbour.
pub(super) fn stride<G: Graph<N>, const N: usize>(graph: &G) -> u32 {
    let neighbours = graph.neighbours(SubdomainId(0)).into_iter().flatten();
    neighbours.map(|id| id.0).max().unwrap_or(0)
}
