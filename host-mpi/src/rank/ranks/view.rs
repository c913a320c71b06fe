//! The progress of the other ranks, as far as this one knows it.

use std::sync::atomic::AtomicU64;

use tresse::engine::threads::GlobalProgress;
use tresse_core::balance::Mean;
use tresse_core::balance::dplb::count_as_arrived;
use tresse_core::bug::OrBug;
use tresse_core::halo::HaloTag;
use tresse_core::halo::{HEAD_WORDS, head};
use tresse_core::id::{RankId, SlotId};
use tresse_core::progress::Progress;
use tresse_core::remote::{Place, Transport};
use tresse_core::run::NodeRule;

use crate::rank::layout::Layout;
use crate::rank::record::RankRecord;

/// The last known record of every rank.
pub(super) struct View<T: Transport> {
    own: RankId,
    rule: NodeRule,
    records: Vec<RankRecord>,
    /// Mean count of each rank, for the balancer between nodes.
    means: Vec<Mean>,
    /// Words that were asked for.
    coming: Vec<Option<T::WordsComing>>,
    /// Record and heads of each rank, where this rank shows all of them.
    overviews: Vec<Option<T::Words>>,
    /// Ranks whose record was read since the last complete look.
    heard: Vec<bool>,
}

impl<T: Transport> View<T> {
    pub(super) fn new(own: RankId, ranks: u32, rule: NodeRule) -> Self {
        let all = ranks as usize;
        Self {
            own,
            rule,
            records: vec![RankRecord::default(); all],
            means: vec![Mean::default(); all],
            coming: (0..all).map(|_| None).collect(),
            overviews: (0..all).map(|_| None).collect(),
            heard: vec![false; all],
        }
    }

    /// Publishes this rank's record.
    pub(super) fn publish(&mut self, record: RankRecord, words: &[AtomicU64]) {
        record.publish(words);
        if let Some(own) = self.records.get_mut(self.own.index()) {
            *own = record;
        }
    }

    /// Advances a look at all others as far as possible without waiting; returns whether all of their
    /// records were read since the last complete look.
    pub(super) fn look(&mut self, transport: &mut T) -> Result<bool, T::Error> {
        for rank in (0..transport.bounds().ranks).map(RankId) {
            if rank != self.own && self.heard.get(rank.index()) == Some(&false) {
                self.look_at(rank, transport)?;
            }
        }
        let is_complete = self.all_but_own().all(|rank| self.heard.get(rank) == Some(&true));
        if is_complete {
            self.heard.fill(false);
        }
        Ok(is_complete)
    }

    fn all_but_own(&self) -> impl Iterator<Item = usize> + use<T> {
        let own = self.own.index();
        (0..self.heard.len()).filter(move |&rank| rank != own)
    }

    fn look_at(&mut self, rank: RankId, transport: &mut T) -> Result<(), T::Error> {
        let place = rank.index();
        let shows_all = self.own == RankId(0);
        let coming = match self.coming.get_mut(place).and_then(Option::take) {
            Some(coming) => coming,
            None => transport.get(rank, if shows_all { Place::Overview } else { Place::Record })?,
        };
        match transport.poll(coming)? {
            Err(coming) => self.coming[place] = Some(coming),
            Ok(words) => {
                self.records[place] = RankRecord::read(words.as_ref());
                self.heard[place] = true;
                self.overviews[place] = Some(words).filter(|_| shows_all);
            }
        }
        Ok(())
    }

    /// Gives up the words that were asked for.
    pub(super) fn end(&mut self, transport: &mut T) {
        self.coming.iter_mut().filter_map(Option::take).for_each(|coming| transport.forget(coming));
    }

    /// Returns the progress of all, once every rank has reported since the last halt. Returns `None`
    /// while a subdomain is counted twice, by a rank that has sent it and does not know yet that it has
    /// arrived.
    pub(super) fn global(&self, subdomains: u32) -> Option<GlobalProgress> {
        let all_say = self.records.iter().all(|record| record.is_current);
        let sum = self.records.iter().map(|record| record.residual).sum();
        let all = self.records.iter().map(|record| record.progress);
        let progress = all.reduce(Progress::and).unwrap_or_default();
        let each_is_once = progress.subdomains == u64::from(subdomains);
        (all_say && each_is_once).then_some(GlobalProgress { sum, progress })
    }

    /// Reports whether any rank wants all to halt.
    pub(super) fn is_wished(&self) -> bool {
        self.records.iter().any(|record| record.is_current && record.wishes)
    }

