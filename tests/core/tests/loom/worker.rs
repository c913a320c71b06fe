//! The executor on threads, under every interleaving and every allowed reordering: whole lives with
//! turns, moves, halts and the end, of the node and the workers that the engine runs, on loom's
//! atomics.

use std::sync::Mutex;

use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use loom::thread;
use tresse_core::base::id::{NodeId, SocketId, SubdomainId, WorkerId};
use tresse_core::base::time::Instant;
use tresse_core::base::topology::Topology;
use tresse_core::node::executor::{
    Exchanged, Host, Local, Node, Outcome, OwnedNodeMemory, OwnedWorkerMemory, Peers, Setup,
    SlotTable, Slots, Wait, Worker,
};
use tresse_core::node::shared::{Claim, Claims, Copies, Grip};
use tresse_core::node::worker::{Said, Turn, Verdict};
use tresse_core::parts::halo::{EdgeReader, EdgeWriter, Head, Publication};
use tresse_core::parts::{Graph, Part, SharedPart};
use tresse_core::run::{Balance, End, Mode, RunConfig, Stop};

use crate::explore;

/// A part without neighbours, which counts its sweeps. Loom checks that no two workers touch one at
/// the same time, and that the next holder sees what one has written.
#[derive(Debug, Default)]
struct Count(u64);

impl Part for Count {
    fn copy(&mut self, _: usize, _: &Self, _: usize) {
        unreachable!("it has no neighbours");
    }

    fn update(&mut self, with_residual: bool) -> Option<f64> {
        self.0 += 1;
        with_residual.then_some(self.0 as f64)
    }

    fn residual(&mut self) -> f64 {
        self.0 as f64
    }
}

impl SharedPart for Count {
    type Real = f32;

    fn publish(&self, _: usize, _: EdgeWriter<'_, f32>) {
        unreachable!("it has no neighbours");
    }

    fn read(&mut self, _: usize, _: EdgeReader<'_, f32>) {
        unreachable!("it has no neighbours");
    }
}

/// Parts without links.
struct Apart(u32);

impl Graph<0> for Apart {
    fn parts(&self) -> u32 {
        self.0
    }

    fn neighbours(&self, _: SubdomainId) -> [Option<SubdomainId>; 0] {
        []
    }

    fn size(&self, _: SubdomainId) -> [u32; 2] {
        [1, 0]
    }

    /// With worker 0, or, where parts are claimed from the beginning, with one each.
    fn first_owner(&self, part: SubdomainId, config: &RunConfig) -> WorkerId {
        WorkerId(if config.visits() { part.0 } else { 0 })
    }
}

/// A subdomain goes from one worker to another.
type Moves = &'static [(u32, u32, u32)];

/// The only process, in whose turns the moves are made.
struct Turns {
    moves: Moves,
    halts: bool,
    /// Number of those that were made: no loom's, since only one has the turn.
    made: Mutex<usize>,
}

impl Peers<'static, Count, 0> for Turns {
    const ALONE: bool = true;

    fn exchange(&self, local: &mut Local<'_, '_, 'static, Count, 0>, _: f64) -> Exchanged {
        let mut made = self.made.try_lock().expect("a turn is taken while another has it");
        let next = self.moves.get(*made);
        *made += 1;
        if let Some(&(subdomain, from, to)) = next {
            let given = local.ownership.give(SubdomainId(subdomain), WorkerId(to));
            assert_eq!(given.map(|given| given.from), Some(WorkerId(from)));
        }
        Exchanged { global: None, halts: self.halts && next.is_some(), due: Instant::ZERO }
    }

    fn decide(
        &self,
        said: Said,
        residuals: &mut dyn Iterator<Item = (SubdomainId, f64)>,
        judge: &mut dyn FnMut(f64, &Said) -> Verdict,
    ) -> Verdict {
        // Each part's residual is its count when that was taken.
        let counts: f64 = residuals.map(|(_, residual)| residual).sum();
        assert_eq!(said.progress.updates as f64, counts, "a decision on residuals that are old");
        judge(1.0, &said)
    }
}

/// A thread without a clock.
#[derive(Default)]
struct Thread {
    nobody: (),
    outcome: Option<Outcome>,
}

impl Host<Count, 0> for Thread {
    type Observer = ();

    fn observer(&mut self) -> &mut () {
        &mut self.nobody
    }

    fn now(&self) -> Instant {
        Instant::ZERO
    }

    fn start_clock(&mut self) {}

    fn fill(&mut self, _: SubdomainId, part: &mut Count) {
        *part = Count(0);
    }

    fn wait(&mut self, _: Wait) {
        thread::yield_now();
    }

    fn waited(&mut self, _: Wait) {}

    fn look(&mut self, _: Instant) -> Instant {
        // The next turn is due at once.
        Instant::ZERO
    }

    fn end(&mut self, outcome: Outcome) {
        self.outcome = Some(outcome);
    }
}

/// What the threads are given.
#[derive(Clone, Copy, Debug)]
struct Setting {
    mode: Mode,
    /// By `pull`, subdomains are claimed for one sweep at a time; by `auto`, from the first halt
    /// on.
    balance: Balance,
    workers: u32,
    subdomains: u32,
    moves: Moves,
    /// Whether all look at a consistent state after each move.
    halts: bool,
}

const THERE_AND_BACK: Moves = &[(0, 0, 1), (0, 1, 0)];

const ONE: Setting = Setting {
    mode: Mode::Async,
    balance: Balance::None,
    workers: 2,
    subdomains: 1,
    moves: THERE_AND_BACK,
    halts: true,
};

