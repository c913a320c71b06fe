//! The steps of the workers of a node, one at a time: core's own workers, turn, halts and balancer,
//! with plain memory in place of threads and cells. The model checker explores all orders of these
//! steps in a small system, the properties random orders in large ones.

use std::hash::{Hash, Hasher};
use std::sync::atomic::AtomicU64;

use tresse_core::base::SharedNumber;
use tresse_core::base::id::{SocketId, SubdomainId};
use tresse_core::base::time::Instant;
use tresse_core::node::worker::{
    Command, Control, Detection, Pass, Said, Turn, Verdict, Work, Worker,
};
use tresse_core::node::{Hands, Keep, Keeper};
use tresse_core::run::progress::Progress;
use tresse_core::run::{Mode, PlbParams, RunConfig, Stop};

use crate::world::{self, Fault, Policy, World, worker as name};

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A worker finds out what to do next.
    Ask(usize),
    /// A worker carries its command out.
    Do(usize, Command),
    /// The worker that made a round marks those that it concerns, and hands its turn on.
    Announce(usize),
}

/// Ways of a driver to carry commands out; all but the first are faults that checks must catch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// As intended.
    Sound,
    /// Takes a subdomain without waiting until it is released.
    Grabs,
    /// Clears the mark after it has read the assignment, and so loses marks that came between.
    ClearsLate,
    /// Takes what is free, but does not come back for what is not free yet.
    GivesUp,
    /// Takes what is frozen.
    Thaws,
    /// Freezes what another worker has in its hands.
    FreezesHeld,
    /// Begins a halt out of its turn.
    HaltsOutOfTurn,
    /// Does not wait at the barrier between two synchronous iterations.
    RunsAhead,
}

/// A number of a node that can be copied and compared, with all else that the checker remembers.
#[derive(Debug)]
pub struct Number(AtomicU64);

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Self(AtomicU64::new(value))
    }
}

impl Clone for Number {
    fn clone(&self) -> Self {
        Self::from(self.load())
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.load() == other.load()
    }
}

impl Eq for Number {}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.load().hash(state);
    }
}

impl SharedNumber for Number {
    fn load(&self) -> u64 {
        SharedNumber::load(&self.0)
    }

    fn store(&self, value: u64) {
        SharedNumber::store(&self.0, value);
    }

    fn lower(&self, value: u64) {
        self.0.lower(value);
    }

    fn subtract(&self, value: u64) -> u64 {
        self.0.subtract(value)
    }
}

/// Returns core's verdict on what is said of a run without a tolerance.
pub fn verdict(iterations: Option<u64>, said: &Said) -> Verdict {
    let stop = Stop { iterations, ..Stop::NEVER };
    let config = RunConfig { stop, ..RunConfig::default() };
    Detection::new(&config).decide(1.0, said)
}

fn subdomain(id: usize) -> SubdomainId {
    SubdomainId(u32::try_from(id).unwrap_or(u32::MAX))
}

/// Subdomains that a worker sweeps; each is a neighbour of every other.
struct Working<'a> {
    parts: &'a [usize],
    counts: &'a [u64],
    mode: Mode,
}

impl Hands for Working<'_> {
    fn after(&self, place: Option<u32>) -> Option<u32> {
        let next = place.map_or(0, |place| place + 1);
        ((next as usize) < self.parts.len()).then_some(next)
    }

    fn count(&self, place: u32) -> (u64, SubdomainId) {
        let part = self.parts[place as usize];
        (self.counts[part], subdomain(part))
    }

    fn is_ready(&self, place: u32) -> bool {
        let (own, _) = self.count(place);
        self.counts.iter().all(|&count| self.mode.admits(own, count))
    }
}

