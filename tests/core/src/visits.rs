//! Workers that claim parts for one sweep at a time, step by step: core's own workers, halts and choices,
//! with plain memory in place of threads and cells. The parts are in a row, and may be on several nodes, whose
//! workers meet in collective operations.

use std::hash::{Hash, Hasher};

use tresse_core::id::{SubdomainId, WorkerId};
use tresse_core::node::{Around, Board, Homes, Pace, Visit, Visitor};
use tresse_core::part::Graph;
use tresse_core::progress::Progress;
use tresse_core::run::{Mode, RunConfig};
use tresse_core::time::{Duration, Instant};
use tresse_core::worker::{Command, Control, SharedNumber, Worker};

use crate::step::{Number, verdict};

/// A time long after all others.
const LATE: Instant = Instant(1 << 40);

/// Ways of a driver to carry commands out; all but the first are faults that checks must catch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// As intended.
    Sound,
    /// Says that it has read the neighbours, and then waits for them and reads them.
    ReadsLate,
    /// Does not read the neighbours' counts again once it has claimed a part.
    TrustsHints,
    /// Sweeps a part that somebody else has claimed.
    Grabs,
    /// Keeps its parts when a halt is over.
    Keeps,
    /// Lets each node choose its own count for a halt.
    Disagrees,
    /// Publishes a sweep that another worker has made and published meanwhile.
    PublishesTwice,
}

/// What a worker does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum At {
    Ask,
    Do(Command),
    Visit(Visit),
    /// In a sweep of a part at this version that others may help with, or that it helps with.
    Sweeps(usize, u64),
}

/// Whether others may help with the sweep of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Open {
    No,
    Yes,
    Helped,
}

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A worker goes on.
    Go(usize),
    /// Much time has passed when a worker next looks for something to sweep.
    Late(usize),
    /// A worker, in its turn, asks for a halt, of all nodes.
    Wish(usize),
    /// All nodes carry out the collective operation that their first workers have come to.
    Meet,
    /// A node, whose worker takes its turn, hears of a halt that somebody has asked for.
    Hear(usize),
}

/// Parts in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Row(u32);

impl Graph<2> for Row {
    fn parts(&self) -> u32 {
        self.0
    }

    fn neighbours(&self, SubdomainId(id): SubdomainId) -> [Option<SubdomainId>; 2] {
        let after = (id + 1 < self.0).then_some(SubdomainId(id + 1));
        [id.checked_sub(1).map(SubdomainId), after]
    }

    fn size(&self, _: SubdomainId) -> [u32; 2] {
        [1, 1]
    }
}

/// Workers and parts.
#[derive(Clone, Debug, PartialEq)]
pub struct System {
    config: RunConfig,
    driver: Driver,
    row: Row,
    workers: Vec<Worker>,
    visitors: Vec<Visitor>,
    /// That of each node.
    controls: Vec<Control<Number>>,
    /// Number of the last halt that all nodes have made together, and of the last that was asked for.
    halts: (u64, u64),
    /// Number of the last halt that each node has heard of.
    heard: Vec<u64>,
    /// Lowest version at home with each worker, as published.
    least: Vec<Number>,
    /// Times that a part was stuck in the hands of each worker.
    stuck: Vec<Number>,
    /// Whether others may help with each part.
    open: Vec<Open>,
    /// Workers that look late, and how many more may.
    late: Vec<bool>,
    lates: u32,
    /// Sweeps that others were stuck in.
    pub helped: u64,
    /// The version of each part.
    pub versions: Vec<u64>,
    /// The worker that has claimed each part.
    holders: Vec<Option<usize>>,
    at: Vec<At>,
    /// Whether each worker waits at the barrier.
    waits: Vec<bool>,
    /// Whether anything has changed since each worker was last idle: until then
    /// another look would find the same.
    has_news: Vec<bool>,
    /// Sweeps of each worker before this iteration.
    made: Vec<u64>,
    /// Halts that may still be wished.
    wishes: u32,
    /// Sweeps of parts at home with others.
    pub away: u64,
    /// The first thing that was wrong.
    pub broken: Option<&'static str>,
}

/// All but what never changes.
impl Hash for System {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.workers, &self.visitors, &self.controls, self.halts, &self.heard).hash(state);
        self.versions.hash(state);
        (&self.holders, &self.at, &self.waits, &self.made).hash(state);
        (&self.has_news, &self.least, self.wishes, self.broken).hash(state);
        (&self.stuck, &self.open, &self.late, self.lates).hash(state);
    }
}

/// What the workers of a node see; the second is the first of them.
struct Seen<'s>(&'s System, usize);

