//! A worker: the parts in its hands, and what it does with them step by step.

mod passes;
mod sweeping;

use core::fmt;

use serde::Serialize;

use crate::base::id::{SubdomainId, WorkerId, number_of};
use crate::base::list::List;
use crate::base::time::Instant;
use crate::node::shared::Grip;
use crate::node::worker::{Command, Performed, Rounds, Worker as Life};
use crate::node::{Keeper, Visitor};
use crate::parts::{Graph, Part};
use crate::run::Mode;
use crate::run::progress::Staleness;
use crate::run::schedule::{Leveling, next_count};

use super::host::{Host, Wait};
use super::members::Members;
use super::memory::WorkerMemory;
use super::node::Node;
use super::observer::{Activity, Observer as _};
use super::peers::Peers;

/// Result of a step of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It goes on.
    Next,
    /// It finds nothing to do: others go on first, before it looks again.
    Wait(Wait),
    /// Its life is over.
    End,
}

/// Progress within a command that takes several steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begun {
    /// Nothing.
    No,
    /// It has arrived at the barrier of this generation.
    Barrier(u32),
    /// It waits for the end of a pass.
    Pass,
    /// It has read the halos of this number of members.
    Halos(usize),
    /// It has gone through this number of parts of the node, and shared this number of residuals;
    /// it holds one more part, which lacks a halo.
    Shared(usize, u64),
    /// It sweeps its members; with the end of the last sweep, where the balancer measures times.
    Sweep(Option<Instant>),
}

/// One of a node's workers, which carries out what its [life](Life) asks for.
///
/// Whoever drives it calls [`Worker::step`] until that answers [`Step::End`], and then
/// [`Worker::finish`]; [`Worker::work`] does both. A step is to find the next command, or to carry
/// it out, or the sweep of one part; none waits for another worker.
pub struct Worker<'e, 'w, 'r, T: Part, G, P, H, const N: usize = 4> {
    id: WorkerId,
    node: &'e Node<'w, 'r, T, G, P, N>,
    members: Members<'e, 'r, T, N>,
    /// The parts that it released in the last halt, and takes again without a hand-over.
    frozen: List<'e, SubdomainId>,
    life: Life,
    /// The command that it carries out next.
    command: Option<Command>,
    begun: Begun,
    keeper: Keeper,
    leveling: Option<Leveling>,
    /// The number of its own sweeps at which it adds up the sweeps of all workers again.
    next_count: u64,
    staleness: Staleness,
    visitor: Visitor,
    visited: Visited,
    host: H,
}

/// What a worker has seen and done when its life is over.
pub struct Done<H> {
    /// Halos that it has read.
    pub staleness: Staleness,
    /// Parts that it has claimed for one sweep at a time.
    pub visited: Visited,
    /// Its surroundings.
    pub host: H,
}

/// What workers have made that claim subdomains for one sweep at a time, or a few.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "deserialize", derive(serde::Deserialize))]
pub struct Visited {
    /// Sweeps of subdomains that are at home with another worker.
    pub away: u64,
    /// Sweeps that another worker was stuck in, and that a helper finished first.
    pub helped: u64,
    /// Largest number of sweeps in a claim.
    pub sweeps_a_claim: u32,
}

impl Visited {
    /// Returns the sums of two workers, and the larger of their sweeps per claim.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            away: self.away + other.away,
            helped: self.helped + other.helped,
            sweeps_a_claim: self.sweeps_a_claim.max(other.sweeps_a_claim),
        }
    }
}