/// Workers, subdomains and the balancer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct System {
    /// Update counts.
    pub counts: Vec<u64>,
    /// The worker that each subdomain is assigned to.
    pub assigned: Vec<usize>,
    /// Subdomains that each worker sweeps, by number.
    pub working: Vec<Vec<usize>>,
    /// Core's workers.
    pub workers: Vec<Worker>,
    control: Control<Number>,
    turn: Turn<Number>,
    /// Dirty marks.
    dirty: Vec<bool>,
    /// Next step of each worker.
    next: Vec<Step>,
    /// Whether each worker waits at the barrier.
    waits: Vec<bool>,
    /// The iteration of which each worker has read the halos of its working set, where it reads
    /// them all before it sweeps.
    halos: Vec<Option<u64>>,
    /// How far each worker has come in its iteration.
    keepers: Vec<Keeper>,
    /// Assignment that a worker read when it noticed its mark: only for `ClearsLate`.
    noticed: Vec<Option<Vec<usize>>>,
    /// Workers that a round concerned and that are not marked yet.
    unmarked: Vec<usize>,
    /// The pass in which each subdomain was done last, of those of a halt.
    done: Vec<Pass>,
    /// Subdomains whose residual is published as their cells are now.
    published: Vec<bool>,
    /// Turns that still ask for a look at a consistent state.
    looks: u32,
    /// Subdomains that have changed hands.
    pub moves: u32,
    /// The first thing that was wrong.
    pub broken: Option<&'static str>,
    iterations: Option<u64>,
    mode: Mode,
}

impl System {
    /// Returns the beginning of a run, in which the first `looks` turns ask for a look at a
    /// consistent state.
    pub fn new(config: &RunConfig, assigned: &[usize], looks: u32) -> Self {
        let workers = config.workers as usize;
        let life = |worker| Worker::new(name(worker), config.mode, false);
        Self {
            counts: vec![0; assigned.len()],
            assigned: assigned.to_vec(),
            working: vec![vec![]; workers],
            workers: (0..workers).map(life).collect(),
            control: Control::new(config, assigned.len() as u64),
            turn: Turn::new(config.workers),
            dirty: vec![true; workers],
            next: (0..workers).map(Step::Ask).collect(),
            waits: vec![false; workers],
            halos: vec![None; workers],
            keepers: vec![Keeper::START; workers],
            noticed: vec![None; workers],
            unmarked: Vec::new(),
            done: vec![Pass::BEFORE; assigned.len()],
            published: vec![false; assigned.len()],
            looks,
            moves: 0,
            broken: None,
            iterations: config.stop.iterations,
            mode: config.mode,
        }
    }

    /// Returns the world that a balancing round sees now.
    fn world(&self, params: PlbParams) -> World {
        World {
            counts: self.counts.clone(),
            owners: self.assigned.clone(),
            sockets: vec![SocketId(0); self.working.len()],
            policy: Policy::Joint,
            params,
        }
    }

    /// Returns the steps that can happen now.
    pub fn possible(&self) -> Vec<Step> {
        let waits = self.waits.iter();
        let all = self.next.iter().zip(waits).filter(|(_, waits)| !**waits).map(|(step, _)| *step);
        let is_over = |worker: usize| self.workers[worker].pass() != self.control.pass();
        all.filter(|step| match *step {
            Step::Do(_, Command::End) => false,
            Step::Do(worker, Command::Wait) => is_over(worker),
            Step::Do(..) | Step::Ask(_) | Step::Announce(_) => true,
        })
        .collect()
    }

    /// Reports whether all workers' lives are over.
    pub fn has_ended(&self) -> bool {
        self.next.iter().all(|step| matches!(step, Step::Do(_, Command::End)))
    }

    /// Lets one step happen; an error where a round fails a check.
    pub fn apply(&mut self, step: Step, params: PlbParams, driver: Driver) -> Result<(), Fault> {
        match step {
            Step::Ask(worker) => self.ask(worker, driver),
            Step::Do(worker, Command::TakeTurn) => self.take_turn(worker, params)?,
            Step::Do(worker, command) => {
                self.next[worker] = Step::Ask(worker);
                self.carry_out(worker, command, driver);
            }
            Step::Announce(worker) => {
                for concerned in std::mem::take(&mut self.unmarked) {
                    self.dirty[concerned] = true;
                }
                self.turn.pass_on(Instant::ZERO);
                self.next[worker] = Step::Ask(worker);
            }
        }
        Ok(())
    }

