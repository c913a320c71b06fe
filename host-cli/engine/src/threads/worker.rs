//! A worker: its working set, and the loop that sweeps it.

use tresse_core::base::id::{SubdomainId, WorkerId};
use tresse_core::node::shared::Grip;
use tresse_core::node::worker::{Command, Performed, Worker as Life};
use tresse_core::node::{Around, Hands, Keep, Keeper, Visit, Visitor};
use tresse_core::parts::{Graph, SharedPart};
use tresse_core::ranks::Rounds;
use tresse_core::run::Mode;
use tresse_core::run::progress::Staleness;
use tresse_core::run::schedule::{Leveling, next_count};

use super::board::SharedBoard;
use super::members::Members;
use super::observer::{Activity, Observer};
use super::peers::Peers;
use super::run::Run;
use super::slots::Taken;
use super::visits::Visits;
use super::wait::Wait;
use crate::solution::Visited;

/// A thread's own state; nothing is allocated after [`Worker::new`].
pub(super) struct Worker<'e, 'w, 'r, T: SharedPart, G, P, O, const N: usize> {
    id: WorkerId,
    run: &'e Run<'w, 'r, T, G, P, N>,
    members: Members<'r, T, N>,
    /// What it let go of in the last halt, and takes again without a hand-over.
    frozen: Vec<SubdomainId>,
    life: Life,
    /// Number of this worker's sweeps at which the sweeps of all workers are added up next.
    next_count: u64,
    staleness: Staleness,
    visitor: Visitor,
    /// Sweeps of parts at home with others.
    away: u64,
    /// Sweeps that others were stuck in.
    helped: u64,
    /// Wait for a neighbour or a hand-over since the last sweep.
    wait: Wait,
    observer: O,
}

/// What a worker has seen and done when its life is over.
pub(super) struct Done<O> {
    /// Halos that it has read.
    pub(super) staleness: Staleness,
    pub(super) visited: Visited,
    pub(super) observer: O,
}

