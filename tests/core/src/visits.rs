//! Workers that claim parts for one sweep at a time, step by step: core's own workers, halts and
//! choices, with plain memory in place of threads and cells. The parts are in a row, and may be on
//! several nodes, whose workers meet in collective operations.

mod board;
mod carry_out;
mod possible;

use std::hash::{Hash, Hasher};

use tresse_core::base::id::{SubdomainId, WorkerId};
use tresse_core::base::time::Duration;
use tresse_core::node::worker::{Command, Control, Pass, Worker};
use tresse_core::node::{Keeper, Pace, Visit, Visitor};
use tresse_core::parts::Graph;
use tresse_core::run::progress::Progress;
use tresse_core::run::{Mode, RunConfig};

use self::board::Row;
use crate::number::Number;

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
    /// Freezes what another worker has claimed.
    FreezesHeld,
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
    /// Number of the last halt that all nodes have made together, and of the last that was asked
    /// for.
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
    /// The pass in which each part was done last, of those of a halt.
    done: Vec<Pass>,
    /// Sweeps of each worker's claim so far.
    claimed: Vec<u32>,
    at: Vec<At>,
    /// Whether each worker waits at the barrier.
    waits: Vec<bool>,
    /// Whether anything has changed since each worker was last idle: until then
    /// another look would find the same.
    has_news: Vec<bool>,
    /// How far each worker has come in its iteration, where it keeps its own.
    keepers: Vec<Keeper>,
    /// Sweeps of each worker before this iteration.
    made: Vec<u64>,
    /// Halts that may still be wished.
    wishes: u32,
    /// Sweeps of parts at home with others.
    pub away: u64,
    /// The first thing that was wrong.
    pub broken: Option<&'static str>,
}

/// All but what never changes, and the sweeps of a claim, which the visitor knows as well.
impl Hash for System {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.workers, &self.visitors, &self.controls, self.halts, &self.heard).hash(state);
        self.versions.hash(state);
        (&self.holders, &self.done, &self.at, &self.waits, &self.made, &self.keepers).hash(state);
        (&self.has_news, &self.least, self.wishes, self.broken).hash(state);
        (&self.stuck, &self.open, &self.late, self.lates).hash(state);
    }
}

impl System {
    /// Returns the beginning of a run in which a sweep takes so long, so many halts may be wished,
    /// and workers may look late so many times.
    pub fn new(
        config: &RunConfig,
        sweep: Duration,
        (wishes, lates): (u32, u32),
        driver: Driver,
    ) -> Self {
        let row = Row(u32::try_from(config.subdomains()).unwrap_or(u32::MAX));
        let (on_node, nodes) = (config.workers_per_node(), config.nodes.number);
        let life = |worker: u32| Worker::new(WorkerId(worker % on_node), config.mode, nodes > 1);
        let (workers, parts) = (config.workers as usize, row.0 as usize);
        Self {
            config: config.clone(),
            driver,
            row,
            workers: (0..config.workers).map(life).collect(),
            visitors: vec![Visitor::new(config).paced(Pace::of(sweep)); workers],
            controls: (0..nodes).map(|_| Control::new(config, u64::from(row.0 / nodes))).collect(),
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
            done: vec![Pass::BEFORE; parts],
            claimed: vec![0; workers],
            at: vec![At::Ask; workers],
            waits: vec![false; workers],
            has_news: vec![true; workers],
            keepers: vec![Keeper::START; workers],
            made: vec![0; workers],
            wishes,
            away: 0,
            broken: None,
        }
    }

    /// Reports whether all workers' lives are over.
    pub fn has_ended(&self) -> bool {
        self.at.iter().all(|at| *at == At::Do(Command::End))
    }

    /// Reports whether workers claim parts for one sweep at a time by now, on all nodes.
    pub fn have_switched(&self) -> bool {
        self.controls.iter().all(Control::visits)
    }

    fn node(&self, worker: usize) -> usize {
        worker / self.config.workers_per_node() as usize
    }

    fn node_of_part(&self, part: usize) -> usize {
        self.node(part / self.config.split as usize)
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
            At::Do(Command::Sweep) if control.visits() => At::Visit(self.next_visit(worker)),
            At::Do(Command::Sweep) => self.sweep_kept(worker),
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
            self.visitors[worker].handle_helped();
        } else if !is_first {
            self.visitors[worker].handle_lost();
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
        let acting: Vec<_> = (0..self.at.len()).filter(|&worker| self.meets(worker)).collect();
        let first = self.at[acting[0]];
        if acting.iter().any(|&worker| self.at[worker] != first) {
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
        for worker in acting {
            self.at[worker] = At::Ask;
        }
    }

    fn tell_news(&mut self) {
        self.has_news.fill(true);
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

    /// Reports whether all lives end once everybody goes on in turn, in the exact mode with the
    /// iterations that were asked for and no more.
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
