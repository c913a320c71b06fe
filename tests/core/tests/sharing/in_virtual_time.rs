//! A pool in virtual time: the published tree, the published effect, and the same run again.

#![expect(clippy::unwrap_used, reason = "a tree and a machine that make sense")]

use std::sync::atomic::AtomicU32;

use tresse_core::base::id::{ManagerId, WorkerId};
use tresse_core::base::time::{Duration, Instant};
use tresse_core::run::noise::{Noise, Parasite};
use tresse_core::sim::machine::{
    CoreNoise, CoreTrace, Costs, Hardware, PaceRanges, Path, Paths, Piece,
};
use tresse_core::sim::owned::timeline::Track;
use tresse_core::sim::virtual_pool::{
    Doing, MessageView, PoolCosts, PoolOutcome, PoolSimulation, PoolSimulationError,
};
use tresse_core::tasks::owned::{OwnedTree, breadth_first};
use tresse_core::tasks::sharing::{
    Activity, Arbitration, Full, Manager, Managers, Method, Peer, Release, SharingConfig, Stack,
    Work,
};
use tresse_core::tasks::traversal::{
    Claims as _, Digraph as _, Marks, RandomGraph, Reached, Visit,
};
use tresse_core::tasks::uts::{Count, NamedTree, Node, Portable, Totals, Tree};

/// Four nodes of twice six cores, 2 µs apart, as far as sockets are.
fn machine() -> Hardware {
    let path = Path { latency: Duration::from_micros(2), cell: 1_200 };
    let halo = Paths { core: path, socket: path, node: path, network: path };
    Hardware {
        nodes: 4,
        sockets: 2,
        cores: 6,
        costs: Costs { halo, ..Costs::default() },
        paces: PaceRanges::NONE,
        background: [].into_iter().collect(),
    }
}

/// Workers on a machine, with one manager.
fn on(hardware: &Hardware, workers: u32, config: SharingConfig) -> PoolSimulation<'_, 'static> {
    let (managers, noise, costs) = (Managers::one(workers), CoreNoise::NONE, PoolCosts::default());
    PoolSimulation { config, managers, hardware, noise, costs, most_tasks: 1 << 20 }
}

/// Returns the outcome of counting a tree, and the whole count.
fn search(simulation: &PoolSimulation<'_, '_>, tree: &OwnedTree) -> (PoolOutcome<()>, Totals) {
    let root = [Node::root(tree.tree().seed)];
    let outcome = simulation.run(&root, |_| tree.count(Portable), |_| true).unwrap().unwrap();
    let PoolOutcome { works, statistics, timeline, end, messages } = outcome;
    let totals = works.iter().map(Count::totals).fold(Totals::default(), Totals::and);
    (PoolOutcome { works: vec![], statistics, timeline, end, messages }, totals)
}

/// Returns the time of T1, counted by 47 workers and their manager, in nanoseconds.
fn count(config: SharingConfig) -> u64 {
    let named = NamedTree::parse("T1").unwrap();
    let tree = OwnedTree::new(&named.tree).unwrap();
    let (outcome, totals) = search(&on(&machine(), 47, config), &tree);
    assert!(named.published.agrees(&totals), "{config:?}: {totals:?}");
    outcome.end.0
}

/// All 4,130,071 nodes of 400 ns each, spread evenly.
const IDEAL: u64 = 4_130_071 * 400 / 47;

fn with(method: Method, chunk: u32, interval: u32) -> SharingConfig {
    SharingConfig { chunk, interval, ..SharingConfig::new(method) }
}

#[test]
fn adaptive_is_near_the_ideal_whatever_it_is_told() {
    // It has no interval: `its_interval_means_nothing_to_adaptive`.
    for chunk in [1, 8, 20, 100] {
        let interval = 128;
        let time = count(with(Method::Adaptive, chunk, interval));
        assert!(time * 100 <= IDEAL * 115, "{chunk} {interval}: {time} of {IDEAL}");
        assert!(time >= IDEAL);
    }
}

#[test]
fn speculation_is_never_slower_than_sharing_and_much_faster_where_sharing_is_badly_tuned() {
    for (chunk, interval) in [(1, 4), (4, 16), (12, 128), (20, 128), (100, 65_536)] {
        let sharing = count(with(Method::Sharing, chunk, interval));
        let speculative = count(with(Method::Speculative, chunk, interval));
        assert!(speculative * 100 <= sharing * 103, "{chunk} {interval}");
        if (chunk, interval) == (20, 128) {
            assert!(speculative * 18 <= sharing * 10, "{sharing} {speculative}");
        }
    }
}

#[test]
fn arbitration_of_each_task_collapses_at_small_intervals() {
    let config = with(Method::Speculative, 4, 8);
    let published =
        SharingConfig { arbitration: Arbitration::Task, release: Release::Interval, ..config };
    assert!(count(published) > 2 * count(config));
}