    fn ask(&mut self, worker: usize, driver: Driver) {
        let late = driver == Driver::ClearsLate;
        let mark = &mut self.dirty[worker];
        let take = || if late { *mark } else { std::mem::take(mark) };
        let command = self.workers[worker].next(&self.control, take);
        if late && command == Command::Release {
            self.noticed[worker] = Some(self.assigned_to(worker));
        }
        self.next[worker] = Step::Do(worker, command);
    }

    fn carry_out(&mut self, worker: usize, command: Command, driver: Driver) {
        match command {
            Command::Release => {
                let wanted = self.wanted(worker);
                let owner = |id: &usize| wanted.contains(id).then(|| name(worker));
                self.working[worker].retain(|id| Worker::keeps(name(worker), owner(id)));
            }
            Command::Take => self.take(worker, driver),
            Command::Begin => self.control.begin(&self.progress(), false),
            Command::ReadHalos => self.halos[worker] = Some(self.workers[worker].iteration()),
            Command::Sweep => self.sweep(worker),
            Command::Barrier => self.wait(worker, driver),
            Command::Halt => {
                let is_turn = self.turn.worker() == name(worker);
                if is_turn || driver == Driver::HaltsOutOfTurn {
                    self.workers[worker].begin_halt(&self.control, self.counts.len() as u64);
                }
            }
            Command::Freeze => self.freeze(worker, driver),
            Command::Share => {
                let shared = self.do_left(worker, Driver::Sound);
                for &id in &shared {
                    self.published[id] = true;
                }
                self.workers[worker].handle_done(&self.control, shared.len() as u64);
            }
            Command::Decide => self.decide(),
            Command::Fill
            | Command::TakeTurn
            | Command::Wait
            | Command::Idle
            | Command::Agree
            | Command::Step
            | Command::Settle
            | Command::Fetch
            | Command::Save
            | Command::Saved
            | Command::End => {}
        }
    }

    fn take(&mut self, worker: usize, driver: Driver) {
        let wanted = self.wanted(worker);
        let Self { working, workers, done, .. } = self;
        let pass = workers[worker].pass();
        let gives_up = driver == Driver::GivesUp;
        workers[worker].take(wanted.iter().map(|&id| subdomain(id)), |id| {
            let id = id.index();
            let is_free = !working.iter().any(|working| working.contains(&id));
            let is_marked = !pass.admits(done[id]) && driver != Driver::Thaws;
            let is_own = working[worker].contains(&id);
            if !is_own && (is_free && !is_marked || driver == Driver::Grabs) {
                working[worker].push(id);
            }
            working[worker].contains(&id) || gives_up
        });
        working[worker].sort_unstable();
        if self.noticed[worker].take().is_some() {
            self.dirty[worker] = false;
        }
    }

    fn freeze(&mut self, worker: usize, driver: Driver) {
        let pass = self.workers[worker].pass();
        let held = std::mem::take(&mut self.working[worker]);
        for &id in &held {
            self.done[id] = pass;
        }
        let found = self.do_left(worker, driver);
        self.workers[worker].handle_done(&self.control, (held.len() + found.len()) as u64);
    }

    /// Marks what is left to be done in a worker's pass and in nobody's hands; returns it.
    fn do_left(&mut self, worker: usize, driver: Driver) -> Vec<usize> {
        let pass = self.workers[worker].pass();
        let held = if driver == Driver::FreezesHeld { vec![] } else { self.working.concat() };
        let all = 0..self.done.len();
        let left: Vec<_> =
            all.filter(|id| pass.admits(self.done[*id]) && !held.contains(id)).collect();
        for &id in &left {
            self.done[id] = pass;
        }
        left
    }

    fn sweep(&mut self, worker: usize) {
        let Self { mode, ref counts, .. } = *self;
        let working = Working { parts: &self.working[worker], counts, mode };
        let place = match self.keepers[worker].next(mode, &working, None) {
            Keep::Sweep(place) => place,
            Keep::Done(swept) => return self.workers[worker].handle_swept(swept),
        };
        if !working.is_ready(place) {
            self.broken = Some("a synchronous worker is an iteration ahead");
        }
        if self.mode.is_synchronous()
            && self.halos[worker] != Some(self.workers[worker].iteration())
        {
            self.broken = Some("a synchronous worker sweeps before it has read all its halos");
        }
        let id = self.working[worker][place as usize];
        self.counts[id] += 1;
        self.published[id] = false;
    }

