//! Core's workers on threads, under every interleaving and every allowed reordering: whole lives
//! with turns, moves, halts and the end, of the very types that the engine drives, on loom's
//! atomics.

use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU64, Ordering};
use loom::thread;
use tresse_core::base::id::{SubdomainId, WorkerId};
use tresse_core::base::time::Instant;
use tresse_core::node::shared::{Assignment, Barrier, Claims, Grip};
use tresse_core::node::worker::{Command, Control, Detection, Said, Turn, Work, Worker};
use tresse_core::node::{Hands, Keep, Keeper};
use tresse_core::parts::ownership::{Holding, Link, Mark, Owner, Ownership};
use tresse_core::run::progress::Progress;
use tresse_core::run::{Balance, Mode, RunConfig, Stop};

use crate::claim::claims;
use crate::explore;

/// Ways of threads to drive their workers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Driver {
    /// As intended.
    Sound,
    /// Each on its own, without barriers and turns: another thread announces moves.
    Apart,
    /// Each on its own, reading the assignment before the mark is cleared: a fault that must be
    /// caught, like the following ones.
    ClearsLate,
    /// Acts out of turn.
    IgnoresTurn,
    /// Takes what is frozen, where subdomains are claimed for one sweep.
    Thaws,
}

/// A subdomain goes from one worker to another.
type Moves = &'static [(u32, u32, u32)];

/// What the threads are given.
#[derive(Clone, Copy, Debug)]
struct Setting {
    mode: Mode,
    /// By `pull`, subdomains are claimed for one sweep at a time; by `auto`, from the first halt
    /// on.
    balance: Balance,
    workers: u32,
    subdomains: u32,
    /// Those that the turns make.
    moves: Moves,
    driver: Driver,
}

const THERE_AND_BACK: Moves = &[(0, 0, 1), (0, 1, 0)];

const ONE: Setting = Setting {
    mode: Mode::Async,
    balance: Balance::None,
    workers: 2,
    subdomains: 1,
    moves: THERE_AND_BACK,
    driver: Driver::Sound,
};

const TWO: Setting = Setting { subdomains: 2, moves: &[(1, 0, 1)], ..ONE };

/// The ownership, and the number of moves that the turns have made of those that they are to make.
struct Balanced {
    ownership: Ownership<'static>,
    made: usize,
}

/// The state that the threads share; loom checks that cells are never touched by two at once, and
/// that the next holder sees what one has written.
struct Node {
    config: RunConfig,
    driver: Driver,
    assignment: Assignment<'static>,
    /// Number of subdomains.
    subdomains: u32,
    control: Control<AtomicU64>,
    turn: Turn<AtomicU64>,
    barrier: Barrier,
    /// Sweeps of each worker.
    sweeps: Vec<AtomicU64>,
    /// The count of each subdomain when its residual was published.
    published: Vec<AtomicU64>,
    /// What the turns work on: whoever has the turn writes.
    balance: UnsafeCell<Balanced>,
    moves: Moves,
}

#[expect(
    unsafe_code,
    reason = "loom checks what this promises: only who has the turn touches `balance`"
)]
// SAFETY: nobody dereferences but in turn.
unsafe impl Sync for Node {}

impl Node {
    /// Returns all subdomains with worker 0, or, where they are claimed from the beginning, with
    /// one each. Loom makes many nodes; the little that is leaked is no harm.
    fn new(setting: Setting) -> (&'static Self, Claims<'static, u64>) {
        let Setting { mode, balance, workers, subdomains, moves, driver } = setting;
        // What is claimed from the first halt on is swept once more.
        let iterations = Some(if balance == Balance::Auto { 2 } else { 1 });
        let stop = Stop { iterations, ..Stop::NEVER };
        let config = RunConfig { workers, mode, stop, balance, ..RunConfig::default() };
        let home = |id| if config.visits() { id } else { 0 };
        let owner = |id| Owner::of(WorkerId(home(id)));
        let owners = &*(0..subdomains).map(owner).collect::<Vec<_>>().leak();
        let marks = &*(0..workers).map(|_| Mark::new()).collect::<Vec<_>>().leak();
        let links = vec![Link::EMPTY; owners.len()].leak();
        let holdings = vec![Holding::EMPTY; marks.len()].leak();
        let ownership = Ownership::new(owners, links, holdings).unwrap().marking(marks);
        let numbers = |number| (0..number).map(|_| AtomicU64::new(0)).collect();
        let node = Box::leak(Box::new(Self {
            control: Control::new(&config, subdomains.into()),
            config,
            driver,
            assignment: Assignment::new(owners, marks),
            subdomains,
            turn: Turn::new(workers),
            barrier: Barrier::new(workers),
            sweeps: numbers(workers),
            published: numbers(subdomains),
            balance: UnsafeCell::new(Balanced { ownership, made: 0 }),
            moves,
        }));
        (node, claims(vec![0; subdomains as usize]))
    }

