//! One worker: its working set, and the loop that sweeps it.

use std::sync::atomic::{AtomicU64, Ordering};

use tresse_core::id::{SubdomainId, WorkerId};
use tresse_core::progress::Staleness;
use tresse_core::schedule::next_count;
use tresse_core::shared::SharedReal;

use super::duty::Performed;
use super::members::Members;
use super::observer::{Activity, Observer};
use super::peers::Peers;
use super::run::Run;
use super::wait::Wait;

/// The sweeps that a worker has made, on a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Sweeps(AtomicU64);

impl Sweeps {
    pub(super) fn made(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A thread's own state; nothing is allocated after [`Worker::new`].
pub(super) struct Worker<'e, 'w, 'r, F: SharedReal, P, O> {
    id: WorkerId,
    run: &'e Run<'w, 'r, F, P>,
    members: Members<'r, F>,
    /// Assigned to this worker, but still held by another.
    awaited: Vec<SubdomainId>,
    iteration: u64,
    /// The own sweeps at which it is time to add everybody's up.
    next_count: u64,
    staleness: Staleness,
    /// For a neighbour or a hand-over, since something was swept last.
    wait: Wait,
    observer: O,
}

impl<'e, 'w, 'r, F, P, O> Worker<'e, 'w, 'r, F, P, O>
where
    F: SharedReal,
    P: Peers<'r, F>,
    O: Observer<F>,
{
    pub(super) fn new(id: WorkerId, run: &'e Run<'w, 'r, F, P>, observer: O) -> Self {
        let all = run.berths.subdomains.len();
        Self {
            id,
            run,
            members: Members::with_capacity(all),
            awaited: Vec::with_capacity(all),
            iteration: 0,
            next_count: 0,
            staleness: Staleness::default(),
            wait: Wait::looking(run.oversubscribed),
            observer,
        }
    }

    /// Works until the run has ended; returns the halos that were read, and the observer.
    pub(super) fn work(mut self) -> (Staleness, O) {
        self.prepare();
        while !self.run.control.has_ended() {
            self.refresh();
            if self.run.control.halts(self.iteration) {
                self.halt();
                continue;
            }
            let swept = self.iterate();
            self.iteration += 1;
            self.take_turn();
            if self.run.config.mode.is_synchronous() {
                self.step();
            } else if swept == 0 {
                // Everything waits for a neighbour or for a hand-over.
                self.run.peers.look();
                let waits_to_take = self.members.len() == 0;
                self.observer.idles(if waits_to_take {
                    Activity::HandOver
                } else {
                    Activity::Gate
                });
                self.wait.relax();
            } else {
                self.wait.ends();
                if self.run.oversubscribed {
                    // Whoever shares the core sweeps next, rather than when the system takes it
                    // away: thousands of sweeps between halos that are out of date bring nothing.
                    std::thread::yield_now();
                }
            }
        }
        (self.staleness, self.observer)
    }

    /// Fills the subdomains that this worker starts with, and takes their initial residual.
    fn prepare(&mut self) {
        self.refresh();
        self.members.fill(self.run);
        self.settle_residual();
        if self.id == WorkerId(0) {
            self.run.begin();
        }
        self.wait_for_all();
    }

    /// Waits for everybody between two synchronous iterations.
    fn step(&mut self) {
        self.wait_for_all();
        if !P::ALONE {
            if self.id == WorkerId(0) {
                self.run.step(self.iteration);
            }
            self.wait_for_all();
        }
    }

    fn wait_for_all(&mut self) {
        self.observer.turns();
        self.run.control.wait_for_all();
        self.observer.returns(Activity::Barrier);
    }

    /// Looks at the working set again if it has changed: lets go of what belongs to others, and
    /// takes what belongs to this worker as soon as it is free.
    fn refresh(&mut self) {
        let assignment = &self.run.assignment;
        if assignment.take_dirty(self.id) {
            self.members.keep(|id| assignment.owner(id) == Some(self.id));
            self.members.connect(self.run);
            self.awaited.clear();
            self.awaited.extend(assignment.of(self.id).filter(|&id| !self.members.has(id)));
        }
        if !self.awaited.is_empty() {
            self.take_awaited();
        }
    }

    fn take_awaited(&mut self) {
        let (id, run, members) = (self.id, self.run, &mut self.members);
        let observer = &mut self.observer;
        let before = self.awaited.len();
        self.awaited.retain(|&subdomain| match run.berths.take(subdomain, id) {
            Some(taken) => {
                members.add(taken);
                observer.takes(subdomain);
                false
            }
            None => true,
        });
        if self.awaited.len() < before {
            members.connect(run);
        }
    }

    /// Sweeps each member once, if its neighbours are far enough; returns how many it swept.
    fn iterate(&mut self) -> u64 {
        let (run, members) = (self.run, &mut self.members);
        let is_synchronous = run.config.mode.is_synchronous();
        if is_synchronous {
            // All of them, before any of them has a newer version than the others.
            for index in 0..members.len() {
                // Between two barriers every neighbour's edge of this version is there, or on its way.
                let staleness = &mut self.staleness;
                members.await_halos(run, |members| members.read_halos(index, run, staleness));
            }
        }
        let mut swept = 0;
        // Read once a sweep, and only for a balancer that goes by it.
        let mut clock = run.config.balance.measures_sweeps().then(|| run.clock.now());
        for index in 0..members.len() {
            if !is_synchronous {
                let is_ready = !members.waits(index, run)
                    && members.read_halos(index, run, &mut self.staleness).is_ok();
                if !is_ready {
                    continue;
                }
            }
            members.sweep(index, self.id, run, &mut self.observer);
            run.peers.enter();
            if let Some(before) = &mut clock {
                let now = run.clock.now();
                members.add_time(index, now.since(*before));
                *before = now;
            }
            swept += 1;
        }
        let sweeps = &run.sweeps[self.id.index()].0;
        sweeps.store(sweeps.load(Ordering::Relaxed) + swept, Ordering::Relaxed);
        swept
    }

    /// Asks all to halt if together they have made the iterations asked for, and else sets when to
    /// look again.
    #[cold]
    fn count(&mut self) {
        let Some(left) = self.run.lacks() else {
            self.next_count = u64::MAX;
            return;
        };
        if left == 0 {
            self.run.control.halt_after(self.iteration);
        }
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
        let performed = run.perform_duty(&mut |made| self.observer.moves(made));
        let Performed { round, asks, halts, due } = performed;
        let round = round.map(|moves| Activity::Round { moves });
        self.observer.returns(round.unwrap_or(Activity::Detection));
        let asks = asks || run.is_interrupted();
        if asks && run.peers.ask_to_halt() || halts {
            // `iteration` is the next one, which everybody makes before the next barrier.
            run.control.halt_after(self.iteration - 1);
        }
        run.turn.pass_on(self.id, due);
    }

    /// Together with all others: brings every subdomain into its owner's hands, takes the residual
    /// of the state that all agree on, and lets worker 0 decide whether that is the end.
    fn halt(&mut self) {
        self.settle_residual();
        if self.id == WorkerId(0) {
            self.run.decide();
        }
        self.wait_for_all();
        if !P::ALONE && self.run.control.saves() {
            let peers = self.run.peers;
            self.members.show(|id, updates, subdomain| peers.save(id, updates, subdomain));
            self.wait_for_all();
            if self.id == WorkerId(0) {
                peers.saved();
            }
            self.wait_for_all();
        }
    }

    /// Worker 0 does for all what they do together with the other processes.
    fn meet(&mut self, together: impl FnOnce(&Run<'w, 'r, F, P>)) {
        if self.id == WorkerId(0) {
            together(self.run);
        }
        self.wait_for_all();
    }

    fn settle_residual(&mut self) {
        // After this barrier nobody balances, so no more moves are announced; and before the next
        // one everybody has let go of what belongs to others. Were a move announced in between, a
        // subdomain could be in nobody's hands, and its residual would be an old one.
        self.wait_for_all();
        self.refresh();
        self.wait_for_all();
        if !P::ALONE {
            self.meet(Run::settle);
            self.refresh();
        }
        self.take_awaited();
        if !P::ALONE {
            self.wait_for_all();
            self.meet(Run::refresh);
            self.refresh();
        }
        self.observer.turns();
        self.members.publish_residuals(self.run);
        self.observer.returns(Activity::Verification);
        self.wait_for_all();
    }
}
