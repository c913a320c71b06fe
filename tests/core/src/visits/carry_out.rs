//! What the workers are told to do, carried out as a [`Driver`] does that.

use tresse_core::base::id::{SubdomainId, WorkerId};
use tresse_core::base::time::Instant;
use tresse_core::node::worker::{Command, Control, Detection, HaltStatus, Verdict};
use tresse_core::node::{Around, Homes, Keep, Visit};
use tresse_core::parts::Graph;
use tresse_core::run::{Mode, RunConfig, Stop};

use super::board::{Held, Seen};
use super::{At, Driver, Open, System};

/// A time long after all others.
const LATE: Instant = Instant(1 << 40);

impl System {
    /// Returns the next thing that a worker does with a part.
    pub(super) fn next_visit(&mut self, worker: usize) -> Visit {
        let on_node = self.config.workers_per_node() as usize;
        let (mut parts, mut starts) =
            (vec![SubdomainId(0); self.versions.len()], vec![0; on_node + 1]);
        let node = self.node(worker);
        let first = node * on_node;
        let home = |part: SubdomainId| {
            let worker = (part.index() / self.config.split as usize).checked_sub(first);
            let worker = worker.filter(|&worker| worker < on_node).unwrap_or(on_node);
            WorkerId(u32::try_from(worker).unwrap_or(u32::MAX))
        };
        let homes = Homes::new(&self.row, home, &mut parts, &mut starts);
        let mut visitor = self.visitors[worker];
        let around = Around {
            me: WorkerId(u32::try_from(worker - first).unwrap_or(u32::MAX)),
            homes: &homes,
            board: &Seen(self, first),
            control: &self.controls[node],
            diameter: self.row.diameter(),
        };
        let now = if self.late[worker] { LATE } else { Instant::ZERO };
        let visit = visitor.next(&around, || now);
        self.late[worker] = false;
        self.visitors[worker] = visitor;
        visit
    }

    /// Carries out a visit's command, in one step with the next where nothing but what the worker
    /// has done itself decides that.
    pub(super) fn visit(&mut self, worker: usize, visit: Visit) -> At {
        if matches!(visit, Visit::Sweep { .. }) {
            self.count_claimed(worker);
        }
        let is_next_known = match visit {
            Visit::Claim(part) => self.claim(worker, part.index()),
            Visit::Read(part) => !self.read(worker, part.index()),
            Visit::Sweep { part, is_open: true, .. } => {
                self.open[part.index()] = Open::Yes;
                return At::Sweeps(part.index(), self.versions[part.index()]);
            }
            Visit::Help { part, .. } if self.open[part.index()] == Open::Yes => {
                self.open[part.index()] = Open::Helped;
                return At::Sweeps(part.index(), self.versions[part.index()]);
            }
            Visit::Help { .. } => false,
            Visit::Sweep { part, is_away, .. } => {
                self.publish(worker, part.index());
                self.away += u64::from(is_away);
                true
            }
            Visit::Leave(part) => {
                self.holders[part.index()] = None;
                self.tell_news();
                false
            }
            Visit::Done(swept) => return self.handle_swept(worker, swept),
        };
        if is_next_known {
            return At::Visit(self.next_visit(worker));
        }
        At::Do(Command::Sweep)
    }

    /// Counts a sweep of a claim.
    fn count_claimed(&mut self, worker: usize) {
        self.claimed[worker] += 1;
        if self.claimed[worker] > self.visitors[worker].sweeps_a_claim() {
            self.break_by("a part is swept more often than it was claimed for");
        }
    }

    /// Claims a part, where nobody has it.
    fn claim(&mut self, worker: usize, part: usize) -> bool {
        let is_free = self.holders[part].is_none();
        let is_admitted = self.workers[worker].pass().admits(self.done[part]);
        let claims = is_free && is_admitted || self.driver == Driver::Grabs;
        if claims {
            self.holders[part] = Some(worker);
            self.claimed[worker] = 0;
            self.visitors[worker].handle_claimed();
        }
        claims
    }

    /// Reads the neighbours of a part, where they are far enough.
    fn read(&mut self, worker: usize, part: usize) -> bool {
        let trusts = matches!(self.driver, Driver::TrustsHints | Driver::ReadsLate);
        let reads = self.neighbours_admit(part) || trusts;
        if reads {
            self.visitors[worker].handle_read(self.versions[part]);
        }
        reads
    }

    /// Sweeps the next of the parts that a worker keeps, asynchronously.
    pub(super) fn sweep_kept(&mut self, worker: usize) -> At {
        let mut keeper = self.keepers[worker];
        let next = keeper.next(Mode::Async, &Held(self, worker), None);
        self.keepers[worker] = keeper;
        match next {
            Keep::Sweep(part) => {
                self.publish(worker, part as usize);
                At::Do(Command::Sweep)
            }
            Keep::Done(swept) => self.handle_swept(worker, swept),
        }
    }

    fn handle_swept(&mut self, worker: usize, swept: u64) -> At {
        if swept > 0 {
            self.made[worker] += swept;
            self.tell_news();
        }
        self.workers[worker].handle_swept(swept);
        At::Ask
    }