impl<'e, 'w, 'r, T, G, P, O, const N: usize> Worker<'e, 'w, 'r, T, G, P, O, N>
where
    T: SharedPart,
    G: Graph<N> + Sync,
    P: Peers<'r, T, N>,
    O: Observer<T, N>,
{
    pub(super) fn new(grip: Grip<'r, T>, run: &'e Run<'w, 'r, T, G, P, N>, observer: O) -> Self {
        let id = grip.worker();
        let all = run.slots.parts.parts();
        Self {
            id,
            run,
            members: Members::new(grip, all, run.config.mode),
            frozen: Vec::with_capacity(all),
            life: Life::new(id, run.config.mode, !P::ALONE),
            next_count: 0,
            staleness: Staleness::default(),
            visitor: Visitor::new(run.config),
            away: 0,
            helped: 0,
            wait: Wait::looking(run.oversubscribed),
            observer,
        }
    }

    /// Works until the run has ended.
    pub(super) fn work(mut self) -> Done<O> {
        loop {
            let Run { control, assignment, .. } = self.run;
            match self.life.next(control, || assignment.take_mark(self.id)) {
                Command::Sweep => match self.run.visits() {
                    Some(visits) => self.visit(visits),
                    None => self.sweep(),
                },
                Command::Release => self.release(),
                Command::Take => self.take(),
                Command::TakeTurn => self.take_turn(),
                Command::Idle => self.idle(),
                Command::ReadHalos => self.read_halos(),
                Command::Barrier => self.wait_for_all(),
                Command::Agree => self.run.agree(),
                Command::Step => self.run.step(self.life.iteration()),
                Command::Fill => self.members.fill(self.run),
                Command::Begin => self.run.begin(),
                Command::Settle => self.run.go_through(Rounds::SETTLE),
                Command::Fetch => self.run.go_through(Rounds::FETCH),
                Command::Halt => self.halt(),
                Command::Freeze => self.freeze(),
                Command::Share => self.share(),
                Command::Save => self.save(),
                Command::Wait => self.await_pass(),
                Command::Decide => self.run.decide(&mut |made| self.observer.moves(made)),
                Command::Saved => self.run.peers.saved(),
                Command::End => {
                    let Self { staleness, away, helped, visitor, observer, .. } = self;
                    let sweeps_a_claim = visitor.sweeps_a_claim();
                    let visited = Visited { away, helped, sweeps_a_claim };
                    return Done { staleness, visited, observer };
                }
            }
        }
    }

    fn wait_for_all(&mut self) {
        self.observer.turns();
        let mut wait = Wait::pausing(self.run.oversubscribed);
        self.run.barrier.wait(|| wait.relax());
        self.observer.returns(Activity::Barrier);
    }

    /// Begins a halt in this worker's turn, or waits until another has begun it in its own.
    fn halt(&mut self) {
        let run = self.run;
        if run.turn.worker() == self.id {
            self.life.begin_halt(&run.control, run.parts());
        } else {
            self.wait.relax();
        }
    }

    /// Waits until a pass is over.
    fn await_pass(&mut self) {
        self.observer.turns();
        let (control, pass) = (&self.run.control, self.life.pass());
        let mut wait = Wait::pausing(self.run.oversubscribed);
        while control.pass() == pass {
            wait.relax();
        }
        self.observer.returns(Activity::Barrier);
    }

    fn freeze(&mut self) {
        self.frozen.clear();
        self.frozen.extend(self.members.parts());
        let held = self.members.freeze(self.life.pass());
        let found = self.for_each_left(|worker, taken| worker.members.show(&taken, |_| ()));
        self.life.has_done(&self.run.control, held + found);
    }

    fn share(&mut self) {
        self.observer.turns();
        let shared = self.for_each_left(|worker, taken| worker.members.share(taken, worker.run));
        self.observer.returns(Activity::Verification);
        self.life.has_done(&self.run.control, shared);
    }

    fn save(&mut self) {
        let saved = self.for_each_left(|worker, taken| {
            let (peers, version) = (worker.run.peers, taken.publication.version());
            worker.members.show(&taken, |part| peers.save(taken.id, version, part));
        });
        self.life.has_done(&self.run.control, saved);
    }

    /// Does something with each part here that is left to be done in this pass and that nobody has,
    /// its own ones first; returns their number.
    fn for_each_left(&mut self, mut act: impl FnMut(&mut Self, Taken<'r, T, N>)) -> u64 {
        let (run, pass) = (self.run, self.life.pass());
        let mut number = 0;
        for id in run.assignment.of(self.id).chain(run.slots.here().map(|(id, _)| id)) {
            if let Some(taken) = self.members.take_in(pass, id, &run.slots) {
                act(self, taken);
                number += 1;
            }
        }
        number
    }

    /// Waits, as every part needs a neighbour or a hand-over.
    fn idle(&mut self) {
        let run = self.run;
        run.peers.look();
        let waits_to_take = run.visits().is_none() && self.members.len() == 0;
        self.observer.idles(if waits_to_take { Activity::HandOver } else { Activity::Gate });
        if run.config.mode == Mode::Exact {
            let parts = run.visits().map_or(0, |visits| visits.parts);
            self.life.look_for_halt(&run.control, run.made(), parts);
        }
        self.wait.relax();
    }

    /// Releases the parts that belong to others now.
    fn release(&mut self) {
        let assignment = &self.run.assignment;
        self.members.keep(|id| Life::keeps(self.id, assignment.owner(id)));
        self.members.connect(self.run);
    }

    /// Takes what belongs to this worker as far as it is free.
    fn take(&mut self) {
        let Self { id, run, members, frozen, observer, .. } = self;
        let (pass, before) = (self.life.pass(), members.len());
        self.life.take(run.assignment.of(*id), |subdomain| {
            if members.has_among(before, subdomain) {
                return true;
            }
            let Some(taken) = members.take_in(pass, subdomain, &run.slots) else { return false };
            members.add(taken);
            if !frozen.contains(&subdomain) {
                observer.takes(subdomain);
            }
            true
        });
        if members.len() > before {
            members.connect(run);
        }
        if !self.life.awaits() {
            self.frozen.clear();
        }
    }

    /// Synchronously, for all members: between two barriers every neighbour's edge of this version
    /// is there, or on its way.
    fn read_halos(&mut self) {
        let (run, members, staleness) = (self.run, &mut self.members, &mut self.staleness);
        for index in 0..members.len() {
            members.await_halos(run, |members| members.read_halos(index));
            members.meet(index, staleness);
        }
    }

    /// Sweeps every member whose neighbours are far enough.
    #[inline]
    fn sweep(&mut self) {
        let (run, members) = (self.run, &mut self.members);
        let mode = run.config.mode;
        let mut leveling = run.config.balance.levels().then_some(Leveling::ALL);
        // Read once a sweep, and only for a balancer that goes by it.
        let mut before = run.config.balance.measures_sweeps().then(|| run.clock.now());
        let mut keeper = Keeper::START;
        let swept = loop {
            let index = match keeper.next(mode, members, leveling.as_mut()) {
                Keep::Sweep(place) => place as usize,
                Keep::Done(swept) => break swept,
            };
            if !mode.is_synchronous() {
                if members.read_halos(index).is_err() {
                    keeper.has_missed();
                    continue;
                }
                members.meet(index, &mut self.staleness);
            }
            members.sweep(index, &run.residuals, self.id, &mut self.observer);
            run.peers.enter();
            if let Some(before) = &mut before {
                let now = run.clock.now();
                members.add_time(index, now.since(*before));
                *before = now;
            }
        };
        self.has_swept(swept);
    }

    /// Goes from part to part, through an iteration.
    #[inline]
    fn visit(&mut self, visits: &Visits<'w, 'r, T, N>) {
        let run = self.run;
        let around = Around {
            me: self.id,
            homes: &visits.homes,
            board: &SharedBoard { run, visits },
            control: &run.control,
            diameter: visits.diameter,
        };
        loop {
            let members = &mut self.members;
            match self.visitor.next(&around, || run.clock.now()) {
                Visit::Claim(id) => {
                    if let Some(taken) = members.take_in(self.life.pass(), id, &run.slots) {
                        members.add_among(taken, visits.links(id, run.peers));
                        self.visitor.has_claimed();
                    }
                }
                Visit::Read(_) => {
                    let is_ready = members.is_ready(0);
                    if is_ready && members.read_halos(0).is_ok() {
                        self.visitor.has_read(members.count(0).0);
                    }
                }
                Visit::Sweep { is_away, is_open, .. } => {
                    // Not as they are read: a halt may come between.
                    members.meet(0, &mut self.staleness);
                    if !is_open {
                        members.sweep(0, &run.residuals, self.id, &mut self.observer);
                    } else if !members.sweep_open(
                        (&run.slots, visits),
                        &run.residuals,
                        self.id,
                        &mut self.observer,
                    ) {
                        self.visitor.has_lost();
                        continue;
                    }
                    run.peers.enter();
                    self.away += u64::from(is_away);
                }
                Visit::Help { part, is_away } => {
                    if members.help(part, (run, visits), self.id, &mut self.observer) {
                        self.visitor.has_helped();
                        self.away += u64::from(is_away);
                        self.helped += 1;
                    }
                }
                Visit::Leave(_) => members.clear(),
                Visit::Done(swept) => return self.has_swept(swept),
            }
        }
    }

    #[inline]
    fn has_swept(&mut self, swept: u64) {
        let run = self.run;
        run.sweeps[self.id.index()].add(swept);
        self.life.has_swept(swept);
        if swept > 0 && !run.config.mode.is_synchronous() {
            self.wait.ends();
            if run.oversubscribed {
                // Whoever shares the core sweeps next, rather than when the system takes it away:
                // thousands of sweeps between halos that are out of date bring nothing.
                std::thread::yield_now();
            }
        }
    }

    /// Asks all to halt if together they have made the iterations asked for, and else sets when to
    /// look again.
    #[cold]
    fn count(&mut self) {
        let Some(left) = self.life.count(&self.run.control, || self.run.made()) else {
            self.next_count = u64::MAX;
            return;
        };
        let (own, workers) = (self.run.sweeps[self.id.index()].made(), self.run.sweeps.len());
        self.next_count = next_count(own, left, u32::try_from(workers).unwrap_or(u32::MAX));
    }

    /// Balances and detects, if it is this worker's turn, and sees whether the iterations asked for
    /// are made.
    fn take_turn(&mut self) {
        let run = self.run;
        if P::ALONE && run.sweeps[self.id.index()].made() >= self.next_count {
            self.count();
        }
        if !run.turn.is_due(self.id, || run.clock.now()) {
            return;
        }
        self.observer.turns();
        let performed = run.perform_turn(&mut |made| self.observer.moves(made));
        let Performed { round, asks, halts, due } = performed;
        let round = round.map(|moves| Activity::Round { moves });
        self.observer.returns(round.unwrap_or(Activity::Detection));
        if asks && run.peers.ask_to_halt() || halts {
            self.life.ask_to_halt(&run.control);
        }
        let now = run.clock.now();
        if now >= run.samples.due() {
            run.take_sample(now);
        }
        run.turn.pass_on(due.min(run.samples.due()));
    }
}