impl Board for Seen<'_> {
    fn version(&self, part: SubdomainId) -> u64 {
        self.0.versions[part.index()]
    }

    fn is_free(&self, part: SubdomainId) -> bool {
        self.0.holders[part.index()].is_none()
    }

    fn is_ready(&self, part: SubdomainId, version: u64) -> bool {
        let control = &self.0.controls[self.0.node_of_part(part.index())];
        let halts = self.0.config.mode == Mode::Exact && control.halts(version);
        !halts && self.0.neighbours_admit(part.index())
    }

    fn is_open(&self, part: SubdomainId) -> bool {
        self.0.open[part.index()] == Open::Yes
    }

    fn stuck(&self, worker: WorkerId) -> u64 {
        self.0.stuck[self.1 + worker.index()].load()
    }

    fn tell_stuck(&self, part: SubdomainId) {
        if let Some(holder) = self.0.holders[part.index()] {
            self.0.stuck[holder].store(self.0.stuck[holder].load() + 1);
        }
    }

    fn least(&self, worker: WorkerId) -> u64 {
        self.0.least[self.1 + worker.index()].load()
    }

    fn publish_least(&self, worker: WorkerId, least: u64) {
        self.0.least[self.1 + worker.index()].store(least);
    }
}

impl System {
    /// Returns the beginning of a run in which a sweep takes so long, so many halts may be wished, and workers may
    /// look late so many times.
    pub fn new(
        config: &RunConfig,
        sweep: Duration,
        (wishes, lates): (u32, u32),
        driver: Driver,
    ) -> Self {
        let row = Row(u32::try_from(config.subdomains()).unwrap_or(u32::MAX));
        let (on_node, nodes) = (config.workers_per_node(), config.nodes.number);
        let life = |worker: u32| {
            Worker::new(WorkerId(worker % on_node), config.mode, nodes > 1).visiting(true)
        };
        let (workers, parts) = (config.workers as usize, row.0 as usize);
        Self {
            config: config.clone(),
            driver,
            row,
            workers: (0..config.workers).map(life).collect(),
            visitors: vec![Visitor::new(config).paced(Pace::of(sweep)); workers],
            controls: (0..nodes).map(|_| Control::new(config)).collect(),
            halts: (0, 0),
            heard: vec![0; nodes as usize],
            least: vec![Number::from(0); workers],
            stuck: vec![Number::from(0); workers],
            open: vec![Open::No; parts],
            late: vec![false; workers],
            lates,
            helped: 0,
            versions: vec![0; parts],
            holders: vec![None; parts],
            at: vec![At::Ask; workers],
            waits: vec![false; workers],
            has_news: vec![true; workers],
            made: vec![0; workers],
            wishes,
            away: 0,
            broken: None,
        }
    }

    /// Returns the steps that can happen now.
    pub fn possible(&self) -> Vec<Step> {
        let able = || (0..self.at.len()).filter(|&worker| self.is_able(worker));
        let turns = || able().filter(|&worker| self.at[worker] == At::Do(Command::TakeTurn));
        let wishes = turns().filter(|_| self.wishes > 0).map(Step::Wish);
        let hears = (0..self.at.len()).filter(|&worker| self.can_hear(worker)).map(Step::Hear);
        let meets = self.can_meet().then_some(Step::Meet);
        let late = (0..self.at.len()).filter(|&worker| self.can_be_late(worker)).map(Step::Late);
        able().map(Step::Go).chain(wishes).chain(hears).chain(meets).chain(late).collect()
    }

    /// Whether a worker can go on by itself.
    fn is_able(&self, worker: usize) -> bool {
        let at = self.at[worker];
        let idles = at == At::Do(Command::Idle) && !self.has_news[worker];
        let reads = self.driver == Driver::ReadsLate
            && matches!(at, At::Visit(Visit::Sweep { part, .. })
                if !self.neighbours_admit(part.index()));
        let is_stopped = self.waits[worker] || self.meets(worker) || at == At::Do(Command::End);
        !(idles || reads || is_stopped)
    }

    /// Whether a worker can hear of a halt that nodes are asked for: in its turn, which comes again and again
    /// while it is idle.
    fn can_hear(&self, worker: usize) -> bool {
        let (made, asked) = self.halts;
        let is_asked = asked > made && asked > self.heard[self.node(worker)];
        let takes_turn = match self.at[worker] {
            At::Do(Command::TakeTurn) => true,
            At::Do(Command::Idle) => !self.has_news[worker],
            _ => false,
        };
        self.controls.len() > 1 && is_asked && takes_turn
    }

