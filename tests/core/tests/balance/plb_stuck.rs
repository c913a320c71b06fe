//! Checks that subdomains never move where the core says so, and otherwise move for some counts: in
//! every small world, by the very balancers that runs have.

use rayon::prelude::*;
use tresse_core::balance::advice::Warning;
use tresse_core::balance::plb::{Stuck, stuck};
use tresse_core::balance::{Balancer, Lent, Observed};
use tresse_core::base::id::{SocketId, WorkerId};
use tresse_core::base::time::{Duration, Instant};
use tresse_core::base::topology::Topology;
use tresse_core::parts::ownership::{Holding, Link, Owner, Ownership};
use tresse_core::run::{Balance, NodeBalance, NodeRule, Nodes, PlbParams, RunConfig};
use tresse_core_tests::Failure;
use tresse_core_tests::small::digits;

const WORKERS: usize = 3;
const WORKER_IDS: [WorkerId; WORKERS] = [WorkerId(0), WorkerId(1), WorkerId(2)];
const SUBDOMAINS: u32 = 5;
const PERIOD: Duration = Duration::from_micros(1);
const POLICIES: [Balance; 5] = [
    Balance::Joint(PERIOD),
    Balance::Split(PERIOD),
    Balance::Hybrid(PERIOD, 1),
    Balance::Swap(PERIOD),
    Balance::Gradient(PERIOD),
];
const SOCKETS: [[u32; WORKERS]; 4] = [[0, 0, 0], [0, 0, 1], [4, 2, 4], [0, 1, 2]];

struct World {
    balance: Balance,
    params: PlbParams,
    sockets: Vec<SocketId>,
    by_socket: Vec<WorkerId>,
    owners: Vec<WorkerId>,
}

impl World {
    fn new(balance: Balance, params: PlbParams, sockets: [u32; WORKERS], owners: usize) -> Self {
        let sockets = sockets.map(SocketId).to_vec();
        let mut by_socket = WORKER_IDS.to_vec();
        by_socket.sort_by_key(|worker| sockets[worker.index()]);
        let owners = digits(owners, WORKERS, SUBDOMAINS).map(|owner| WORKER_IDS[owner]).collect();
        Self { balance, params, sockets, by_socket, owners }
    }

    fn verdict(&self) -> Option<Stuck> {
        let held = |worker: &WorkerId| {
            let held = self.owners.iter().map(|owner| u32::from(owner == worker)).sum();
            (self.sockets[worker.index()], held)
        };
        stuck(self.balance, &self.params, self.by_socket.iter().map(held))
    }

    /// Reports whether a round with these counts, after workers have made these updates, moves
    /// anything.
    fn moves(&self, counts: &[u64], worker_updates: &[u64]) -> Result<bool, Failure> {
        let owners: Vec<_> = self.owners.iter().copied().map(Owner::of).collect();
        let mut links = vec![Link::EMPTY; owners.len()];
        let mut holdings = vec![Holding::EMPTY; WORKERS];
        let mut ownership = Ownership::new(&owners, &mut links, &mut holdings)?;
        let topology = Topology::new(&self.sockets, &self.by_socket)?;
        let config = RunConfig { balance: self.balance, plb: self.params, ..RunConfig::default() };
        let mut balancer = Balancer::new(&config, 0, Instant::ZERO);
        let observed = Observed { counts, worker_updates, topology };
        let (mut state, mut scratch) = ([0; WORKERS], [0; WORKERS]);
        let lent = Lent { state: &mut state, scratch: &mut scratch, measured: None };
        let mut moved = false;
        let now = Instant::ZERO.after(PERIOD);
        balancer.poll(now, &observed, lent, &mut ownership, &mut |_| moved = true);
        Ok(moved)
    }

