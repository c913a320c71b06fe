//! A node and its workers as they ship, with parts in a row that only count. The explorer and the
//! fuzzers make their steps one by one, loom runs them on its threads.

#[cfg(loom)]
use loom::sync::atomic::{AtomicBool, AtomicU32};
#[cfg(not(loom))]
use std::sync::atomic::{AtomicBool, AtomicU32};

use std::sync::Mutex;

use tresse_core::base::id::{NodeId, SocketId, SubdomainId, WorkerId};
use tresse_core::base::time::Instant;
use tresse_core::base::topology::Topology;
use tresse_core::node::executor::{
    self, Exchanged, Host, Local, Outcome, OwnedNodeMemory, Peers, Setup, SlotTable, Slots, Wait,
};
use tresse_core::node::shared::{Claim, Claims, Copies, Grip};
use tresse_core::node::worker::{HaltStatus, Verdict};
use tresse_core::parts::halo::{EdgeReader, EdgeWriter, Publication};
use tresse_core::parts::owned::EdgeMemory;
use tresse_core::parts::{Graph, Part};
use tresse_core::run::{Balance, Mode, PlbParams, RunConfig, Stop};

/// A part that counts its sweeps, and checks that the counts of its neighbours are as the mode
/// wants them.
#[derive(Debug)]
pub struct Count {
    made: u64,
    /// The counts of the neighbours, as they were read last.
    halos: [Option<u64>; 2],
    mode: Mode,
}

impl Count {
    /// Returns the number of its sweeps.
    pub const fn made(&self) -> u64 {
        self.made
    }
}

impl Part for Count {
    type Unit = u64;

    fn publish(&self, _: usize, edge: EdgeWriter<'_, u64>) {
        edge.copy_from(&[self.made]);
    }

    fn read(&mut self, link: usize, edge: EdgeReader<'_, u64>) {
        self.halos[link] = edge.cells().next();
    }

    fn update(&mut self, with_residual: bool) -> Option<f64> {
        for halo in self.halos.iter().flatten() {
            let is_right = match self.mode {
                Mode::Sync | Mode::Exact => *halo == self.made,
                Mode::SemiSync(bound) => *halo + u64::from(bound) >= self.made,
                Mode::Async => true,
            };
            assert!(is_right, "a part at {} is swept beside one at {halo}", self.made);
        }
        self.made += 1;
        with_residual.then(|| self.residual())
    }

    fn residual(&mut self) -> f64 {
        self.made as f64
    }

    fn pack(&self) -> impl Iterator<Item = u64> {
        [self.made].into_iter().chain(self.halos.map(|halo| halo.unwrap_or(u64::MAX)))
    }

    fn unpack(&mut self, _: SubdomainId, mut units: impl Iterator<Item = u64>) -> bool {
        let Some(made) = units.next() else { return false };
        self.made = made;
        let halos = self.halos.iter_mut().zip(units);
        halos.map(|(to, halo)| *to = Some(halo).filter(|halo| *halo < u64::MAX)).count() == 2
    }
}

/// Parts in a row, or without links.
#[derive(Debug)]
pub struct Row(Setting);

impl Graph<2> for Row {
    fn parts(&self) -> u32 {
        self.0.parts
    }

    fn neighbours(&self, part: SubdomainId) -> [Option<SubdomainId>; 2] {
        let next = Some(part.0 + 1).filter(|&next| next < self.parts());
        [part.0.checked_sub(1), next]
            .map(|neighbour| neighbour.filter(|_| self.0.are_linked).map(SubdomainId))
    }

    fn back(&self, _: SubdomainId, link: usize) -> usize {
        1 - link
    }

    fn size(&self, _: SubdomainId) -> [u32; 2] {
        [1, 1]
    }

    /// Dealt out in ascending order, to the first workers one more where it does not come out even.
    fn first_owner(&self, part: SubdomainId, _: &RunConfig) -> WorkerId {
        let Setting { workers, parts, has_one_owner, .. } = self.0;
        WorkerId(if has_one_owner { 0 } else { part.0 * workers / parts })
    }
}

