//! The workers of several ranks, from the beginning of their lives to the end: the shipped
//! [`Worker`], [`Control`] and [`Turn`] of each rank, and the shipped rank and halts between them,
//! with subdomains on their way and a checkpoint.

mod meet;

use tresse_core::base::id::WorkerId;
use tresse_core::base::time::Instant;
use tresse_core::node::worker::Rounds;
use tresse_core::node::worker::{Command, Control, HaltStatus, Halts, Pass, Turn, Verdict, Worker};
use tresse_core::ranks::Exchanged;
use tresse_core::run::{Mode, RunConfig};

use super::halting::own;
use super::net::Comes;
use super::rank::{self, RankOf};
use super::system::{Setting, Step, System};
use crate::number::Number;
use crate::world::worker as name;

/// Ways of ranks to carry commands out; all but the first are faults that checks must catch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranks {
    /// As intended.
    Sound,
    /// A rank decides without waiting until all have published their residuals.
    DecidesAlone,
    /// A rank goes on after one round, whatever the others wait for.
    SettlesOnce,
}

/// Where a rank is in what all ranks do together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Round {
    /// In no round.
    None,
    /// It has said a number, and waits for the sum.
    Say(u64),
    /// The sum has come.
    Hear(u64),
    /// It has told the first rank what it says ([`HaltStatus`]), in words.
    Tell([u64; HaltStatus::WORDS]),
    /// The verdict has come ([`Verdict`]), in words.
    Contribution([u64; Verdict::WORDS]),
}

/// The workers of a rank.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    halts: Halts<Number>,
    control: Control<Number>,
    turn: Turn<Number>,
    workers: Vec<Worker>,
    /// Present command of each worker.
    doing: Vec<Option<Command>>,
    round: Round,
    /// Rounds that the rank is in.
    rounds: Option<Rounds>,
    /// The pass in which each subdomain was done last here, of those of a halt.
    done: Vec<Pass>,
    /// Subdomains that have published their residuals here, since they were swept last.
    published: Vec<bool>,
    /// Whether the newest edges of other ranks are here: nobody has swept since.
    is_fresh: bool,
    /// Whether the rank has decided since its last halt.
    has_decided: bool,
    /// Last halt that the rank has wished.
    wished: u64,
    /// Halt after which the run ends.
    last: u64,
}

impl Node {
    /// Does, in a worker's pass, what is left of the subdomains that are here, as far as that is
    /// this worker's; `act` has what is published, and the subdomain.
    fn do_left<'c>(
        &mut self,
        worker: usize,
        held: impl Iterator<Item = &'c rank::Copy>,
        is_own: impl Fn(usize) -> bool,
        mut act: impl FnMut(&mut [bool], &rank::Copy),
    ) {
        let Self { workers, control, done, published, .. } = self;
        let pass = workers[worker].pass();
        let mut number = 0;
        for copy in held {
            let id = copy.subdomain.index();
            if is_own(id) && pass.admits(done[id]) {
                done[id] = pass;
                number += 1;
                act(published, copy);
            }
        }
        workers[worker].handle_done(control, number);
    }

    /// Returns the worker that acts for all.
    fn acting(&self) -> Option<usize> {
        use Command::{Begin, Decide, Fetch, Saved, Settle};
        let acts = |doing: &Option<Command>| {
            matches!(doing, Some(Begin | Decide | Fetch | Saved | Settle))
        };
        self.doing.iter().position(acts)
    }

    /// Returns what that worker does.
    fn act(&self) -> Option<Command> {
        self.acting().and_then(|worker| self.doing[worker])
    }
}

/// What comes in a turn, and what is done in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// Nothing comes.
    Nothing,
    /// Packets come.
    Packets,
    /// The records of all ranks come, as they are.
    Records,
    /// Nothing comes, and a halt is wished.
    Wish,
    /// Nothing comes, and a subdomain is sent to a rank.
    Send(usize, usize),
}

/// A step of one worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// A worker of a rank finds out what to do next, and does it unless it takes a turn or a round.
    Go(usize, usize),
    /// A worker takes its turn.
    Turn(usize, usize, News),
    /// The first worker of a rank makes one step of what all ranks do together.
    Meet(usize),
}

/// All ranks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lives {
    /// Ranks and their memories.
    pub system: System,
    nodes: Vec<Node>,
    /// Version of each subdomain in the checkpoint, and how often it was saved.
    pub saved: Vec<(u64, u32)>,
    /// First thing that was wrong.
    pub broken: Option<&'static str>,
}

impl Lives {
    /// Returns the beginning of lives, of so many workers on each rank, that end with halt `last`;
    /// the beginning counts as the first.
    pub fn new(setting: &Setting, workers: &[u32], last: u64) -> Self {
        let life = |worker| Worker::new(WorkerId(worker), Mode::Async, true);
        let all = setting.first.len();
        let here = |rank| setting.first.iter().filter(|&&first| first == rank).count() as u64;
        let node = |(rank, &workers)| Node {
            halts: Halts::new(Mode::Async),
            control: Control::new(&RunConfig { workers, ..RunConfig::default() }, here(rank)),
            turn: Turn::new(workers),
            workers: (0..workers).map(life).collect(),
            doing: vec![None; workers as usize],
            round: Round::None,
            rounds: None,
            done: vec![Pass::BEFORE; all],
            published: vec![false; all],
            is_fresh: false,
            has_decided: true,
            wished: 0,
            last,
        };
        Self {
            system: System::new(setting),
            nodes: workers.iter().enumerate().map(node).collect(),
            saved: vec![(0, 0); all],
            broken: None,
        }
    }