    /// Whether it makes a difference that much time passes before a worker looks again.
    fn can_be_late(&self, worker: usize) -> bool {
        let at = self.at[worker];
        let looks = at == At::Do(Command::Sweep) || at == At::Do(Command::Idle);
        self.config.helps() && looks && self.lates > 0 && !self.late[worker]
    }

    fn can_meet(&self) -> bool {
        self.firsts().all(|worker| self.meets(worker))
    }

    /// Reports whether all workers' lives are over.
    pub fn has_ended(&self) -> bool {
        self.at.iter().all(|at| *at == At::Do(Command::End))
    }

    fn node(&self, worker: usize) -> usize {
        worker / self.config.workers_per_node() as usize
    }

    fn node_of_part(&self, part: usize) -> usize {
        self.node(part / self.config.split as usize)
    }

    /// Returns the first worker of each node.
    fn firsts(&self) -> impl Iterator<Item = usize> + use<> {
        (0..self.workers.len()).step_by(self.config.workers_per_node() as usize)
    }

    /// Whether a worker has come to a collective operation of several nodes.
    fn meets(&self, worker: usize) -> bool {
        use Command::{Agree, Begin, Decide, Fetch, Settle};
        let is_collective = |at| matches!(at, At::Do(Agree | Begin | Decide | Fetch | Settle));
        self.controls.len() > 1 && is_collective(self.at[worker])
    }

    /// Lets one step happen.
    pub fn apply(&mut self, step: Step) {
        let worker = match step {
            Step::Go(worker) => worker,
            Step::Late(worker) => {
                self.late[worker] = true;
                self.lates -= 1;
                self.has_news[worker] = true;
                return;
            }
            Step::Meet => return self.meet(),
            Step::Wish(worker) => {
                self.wishes -= 1;
                self.halts.1 = self.halts.0 + 1;
                // Of several nodes, each hears it at a time of its own.
                if self.controls.len() == 1 {
                    self.ask_to_halt(worker);
                }
                worker
            }
            Step::Hear(worker) => {
                let node = self.node(worker);
                self.heard[node] = self.halts.1;
                self.ask_to_halt(worker);
                worker
            }
        };
        let control = &self.controls[self.node(worker)];
        self.at[worker] = match self.at[worker] {
            At::Ask => At::Do(self.workers[worker].next(control, || false)),
            At::Do(Command::Sweep) => At::Visit(self.next_visit(worker)),
            At::Do(command) => {
                self.carry_out(worker, command);
                At::Ask
            }
            At::Visit(visit) => self.visit(worker, visit),
            At::Sweeps(part, version) => self.end_sweep(worker, part, version),
        };
    }

    /// Ends a sweep that others could help with: the first to do so publishes.
    fn end_sweep(&mut self, worker: usize, part: usize, version: u64) -> At {
        let is_first = self.versions[part] == version;
        if is_first && self.holders[part] != Some(worker) {
            self.holders[part] = Some(worker);
            self.helped += 1;
            self.visitors[worker].has_helped();
        } else if !is_first {
            self.visitors[worker].has_lost();
        }
        if is_first {
            self.open[part] = Open::No;
        }
        if is_first || self.driver == Driver::PublishesTwice {
            self.publish(worker, part);
        }
        At::Visit(self.next_visit(worker))
    }

    fn ask_to_halt(&mut self, worker: usize) {
        self.workers[worker].ask_to_halt(&self.controls[self.node(worker)]);
        self.tell_news();
    }

    /// Carries out the collective operation that all nodes have come to.
    fn meet(&mut self) {
        let firsts: Vec<_> = self.firsts().collect();
        let first = self.at[firsts[0]];
        if firsts.iter().any(|&worker| self.at[worker] != first) {
            return self.break_by("nodes come to different collective operations");
        }
        match first {
            At::Do(Command::Agree) => {
                for node in 0..self.controls.len() {
                    let here = |part: &usize| self.node_of_part(*part) == node;
                    let all = self.driver != Driver::Disagrees;
                    let parts = (0..self.versions.len()).filter(|part| all || here(part));
                    let highest = parts.map(|part| self.versions[part]).max().unwrap_or(0);
                    self.controls[node].agree(highest);
                }
                self.tell_news();
            }
            At::Do(Command::Settle) => self.halts.0 += 1,
            At::Do(Command::Begin) => self.begin(),
            At::Do(Command::Decide) => self.decide(),
            _ => {}
        }
        for worker in firsts {
            self.at[worker] = At::Ask;
        }
    }

    fn begin(&self) {
        for (node, control) in self.controls.iter().enumerate() {
            control.begin(&self.progress_of(|part| self.node_of_part(part) == node), false);
        }
    }