impl<'e, 'w, 'r, T, G, P, H, const N: usize> Worker<'e, 'w, 'r, T, G, P, H, N>
where
    T: Part,
    G: Graph<N>,
    P: Peers<'r, T, N>,
    H: Host<T, N>,
{
    /// Returns a worker of a node, whose number is that of its `grip`; `host` provides clock,
    /// waiting and observer.
    pub fn new(
        node: &'e Node<'w, 'r, T, G, P, N>,
        grip: Grip<'r, T>,
        WorkerMemory { members, frozen }: WorkerMemory<'e, 'r, T, N>,
        host: H,
    ) -> Self {
        let (id, mode) = (grip.worker(), node.config.mode);
        Self {
            id,
            node,
            members: Members::new(grip, members, mode),
            frozen: List::new(frozen),
            life: Life::new(id, mode, !P::ALONE),
            command: None,
            begun: Begun::No,
            keeper: Keeper::START,
            leveling: node.config.balance.levels().then_some(Leveling::ALL),
            next_count: 0,
            staleness: Staleness::default(),
            visitor: Visitor::new(node.config),
            visited: Visited::default(),
            host,
        }
    }

    /// Makes all steps until the run has ended, and returns what the worker has seen and done.
    pub fn work(mut self) -> Done<H> {
        loop {
            match self.advance::<true>() {
                Step::Next => {}
                Step::Wait(wait) => self.host.wait(wait),
                Step::End => return self.finish(),
            }
        }
    }

    /// Makes the next step.
    pub fn step(&mut self) -> Step {
        self.advance::<false>()
    }

    /// Finds the next command, or carries it out. With `ALL`, it makes all sweeps of an iteration
    /// at once and waits at barriers; otherwise it makes one sweep and never waits.
    #[inline]
    fn advance<const ALL: bool>(&mut self) -> Step {
        if let Some(command) = self.command.take() {
            return self.carry_out::<ALL>(command);
        }
        let Node { control, assignment, .. } = self.node;
        self.command = Some(self.life.next(control, || assignment.take_mark(self.id)));
        Step::Next
    }

    /// Returns what the worker has seen and done, once [`Worker::step`] has answered [`Step::End`].
    pub fn finish(self) -> Done<H> {
        let Self { staleness, mut visited, visitor, host, .. } = self;
        visited.sweeps_a_claim = visitor.sweeps_a_claim();
        Done { staleness, visited, host }
    }

    /// Returns the command that it carries out in its next step, if it has found that.
    pub const fn command(&self) -> Option<Command> {
        self.command
    }

    /// Returns its life, as it is now.
    pub const fn life(&self) -> &Life {
        &self.life
    }

    /// Returns the parts in its hands, in ascending order.
    pub fn parts(&self) -> impl Iterator<Item = SubdomainId> {
        self.members.parts()
    }

    /// Carries out a command, or as much of it as one step does (see [`Worker::advance`] for
    /// `ALL`).
    #[inline]
    fn carry_out<const ALL: bool>(&mut self, command: Command) -> Step {
        match command {
            Command::Sweep => {
                return match self.node.visits() {
                    Some(visits) => self.visit::<ALL>(visits),
                    None => self.sweep::<ALL>(),
                };
            }
            Command::Release => self.release(),
            Command::Take => self.take(),
            Command::TakeTurn => self.take_turn(),
            Command::Idle => return self.idle(),
            Command::ReadHalos => return self.read_halos(),
            Command::Barrier => return self.wait_for_all::<ALL>(),
            Command::Agree => self.node.agree(),
            Command::Step => self.node.step(self.life.iteration()),
            Command::Fill => self.members.fill(&mut self.host),
            Command::Begin => self.node.begin(&mut self.host),
            Command::Settle => self.node.go_through(Rounds::SETTLE, self.host.now()),
            Command::Fetch => self.node.go_through(Rounds::FETCH, self.host.now()),
            Command::Halt => return self.halt(),
            Command::Freeze => self.freeze(),
            Command::Share => return self.share::<ALL>(),
            Command::Save => self.save(),
            Command::Wait => return self.await_pass(),
            Command::Decide => self.node.conclude(&mut self.host),
            Command::Saved => self.node.peers.saved(),
            Command::End => return self.go_on_with(command, Step::End),
        }
        Step::Next
    }

    /// Keeps `command` for the next step, as there is more of it to do, and returns `step`.
    #[inline]
    const fn go_on_with(&mut self, command: Command, step: Step) -> Step {
        self.command = Some(command);
        step
    }

    /// Waits at the barrier of the node's workers: to its end with `ALL`, otherwise for one check.
    #[inline]
    fn wait_for_all<const ALL: bool>(&mut self) -> Step {
        let Self { node, host, begun, .. } = self;
        let arrived = if let Begun::Barrier(generation) = *begun {
            Some(generation)
        } else {
            host.observer().turns();
            node.barrier.arrive()
        };
        if let Some(generation) = arrived {
            while !node.barrier.is_open(generation) {
                if !ALL {
                    *begun = Begun::Barrier(generation);
                    return self.go_on_with(Command::Barrier, Step::Wait(Wait::Workers));
                }
                host.wait(Wait::Workers);
            }
        }
        *begun = Begun::No;
        host.waited(Wait::Workers);
        host.observer().returns(Activity::Barrier);
        Step::Next
    }

    /// Handles an iteration without any sweep, as each part waits for a neighbour or a hand-over:
    /// looks for missing edges, and for a halt in the exact mode.
    fn idle(&mut self) -> Step {
        let node = self.node;
        node.peers.look();
        let waits_to_take = node.visits().is_none() && self.members.len() == 0;
        let waits_for = if waits_to_take { Activity::HandOver } else { Activity::Gate };
        self.host.observer().idles(waits_for);
        if node.config.mode == Mode::Exact {
            let parts = node.visits().map_or(0, |visits| visits.parts);
            self.life.look_for_halt(&node.control, node.made(), parts);
        }
        Step::Wait(Wait::Sweep)
    }

    /// Releases the members that now belong to other workers.
    fn release(&mut self) {
        let assignment = &self.node.assignment;
        self.members.keep(|id| Life::keeps(self.id, assignment.owner(id)));
        self.members.connect(self.node);
    }

    /// Claims the parts that belong to this worker, as far as they are free.
    fn take(&mut self) {
        let Self { id, node, members, frozen, host, .. } = self;
        let (pass, before) = (self.life.pass(), members.len());
        self.life.take(node.assignment.of(*id), |subdomain| {
            if members.has_among(before, subdomain) {
                return true;
            }
            let Some(taken) = members.take_in(pass, subdomain, &node.slots) else { return false };
            members.add(taken);
            if !frozen.iter().any(|&frozen| frozen == subdomain) {
                host.observer().takes(subdomain);
            }
            true
        });
        if members.len() > before {
            members.connect(node);
        }
        if !self.life.awaits() {
            self.frozen.clear();
        }
    }

    /// In the synchronous mode, reads the halos of all members between two barriers. Every
    /// neighbour's edge of this version is there, or on its way.
    fn read_halos(&mut self) -> Step {
        let Self { node, members, staleness, host, begun, .. } = self;
        let first = if let Begun::Halos(read) = *begun { read } else { 0 };
        for index in first..members.len() {
            if let Err(missing) = members.read_halos(index) {
                members.request_missing(&missing, node);
                *begun = Begun::Halos(index);
                return self.go_on_with(Command::ReadHalos, Step::Wait(Wait::Halo));
            }
            host.waited(Wait::Halo);
            members.count_staleness(index, staleness);
        }
        *begun = Begun::No;
        Step::Next
    }

    /// Adds up the sweeps of all workers. Asks all to halt where they have made the requested
    /// iterations; otherwise sets when to count again.
    #[cold]
    fn count(&mut self) {
        let Some(left) = self.life.count(&self.node.control, || self.node.made()) else {
            self.next_count = u64::MAX;
            return;
        };
        let workers = number_of(self.node.sweeps.len());
        self.next_count = next_count(self.sweeps().made(), left, workers);
    }

    /// Counts the sweeps of all where that is due. Then balances and detects, if it is this
    /// worker's turn and due, and passes the turn on.
    fn take_turn(&mut self) {
        let node = self.node;
        if P::ALONE && self.sweeps().made() >= self.next_count {
            self.count();
        }
        let host = &mut self.host;
        if !node.turn.is_due(self.id, || host.now()) {
            return;
        }
        host.observer().turns();
        let Performed { round, asks, halts, due } = node.perform_turn(host);
        let round = round.map(|moves| Activity::Round { moves });
        host.observer().returns(round.unwrap_or(Activity::Detection));
        if asks && node.peers.ask_to_halt() || halts {
            self.life.ask_to_halt(&node.control);
        }
        let next_look = host.look(host.now());
        node.turn.pass_on(due.min(next_look));
    }
}

/// All that decides what it does next, without its surroundings and what is only counted.
impl<T: Part, G, P, H, const N: usize> fmt::Debug for Worker<'_, '_, '_, T, G, P, H, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, members, frozen, life, command, begun, keeper, leveling, .. } = self;
        let mut worker = f.debug_struct("Worker");
        worker.field("id", id).field("members", members).field("frozen", frozen);
        worker.field("life", life).field("command", command).field("begun", begun);
        worker.field("keeper", keeper).field("leveling", leveling);
        worker.field("next_count", &self.next_count).field("visitor", &self.visitor);
        worker.finish_non_exhaustive()
    }
}
