//! The progress of the other ranks, as far as this one knows it.

use core::marker::PhantomData;

use super::record::{RankRecord, RecordWords};
use super::transport::{Place, Transport};
use crate::balance::Mean;
use crate::balance::dplb::count_as_arrived;
use crate::base::id::{RankId, SlotId};
use crate::base::sync::{AtomicU64, Ordering};
use crate::base::table::At;
use crate::node::worker::{Contribution, GlobalProgress};
use crate::parts::halo::{Bounds, HEAD_WORDS, HaloTag, head};
use crate::run::NodeRule;
use crate::run::progress::Progress;

/// What a rank knows of another one: words that are on their way (`C`), and words that have come
/// (`W`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Seen<C, W> {
    record: RecordWords,
    /// The outstanding fetch.
    coming: Option<C>,
    /// The rank's record and the heads of its slots; only on the rank that shows the progress of
    /// all.
    overview: Option<W>,
    /// Whether the record was read in the present poll of all ranks.
    is_heard: bool,
}

impl<C, W> Seen<C, W> {
    /// Returns a rank of which nothing is known yet.
    pub const fn nothing() -> Self {
        Self { record: [0; RankRecord::USED], coming: None, overview: None, is_heard: false }
    }
}

/// A rank over a transport, as another knows it.
pub type SeenOf<T> = Seen<<T as Transport>::WordsComing, <T as Transport>::Words>;

/// The last known record of every rank, on memory of one [`Seen`] (`M`) and one [`Mean`] (`A`) a
/// rank, lent or owned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct View<C, W, M, A> {
    own: RankId,
    rule: NodeRule,
    ranks: M,
    /// Mean count of each rank, for the balancer between nodes.
    means: A,
    seen: PhantomData<(C, W)>,
}

/// A view over a transport.
pub type ViewOf<T, M, A> = View<<T as Transport>::WordsComing, <T as Transport>::Words, M, A>;

impl<C, W, M, A> View<C, W, M, A> {
    /// Returns the view of a rank that knows nothing of the others yet.
    pub const fn new(own: RankId, rule: NodeRule, ranks: M, means: A) -> Self {
        Self { own, rule, ranks, means, seen: PhantomData }
    }
}

