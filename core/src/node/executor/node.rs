//! One node: the state that its workers share.

use core::fmt;

use crate::balance::Balancer;
use crate::balance::measured::Measured;
use crate::base::bug::OrBug;
use crate::base::id::{NodeId, SubdomainId, WorkerId, number_of};
use crate::base::sync::{AtomicBool, AtomicU64, Ordering};
use crate::base::time::Instant;
use crate::base::topology::Topology;
use crate::node::shared::{Assignment, Barrier, Grip};
use crate::node::worker::{Control, Detection, Turn};
use crate::parts::halo::Edges;
use crate::parts::ownership::{Ownership, OwnershipError};
use crate::parts::{Graph, Part};
use crate::run::progress::Progress;
use crate::run::{Chosen, RunConfig};

use super::memory::NodeMemory;
use super::peers::Peers;
use super::residuals::Residuals;
use super::slots::Slots;
use super::turnstile::Turnstile;
use super::visits::Visits;

/// One node: everything that its workers share, and what the one that has the turn works with.
///
/// Its workers are [`Worker`](super::Worker)s, one for each thread. Beside them, anybody may look:
/// at [`Node::made`], [`Node::slots`], [`Node::residual`], [`Node::moves`] and [`Node::rounds`];
/// and at [`Node::totals`] once the run has ended.
pub struct Node<'w, 'r, T: Part, G, P, const N: usize = 4> {
    pub(super) config: &'w RunConfig,
    pub(super) graph: &'w G,
    pub(super) slots: Slots<'r, T, N>,
    pub(super) peers: &'w P,
    pub(super) assignment: Assignment<'w>,
    /// Visits of parts, where these stay at home, or may do so from some halt on.
    pub(super) visits: Option<Visits<'w, 'r, T, N>>,
    pub(super) residuals: Residuals<'w>,
    pub(super) sweeps: &'w [Sweeps],
    pub(super) control: Control<AtomicU64>,
    pub(super) barrier: Barrier,
    pub(super) turn: Turn<AtomicU64>,
    /// Bits of the sum of squares of the initial residual, or [`UNKNOWN`].
    initial: AtomicU64,
    pub(super) turn_state: Turnstile<TurnState<'w, 'r, T>>,
    /// Moves and rounds so far, for whoever looks on.
    pub(super) moves: AtomicU64,
    pub(super) rounds: AtomicU64,
    interrupt: &'w AtomicBool,
}

/// Bits of no residual.
const UNKNOWN: u64 = u64::MAX;

/// The state that goes from turn to turn.
pub(super) struct TurnState<'m, 'r, T> {
    pub(super) balancer: Balancer,
    /// The balancer's state from round to round.
    pub(super) balancer_state: &'m mut [u64],
    /// The balancer's scratch memory within a round.
    pub(super) balancer_scratch: &'m mut [u64],
    /// Measured times of sweeps, where the balancer uses them.
    pub(super) measured: Option<Measured<'m>>,
    pub(super) ownership: Ownership<'m>,
    pub(super) topology: Topology<'m>,
    /// Memory for a snapshot of the counts.
    pub(super) counts: &'m mut [u64],
    /// Memory for a snapshot of each worker's sweeps.
    pub(super) worker_updates: &'m mut [u64],
    pub(super) detection: Detection,
    /// The claims on parts that go to other processes.
    pub(super) grip: Grip<'r, T>,
}

/// The sweeps that a worker has made, on a cache line of its own.
#[derive(Debug)]
#[repr(align(128))]
pub struct Sweeps(AtomicU64);

impl Default for Sweeps {
    fn default() -> Self {
        Self(AtomicU64::new(0))
    }
}