/// The only process: in its turns all halt, or a part goes from one worker to another.
#[derive(Debug)]
pub struct Turns {
    setting: Setting,
    /// Number of turns: no loom's, since only one has the turn.
    taken: Mutex<usize>,
}

impl Peers<'_, Count, 2> for Turns {
    const ALONE: bool = true;

    fn exchange(&self, local: &mut Local<'_, '_, '_, Count, 2>, _: f64) -> Exchanged {
        let Ok(mut taken) = self.taken.try_lock() else {
            panic!("a turn is taken while another has it");
        };
        if let Some(&(part, from, to)) = self.setting.moves.get(*taken) {
            let given = local.ownership.give(SubdomainId(part), WorkerId(to));
            assert_eq!(given.map(|given| given.from), Some(WorkerId(from)));
        }
        let halts = *taken < self.setting.halts;
        *taken = (*taken + 1).min(self.setting.halts.max(self.setting.moves.len()));
        Exchanged { global: None, halts, due: Instant::ZERO }
    }

    fn decide(
        &self,
        status: HaltStatus,
        residuals: &mut dyn Iterator<Item = (SubdomainId, f64)>,
        judge: &mut dyn FnMut(f64, &HaltStatus) -> Verdict,
    ) -> Verdict {
        // Each part's residual is its count when that was taken.
        let counts: f64 = residuals.map(|(_, residual)| residual).sum();
        let is_new = counts.total_cmp(&(status.progress.updates as f64)).is_eq();
        assert!(is_new, "a decision on residuals that are old: {counts}, {status:?}");
        // There is no time for the balancer to find out that it is not enough.
        let wants_to_pull = self.setting.config().may_switch().then_some(0);
        judge(1.0, &HaltStatus { wants_to_pull, ..status })
    }
}

/// The surroundings of a worker: no clock.
#[derive(Debug, Default)]
pub struct Surroundings {
    nobody: (),
    outcome: Option<Outcome>,
}

impl Surroundings {
    /// Returns the end of the run, where this worker has found it.
    pub const fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }
}

impl Host<Count, 2> for Surroundings {
    type Observer = ();

    fn observer(&mut self) -> &mut () {
        &mut self.nobody
    }

    fn now(&self) -> Instant {
        Instant::ZERO
    }

    fn fill(&mut self, _: SubdomainId, part: &mut Count) {
        part.made = 0;
    }

    #[cfg(loom)]
    fn wait(&mut self, _: Wait) {
        loom::thread::yield_now();
    }

    #[cfg(not(loom))]
    fn wait(&mut self, wait: Wait) {
        panic!("a step waits for {wait:?}");
    }

    fn look(&mut self, _: Instant) -> Instant {
        // The next turn is due at once.
        Instant::ZERO
    }

    fn end(&mut self, outcome: Outcome) {
        self.outcome = Some(outcome);
    }
}

/// A node and what happens to it.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// What is swept when.
    pub mode: Mode,
    /// By `pull`, parts are claimed for one sweep at a time; by `auto`, from the first halt on.
    pub balance: Balance,
    /// Parameters of a balancer that has them.
    pub plb: PlbParams,
    /// Number of workers.
    pub workers: u32,
    /// Number of parts.
    pub parts: u32,
    /// Whether the first worker has all parts at first, or each its share.
    pub has_one_owner: bool,
    /// Whether the parts are in a row, or have no neighbours.
    pub are_linked: bool,
    /// Iterations that are asked for.
    pub iterations: u64,
    /// A part, whose it was and whose it is from then on, one in each of the first turns.
    pub moves: &'static [(u32, u32, u32)],
    /// Number of turns, from the first on, each of which asks all to halt.
    pub halts: usize,
}