impl<C, W: AsRef<[AtomicU64]>, M, A> View<C, W, M, A>
where
    M: AsRef<[Seen<C, W>]> + AsMut<[Seen<C, W>]>,
    A: AsMut<[Mean]>,
{
    /// Publishes this rank's record, and keeps it among those of all ranks.
    pub fn publish<T>(&mut self, record: &RankRecord, transport: &mut T)
    where
        T: Transport<WordsComing = C, Words = W>,
    {
        let words = record.encode();
        transport.publish(&words);
        if let Some(own) = self.ranks.as_mut().get_mut(self.own.index()) {
            own.record = words;
        }
    }

    /// Continues to poll the records of all other ranks, without waiting. Returns true once each of
    /// them has been read since the last call that returned true.
    pub fn look<T>(&mut self, transport: &mut T) -> Result<bool, T::Error>
    where
        T: Transport<WordsComing = C, Words = W>,
    {
        let shows_all = self.own == RankId(0);
        let place = if shows_all { Place::Overview } else { Place::Record };
        let mut is_complete = true;
        for (rank, seen) in (0..).map(RankId).zip(self.ranks.as_mut()) {
            if rank == self.own || seen.is_heard {
                continue;
            }
            let coming = match seen.coming.take() {
                Some(coming) => coming,
                None => transport.get(rank, place)?,
            };
            match transport.poll(coming)? {
                Err(coming) => {
                    seen.coming = Some(coming);
                    is_complete = false;
                }
                Ok(words) => {
                    seen.record = RankRecord::read(words.as_ref());
                    seen.is_heard = true;
                    seen.overview = Some(words).filter(|_| shows_all);
                }
            }
        }
        if is_complete {
            self.ranks.as_mut().iter_mut().for_each(|seen| seen.is_heard = false);
        }
        Ok(is_complete)
    }

    /// Cancels all outstanding fetches.
    pub fn end<T>(&mut self, transport: &mut T)
    where
        T: Transport<WordsComing = C, Words = W>,
    {
        let coming = self.ranks.as_mut().iter_mut().filter_map(|seen| seen.coming.take());
        coming.for_each(|coming| transport.forget(coming));
    }

    /// Returns the last known record of each rank, this one included.
    fn records(&self) -> impl Iterator<Item = RankRecord> {
        self.ranks.as_ref().iter().map(|seen| RankRecord::decode(seen.record))
    }

    /// Returns the other ranks, with what is known of them.
    fn all_but_own<'a>(&'a self) -> impl Iterator<Item = (RankId, &'a Seen<C, W>)>
    where
        C: 'a,
        W: 'a,
    {
        let all = (0..).map(RankId).zip(self.ranks.as_ref());
        all.filter(|(rank, _)| *rank != self.own)
    }

    /// Returns the progress of all ranks together, once each has reported that `next` is its next
    /// halt. `None` while not each of the `subdomains` is counted once, such as one whose sender
    /// does not know yet that it has arrived.
    pub fn global(&self, next: u64, subdomains: u32) -> Option<GlobalProgress> {
        let all_say = self.records().all(|record| record.next_halt == next);
        let sum = self.records().map(|record| record.residual).sum();
        let all = self.records().map(|record| record.progress);
        let progress = all.reduce(Progress::and).unwrap_or_default();
        let each_is_once = progress.subdomains == u64::from(subdomains);
        (all_say && each_is_once).then_some(GlobalProgress { sum, progress, known: None })
    }

    /// Returns the contributions of all ranks to the residual of a version, in their order; none
    /// where a record is a torn read.
    pub fn contribution(&self) -> Option<impl Iterator<Item = Contribution>> {
        let is_whole = self.records().all(|record| record.contribution.is_some());
        is_whole.then(|| self.records().filter_map(|record| record.contribution))
    }

    /// Whether any rank requests the halt `next`.
    pub fn wishes(&self, next: u64) -> bool {
        self.records().any(|record| record.requested_halt == next)
    }

    /// Returns each rank's mean count, for the balancer between nodes; subdomains in transit count
    /// where the rule says.
    pub fn means(&mut self) -> &[Mean] {
        let Self { rule, ranks, means, .. } = self;
        let records = ranks.as_ref().iter().map(|seen| RankRecord::decode(seen.record));
        for (mean, record) in means.as_mut().iter_mut().zip(records.clone()) {
            *mean = record.mean;
        }
        let in_flight = records.filter_map(|record| record.in_flight);
        count_as_arrived(*rule, means.as_mut(), in_flight);
        means.as_mut()
    }

    /// Returns the records of all other ranks.
    pub fn others(&self) -> impl Iterator<Item = RankRecord> {
        self.all_but_own().map(|(_, seen)| RankRecord::decode(seen.record))
    }

    /// Sets the update counts of the subdomains on other ranks from their last known heads; only on
    /// the rank that shows the progress of all.
    pub fn counts(&self, counts: &mut [u64], bounds: Bounds) {
        for (rank, seen) in self.all_but_own() {
            let Some(words) = &seen.overview else { continue };
            for slot in (0..bounds.slots).map(SlotId) {
                let words = words.as_ref().stretch(head_in_overview(slot)..);
                let word = |place: usize| words.at(place).load(Ordering::Acquire);
                if let Some(HaloTag { subdomain, owner }) =
                    HaloTag::decode(word(head::HALO_TAG), bounds)
                    && owner == rank
                    && let Some(count) = counts.get_mut(subdomain.index())
                {
                    *count = word(head::VERSION);
                }
            }
        }
    }
}

/// Returns the index of the first word of a slot's head in a [`Place::Overview`].
pub const fn head_in_overview(slot: SlotId) -> usize {
    RankRecord::WORDS + slot.index() * HEAD_WORDS
}