    fn is_apart(&self) -> bool {
        matches!(self.driver, Driver::Apart | Driver::ClearsLate)
    }

    /// All sweeps are in the subdomains, which nobody holds.
    fn check(&self, claims: &mut Claims<'static, u64>) {
        let (mut counts, mut grip) = (0, claims.grip());
        for place in 0..self.subdomains as usize {
            assert!(grip.take(place), "nobody holds it");
            counts += grip.with(place, |count| *count);
        }
        assert_eq!(counts, self.swept(), "no sweep is lost");
    }

    fn swept(&self) -> u64 {
        self.sweeps.iter().map(|sweeps| sweeps.load(Ordering::Relaxed)).sum()
    }

    fn decide(&self) {
        let published = self.published.iter().map(|count| count.load(Ordering::Relaxed));
        let progress = Progress::of(published);
        assert_eq!(progress.updates, self.swept(), "a decision on residuals that are old");
        let wants_to_pull = (self.config.balance == Balance::Auto).then_some(0);
        let said = Said { progress, wants_to_pull, ..Said::default() };
        self.control.carry_out(&Detection::new(&self.config).decide(1.0, &said));
    }

    /// Makes the next of the moves; returns whether there was one.
    #[expect(unsafe_code, reason = "the pointer is whose turn it is")]
    fn balance(&self) -> bool {
        self.balance.with_mut(|balanced| {
            // SAFETY: loom fails if two have it.
            let Balanced { ownership, made } = unsafe { &mut *balanced };
            let next = self.moves.get(*made);
            *made += 1;
            let given = |&(subdomain, from, to): &(u32, u32, u32)| {
                let given = ownership.give(SubdomainId(subdomain), WorkerId(to));
                assert_eq!(given.map(|given| given.from), Some(WorkerId(from)));
            };
            next.map(given).is_some()
        })
    }
}

/// The state of a worker when it stops.
struct Left {
    id: WorkerId,
    holds: Vec<SubdomainId>,
    awaits: bool,
}

/// A thread with its worker.
struct Thread {
    id: WorkerId,
    node: &'static Node,
    life: Worker,
    grip: Grip<'static, u64>,
    members: Vec<SubdomainId>,
    /// Assignment before the mark was cleared, for the fault of reading it too early.
    early: Option<Vec<SubdomainId>>,
    keeper: Keeper,
    /// Whether the run has not begun yet, which one thread sees to.
    begins: bool,
}

/// What a thread has in its hands, where nobody asks for counts.
struct Members<'a>(&'a [SubdomainId]);

impl Hands for Members<'_> {
    fn after(&self, place: Option<u32>) -> Option<u32> {
        let next = place.map_or(0, |place| place + 1);
        ((next as usize) < self.0.len()).then_some(next)
    }

    fn count(&self, _: u32) -> (u64, SubdomainId) {
        unreachable!("nothing is levelled")
    }

    fn is_ready(&self, _: u32) -> bool {
        unreachable!("no mode of these lives binds neighbours")
    }
}

impl Thread {
    fn new(node: &'static Node, grip: Grip<'static, u64>) -> Self {
        let id = grip.worker();
        let life = Worker::new(id, node.config.mode, false);
        Self {
            id,
            node,
            life,
            grip,
            members: Vec::new(),
            early: None,
            keeper: Keeper::START,
            begins: true,
        }
    }

    /// Returns the threads of a node where the run has begun: what they do until then is what they
    /// do in a halt.
    fn begin(node: &'static Node, claims: &mut Claims<'static, u64>) -> Vec<Self> {
        let mut all: Vec<_> =
            (0..node.config.workers).map(|_| Self::new(node, claims.grip())).collect();
        let begins = || node.control.pass().work() != Work::Run;
        while begins() {
            // Each until it waits for others; the last one has all the subdomains.
            for one in all.iter_mut().rev() {
                while begins() && one.go() != Command::Wait {}
            }
        }
        all.iter_mut().for_each(|one| one.begins = false);
        all
    }

    /// Works to the end, or through a number of iterations.
    fn work(mut self, iterations: u64) -> Left {
        while self.life.iteration() < iterations && self.go() != Command::End {}
        self.members.iter().for_each(|member| self.grip.leave(member.index()));
        self.members.sort();
        Left { id: self.id, holds: self.members, awaits: self.life.awaits() }
    }