    /// Returns the steps that can be made.
    pub fn possible(&self, setting: &Setting) -> Vec<Act> {
        let mut acts = Vec::new();
        for (rank, node) in self.nodes.iter().enumerate() {
            for (worker, doing) in node.doing.iter().enumerate() {
                match doing {
                    None => acts.push(Act::Go(rank, worker)),
                    Some(Command::TakeTurn) => {
                        let news = self.news(setting, rank);
                        acts.extend(news.into_iter().map(|news| Act::Turn(rank, worker, news)));
                    }
                    Some(Command::Barrier | Command::End) => {}
                    Some(_) if matches!(node.round, Round::Say(_) | Round::Tell(_)) => {}
                    Some(_) => acts.push(Act::Meet(rank)),
                }
            }
        }
        acts
    }

    fn news(&self, setting: &Setting, rank: usize) -> Vec<News> {
        let node = &self.nodes[rank];
        let mut news = vec![News::Nothing];
        if self.system.ranks[rank].shipped.moves.arrival().is_some() {
            news.push(News::Packets);
        }
        if rank == 0 {
            news.push(News::Records);
        }
        if node.halts.next() <= node.last && node.wished < node.halts.next() {
            news.push(News::Wish);
        }
        let sends = self.system.sends(setting).into_iter().filter_map(|step| match step {
            Step::Send(subdomain, to) => Some((subdomain, to)),
            _ => None,
        });
        let is_here = |&(subdomain, _): &(usize, usize)| {
            self.system.held(subdomain).is_some_and(|(holder, _)| holder == rank)
        };
        news.extend(sends.filter(is_here).map(|(subdomain, to)| News::Send(subdomain, to)));
        news
    }

    /// Makes a step.
    pub fn apply(&mut self, setting: &Setting, act: Act, ranks: Ranks) {
        match act {
            Act::Go(rank, worker) => self.go(rank, worker),
            Act::Turn(rank, worker, news) => self.take_turn(setting, (rank, worker), news),
            Act::Meet(rank) => self.meet(setting, rank, ranks),
        }
        self.system.show_unread(setting);
    }

    /// Lets a worker do what is next. What concerns nobody else is done together with what follows.
    fn go(&mut self, rank: usize, worker: usize) {
        while self.carry_out_next(rank, worker) {}
    }

    /// Carries a worker's next command out; returns whether it concerns the worker alone.
    fn carry_out_next(&mut self, rank: usize, worker: usize) -> bool {
        let Self { nodes, system, saved, broken } = self;
        let node = &mut nodes[rank];
        let one = &mut system.ranks[rank];
        // What moves is worker 0's.
        let leaves = one.shipped.moves.departure().is_some() && !one.house.lets_go;
        let workers = node.workers.len();
        let life = &mut node.workers[worker];
        let command = life.next(&node.control, || leaves && worker == 0);
        match command {
            Command::Sweep => {
                (worker..node.published.len())
                    .step_by(node.workers.len())
                    .for_each(|id| node.published[id] = false);
                node.is_fresh = false;
                node.workers[worker].handle_swept(1);
            }
            Command::Release if worker == 0 && leaves => one.house.lets_go = true,
            Command::Take => {
                life.take(std::iter::empty(), |_| true);
                return true;
            }
            Command::Halt => {
                if node.turn.worker() == name(worker) {
                    life.begin_halt(&node.control, one.house.held.len() as u64);
                }
            }
            Command::Freeze => {
                one.house.lets_go |= worker == 0 && leaves;
                let is_held = |id: usize| id % workers == worker;
                node.do_left(worker, one.house.held.iter(), is_held, |_, _| ());
            }
            Command::Share => {
                if !node.is_fresh {
                    *broken = Some("residuals are taken with edges that are old");
                }
                node.do_left(
                    worker,
                    one.house.held.iter(),
                    |_| true,
                    |published, copy| {
                        published[copy.subdomain.index()] = true;
                    },
                );
            }
            Command::Save => {
                node.do_left(
                    worker,
                    one.house.held.iter(),
                    |_| true,
                    |_, copy| {
                        let (version, times) = &mut saved[copy.subdomain.index()];
                        (*version, *times) = (copy.version, *times + 1);
                    },
                );
            }
            Command::Wait => {}
            Command::TakeTurn if !node.turn.is_due(name(worker), || Instant::ZERO) => {
                return true;
            }
            Command::Barrier => {
                node.doing[worker] = Some(command);
                if node.doing.iter().all(|doing| *doing == Some(Command::Barrier)) {
                    node.doing.fill(None);
                }
            }
            Command::TakeTurn
            | Command::Settle
            | Command::Fetch
            | Command::Begin
            | Command::Decide
            | Command::Saved
            | Command::End => {
                let acts_for_all = !matches!(command, Command::TakeTurn | Command::End);
                if acts_for_all && node.doing.iter().any(Option::is_some) {
                    *broken = Some("a worker acts for all while another one does something");
                }
                node.doing[worker] = Some(command);
            }
            _ => return true,
        }
        false
    }