    /// Returns the next thing that a worker does with a part.
    fn next_visit(&mut self, worker: usize) -> Visit {
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

    /// Carries out a visit's command, in one step with the next where nothing but what the worker has done
    /// itself decides that.
    fn visit(&mut self, worker: usize, visit: Visit) -> At {
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
            Visit::Done(swept) => return self.has_swept(worker, swept),
        };
        if is_next_known {
            return At::Visit(self.next_visit(worker));
        }
        At::Do(Command::Sweep)
    }

    /// Claims a part, where nobody has it.
    fn claim(&mut self, worker: usize, part: usize) -> bool {
        let claims = self.holders[part].is_none() || self.driver == Driver::Grabs;
        if claims {
            self.holders[part] = Some(worker);
            self.visitors[worker].has_claimed();
        }
        claims
    }

    /// Reads the neighbours of a part, where they are far enough.
    fn read(&mut self, worker: usize, part: usize) -> bool {
        let trusts = matches!(self.driver, Driver::TrustsHints | Driver::ReadsLate);
        let reads = self.neighbours_admit(part) || trusts;
        if reads {
            self.visitors[worker].has_read(self.versions[part]);
        }
        reads
    }

    fn has_swept(&mut self, worker: usize, swept: u64) -> At {
        if swept > 0 {
            self.made[worker] += swept;
            self.tell_news();
        }
        self.workers[worker].has_swept(swept);
        At::Ask
    }

    fn tell_news(&mut self) {
        self.has_news.fill(true);
    }

    fn publish(&mut self, worker: usize, part: usize) {
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

    fn carry_out(&mut self, worker: usize, command: Command) {
        match command {
            Command::Take => self.take(worker),
            Command::ReleaseAll if self.driver != Driver::Keeps => {
                let own = self.holders.iter_mut().filter(|holder| **holder == Some(worker));
                own.for_each(|holder| *holder = None);
                self.tell_news();
            }
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

    /// Takes what is at home with a worker, in a halt: nobody may have it then.
    fn take(&mut self, worker: usize) {
        for part in 0..self.versions.len() {
            if part / self.config.split as usize != worker {
                continue;
            }
            if self.holders[part].is_some_and(|holder| holder != worker) {
                self.break_by("a part is claimed by somebody in a halt");
            }
            self.holders[part] = Some(worker);
        }
    }

    fn decide(&mut self) {
        let progress = self.progress();
        if self.config.mode == Mode::Exact && progress.spread() > 0 {
            self.break_by("an exact halt finds parts at different counts");
        }
        if self.holders.contains(&None) {
            self.break_by("the end is decided while a part is in nobody's hands");
        }
        let verdict = verdict(self.config.stop.iterations, progress);
        self.controls.iter().for_each(|control| control.carry_out(&verdict));
    }

    fn break_by(&mut self, what: &'static str) {
        self.broken.get_or_insert(what);
    }

    fn neighbours(&self, part: usize) -> impl Iterator<Item = usize> + use<> {
        let id = SubdomainId(u32::try_from(part).unwrap_or(u32::MAX));
        self.row.neighbours(id).into_iter().flatten().map(SubdomainId::index)
    }

    fn neighbours_admit(&self, part: usize) -> bool {
        let own = self.versions[part];
        self.neighbours(part).all(|other| self.config.mode.admits(own, self.versions[other]))
    }

    fn progress(&self) -> Progress {
        self.progress_of(|_| true)
    }

    fn progress_of(&self, counts: impl Fn(usize) -> bool) -> Progress {
        let versions = self.versions.iter().enumerate();
        Progress::of(versions.filter(|(part, _)| counts(*part)).map(|(_, &version)| version))
    }

    /// Reports whether all lives end once everybody goes on in turn, in the exact mode with the iterations
    /// that were asked for and no more.
    pub fn settles(&self) -> bool {
        const STEPS: usize = 10_000;
        let mut rest = self.clone();
        for _ in 0..STEPS {
            if rest.has_ended() {
                break;
            }
            for worker in 0..rest.at.len() {
                if rest.can_hear(worker) {
                    rest.apply(Step::Hear(worker));
                } else if rest.is_able(worker) {
                    rest.apply(Step::Go(worker));
                }
            }
            if rest.can_meet() {
                rest.apply(Step::Meet);
            }
        }
        let asked = self.config.stop.iterations;
        let is_exact = self.config.mode != Mode::Exact
            || rest.versions.iter().all(|&made| Some(made) == asked);
        rest.has_ended() && is_exact && rest.broken.is_none()
    }
}