    /// Reports whether any counts up to 2, and any paces of the workers, do.
    fn can_move(&self) -> Result<bool, Failure> {
        let counts = 3_u64.pow(SUBDOMAINS);
        let paces = if matches!(self.balance, Balance::Gradient(_)) { 27 } else { 1 };
        for counts in 0..counts {
            let counts: Vec<_> = digits(counts, 3, SUBDOMAINS).collect();
            for paces in 0..paces {
                let paces: Vec<_> = digits(paces, 3, 3).collect();
                if self.moves(&counts, &paces)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

fn params() -> impl Iterator<Item = PlbParams> {
    let thresholds = (1..=3).flat_map(|low| (low + 1..=5).map(move |high| (low, high)));
    thresholds.flat_map(|(low, high)| {
        [0, 2].map(|dead_band| PlbParams { pairs: 2, low, high, dead_band })
    })
}

#[test]
fn exactly_what_is_said_to_be_stuck_never_moves() {
    let mut cases = Vec::new();
    for balance in POLICIES {
        for params in params() {
            cases.extend(SOCKETS.map(|sockets| (balance, params, sockets)));
        }
    }
    let found: Vec<_> = cases
        .into_par_iter()
        .flat_map_iter(|(balance, params, sockets)| {
            (0..WORKERS.pow(SUBDOMAINS)).map(move |owners| {
                let world = World::new(balance, params, sockets, owners);
                let verdict = world.verdict();
                assert_eq!(
                    verdict.is_none(),
                    world.can_move().unwrap(),
                    "{balance} {params:?} {sockets:?} {:?}: {verdict:?}",
                    world.owners
                );
                verdict
            })
        })
        .collect();
    for verdict in [None, Some(Stuck::Alone), Some(Stuck::NobodyGives), Some(Stuck::NobodyTakes)] {
        assert!(found.contains(&verdict), "{verdict:?} never occurs");
    }
}

#[test]
fn the_default_thresholds_let_every_split_move_but_one() {
    for split in 1..200 {
        let plb = PlbParams::for_split(split);
        assert!(plb.low >= 1 && plb.low < plb.high, "{plb:?}");
        let config = RunConfig { workers: 4, split, plb, ..RunConfig::default() };
        assert_eq!(config.warnings().count(), usize::from(split == 1), "{split}");
    }
    let PlbParams { low, high, .. } = PlbParams::for_split(u32::MAX);
    assert!(low < high);
}

#[test]
fn a_run_is_warned_of_what_no_balancer_can_mend() {
    let plb = PlbParams { low: 2, high: 6, ..PlbParams::default() };
    let run = RunConfig { workers: 4, split: 16, plb, ..RunConfig::default() };
    let warnings = |run: &RunConfig| run.warnings().collect::<Vec<_>>();
    let of = |stuck, PlbParams { low, high, .. }: PlbParams| Warning::NothingCanMove {
        stuck,
        split: 16,
        low,
        high,
    };
    for balance in ["joint:1", "split:1", "hybrid:1,2"].map(Balance::parse).map(Result::unwrap) {
        let stuck = warnings(&RunConfig { balance, ..run.clone() });
        assert_eq!(stuck, [of(Stuck::NobodyTakes, plb)]);
    }
    let lent = |split| RunConfig { balance: Balance::Auto, split, ..run.clone() };
    let nobody =
        Warning::NothingCanMove { stuck: Stuck::NobodyGives, split: 1, low: 1, high: plb.high };
    assert_eq!(warnings(&lent(1)), [nobody], "somebody's only one is not lent");
    assert!(warnings(&lent(2)).is_empty());
    for balance in ["none", "swap:1", "gradient:1", "grapevine:1", "borrow:1,1"].map(Balance::parse)
    {
        let free = RunConfig { balance: balance.unwrap(), ..run.clone() };
        assert!(warnings(&free).is_empty(), "{:?}", free.balance);
    }
    // Between nodes nothing moves either, unless by the paper's steps alone: then workers come to
    // have fewer, and can take.
    let nodes = Nodes { number: 2, balance: NodeBalance::parse("dplb:1,1").unwrap(), ..Nodes::ONE };
    assert_eq!(warnings(&RunConfig { nodes, ..run.clone() }).len(), 2);
    let nodes = Nodes { rule: NodeRule::Published, ..nodes };
    assert!(warnings(&RunConfig { nodes, ..run.clone() }).is_empty());
    // One worker on each socket has nobody to balance with under split.
    let apart = RunConfig { plb: PlbParams::for_split(16), ..run };
    let sockets = || (0..4).map(SocketId);
    assert!(apart.warnings_on(sockets()).eq([of(Stuck::Alone, apart.plb)]));
    let hybrid = RunConfig { balance: Balance::parse("hybrid:1,2").unwrap(), ..apart };
    assert_eq!(hybrid.warnings_on(sockets()).count(), 0);
}