    fn take_turn(&mut self, setting: &Setting, (rank, worker): (usize, usize), news: News) {
        let node = &mut self.nodes[rank];
        node.doing[worker] = None;
        match news {
            News::Wish => {
                node.halts.wish();
                node.wished = node.halts.next();
            }
            News::Send(subdomain, to) => self.system.apply(setting, Step::Send(subdomain, to)),
            News::Nothing | News::Packets | News::Records => {}
        }
        let comes = if news == News::Packets { Comes::Whole } else { Comes::Nothing };
        let mut halts = self.exchange(setting, rank, comes);
        if news == News::Records {
            for other in 1..self.nodes.len() {
                self.exchange(setting, rank, Comes::Read(other, 0));
                halts |= self.exchange(setting, rank, Comes::Record(other));
            }
        }
        let node = &mut self.nodes[rank];
        if halts {
            node.workers[worker].ask_to_halt(&node.control);
        }
        node.turn.pass_on(Instant::ZERO);
        for memory in &mut self.system.memories {
            if let Some(command) = memory.commands.pop() {
                memory.command = command;
            }
        }
    }

    fn exchange(&mut self, setting: &Setting, rank: usize, comes: Comes) -> bool {
        let halts = &self.nodes[rank].halts;
        let own = own(&self.system.ranks[rank].house, halts.next());
        let mut contribution = false;
        self.system.act(setting, rank, comes, |shipped: &mut RankOf, home, net| {
            let Ok(Exchanged { halts, .. }) = shipped.exchange(own, halts, None, home, net);
            contribution = halts;
        });
        contribution
    }

    /// Lets everybody go on in turn, with news but no more wishes and moves than are needed, to the
    /// end.
    pub fn go_on(&mut self, setting: &Setting) {
        for _ in 0..2_000 {
            let acts = self.possible(setting);
            if acts.is_empty() || self.broken.is_some() {
                return;
            }
            let mut turned = vec![false; self.nodes.len()];
            for act in acts {
                let act = match act {
                    Act::Turn(rank, ..) if turned[rank] => continue,
                    Act::Turn(rank, worker, _) => {
                        turned[rank] = true;
                        Act::Turn(rank, worker, self.useful(setting, rank))
                    }
                    Act::Go(..) | Act::Meet(_) => act,
                };
                self.apply(setting, act, Ranks::Sound);
            }
        }
    }

    fn useful(&self, setting: &Setting, rank: usize) -> News {
        let news = self.news(setting, rank);
        let order = [News::Packets, News::Wish, News::Records];
        order.into_iter().find(|one| news.contains(one)).unwrap_or(News::Nothing)
    }

    /// Whether all lives are over.
    pub fn have_ended(&self) -> bool {
        let mut all = self.nodes.iter().flat_map(|node| &node.doing);
        all.all(|doing| *doing == Some(Command::End))
    }

    /// Whether every subdomain was saved once, as it was, where there was a checkpoint at all.
    pub fn is_saved(&self) -> bool {
        self.saved.iter().all(|(_, times)| *times == 1)
    }

    /// Makes one of the possible steps for each choice, and then lets everybody go on to the end;
    /// an error where something is wrong after any step, or the end does not come.
    pub fn walk(mut self, setting: &Setting, choices: &[u8]) -> Result<Self, &'static str> {
        for &choice in choices {
            let acts = self.possible(setting);
            let Some(&act) = acts.get(usize::from(choice) % acts.len().max(1)) else { break };
            self.apply(setting, act, Ranks::Sound);
            self.check()?;
        }
        self.go_on(setting);
        self.check()?;
        if !self.have_ended() {
            return Err("not all lives end");
        }
        let quiet = self.system.is_quiet() && self.is_saved();
        if quiet { Ok(self) } else { Err("something is on its way at the end, or not saved once") }
    }

    fn check(&self) -> Result<(), &'static str> {
        match self.broken {
            Some(broken) => Err(broken),
            None if !self.are_together() => Err("ranks have made other halts"),
            None if !self.system.has_one_owner() => Err("a subdomain counts twice, or not at all"),
            None => Ok(()),
        }
    }

    /// Returns the greatest number of iterations of a worker.
    pub fn iterations(&self) -> u64 {
        let workers = self.nodes.iter().flat_map(|node| &node.workers);
        workers.map(Worker::iteration).max().unwrap_or(0)
    }

    /// Whether halts are a whole number apart at most, and none is made that nobody wished.
    pub fn are_together(&self) -> bool {
        let made = || self.nodes.iter().map(|node| node.halts.next());
        let wished = self.nodes.iter().map(|node| node.wished).max().unwrap_or(0);
        let most = made().max().unwrap_or(0);
        made().all(|next| next + 1 >= most) && most <= wished.max(1) + 1
    }
}
