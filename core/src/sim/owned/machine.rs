//! The memory of a virtual machine: allocated once, then lent.

use alloc::vec;
use alloc::vec::Vec;
use core::cell::Cell;

use crate::balance::Mean;
use crate::base::id::{SocketId, SubdomainId, WorkerId};
use crate::node::Visitor;
use crate::node::worker::Shares;
use crate::parts::halo::Location;
use crate::parts::ownership::{Holding, Link, Owner};
use crate::run::schedule::Leveling;
use crate::sim::machine::{
    Intervened, NodeState, Pending, SimulationMemory, SimulationNeeds, Slowdown, SubdomainState,
    VisitsMemory, WorkerState,
};

use crate::balance::owned::OwnedMeasuredMemory;

/// Everything that a machine needs, besides cells.
#[derive(Clone, Debug)]
pub struct OwnedSimulationMemory<'m> {
    subdomains: Vec<SubdomainState>,
    owners: Vec<Owner>,
    links: Vec<Link>,
    counts: Vec<u64>,
    residuals: Vec<f64>,
    workers: Vec<WorkerState>,
    worker_updates: Vec<u64>,
    waiting: Vec<u64>,
    levelings: Vec<Leveling>,
    balancer_state: Vec<u64>,
    balancer_scratch: Vec<u64>,
    sockets: Vec<SocketId>,
    by_socket: Vec<WorkerId>,
    holdings: Vec<Holding>,
    nodes: Vec<NodeState>,
    means: Vec<Mean>,
    locations: Vec<Location>,
    handled: Vec<u32>,
    slots: Vec<bool>,
    pending: Vec<Pending>,
    slowdowns: Vec<Slowdown<'m>>,
    intervened: Vec<Intervened>,
    measured: Option<OwnedMeasuredMemory>,
    shares: Vec<Shares<Cell<u64>>>,
    visits: Option<OwnedVisitsMemory>,
}

/// Memory of workers that claim subdomains for one sweep at a time.
#[derive(Clone, Debug)]
struct OwnedVisitsMemory {
    parts: Vec<SubdomainId>,
    starts: Vec<u32>,
    visitors: Vec<Visitor>,
    least: Vec<u64>,
    furthest: Vec<u32>,
    stuck: Vec<u64>,
}

impl OwnedVisitsMemory {
    /// Returns the bytes of the memory that is needed; 0 where workers keep their subdomains.
    fn bytes(needs: &SimulationNeeds) -> u64 {
        let of_worker = size_of::<([u32; 2], Visitor, [u64; 2])>() as u64;
        let of_subdomain = size_of::<SubdomainId>() as u64;
        let all = needs.subdomains as u64 * of_subdomain + needs.workers as u64 * of_worker;
        if needs.visits { all } else { 0 }
    }

    /// Allocates the memory that is needed; none where workers keep their subdomains.
    fn new(needs: &SimulationNeeds) -> Option<Self> {
        let (subdomains, workers) = (needs.subdomains, needs.workers);
        needs.visits.then(|| Self {
            parts: vec![SubdomainId(0); subdomains],
            starts: vec![0; workers + 1],
            visitors: vec![Visitor::EMPTY; workers],
            least: vec![0; workers],
            furthest: vec![0; workers],
            stuck: vec![0; workers],
        })
    }

    fn lend(&mut self) -> VisitsMemory<'_> {
        let Self { parts, starts, visitors, least, furthest, stuck } = self;
        VisitsMemory { parts, starts, visitors, least, furthest, stuck }
    }
}