    pub(super) fn publish(&mut self, worker: usize, part: usize) {
        if self.holders[part] != Some(worker) {
            self.break_by("a part is published by somebody who does not have it");
        }
        self.versions[part] += 1;
        self.tell_news();
        let own = self.versions[part];
        let far = self.neighbours(part).any(|other| self.versions[other].abs_diff(own) > 1);
        if self.config.mode == Mode::Exact && far {
            self.break_by("neighbours are more than one update apart");
        }
        if self.at.iter().any(|at| matches!(at, At::Do(Command::Decide))) {
            self.break_by("somebody sweeps while the end is decided");
        }
    }

    pub(super) fn carry_out(&mut self, worker: usize, command: Command) {
        match command {
            Command::Take => self.take(worker),
            Command::Halt if self.has_turn(worker) => {
                let node = self.node(worker);
                let parts = self.parts_of(node).count() as u64;
                self.workers[worker].begin_halt(&self.controls[node], parts);
                self.tell_news();
            }
            Command::Freeze | Command::Share => self.do_left(worker, command),
            Command::Begin => self.begin(),
            Command::TakeTurn => {
                // Of several nodes, the first sees the counts of all, and asks all.
                let made = || self.made.iter().sum();
                let control = &self.controls[0];
                if self.controls.len() > 1 {
                    if control.lacks(made) == Some(0) {
                        self.halts.1 = self.halts.0 + 1;
                    }
                } else if self.workers[worker].count(control, made) == Some(0) {
                    self.tell_news();
                }
            }
            Command::Idle => {
                self.has_news[worker] = false;
                let (node, on_node) = (self.node(worker), self.config.workers_per_node() as usize);
                let made = self.made[node * on_node..][..on_node].iter().sum();
                let parts = (self.versions.len() / self.controls.len()) as u64;
                self.workers[worker].look_for_halt(&self.controls[node], made, parts);
            }
            Command::Barrier => {
                self.waits[worker] = true;
                let (node, on_node) = (self.node(worker), self.config.workers_per_node() as usize);
                let waits = &mut self.waits[node * on_node..][..on_node];
                if waits.iter().all(|waits| *waits) {
                    waits.fill(false);
                }
            }
            Command::Decide => self.decide(),
            _ => {}
        }
    }

    /// Takes what is at home with a worker, where parts are kept.
    fn take(&mut self, worker: usize) {
        let split = self.config.split as usize;
        let all = (0..self.row.0).map(SubdomainId);
        let home = all.filter(|part| part.index() / split == worker);
        let Self { workers, holders, done, .. } = self;
        let pass = workers[worker].pass();
        workers[worker].take(home, |part| {
            let (holder, done) = (&mut holders[part.index()], done[part.index()]);
            *holder = holder.or(pass.admits(done).then_some(worker));
            *holder == Some(worker)
        });
    }

    fn parts_of(&self, node: usize) -> impl Iterator<Item = usize> {
        (0..self.versions.len()).filter(move |&part| self.node_of_part(part) == node)
    }

    /// Freezes what a worker has, and does what is left to be done in its pass.
    fn do_left(&mut self, worker: usize, command: Command) {
        let (node, pass) = (self.node(worker), self.workers[worker].pass());
        let freezes = command == Command::Freeze;
        let takes_held = freezes && self.driver == Driver::FreezesHeld;
        let is_left = |&part: &usize| match self.holders[part] {
            Some(holder) => freezes && (holder == worker || takes_held),
            None => true,
        };
        let left: Vec<_> = self.parts_of(node).filter(is_left).collect();
        let left: Vec<_> = left.into_iter().filter(|&part| pass.admits(self.done[part])).collect();
        for &part in &left {
            self.done[part] = pass;
            if self.holders[part] == Some(worker) {
                self.holders[part] = None;
            }
        }
        self.workers[worker].handle_done(&self.controls[node], left.len() as u64);
        self.tell_news();
    }

    pub(super) fn decide(&mut self) {
        let progress = self.progress();
        if self.config.mode == Mode::Exact && progress.spread() > 0 {
            self.break_by("an exact halt finds parts at different counts");
        }
        if self.holders.iter().any(Option::is_some) {
            self.break_by("the end is decided while somebody has a part in its hands");
        }
        if self.controls.iter().any(Control::has_ended) {
            self.break_by("the end is decided twice");
        }
        let wants_to_pull = self.config.may_switch().then_some(0);
        let said = HaltStatus { progress, wants_to_pull, ..HaltStatus::default() };
        let verdict = verdict(self.config.stop.iterations, &said);
        self.controls.iter().for_each(|control| control.carry_out(&verdict));
    }

    pub(super) fn begin(&self) {
        for (node, control) in self.controls.iter().enumerate() {
            control.begin(&self.progress_of(|part| self.node_of_part(part) == node), false);
        }
    }
}

/// Returns core's verdict on what is said of a run without a tolerance.
fn verdict(iterations: Option<u64>, said: &HaltStatus) -> Verdict {
    let stop = Stop { iterations, ..Stop::NEVER };
    let config = RunConfig { stop, ..RunConfig::default() };
    Detection::new(&config).decide(1.0, said)
}
