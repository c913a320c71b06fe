//! What a rank knows of the progress of the others: the shipped view, over records that come when a
//! test lets them.

use std::convert::Infallible;
use std::sync::atomic::AtomicU64;

use tresse_core::balance::Mean;
use tresse_core::balance::dplb::{NodeBalancer, Transfer};
use tresse_core::base::id::{RankId, SlotId, SubdomainId, WorkerId};
use tresse_core::base::time::{Duration, Instant};
use tresse_core::parts::halo::{Bounds, HaloTag, head};
use tresse_core::parts::ownership::{Holding, Link, Owner, Ownership};
use tresse_core::ranks::{
    CellsAt, Place, RankRecord, RecordWords, Seen, SeenOf, Transport, View, ViewOf,
    head_in_overview,
};
use tresse_core::run::progress::Progress;
use tresse_core::run::{NodeBalance, NodeRule, Nodes, PlbParams, RunConfig};

const PERIOD: Duration = Duration(10);
/// Number of subdomains from which on a worker gets no more.
const HIGH: u32 = 5;

/// Returns a configuration of four ranks with one worker each, which has four subdomains.
fn config(rule: NodeRule) -> RunConfig {
    let balance = NodeBalance::Dplb { period: PERIOD, threshold: 10 };
    RunConfig {
        workers: 4,
        split: 4,
        plb: PlbParams { high: HIGH, ..PlbParams::default() },
        nodes: Nodes { number: 4, balance, rule, ..Nodes::ONE },
        ..RunConfig::default()
    }
}

const BOUNDS: Bounds = Bounds { subdomains: 16, ranks: 4, slots: 4 };

/// The records of ranks, which arrive when the test lets them; behind them a slot's head where the
/// rank shows all.
struct Late {
    own: RankId,
    records: [RecordWords; 4],
    /// Slot that has a subdomain with a count.
    head: (SlotId, HaloTag, u64),
    comes: [bool; 4],
    asked: Vec<usize>,
}

type LateView = ViewOf<Late, Vec<SeenOf<Late>>, Vec<Mean>>;

impl Late {
    fn new(own: RankId, records: &[RankRecord; 4]) -> Self {
        let tag = HaloTag { subdomain: SubdomainId(9), owner: RankId(2) };
        Self {
            own,
            records: records.each_ref().map(RankRecord::encode),
            head: (SlotId(3), tag, 77),
            comes: [true; 4],
            asked: Vec::new(),
        }
    }

    fn view(&self, rule: NodeRule) -> LateView {
        let seen = (0..4).map(|_| Seen::nothing()).collect();
        View::new(self.own, rule, seen, vec![Mean::default(); 4])
    }

    fn words(&self, rank: usize) -> Vec<AtomicU64> {
        let mut words = vec![0; head_in_overview(SlotId(BOUNDS.slots))];
        words[..RankRecord::USED].copy_from_slice(&self.records[rank]);
        let (slot, tag, count) = self.head;
        let place = head_in_overview(slot);
        words[place + head::VERSION] = count;
        words[place + head::HALO_TAG] = tag.encode();
        words.into_iter().map(AtomicU64::new).collect()
    }
}

impl Transport for Late {
    type Unit = f64;
    type Words = Vec<AtomicU64>;
    type Cells = Vec<AtomicU64>;
    type WordsComing = usize;
    type CellsComing = CellsAt;
    type Error = Infallible;

    fn own(&self) -> RankId {
        self.own
    }

    fn bounds(&self) -> Bounds {
        BOUNDS
    }

    fn is_in_memory(&self, _: RankId) -> bool {
        false
    }

    fn load(&self, _: Place) -> u64 {
        0
    }

    fn publish(&mut self, record: &RecordWords) {
        self.records[self.own.index()] = *record;
    }

    fn put(&mut self, _: RankId, _: Place, _: u64) -> Result<(), Infallible> {
        Ok(())
    }

    fn get(&mut self, rank: RankId, place: Place) -> Result<usize, Infallible> {
        let shows_all = self.own == RankId(0);
        assert_eq!(place, if shows_all { Place::Overview } else { Place::Record });
        self.asked.push(rank.index());
        Ok(rank.index())
    }

    fn get_cells(&mut self, _: RankId, cells: CellsAt) -> Result<CellsAt, Infallible> {
        Ok(cells)
    }

    fn poll(&mut self, rank: usize) -> Result<Result<Vec<AtomicU64>, usize>, Infallible> {
        Ok(if self.comes[rank] { Ok(self.words(rank)) } else { Err(rank) })
    }

    fn poll_cells(&mut self, cells: CellsAt) -> Result<Result<Self::Cells, CellsAt>, Infallible> {
        Ok(Err(cells))
    }

    fn forget(&mut self, rank: usize) {
        self.asked.retain(|&asked| asked != rank);
    }

    fn forget_cells(&mut self, _: CellsAt) {}
}