/// Returns the time of a traversal by 47 workers, 2 µs from each other, in nanoseconds: of a graph
/// of which 56 vertices can be visited at a time in the mean, or of one where thousands can.
fn traverse(span: u32, config: SharingConfig) -> u64 {
    let graph = RandomGraph { vertices: 100_000, degree: 4, span, seed: 1 }.arcs(Portable);
    let marks: Vec<_> = (0..graph.vertices()).map(|_| AtomicU32::new(0)).collect();
    Marks(&marks).claim(0, 0);
    let (hardware, visit) = (machine(), |_| Visit::new(graph, Marks(&marks)));
    let outcome = on(&hardware, 47, config).run(&[0], visit, |_| true).unwrap().unwrap();
    let reached = outcome.works.iter().map(Visit::reached).fold(Reached::default(), Reached::and);
    assert_eq!(reached, breadth_first(&graph, 0, || true).unwrap().reached, "{config:?}");
    outcome.end.0
}

/// Slide 46: where data dependences limit the parallelism, and not otherwise.
#[test]
fn speculation_helps_stealing_where_few_tasks_can_be_executed_at_a_time() {
    let times = |span: u32| {
        [Method::Stealing, Method::SpeculativeStealing]
            .map(|method| traverse(span, SharingConfig::new(method)))
    };
    let [plain, speculative] = times(64);
    assert!(plain * 10 >= speculative * 13, "{plain} {speculative}");
    let [plain, speculative] = times(99_999);
    assert!(plain * 100 <= speculative * 105, "{plain} {speculative}");
}

/// Returns a tree of the shape of T1 with fewer nodes.
fn small() -> OwnedTree {
    let tree = Tree { depth: 7, ..NamedTree::parse("T1").unwrap().tree };
    OwnedTree::new(&tree).unwrap()
}

#[test]
fn its_interval_means_nothing_to_adaptive() {
    let time = |interval| {
        let config = with(Method::Adaptive, 20, interval);
        let (outcome, _) = search(&on(&machine(), 20, config), &small());
        (outcome.end, outcome.messages)
    };
    for interval in [4, 16, 64, 512, 4_096, 65_536] {
        assert_eq!(time(interval), time(128), "{interval}");
    }
}

#[test]
fn the_same_configuration_is_the_same_run() {
    let hardware = Hardware {
        paces: PaceRanges { core: 100_000, socket: 50_000, node: 20_000 },
        background: [Parasite::parse("burst=5us,gap=100us").unwrap()].into_iter().collect(),
        ..machine()
    };
    let noise = [Noise::parse("socket=1,burst=20us,gap=50us").unwrap()];
    let run = |seed, method| {
        let noise = CoreNoise { noise: &noise, traces: &[], seed };
        let simulation = on(&hardware, 20, with(method, 8, 64));
        let (outcome, _) = search(&PoolSimulation { noise, ..simulation }, &small());
        (outcome.end, outcome.statistics, outcome.timeline, outcome.messages)
    };
    for &method in Method::ALL {
        assert_eq!(run(1, method), run(1, method), "{method}");
        assert_ne!(run(1, method), run(2, method), "{method}");
    }
}

/// Returns the time of one worker that releases nothing, what it was busy, and its manager, with
/// noise and speeds of cores.
fn slowed(hardware: &Hardware, noise: CoreNoise<'_, '_>) -> [f64; 3] {
    let simulation = on(hardware, 1, with(Method::Sharing, 12, u32::MAX));
    let (outcome, _) = search(&PoolSimulation { noise, ..simulation }, &small());
    let (worker, manager) = (&outcome.timeline.workers[0], &outcome.timeline.managers[0]);
    let spent = |track: &Track, with| track.spent().with(with).seconds();
    [outcome.end.seconds(), spent(worker, Activity::Tasks), spent(manager, Activity::Managing)]
}

#[test]
fn a_slow_core_executes_its_tasks_slower() {
    let quiet = slowed(&machine(), CoreNoise::NONE);
    let is = |[end, busy, managing]: [f64; 3], [times, managed]: [f64; 2]| {
        let near = |one: f64, other: f64| (one / other - 1.0).abs() < 0.06;
        near(end, times * quiet[0])
            && near(busy, times * quiet[1])
            && near(managing, managed * quiet[2])
    };
    assert!(is(quiet, [1.0, 1.0]));
    let noise = [Noise::parse("core=0,duty=0.5").unwrap()];
    let disturbed = slowed(&machine(), CoreNoise { noise: &noise, ..CoreNoise::NONE });
    assert!(is(disturbed, [2.0, 1.0]), "{quiet:?} {disturbed:?}");
    // The manager's core is the next one.
    let pieces = [Piece::new(Instant::ZERO, 250_000)];
    let traces = [CoreTrace { core: 1, pieces: &pieces }];
    let managed = slowed(&machine(), CoreNoise { traces: &traces, ..CoreNoise::NONE });
    assert!(is(managed, [1.0, 4.0]), "{quiet:?} {managed:?}");
    let background = [Parasite::parse("duty=0.75").unwrap()].into_iter().collect();
    let all = slowed(&Hardware { background, ..machine() }, CoreNoise::NONE);
    assert!((all[1] / quiet[1] / 4.0 - 1.0).abs() < 0.06, "{quiet:?} {all:?}");
    let paces = PaceRanges { core: 300_000, ..PaceRanges::NONE };
    let uneven = slowed(&Hardware { paces, ..machine() }, CoreNoise::NONE);
    assert!(
        (0.7..0.99).contains(&(uneven[0] / quiet[0]))
            || (1.01..1.3).contains(&(uneven[0] / quiet[0]))
    );
    assert!((uneven[0] / uneven[1] / (quiet[0] / quiet[1]) - 1.0).abs() < 0.01);
}