impl<'m> OwnedSimulationMemory<'m> {
    /// Returns the bytes of the memory that is needed.
    pub fn bytes(needs: &SimulationNeeds) -> u64 {
        let SimulationNeeds {
            subdomains,
            workers,
            nodes,
            holdings,
            pending,
            slowdowns,
            measured,
            ..
        } = *needs;
        let SimulationNeeds { locations, handled, slots, .. } = *needs;
        let of_subdomain = size_of::<(SubdomainState, WorkerId, Link, u64, f64)>();
        let of_worker = size_of::<(WorkerState, [u64; 3], SocketId, WorkerId)>();
        [
            (subdomains, of_subdomain),
            (workers, of_worker),
            (nodes, size_of::<(NodeState, Mean)>()),
            (holdings, size_of::<Holding>()),
            (locations, size_of::<Location>()),
            (handled, size_of::<u32>()),
            (slots, size_of::<bool>()),
            (needs.waiting, size_of::<u64>()),
            (pending, size_of::<Pending>()),
            (slowdowns, size_of::<Slowdown<'_>>()),
            (needs.intervened, size_of::<Intervened>()),
            (needs.shares, size_of::<Shares<Cell<u64>>>()),
        ]
        .into_iter()
        .map(|(number, size)| (number as u64).saturating_mul(size as u64))
        .chain([OwnedVisitsMemory::bytes(needs)])
        .fold(measured.as_ref().map_or(0, OwnedMeasuredMemory::bytes), u64::saturating_add)
    }

    /// Allocates the memory that is needed.
    pub fn new(needs: &SimulationNeeds) -> Self {
        let SimulationNeeds {
            subdomains,
            workers,
            nodes,
            holdings,
            pending,
            slowdowns,
            measured,
            ..
        } = *needs;
        Self {
            subdomains: vec![SubdomainState::EMPTY; subdomains],
            owners: vec![Owner::default(); subdomains],
            links: vec![Link::EMPTY; subdomains],
            counts: vec![0; subdomains],
            residuals: vec![0.0; subdomains],
            workers: vec![WorkerState::EMPTY; workers],
            worker_updates: vec![0; workers],
            waiting: vec![0; needs.waiting],
            levelings: vec![Leveling::ALL; workers],
            balancer_state: vec![0; workers],
            balancer_scratch: vec![0; workers],
            sockets: vec![SocketId(0); workers],
            by_socket: vec![WorkerId(0); workers],
            holdings: vec![Holding::EMPTY; holdings],
            nodes: vec![NodeState::default(); nodes],
            means: vec![Mean::default(); nodes],
            locations: vec![Location::default(); needs.locations],
            handled: vec![0; needs.handled],
            slots: vec![false; needs.slots],
            pending: vec![Pending::EMPTY; pending],
            slowdowns: vec![Slowdown::NONE; slowdowns],
            intervened: vec![Intervened::FREE; needs.intervened],
            measured: measured.as_ref().map(OwnedMeasuredMemory::new),
            shares: vec![Shares::none(); needs.shares],
            visits: OwnedVisitsMemory::new(needs),
        }
    }

    /// Lends the memory for one machine.
    pub fn lend(&mut self) -> SimulationMemory<'_, 'm> {
        SimulationMemory {
            subdomains: &mut self.subdomains,
            owners: &self.owners,
            links: &mut self.links,
            counts: &mut self.counts,
            residuals: &mut self.residuals,
            workers: &mut self.workers,
            worker_updates: &mut self.worker_updates,
            waiting: &mut self.waiting,
            levelings: &mut self.levelings,
            balancer_state: &mut self.balancer_state,
            balancer_scratch: &mut self.balancer_scratch,
            sockets: &mut self.sockets,
            by_socket: &mut self.by_socket,
            holdings: &mut self.holdings,
            nodes: &mut self.nodes,
            means: &mut self.means,
            locations: &mut self.locations,
            handled: &mut self.handled,
            slots: &mut self.slots,
            pending: &mut self.pending,
            slowdowns: &mut self.slowdowns,
            intervened: &mut self.intervened,
            measured: self.measured.as_mut().map(OwnedMeasuredMemory::lend),
            shares: &mut self.shares,
            visits: self.visits.as_mut().map(OwnedVisitsMemory::lend),
        }
    }
}