    /// Carries out the next command, and returns it.
    fn go(&mut self) -> Command {
        let node = self.node;
        let (assignment, id) = (&node.assignment, self.id);
        let mut early = None;
        let command = self.life.next(&node.control, || {
            early = (node.driver == Driver::ClearsLate).then(|| assignment.of(id).collect());
            assignment.take_mark(id)
        });
        self.early = early.or(self.early.take());
        match command {
            Command::Release => {
                let assigned = self.assigned();
                let owner = |member: &SubdomainId| assigned.contains(member).then_some(id);
                let Self { members, grip, .. } = self;
                members.retain(|member| {
                    let keeps = Worker::keeps(id, owner(member));
                    if !keeps {
                        grip.leave(member.index());
                    }
                    keeps
                });
            }
            Command::Take => self.take(),
            Command::Sweep if node.control.visits() => self.visit(),
            Command::Sweep => self.sweep(),
            Command::TakeTurn if node.is_apart() => {}
            Command::TakeTurn => self.take_turn(),
            Command::Barrier if node.is_apart() || self.begins => {}
            Command::Barrier => node.barrier.wait(thread::yield_now),
            Command::Begin => {
                node.control.begin(&Progress::level(0, node.subdomains.into()), false)
            }
            Command::Halt => self.halt(),
            Command::Freeze => self.freeze(),
            Command::Share => self.share(),
            Command::Wait if self.begins => {}
            Command::Wait => self.await_pass(),
            Command::Decide => node.decide(),
            Command::Idle => thread::yield_now(),
            Command::End
            | Command::Fill
            | Command::ReadHalos
            | Command::Agree
            | Command::Step
            | Command::Settle
            | Command::Fetch
            | Command::Save
            | Command::Saved => {}
        }
        command
    }

    fn halt(&mut self) {
        let Node { control, turn, subdomains, .. } = self.node;
        while control.pass() == self.life.pass() {
            if turn.worker() == self.id {
                return self.life.begin_halt(control, (*subdomains).into());
            }
            thread::yield_now();
        }
    }

    fn await_pass(&self) {
        while self.node.control.pass() == self.life.pass() {
            thread::yield_now();
        }
    }

    fn assigned(&self) -> Vec<SubdomainId> {
        self.early.clone().unwrap_or_else(|| self.node.assignment.of(self.id).collect())
    }

    fn take(&mut self) {
        let assigned = self.assigned();
        self.early = None;
        let Self { life, grip, members, .. } = self;
        let pass = life.pass();
        life.take(assigned.into_iter(), |id| {
            if members.contains(&id) {
                return true;
            }
            let is_taken = grip.take_in(pass, id.index());
            members.extend(is_taken.then_some(id));
            is_taken
        });
    }

    fn freeze(&mut self) {
        let pass = self.life.pass();
        let held = self.members.len() as u64;
        self.members.drain(..).for_each(|member| self.grip.leave_in(pass, member.index()));
        let found = self.for_each_left(|_, _| ());
        self.life.has_done(&self.node.control, held + found);
    }

    fn share(&mut self) {
        let node = self.node;
        let shared = self.for_each_left(|part, count| {
            node.published[part].store(*count, Ordering::Relaxed);
        });
        self.life.has_done(&node.control, shared);
    }

    /// Does something with each subdomain that is left to be done in this pass and that nobody has.
    fn for_each_left(&mut self, act: impl Fn(usize, &mut u64)) -> u64 {
        let mut number = 0;
        for part in 0..self.node.subdomains as usize {
            if self.grip.take_in(self.life.pass(), part) {
                self.grip.with(part, |count| act(part, count));
                self.grip.leave(part);
                number += 1;
            }
        }
        number
    }

    fn sweep(&mut self) {
        match self.keeper.next(self.node.config.mode, &Members(&self.members), None) {
            Keep::Sweep(place) => {
                self.grip.with(self.members[place as usize].index(), |count| *count += 1);
            }
            Keep::Done(swept) => self.has_swept(swept),
        }
    }

    fn has_swept(&mut self, swept: u64) {
        self.add(swept);
        self.life.has_swept(swept);
    }

    fn add(&self, swept: u64) {
        let sweeps = &self.node.sweeps[self.id.index()];
        sweeps.store(sweeps.load(Ordering::Relaxed) + swept, Ordering::Relaxed);
    }