const TWO: Setting = Setting { subdomains: 2, moves: &[(1, 0, 1)], ..ONE };

type SharedNode = Node<'static, 'static, Count, Apart, Turns, 0>;

/// Loom makes many nodes; the little that is leaked is no harm.
fn leak<T>(value: T) -> &'static mut T {
    Box::leak(Box::new(value))
}

/// Returns a node and the claims of its parts, with the grips of its workers.
fn node(
    setting: Setting,
) -> (&'static SharedNode, Claims<'static, Count>, Vec<Grip<'static, Count>>) {
    let Setting { mode, balance, workers, subdomains, moves, halts } = setting;
    // What is claimed from the first halt on is swept once more.
    let iterations = Some(if balance == Balance::Auto { 2 } else { 1 });
    let stop = Stop { iterations, ..Stop::NEVER };
    let config =
        leak(RunConfig { workers, mode, stop, balance, help: false, ..RunConfig::default() });
    let number = subdomains as usize;
    let parts = leak((0..number).map(|_| Claim::new(Count(0))).collect::<Vec<_>>());
    let mut claims = Claims::new(parts);
    let heads = leak((0..number).map(|_| Head::new()).collect::<Vec<_>>());
    let publications =
        leak(heads.iter().map(|head| Publication::new(head.words(), [])).collect::<Vec<_>>());
    let words = leak((0..number).map(|_| AtomicU32::new(0)).collect::<Vec<_>>());
    let table = SlotTable::new(words, (0..subdomains).map(Some));
    let slots = Slots { parts: Copies::single(claims.all()), publications, table };
    let sockets = leak(vec![SocketId(0); workers as usize]);
    let by_socket = leak((0..workers).map(WorkerId).collect::<Vec<_>>());
    let grips = (0..workers).map(|_| claims.grip()).collect();
    let setup = Setup {
        config,
        graph: leak(Apart(subdomains)),
        node: NodeId(0),
        slots,
        peers: leak(Turns { moves, halts, made: Mutex::new(0) }),
        topology: Topology::new(sockets, by_socket).unwrap(),
        interrupt: leak(AtomicBool::new(false)),
    };
    let memory = leak(OwnedNodeMemory::new(config, number, workers as usize));
    let node = leak(Node::new(setup, claims.grip(), memory.lend()).unwrap());
    (node, claims, grips)
}

fn work(node: &'static SharedNode, grip: Grip<'static, Count>) -> Option<Outcome> {
    let mut memory = OwnedWorkerMemory::new(node.slots().parts.parts());
    Worker::new(node, grip, memory.lend(), Thread::default()).work().host.outcome
}

/// Whole lives.
fn lives(setting: Setting) {
    let (node, mut claims, grips) = node(setting);
    let mut grips = grips.into_iter();
    let first = grips.next();
    let others: Vec<_> = grips.map(|grip| thread::spawn(move || work(node, grip))).collect();
    let outcomes = first.map(|first| work(node, first)).into_iter();
    let outcomes = outcomes.chain(others.into_iter().map(|other| other.join().unwrap()));
    assert!(outcomes.flatten().map(|outcome| outcome.end).eq([End::Iterations]));
    // All sweeps are in the subdomains, which nobody holds.
    let (mut counts, mut grip) = (0, claims.grip());
    for place in 0..setting.subdomains as usize {
        assert!(grip.take(place), "nobody holds it");
        counts += grip.with(place, |count| count.0);
    }
    assert_eq!(counts, node.made(), "no sweep is lost");
}

/// One worker's life, beside somebody who takes what is frozen, and sweeps it: a fault.
fn lives_with_a_thief() {
    let (node, mut claims, grips) = node(Setting { workers: 1, moves: &[], ..TWO });
    let mut thief = claims.grip();
    let other = thread::spawn(move || {
        while node.initial().is_none() {
            thread::yield_now();
        }
        let Slots { parts, publications, .. } = node.slots();
        if let Some(claim) = parts.take(&mut thief, 0) {
            thief.with(claim, |count| count.0 += 1);
            publications[0].publish([], |_, _| ());
            thief.leave(claim);
        }
    });
    grips.into_iter().for_each(|grip| _ = work(node, grip));
    other.join().unwrap();
}

#[test]
fn lives_of_two_workers_with_one_subdomain() {
    explore(2, || lives(ONE));
}

#[test]
fn lives_of_two_workers_with_two_subdomains() {
    explore(2, || lives(Setting { moves: &[(1, 0, 1), (1, 1, 0)], ..TWO }));
}

#[test]
fn lives_of_two_workers_with_a_barrier() {
    explore(2, || lives(Setting { mode: Mode::Sync, ..TWO }));
}

#[test]
fn lives_that_turn_to_claims_of_one_sweep() {
    explore(1, || lives(Setting { balance: Balance::Auto, ..TWO }));
}

#[test]
fn lives_with_claims_of_one_sweep() {
    let balance = Balance::Pull(Balance::LAG);
    explore(1, move || lives(Setting { balance, moves: &[], ..TWO }));
}

#[test]
fn a_subdomain_there_and_back() {
    explore(2, || lives(Setting { halts: false, ..ONE }));
}

#[test]
fn a_subdomain_on_and_on() {
    let moves = &[(0, 0, 1), (0, 1, 0), (0, 0, 1)];
    explore(1, || lives(Setting { moves, halts: false, ..ONE }));
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
#[should_panic(expected = "residuals that are old")]
fn taking_what_is_frozen_is_caught() {
    explore(2, lives_with_a_thief);
}