    /// Balances, if it is this worker's turn, and asks for a halt where there is a reason.
    fn take_turn(&mut self, worker: usize, params: PlbParams) -> Result<(), Fault> {
        self.next[worker] = Step::Ask(worker);
        self.workers[worker].count(&self.control, || self.counts.iter().sum());
        if !self.turn.is_due(name(worker), || Instant::ZERO) {
            return Ok(());
        }
        if !self.mode.is_synchronous() {
            let world = self.world(params);
            world::verify(&world)?;
            for sent in world::core_round(&world)? {
                self.assigned[sent.subdomain] = sent.to;
                self.unmarked.extend([sent.from, sent.to]);
                self.moves += 1;
            }
            self.unmarked.sort_unstable();
            self.unmarked.dedup();
        }
        if let Some(looks) = self.looks.checked_sub(1) {
            self.looks = looks;
            self.workers[worker].ask_to_halt(&self.control);
        }
        self.next[worker] = Step::Announce(worker);
        Ok(())
    }

    fn wait(&mut self, worker: usize, driver: Driver) {
        let runs_ahead = driver == Driver::RunsAhead && self.control.pass().work() == Work::Run;
        self.waits[worker] = !runs_ahead;
        if self.waits.iter().all(|waits| *waits) {
            self.waits.fill(false);
        }
    }

    fn decide(&mut self) {
        if self.published.contains(&false) {
            self.broken = Some("the end is decided with residuals that are old");
        }
        if self.working.iter().any(|working| !working.is_empty()) {
            self.broken = Some("the end is decided while somebody has a subdomain in its hands");
        }
        if self.control.has_ended() {
            self.broken = Some("the end is decided twice");
        }
        let progress = self.progress();
        let said = Said { progress, ..Said::default() };
        self.control.carry_out(&verdict(self.iterations, &said));
    }

    fn progress(&self) -> Progress {
        Progress::of(self.counts.iter().copied())
    }

    /// Never two workers for one subdomain.
    pub fn has_one_writer(&self) -> bool {
        let swept = self.working.concat();
        (1..swept.len()).all(|place| !swept[place..].contains(&swept[place - 1]))
    }

    /// Reports whether every worker that is clean, that nobody is about to mark and that awaits
    /// nothing sweeps just the subdomains that it is assigned.
    pub fn clean_means_current(&self) -> bool {
        (0..self.working.len()).all(|worker| {
            let set_busy =
                matches!(self.next[worker], Step::Do(_, Command::Release | Command::Take))
                    || self.next[worker] == Step::Ask(worker) && self.is_between(worker);
            let is_halted = self.control.pass().work() != Work::Run
                || self.workers[worker].pass() != self.control.pass();
            self.dirty[worker]
                || is_halted
                || set_busy
                || self.workers[worker].awaits()
                || self.unmarked.contains(&worker)
                || self.working[worker] == self.assigned_to(worker)
        })
    }

    /// Reports whether a worker has let go of something, and not yet taken anything.
    fn is_between(&self, worker: usize) -> bool {
        let mut life = self.workers[worker];
        life.next(&self.control.clone(), || false) == Command::Take
    }

    /// Reports whether all lives end, with everything let go, once everybody goes on in turn.
    pub fn settles(&self, params: PlbParams, driver: Driver) -> bool {
        const STEPS: usize = 10_000;
        let mut rest = self.clone();
        for _ in 0..STEPS {
            if rest.has_ended() {
                break;
            }
            for step in rest.possible() {
                if rest.apply(step, params, driver).is_err() {
                    return false;
                }
            }
        }
        let is_let_go = rest.working.iter().all(Vec::is_empty);
        rest.has_ended() && is_let_go && rest.broken.is_none()
    }

    fn wanted(&self, worker: usize) -> Vec<usize> {
        self.noticed[worker].clone().unwrap_or_else(|| self.assigned_to(worker))
    }

    fn assigned_to(&self, worker: usize) -> Vec<usize> {
        (0..self.assigned.len()).filter(|&id| self.assigned[id] == worker).collect()
    }
}