    /// Returns each rank's mean count, for the balancer between nodes.
    pub(super) fn means(&mut self) -> &[Mean] {
        for (mean, record) in self.means.iter_mut().zip(&self.records) {
            *mean = record.mean;
        }
        let in_flight = self.records.iter().filter_map(|record| record.in_flight);
        count_as_arrived(self.rule, &mut self.means, in_flight);
        &self.means
    }

    /// Returns the records of all other ranks.
    pub(super) fn others(&self) -> impl Iterator<Item = &RankRecord> {
        self.all_but_own().filter_map(|rank| self.records.get(rank))
    }

    /// Sets the counts of the subdomains on other ranks, as their heads were last seen.
    pub(super) fn counts(&self, counts: &mut [u64], layout: &Layout) {
        for rank in self.all_but_own() {
            let id = RankId(u32::try_from(rank).unwrap_or(u32::MAX));
            let Some(Some(words)) = self.overviews.get(rank) else { continue };
            let words = words.as_ref();
            for slot in (0..layout.bounds().slots).map(SlotId) {
                let start = layout.head(slot);
                let words = words.get(start..start + HEAD_WORDS);
                let Some(words) = words.or_bug("an overview ends before its last slot") else {
                    continue;
                };
                let word = |place: usize| {
                    words
                        .get(place)
                        .map_or(0, |word| word.load(std::sync::atomic::Ordering::Acquire))
                };
                let tag = HaloTag::decode(word(head::HALO_TAG), layout.bounds());
                if let Some(HaloTag { subdomain, owner }) = tag
                    && owner == id
                    && let Some(count) = counts.get_mut(subdomain.index())
                {
                    *count = word(head::VERSION);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::atomic::Ordering;

    use tresse_core::balance::dplb::{NodeBalancer, Transfer};
    use tresse_core::halo::Bounds;
    use tresse_core::id::{SubdomainId, WorkerId};
    use tresse_core::ownership::{Holding, Link, Ownership};
    use tresse_core::remote::CellsAt;
    use tresse_core::run::{
        Balance, GridSize, Imbalance, Mode, NodeBalance, Nodes, PlbParams, Precision, RunConfig,
        Stop,
    };
    use tresse_core::time::{Duration, Instant};

    use crate::rank::record;

    use super::super::wire::Wire;
    use super::*;

    const PERIOD: Duration = Duration(10);
    /// Number of subdomains from which on a worker gets no more.
    const HIGH: u32 = 5;

    /// Returns a configuration of four ranks with one worker each, which has four subdomains.
    fn config(rule: NodeRule) -> RunConfig {
        let balance = NodeBalance::Dplb { period: PERIOD, threshold: 10 };
        RunConfig {
            grid: GridSize { rows: 64, columns: 64 },
            workers: 4,
            split: 4,
            mode: Mode::Async,
            balance: Balance::None,
            plb: PlbParams { high: HIGH, ..PlbParams::default() },
            nodes: Nodes { number: 4, balance, rule, ..Nodes::ONE },
            imbalance: Imbalance::default(),
            stop: Stop { tolerance: None, iterations: Some(1) },
            precision: Precision::F64,
            seed: 1,
            noise: heapless::Vec::new(),
        }
    }

    /// Returns a rank's decision from the published records, where its worker has a number of subdomains.
    fn decide(
        config: &RunConfig,
        own: RankId,
        records: &[[AtomicU64; record::WORDS]],
    ) -> Option<Transfer> {
        let mut view = View::<Wire<'_, '_, f64>>::new(own, config.nodes.number, config.nodes.rule);
        view.records = records.iter().map(|words| RankRecord::read(words)).collect();
        let held = view.records.get(own.index()).map_or(0, |record| record.mean.subdomains);
        let mut owners: Vec<_> = (0..16).map(|id| WorkerId(u32::from(id >= held))).collect();
        let mut links = vec![Link::EMPTY; owners.len()];
        let mut holdings = vec![Holding::EMPTY; 2];
        let ownership = Ownership::new(&mut owners, &mut links, &mut holdings).unwrap();
        let mut balancer = NodeBalancer::new(own, config, Instant::ZERO);
        balancer.poll(Instant::ZERO.after(PERIOD), view.means(), &ownership, &[WorkerId(0)])
    }

    /// Lets the slow ranks look one after the other while nothing that was sent arrives; each that has
    /// sent is no longer the slowest. Returns how many have sent to the rank that leads.
    fn sent(rule: NodeRule) -> u64 {
        let config = config(rule);
        let publish = |words: &[AtomicU64; record::WORDS], mean, in_flight| {
            RankRecord { mean, in_flight, is_current: true, ..RankRecord::default() }
                .publish(words);
        };
        let records: Vec<[AtomicU64; record::WORDS]> =
            (0..4).map(|_| std::array::from_fn(|_| AtomicU64::new(0))).collect();
        for (words, updates) in records.iter().zip([400, 401, 402, 4_000]) {
            publish(words, Mean { updates, subdomains: 4 }, None);
        }
        let mut sent = 0;
        for slow in (0..3).map(RankId) {
            let Some(transfer) = decide(&config, slow, &records) else { continue };
            assert_eq!((transfer.from, transfer.to), (slow, RankId(3)));
            assert!(transfer.subdomain < SubdomainId(4));
            sent += 1;
            let rest = Mean { updates: 303 + u64::from(slow.0), subdomains: 3 };
            publish(&records[slow.index()], rest, Some((RankId(3), 100)));
        }
        sent
    }

    /// Checks rule 8: the rank that leads has room for one subdomain only.
    #[test]
    fn what_is_in_flight_counts_as_arrived() {
        assert_eq!(sent(NodeRule::Settled), 1);
        assert_eq!(sent(NodeRule::Published), 3);
    }

    /// The records of ranks, which arrive when the test lets them.
    struct Late {
        records: Vec<[AtomicU64; record::WORDS]>,
        comes: [bool; 4],
        asked: Vec<usize>,
    }

    impl Transport for Late {
        type Real = f64;
        type Words = Vec<AtomicU64>;
        type Cells = Vec<AtomicU64>;
        type WordsComing = usize;
        type CellsComing = CellsAt;
        type Error = Infallible;

        fn own(&self) -> RankId {
            RankId(1)
        }

        fn bounds(&self) -> Bounds {
            Bounds { subdomains: 16, ranks: 4, slots: 4 }
        }

        fn is_in_memory(&self, _: RankId) -> bool {
            false
        }

        fn load(&self, _: Place) -> u64 {
            0
        }

        fn put(&mut self, _: RankId, _: Place, _: u64) -> Result<(), Infallible> {
            Ok(())
        }

        fn get(&mut self, rank: RankId, place: Place) -> Result<usize, Infallible> {
            assert_eq!(place, Place::Record);
            self.asked.push(rank.index());
            Ok(rank.index())
        }

        fn get_cells(&mut self, _: RankId, cells: CellsAt) -> Result<CellsAt, Infallible> {
            Ok(cells)
        }

        fn poll(&mut self, rank: usize) -> Result<Result<Vec<AtomicU64>, usize>, Infallible> {
            let words = self.records[rank].iter().map(|word| word.load(Ordering::Relaxed));
            Ok(if self.comes[rank] { Ok(words.map(AtomicU64::new).collect()) } else { Err(rank) })
        }

        fn poll_cells(
            &mut self,
            cells: CellsAt,
        ) -> Result<Result<Self::Cells, CellsAt>, Infallible> {
            Ok(Err(cells))
        }

        fn forget(&mut self, rank: usize) {
            self.asked.retain(|&asked| asked != rank);
        }

        fn forget_cells(&mut self, _: CellsAt) {}
    }

    /// Checks that no rank is asked twice before all have answered, and that no old record counts for the
    /// next look.
    #[test]
    fn a_look_is_complete_when_all_were_heard_of_since_the_last() {
        let words = || std::array::from_fn(|_| AtomicU64::new(0));
        let records = (0..4).map(|_| words()).collect();
        let mut late = Late { records, comes: [true, true, true, false], asked: vec![] };
        let mut view = View::<Late>::new(RankId(1), 4, NodeRule::Settled);
        let say = |late: &Late, rank: usize, subdomains| {
            let progress = Progress { least: 1, most: 1, updates: 1, subdomains };
            RankRecord { progress, is_current: true, ..RankRecord::default() }
                .publish(&late.records[rank]);
        };
        for rank in 0..4 {
            say(&late, rank, 4);
        }
        view.records[1] = RankRecord::read(&late.records[1]);
        for _ in 0..3 {
            assert_eq!(view.look(&mut late), Ok(false));
            assert!(view.global(16).is_none(), "one has not been heard of");
            assert_eq!(late.asked, [0, 2, 3]);
        }
        // What was heard stays until the next look.
        say(&late, 0, 3);
        late.comes[3] = true;
        assert_eq!(view.look(&mut late), Ok(true));
        assert!(view.global(16).is_some());
        late.comes[2] = false;
        assert_eq!(view.look(&mut late), Ok(false));
        assert!(view.global(16).is_none() && view.global(15).is_some());
        assert_eq!(late.asked, [0, 2, 3, 0, 2, 3]);
        view.end(&mut late);
        assert_eq!(
            late.asked,
            [0, 3, 0, 3],
            "what is still to come is forgotten, and nothing else"
        );
    }
}