/// Returns a rank's decision from the published records, where its worker has a number of
/// subdomains.
fn decide(config: &RunConfig, own: RankId, records: &[RankRecord; 4]) -> Option<Transfer> {
    let mut late = Late::new(own, records);
    let mut view = late.view(config.nodes.rule);
    view.publish(&records[own.index()], &mut late);
    assert_eq!(view.look(&mut late), Ok(true));
    let held = records[own.index()].mean.subdomains;
    let owner = |id| Owner::of(WorkerId(u32::from(id >= held)));
    let owners: Vec<_> = (0..16).map(owner).collect();
    let mut links = vec![Link::EMPTY; owners.len()];
    let mut holdings = vec![Holding::EMPTY; 2];
    let ownership = Ownership::new(&owners, &mut links, &mut holdings).ok()?;
    let mut balancer = NodeBalancer::new(own, config, Instant::ZERO);
    balancer.poll(Instant::ZERO.after(PERIOD), view.means(), &ownership, &[WorkerId(0)], |_| None)
}

/// Lets the slow ranks look one after the other while nothing that was sent arrives; each that has
/// sent is no longer the slowest. Returns how many have sent to the rank that leads.
fn sent(rule: NodeRule) -> u64 {
    let config = config(rule);
    let record = |updates, subdomains, in_flight| RankRecord {
        mean: Mean { updates, subdomains },
        in_flight,
        ..RankRecord::default()
    };
    let mut records = [400, 401, 402, 4_000].map(|updates| record(updates, 4, None));
    let mut sent = 0;
    for slow in (0..3).map(RankId) {
        let Some(transfer) = decide(&config, slow, &records) else { continue };
        assert_eq!((transfer.from, transfer.to), (slow, RankId(3)));
        assert!(transfer.subdomain < SubdomainId(4));
        sent += 1;
        let rest = 303 + u64::from(slow.0);
        records[slow.index()] = record(rest, 3, Some((RankId(3), 100)));
    }
    sent
}

/// Checks rule 8: the rank that leads has room for one subdomain only.
#[test]
fn what_is_in_flight_counts_as_arrived() {
    assert_eq!(sent(NodeRule::Settled), 1);
    assert_eq!(sent(NodeRule::Published), 3);
}

fn reports(subdomains: u64) -> RankRecord {
    let progress = Progress { least: 1, most: 1, updates: 1, subdomains };
    RankRecord { progress, next_halt: 3, ..RankRecord::default() }
}

/// Checks that no rank is asked twice before all have answered, and that no old record counts for
/// the next look.
#[test]
fn a_look_is_complete_when_all_were_heard_of_since_the_last() {
    let mut late = Late::new(RankId(1), &[reports(4); 4]);
    late.comes[3] = false;
    let mut view = late.view(NodeRule::Settled);
    view.publish(&reports(4), &mut late);
    for _ in 0..3 {
        assert_eq!(view.look(&mut late), Ok(false));
        assert!(view.global(3, 16).is_none(), "one has not been heard of");
        assert_eq!(late.asked, [0, 2, 3]);
    }
    // What was heard stays until the next look.
    late.records[0] = reports(3).encode();
    late.comes[3] = true;
    assert_eq!(view.look(&mut late), Ok(true));
    assert!(view.global(3, 16).is_some());
    late.comes[2] = false;
    assert_eq!(view.look(&mut late), Ok(false));
    assert!(view.global(3, 16).is_none() && view.global(3, 15).is_some());
    assert_eq!(late.asked, [0, 2, 3, 0, 2, 3]);
    view.end(&mut late);
    assert_eq!(late.asked, [0, 3, 0, 3], "what is still to come is forgotten, and nothing else");
}

/// Checks that what was said before a halt counts for no later one.
#[test]
fn a_record_counts_until_the_halt_that_it_names() {
    let wishes = RankRecord { requested_halt: 3, ..reports(4) };
    let mut late = Late::new(RankId(0), &[wishes; 4]);
    let mut view = late.view(NodeRule::Settled);
    view.publish(&reports(4), &mut late);
    assert_eq!(view.look(&mut late), Ok(true));
    assert_eq!([2, 3, 4].map(|next| view.wishes(next)), [false, true, false]);
    assert_eq!([2, 3, 4].map(|next| view.global(next, 16).is_some()), [false, true, false]);
}

/// Checks that counts are taken from the rank that has the subdomain, and from no other that shows
/// its tag.
#[test]
fn the_first_rank_sees_the_counts_of_all() {
    let mut late = Late::new(RankId(0), &[reports(4); 4]);
    let mut view = late.view(NodeRule::Settled);
    let mut counts = [5; 16];
    view.counts(&mut counts, BOUNDS);
    assert_eq!(counts, [5; 16], "nothing was seen");
    assert_eq!(view.look(&mut late), Ok(true));
    view.counts(&mut counts, BOUNDS);
    assert_eq!((counts[9], counts[8]), (77, 5));
    late.head.1.owner = RankId(0);
    late.head.2 = 99;
    assert_eq!(view.look(&mut late), Ok(true));
    view.counts(&mut counts, BOUNDS);
    assert_eq!(counts[9], 77, "that rank's subdomain is another's");
}
