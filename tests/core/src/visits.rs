//! Workers that claim parts for one sweep at a time, step by step: core's own workers, halts and choices,
//! with plain memory in place of threads and cells. The parts are in a row.

use std::hash::{Hash, Hasher};

use tresse_core::id::{SubdomainId, WorkerId};
use tresse_core::node::{Around, Board, Homes, Pace, Visit, Visitor};
use tresse_core::part::Graph;
use tresse_core::progress::Progress;
use tresse_core::run::{Mode, RunConfig};
use tresse_core::time::{Duration, Instant};
use tresse_core::worker::{Command, Control, SharedNumber, Worker};

use crate::step::{Number, verdict};

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
}

/// What a worker does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum At {
    Ask,
    Do(Command),
    Visit(Visit),
}

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A worker goes on.
    Go(usize),
    /// A worker, in its turn, asks for a halt.
    Wish(usize),
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
    control: Control<Number>,
    /// Lowest version at home with each worker, as published.
    least: Vec<Number>,
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
        (&self.workers, &self.visitors, &self.control, &self.versions).hash(state);
        (&self.holders, &self.at, &self.waits, &self.made).hash(state);
        (&self.has_news, &self.least, self.wishes, self.broken).hash(state);
    }
}

struct Seen<'s>(&'s System);

impl Board for Seen<'_> {
    fn version(&self, part: SubdomainId) -> u64 {
        self.0.versions[part.index()]
    }

    fn is_free(&self, part: SubdomainId) -> bool {
        self.0.holders[part.index()].is_none()
    }

    fn is_ready(&self, part: SubdomainId, version: u64) -> bool {
        let halts = self.0.config.mode == Mode::Exact && self.0.control.halts(version);
        !halts && self.0.neighbours_admit(part.index())
    }

    fn least(&self, worker: WorkerId) -> u64 {
        self.0.least[worker.index()].load()
    }

    fn publish_least(&self, worker: WorkerId, least: u64) {
        self.0.least[worker.index()].store(least);
    }
}

impl System {
    /// Returns the beginning of a run in which a sweep takes so long, and so many halts may be wished.
    pub fn new(config: &RunConfig, sweep: Duration, wishes: u32, driver: Driver) -> Self {
        let row = Row(u32::try_from(config.subdomains()).unwrap_or(u32::MAX));
        let life = |worker| Worker::new(WorkerId(worker), config.mode, false).visiting(true);
        let (workers, parts) = (config.workers as usize, row.0 as usize);
        Self {
            config: config.clone(),
            driver,
            row,
            workers: (0..config.workers).map(life).collect(),
            visitors: vec![Visitor::new(config).paced(Pace::of(sweep)); workers],
            control: Control::new(config),
            least: vec![Number::from(0); workers],
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
        let able = |&worker: &usize| {
            let idles = self.at[worker] == At::Do(Command::Idle) && !self.has_news[worker];
            let reads = self.driver == Driver::ReadsLate
                && matches!(self.at[worker], At::Visit(Visit::Sweep { part, .. })
                    if !self.neighbours_admit(part.index()));
            !self.waits[worker] && !idles && !reads && self.at[worker] != At::Do(Command::End)
        };
        let able = || (0..self.at.len()).filter(able);
        let turns = able().filter(|&worker| self.at[worker] == At::Do(Command::TakeTurn));
        let wishes = turns.filter(|_| self.wishes > 0).map(Step::Wish);
        able().map(Step::Go).chain(wishes).collect()
    }

    /// Reports whether all workers' lives are over.
    pub fn has_ended(&self) -> bool {
        self.at.iter().all(|at| *at == At::Do(Command::End))
    }

    /// Lets one step happen.
    pub fn apply(&mut self, step: Step) {
        let worker = match step {
            Step::Go(worker) => worker,
            Step::Wish(worker) => {
                self.wishes -= 1;
                self.workers[worker].ask_to_halt(&self.control);
                self.tell_news();
                worker
            }
        };
        self.at[worker] = match self.at[worker] {
            At::Ask => At::Do(self.workers[worker].next(&self.control, || false)),
            At::Do(Command::Sweep) => At::Visit(self.next_visit(worker)),
            At::Do(command) => {
                self.carry_out(worker, command);
                At::Ask
            }
            At::Visit(visit) => self.visit(worker, visit),
        };
    }

    /// Returns the next thing that a worker does with a part.
    fn next_visit(&mut self, worker: usize) -> Visit {
        let (mut parts, mut starts) =
            (vec![SubdomainId(0); self.versions.len()], vec![0; self.at.len() + 1]);
        let homes = Homes::new(&self.row, &self.config, &mut parts, &mut starts);
        let mut visitor = self.visitors[worker];
        let around = Around {
            me: WorkerId(u32::try_from(worker).unwrap_or(u32::MAX)),
            homes: &homes,
            board: &Seen(self),
            control: &self.control,
            diameter: self.row.diameter(),
        };
        let visit = visitor.next(&around, || Instant::ZERO);
        self.visitors[worker] = visitor;
        visit
    }

    /// Carries out a visit's command, in one step with the next where nothing but what the worker has done
    /// itself decides that.
    fn visit(&mut self, worker: usize, visit: Visit) -> At {
        let is_next_known = match visit {
            Visit::Claim(part) => self.claim(worker, part.index()),
            Visit::Read(part) => !self.read(worker, part.index()),
            Visit::Sweep { part, is_away } => {
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
            Command::Begin => self.control.begin(&self.progress(), false),
            Command::TakeTurn => {
                let made = || self.made.iter().sum();
                if self.workers[worker].count(&self.control, made) == Some(0) {
                    self.tell_news();
                }
            }
            Command::Idle => {
                self.has_news[worker] = false;
                let made = self.made.iter().sum();
                self.workers[worker].look_for_halt(&self.control, made, self.versions.len() as u64);
            }
            Command::Barrier => {
                self.waits[worker] = true;
                if self.waits.iter().all(|waits| *waits) {
                    self.waits.fill(false);
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
        self.control.carry_out(&verdict(self.config.stop.iterations, progress));
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
        Progress::of(self.versions.iter().copied())
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
            for step in rest.possible() {
                if matches!(step, Step::Go(_)) {
                    rest.apply(step);
                }
            }
        }
        let asked = self.config.stop.iterations;
        let is_exact = self.config.mode != Mode::Exact
            || rest.versions.iter().all(|&made| Some(made) == asked);
        rest.has_ended() && is_exact && rest.broken.is_none()
    }
}