impl Sweeps {
    /// Returns the number of sweeps that the worker has made.
    #[inline]
    pub(super) fn made(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Adds sweeps to the worker's own count; no other worker adds to it.
    #[inline]
    pub(super) fn add(&self, swept: u64) {
        self.0.store(self.made() + swept, Ordering::Relaxed);
    }
}

/// The final figures of a run.
#[derive(Clone, Copy, Debug)]
pub struct Totals {
    /// Highest and lowest counts, and all updates, of the parts that are here at the end.
    pub progress: Progress,
    /// The largest difference between two counts that was seen.
    pub spread_max: u64,
    /// Moves between the workers.
    pub moves: u64,
    /// Balancing rounds.
    pub rounds: u64,
    /// What `auto` has chosen.
    pub auto: Option<Chosen>,
    /// Sweeps of all workers.
    pub sweeps: u64,
}

/// What a node is built from, besides its memory.
pub struct Setup<'w, 'r, T: Part, G, P, const N: usize = 4> {
    /// The configuration, which is valid.
    pub config: &'w RunConfig,
    /// The graph of all parts, here and on other nodes.
    pub graph: &'w G,
    /// This node's number.
    pub node: NodeId,
    /// The parts that are here.
    pub slots: Slots<'r, T, N>,
    /// The other nodes.
    pub peers: &'w P,
    /// The node's workers and their sockets.
    pub topology: Topology<'w>,
    /// Set by somebody else to end the run early.
    pub interrupt: &'w AtomicBool,
}

impl<'w, 'r, T, G, P, const N: usize> Node<'w, 'r, T, G, P, N>
where
    T: Part,
    G: Graph<N>,
    P: Peers<'r, T, N>,
{
    /// Returns a node on lent memory. `grip` claims parts that go to other nodes; its number
    /// follows those of the workers' grips. An error where the memory does not fit the
    /// configuration.
    pub fn new(
        Setup { config, graph, node, slots, peers, topology, interrupt }: Setup<'w, 'r, T, G, P, N>,
        grip: Grip<'r, T>,
        memory: NodeMemory<'w, 'r, T, N>,
    ) -> Result<Self, OwnershipError> {
        let NodeMemory {
            owners,
            marks,
            sweeps,
            links,
            holdings,
            balancer_state,
            balancer_scratch,
            counts,
            worker_updates,
            measured,
            shares,
            visits,
        } = memory;
        let workers = number_of(sweeps.len());
        let first = node.0.saturating_mul(workers);
        let home = |id| {
            // Those of other nodes belong to the one after the last.
            let owner = graph.first_owner(id, config).0.checked_sub(first);
            WorkerId(owner.filter(|&owner| owner < workers).unwrap_or(workers))
        };
        for (id, owner) in (0..).map(SubdomainId).zip(owners) {
            owner.set(home(id));
        }
        Ok(Self {
            config,
            graph,
            slots,
            peers,
            assignment: Assignment::new(owners, marks),
            visits: visits.map(|memory| Visits::new(graph, home, &slots, memory)),
            residuals: Residuals::new(config, graph, P::ALONE, shares),
            sweeps,
            control: Control::new(config, slots.here().count() as u64),
            barrier: Barrier::new(workers),
            turn: Turn::new(workers),
            initial: AtomicU64::new(UNKNOWN),
            turn_state: Turnstile::new(TurnState {
                balancer: Balancer::new(config, u64::from(node.0), Instant::ZERO),
                balancer_state,
                balancer_scratch,
                measured,
                ownership: Ownership::new(owners, links, holdings)?.marking(marks),
                topology,
                counts,
                worker_updates,
                detection: Detection::new(config),
                grip,
            }),
            moves: AtomicU64::new(0),
            rounds: AtomicU64::new(0),
            interrupt,
        })
    }

    /// Returns the visits, where parts are claimed for one sweep at a time.
    #[inline]
    pub(super) fn visits(&self) -> Option<&Visits<'w, 'r, T, N>> {
        self.visits.as_ref().filter(|_| self.control.visits())
    }

    /// Whether parts are claimed for one sweep at a time now.
    pub fn visits_parts(&self) -> bool {
        self.control.visits()
    }

    /// Returns where a part reads the edge of its neighbour on `link`, which another worker or
    /// process holds; none while a remote neighbour's place is unknown.
    pub(super) fn edges(
        &self,
        reader: SubdomainId,
        neighbour: SubdomainId,
        link: usize,
    ) -> Option<Edges<'r, 'r, T::Unit, N>> {
        match self.slots.publication(neighbour) {
            Some(publication) => Some(Edges::Published(publication)),
            None => self.peers.edges(reader, link),
        }
    }

    /// Returns the number of parts here that are not in transit to another process.
    pub(super) fn parts(&self) -> u64 {
        let is_ours =
            |id| self.slots.holder(id).is_none_or(|holder| holder.index() < self.sweeps.len());
        self.slots.here().filter(|(id, _)| is_ours(*id)).count() as u64
    }

    /// Returns the parts that are here, starting with those of worker `first`, which are returned a
    /// second time later.
    pub(super) fn parts_here(&self, first: WorkerId) -> impl Iterator<Item = SubdomainId> {
        self.assignment.of(first).chain(self.slots.here().map(|(id, _)| id))
    }

    /// Returns the other nodes.
    pub const fn peers(&self) -> &'w P {
        self.peers
    }