impl Setting {
    /// Two workers, of which the first has a part; nothing happens in an iteration.
    pub const ONE: Self = Self {
        mode: Mode::Async,
        balance: Balance::None,
        plb: PlbParams { pairs: 1, low: 1, high: 2, dead_band: 0 },
        workers: 2,
        parts: 1,
        has_one_owner: false,
        are_linked: false,
        iterations: 1,
        moves: &[],
        halts: 0,
    };

    /// Returns the configuration of the run.
    pub fn config(&self) -> RunConfig {
        let &Self { workers, mode, balance, plb, iterations, .. } = self;
        let stop = Stop { iterations: Some(iterations), ..Stop::NEVER };
        let help = false;
        RunConfig { workers, mode, stop, balance, plb, help, ..RunConfig::default() }
    }
}

/// A node of parts that count.
pub type Node<'m> = executor::Node<'m, 'm, Count, Row, Turns, 2>;
/// One of its workers.
pub type Worker<'e, 'm> = executor::Worker<'e, 'm, 'm, Count, Row, Turns, Surroundings, 2>;
/// The memory of a worker.
pub type WorkerMemory<'m> = executor::OwnedWorkerMemory<'m, Count, 2>;

/// The memory of a node.
#[derive(Debug)]
pub struct Memory {
    config: RunConfig,
    row: Row,
    turns: Turns,
    claims: Vec<Claim<Count>>,
    edges: EdgeMemory<u64, 2>,
    slots: Vec<AtomicU32>,
    sockets: Vec<SocketId>,
    workers: Vec<WorkerId>,
    interrupt: AtomicBool,
}

impl Memory {
    /// Allocates the memory of a node.
    pub fn new(setting: Setting) -> Self {
        let Setting { mode, workers, .. } = setting;
        let row = Row(setting);
        let parts = row.parts();
        let claim = |_| Claim::new(Count { made: 0, halos: [None; 2], mode });
        Self {
            config: setting.config(),
            turns: Turns { setting, taken: Mutex::new(0) },
            claims: (0..parts).map(claim).collect(),
            edges: EdgeMemory::new(&row),
            slots: (0..parts).map(|_| AtomicU32::new(0)).collect(),
            sockets: vec![SocketId(0); workers as usize],
            workers: (0..workers).map(WorkerId).collect(),
            interrupt: AtomicBool::new(false),
            row,
        }
    }
}

/// More memory of a node, which refers to the other.
#[derive(Default)]
pub struct Views<'m> {
    publications: Vec<Publication<'m, u64, 2>>,
    node: Option<OwnedNodeMemory<'m, Count, 2>>,
}

/// Returns a node in its memory, its claims, and the grips of its workers.
///
/// # Panics
/// Where the setting is of no node.
pub fn node<'m>(
    memory: &'m mut Memory,
    views: &'m mut Views<'m>,
) -> (Node<'m>, Claims<'m, Count>, Vec<Grip<'m, Count>>) {
    let Memory { config, row, turns, claims, edges, slots, sockets, workers, interrupt } = memory;
    let (parts, number) = (row.parts(), workers.len());
    let mut claims = Claims::new(claims);
    views.publications = edges.lend();
    let table = SlotTable::new(slots, (0..parts).map(Some));
    let slots =
        Slots { parts: Copies::single(claims.all()), publications: &views.publications, table };
    let grips = (0..number).map(|_| claims.grip()).collect();
    let Ok(topology) = Topology::new(sockets, workers) else { panic!("no workers") };
    let setup =
        Setup { config, graph: &*row, node: NodeId(0), slots, peers: &*turns, topology, interrupt };
    let memory = views.node.insert(OwnedNodeMemory::new(config, parts as usize, number));
    let node = executor::Node::new(setup, claims.grip(), memory.lend());
    let Ok(node) = node else { panic!("no owners") };
    (node, claims, grips)
}

/// Returns a worker of a node.
pub fn worker<'e, 'm>(
    node: &'e Node<'m>,
    grip: Grip<'m, Count>,
    memory: &'e mut WorkerMemory<'m>,
) -> Worker<'e, 'm> {
    executor::Worker::new(node, grip, memory.lend(), Surroundings::default())
}
