//! Where the parts of a rank lie in its memory.

use std::sync::atomic::AtomicU32;

use tresse::engine::threads::{CopyWords, SlotTable};
use tresse_core::base::id::{RankId, SubdomainId};
use tresse_core::node::shared::{Claim, Copies};
use tresse_core::parts::Graph;
use tresse_core::parts::halo::{Bounds, Location};
use tresse_core::run::RunConfig;

use super::ranks::homes;

/// The places of all parts at the start, and the words that say which are on this rank now.
///
/// Each slot has as many copies, one after the other; where workers help each other, there are two
/// of each, and spare ones behind them.
#[derive(Debug)]
pub struct PartPlaces {
    own: RankId,
    homes: Vec<Location>,
    table: Vec<AtomicU32>,
    slots: usize,
    copies: Option<CopyWords>,
}

impl PartPlaces {
    /// Returns the places on rank `own` at the start of a run.
    pub fn new<const N: usize>(own: RankId, config: &RunConfig, graph: &impl Graph<N>) -> Self {
        let homes = homes(config, graph);
        let slots = Bounds::of(config).slots as usize;
        let workers = config.workers_per_node() as usize;
        Self {
            own,
            table: homes.iter().map(|_| AtomicU32::new(0)).collect(),
            homes,
            slots,
            copies: config.helps().then(|| CopyWords::new(slots, workers)),
        }
    }

    /// Returns the place where each part starts.
    pub fn homes(&self) -> &[Location] {
        &self.homes
    }

    /// Returns the number of copies of all parts for which there is to be memory.
    pub fn number(&self) -> usize {
        self.copies.as_ref().map_or(self.slots, CopyWords::copies)
    }

    /// Returns the parts that start here, in ascending order, with the number of their first copy.
    pub fn here(&self) -> impl Iterator<Item = (SubdomainId, usize)> {
        let copies = if self.copies.is_some() { 2 } else { 1 };
        let all = (0..).map(SubdomainId).zip(&self.homes);
        let here = all.filter(|(_, home)| home.rank == self.own);
        here.map(move |(id, home)| (id, copies * home.slot.index()))
    }

    /// Returns all copies of parts that `make` returns: two of each that starts here, or one, and
    /// others that become any part.
    pub(crate) fn made<T>(&self, make: impl Fn(SubdomainId) -> T) -> Vec<T> {
        let any = self.here().next().map_or(SubdomainId(0), |(id, _)| id);
        let mut ids = vec![any; self.number()];
        let copies = if self.copies.is_some() { 2 } else { 1 };
        for (id, copy) in self.here() {
            ids.iter_mut().skip(copy).take(copies).for_each(|place| *place = id);
        }
        ids.into_iter().map(make).collect()
    }

    /// Returns the table of the parts that are here, with those that start here. To be called once.
    pub(super) fn table(&self) -> SlotTable<'_> {
        let here = |home: &Location| (home.rank == self.own).then_some(home.slot.0);
        SlotTable::new(&self.table, self.homes.iter().map(here))
    }

    /// Returns the parts that these copies are of.
    pub(super) fn of<'m, T>(&'m self, all: &'m [Claim<T>]) -> Copies<'m, T> {
        self.copies.as_ref().map_or(Copies::single(all), |words| words.of(all))
    }
}