/// Numbers, each of which makes two halves: of `n`, `2 n - 1` tasks come, `n` of which make no
/// other.
#[derive(Debug, Default)]
struct Halves {
    ones: usize,
    tasks: usize,
}

impl Work for Halves {
    type Task = u32;
    type Outcome = bool;

    fn execute(&mut self, number: &u32, children: &mut Stack<'_, u32>) -> Result<bool, Full> {
        if *number > 1 {
            children.extend(&[number / 2, number - number / 2])?;
        }
        Ok(*number == 1)
    }

    fn commit(&mut self, _: &u32, is_one: bool) {
        self.ones += usize::from(is_one);
        self.tasks += 1;
    }
}

#[test]
fn between_two_events_every_task_is_somewhere() {
    let hardware = machine();
    // Without copies, so that nothing is there twice.
    let simulation = on(&hardware, 5, with(Method::Sharing, 2, 4));
    let mut run = simulation.start(&[3_000], |_| Halves::default()).unwrap();
    let peers = || (0..5).map(|worker| Peer::Worker(WorkerId(worker)));
    let mut seen = [0; 4];
    while run.step().unwrap() {
        let (ones, done) = run
            .workers()
            .fold((0, 0), |(ones, tasks), (_, work)| (ones + work.ones, tasks + work.tasks));
        let queues: usize = run.workers().map(|(worker, _)| worker.tasks()).sum();
        let pool: usize = run.managers().map(Manager::tasks).sum();
        let on_the_way: usize = run.in_flight().map(|envelope| envelope.tasks).sum();
        let manager = Peer::Manager(ManagerId(0));
        let all = || peers().chain([manager]);
        let unread: usize =
            all().flat_map(|peer| run.unread(peer)).map(|envelope| envelope.tasks).sum();
        let parts = [queues, pool, on_the_way, unread];
        assert_eq!(parts.iter().sum::<usize>(), 1 + done - 2 * ones, "{parts:?}");
        for (seen, part) in seen.iter_mut().zip(parts) {
            *seen += usize::from(part > 0);
        }
        let due = |envelope: MessageView<'_>| {
            envelope.departs < envelope.arrives && envelope.arrives >= run.now()
        };
        assert!(run.in_flight().all(due));
    }
    assert!(seen.iter().all(|seen| *seen > 10), "{seen:?}");
    assert!(peers().all(|peer| run.doing(peer) == Some(Doing::Ended)));
}

#[test]
fn looking_changes_nothing() {
    let hardware = machine();
    let simulation = on(&hardware, 11, with(Method::Speculative, 4, 16));
    let whole = simulation.run(&[20_000], |_| Halves::default(), |_| true).unwrap().unwrap();
    let mut run = simulation.start(&[20_000], |_| Halves::default()).unwrap();
    let (mut time, mut did) = (Instant::ZERO, vec![]);
    while run.advance_to(time).unwrap() {
        assert_eq!(run.now(), time);
        let all = (0..11).map(|worker| run.doing(Peer::Worker(WorkerId(worker))).unwrap());
        did.extend(all.chain([run.doing(Peer::Manager(ManagerId(0))).unwrap()]));
        time = time.after(Duration::from_micros(7));
    }
    for doing in
        [Doing::Executing, Doing::Speculating, Doing::Messaging, Doing::Managing, Doing::Waiting]
    {
        assert!(did.contains(&doing), "nobody was ever {doing:?}");
    }
    let stepped = run.into_outcome();
    assert_eq!((stepped.end, stepped.messages), (whole.end, whole.messages));
    assert_eq!((stepped.statistics, stepped.timeline), (whole.statistics, whole.timeline));
}

#[test]
fn what_does_not_fit_is_refused() {
    let hardware = machine();
    let tree = OwnedTree::new(&NamedTree::parse("T1").unwrap().tree).unwrap();
    let run = |managers, chunk| {
        let config = with(Method::Sharing, chunk, 1);
        let simulation = PoolSimulation { managers, most_tasks: 9, ..on(&hardware, 1, config) };
        simulation.run(&[Node::root(19)], |_| tree.count(Portable), |_| true).err()
    };
    let cores = PoolSimulationError::Cores { ranks: 49, cores: 48 };
    assert_eq!(run(Managers::one(48), 1), Some(cores));
    assert_eq!(run(Managers::one(0), 1), Some(PoolSimulationError::NoWorkers));
    assert!(matches!(run(Managers::one(1), 0), Some(PoolSimulationError::Sharing(_))));
    assert!(matches!(run(Managers::one(1), 1), Some(PoolSimulationError::Full(_))));
}