    /// Returns the halts of the node.
    pub const fn control(&self) -> &Control<AtomicU64> {
        &self.control
    }

    /// Returns the owner of each part, and which workers have not yet seen a change.
    pub const fn assignment(&self) -> &Assignment<'w> {
        &self.assignment
    }

    /// Returns the number of sweeps that all workers here have made.
    pub fn made(&self) -> u64 {
        self.sweeps.iter().map(Sweeps::made).sum()
    }

    /// Whether somebody has interrupted the run.
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Returns the final counts and moves of this node, after all workers have ended.
    pub fn totals(&self) -> Totals {
        self.in_turn(|state| {
            self.slots.read_counts(state.counts);
            let progress = self.slots.progress(state.counts);
            Totals {
                progress,
                spread_max: state.detection.spread_max().max(progress.spread()),
                moves: state.balancer.moves(),
                rounds: state.balancer.rounds(),
                auto: state.balancer.chosen(),
                sweeps: self.made(),
            }
        })
    }

    /// Calls `f` with the state that goes from turn to turn. Only the worker that has the turn, or
    /// that has ended a pass of a halt, may call it.
    pub(super) fn in_turn<R>(&self, f: impl FnOnce(&mut TurnState<'w, 'r, T>) -> R) -> R {
        self.turn_state.with(f).or_bug("two workers have the turn")
    }

    /// Records the sum of squares of the residual that tolerances are relative to.
    pub(super) fn note_initial(&self, initial: f64) {
        self.initial.store(initial.to_bits(), Ordering::Relaxed);
    }

    /// Returns the sum of squares of the residual that tolerances are relative to; none before the
    /// clock has started.
    pub fn initial(&self) -> Option<f64> {
        let bits = self.initial.load(Ordering::Relaxed);
        (bits != UNKNOWN).then(|| f64::from_bits(bits))
    }

    /// Returns the present sum of squares of the residual, and its version: in the exact mode the
    /// last one that is known; otherwise the sum of what parts have published, without a version.
    /// None where another version becomes known at this moment.
    pub fn residual(&self) -> Option<(f64, Option<u64>)> {
        self.residuals.seen(|| self.slots.published_residual())
    }

    /// Returns the moves between the workers so far.
    pub fn moves(&self) -> u64 {
        self.moves.load(Ordering::Relaxed)
    }

    /// Returns the balancing rounds so far.
    pub fn rounds(&self) -> u64 {
        self.rounds.load(Ordering::Relaxed)
    }

    /// Returns the parts that are here.
    pub const fn slots(&self) -> &Slots<'r, T, N> {
        &self.slots
    }
}

/// All that decides what the workers do next, without the memory of a round and what is only
/// counted.
impl<T, G, P, const N: usize> fmt::Debug for Node<'_, '_, T, G, P, N>
where
    T: Part + fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut node = f.debug_struct("Node");
        node.field("control", &self.control).field("barrier", &self.barrier);
        node.field("turn", &self.turn).field("assignment", &self.assignment);
        node.field("sweeps", &self.sweeps).field("initial", &self.initial);
        node.field("parts", &self.slots.parts).field("residuals", &self.residuals);
        for (id, publication) in self.slots.here() {
            let published = (id, publication.version(), publication.residual());
            node.field("published", &published);
        }
        if let Some(visits) = &self.visits {
            node.field("seen", &visits.seen);
        }
        let _ = self.turn_state.with(|state| {
            node.field("detection", &state.detection);
            node.field("round", &state.balancer.poll_at());
        });
        node.finish_non_exhaustive()
    }
}