    /// Sweeps what is at home, as far as it is free; whoever has something then may not turn up
    /// again.
    fn visit(&mut self) {
        let mut swept = 0;
        for id in self.assigned() {
            let (place, grip) = (id.index(), &mut self.grip);
            let thaws = self.node.driver == Driver::Thaws;
            let is_taken =
                if thaws { grip.take(place) } else { grip.take_in(self.life.pass(), place) };
            if is_taken {
                grip.with(place, |count| *count += 1);
                // Before it is let go of: whoever decides next knows of it.
                self.add(1);
                self.grip.leave(place);
                swept += 1;
            }
        }
        self.life.has_swept(swept);
    }

    fn take_turn(&mut self) {
        let node = self.node;
        self.life.count(&node.control, || node.swept());
        let is_turn = node.turn.is_due(self.id, || Instant::ZERO);
        if is_turn || node.driver == Driver::IgnoresTurn {
            // With a look at a consistent state after each.
            if node.balance() {
                self.life.ask_to_halt(&node.control);
            }
            node.turn.pass_on(Instant::ZERO);
        }
    }
}

/// Whole lives, in which turns make the moves, each with a look at a consistent state.
fn lives(setting: Setting) {
    let (node, mut claims) = Node::new(setting);
    let mut threads = Thread::begin(node, &mut claims).into_iter();
    let first = threads.next();
    let others: Vec<_> = threads.map(|one| thread::spawn(move || one.work(u64::MAX))).collect();
    first.map(|first| first.work(u64::MAX));
    others.into_iter().for_each(|other| drop(other.join().unwrap()));
    node.check(&mut claims);
}

/// An iteration of each worker, while somebody else announces moves; then nothing may be lost.
fn iterations(workers: u32, moves: Moves, driver: Driver) {
    let (node, mut claims) = Node::new(Setting { workers, moves, driver, ..ONE });
    let start = |one: Thread| thread::spawn(move || one.work(1));
    let threads: Vec<_> = Thread::begin(node, &mut claims).into_iter().map(start).collect();
    while node.balance() {}
    for left in threads.into_iter().map(|thread| thread.join().unwrap()) {
        if !left.awaits && !node.assignment.take_mark(left.id) {
            let assigned: Vec<_> = node.assignment.of(left.id).collect();
            assert_eq!(left.holds, assigned, "a clean worker has what it is assigned");
        }
    }
    node.check(&mut claims);
}

#[test]
fn lives_of_two_workers_with_one_subdomain() {
    explore(3, || lives(ONE));
}

#[test]
fn lives_of_two_workers_with_two_subdomains() {
    explore(2, || lives(Setting { moves: &[(1, 0, 1), (1, 1, 0)], ..TWO }));
}

#[test]
fn lives_of_two_workers_with_a_barrier() {
    explore(3, || lives(Setting { mode: Mode::Sync, ..TWO }));
}

#[test]
fn lives_that_turn_to_claims_of_one_sweep() {
    explore(1, || lives(Setting { balance: Balance::Auto, ..TWO }));
}

#[test]
fn a_subdomain_there_and_back() {
    explore(2, || iterations(2, THERE_AND_BACK, Driver::Apart));
}

#[test]
fn a_subdomain_on_and_on() {
    explore(1, || iterations(3, &[(0, 0, 1), (0, 1, 2)], Driver::Apart));
}

/// Checks that the worker with the turn uses the time that was set for this turn, and not that of
/// the turn before.
#[test]
fn a_turn_is_handed_on_with_its_time() {
    explore(3, || {
        let turn = loom::sync::Arc::new(Turn::<AtomicU64>::new(2));
        let next = turn.clone();
        let other = thread::spawn(move || {
            let is_due = next.is_due(WorkerId(1), || Instant(5));
            assert!(!is_due, "a turn is taken before it is due");
        });
        assert!(turn.is_due(WorkerId(0), || Instant(5)));
        turn.pass_on(Instant(10));
        other.join().unwrap();
        assert!(turn.is_due(WorkerId(1), || Instant(10)));
    });
}

#[test]
#[should_panic(expected = "a clean worker has what it is assigned")]
fn a_mark_that_is_cleared_late_is_caught() {
    explore(2, || iterations(2, THERE_AND_BACK, Driver::ClearsLate));
}

#[test]
#[should_panic(expected = "Causality violation")]
fn acting_out_of_turn_is_caught() {
    explore(2, || lives(Setting { driver: Driver::IgnoresTurn, ..ONE }));
}

#[test]
#[should_panic(expected = "residuals that are old")]
fn taking_what_is_frozen_is_caught() {
    let claims = Setting { balance: Balance::Pull(Balance::LAG), moves: &[], ..TWO };
    let thaws = Setting { driver: Driver::Thaws, ..claims };
    explore(2, move || lives(thaws));
}
