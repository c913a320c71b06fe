//! One rank's work in a run of parts of one's own.

use tresse::engine::checkpoints::PartsKeeper;
use tresse::engine::threads::{Iteration, Observer, Observers, RunRecord};
use tresse::report::history::HistorySample;
use tresse_core::base::bug::OrBug as _;
use tresse_core::base::id::SubdomainId;
use tresse_core::base::unit::Unit;
use tresse_core::parts::{Graph, Part};

use super::Access;
use crate::mpi::{Entry, Word};
use crate::rank::ranks::Counted;
use crate::rank::{PartPlaces, RankError, RankIteration, iterate};

/// What a rank iterates, and how.
pub(super) struct Job<'a, G, M> {
    /// The iteration, with as many nodes as there are ranks, and this rank's placement.
    pub(super) iteration: Iteration<'a, G>,
    pub(super) keeper: &'a PartsKeeper<'a>,
    pub(super) places: &'a PartPlaces,
    pub(super) access: Access,
    pub(super) make: &'a M,
}

/// What a run has left on one rank.
pub(super) struct Left<T> {
    pub(super) record: RunRecord,
    /// The parts that started here.
    pub(super) parts: Vec<(SubdomainId, T)>,
    pub(super) counted: Counted,
}

impl<G, M> Job<'_, G, M> {
    /// Iterates `parts`, copies as [`iterate()`] takes them, until the run has ended. Collective.
    pub(super) fn iterate<T, O, const N: usize>(
        &self,
        entry: &mut Entry,
        parts: Vec<T>,
        observers: Observers<O>,
        watch: &mut dyn FnMut(&HistorySample),
    ) -> Result<Left<T>, RankError>
    where
        T: Part<Unit: Unit<Shared: Word>>,
        G: Graph<N> + Sync,
        M: Fn(SubdomainId) -> T,
        O: Observer<T, N>,
    {
        let Self { iteration, keeper, places, access, make } = self;
        let Access { entering, only_gets } = *access;
        let iteration = Iteration { ..*iteration };
        let job =
            RankIteration { iteration, keeper: *keeper, places, entering, only_gets, observers };
        let mut left: Vec<(SubdomainId, T)> = places.here().map(|(id, _)| (id, make(id))).collect();
        let take = |id: SubdomainId, units: &mut dyn Iterator<Item = T::Unit>| {
            if let Ok(place) = left.binary_search_by_key(&id, |(id, _)| *id)
                && let Some((_, part)) = left.get_mut(place)
            {
                part.unpack(id, units).or_bug("a part does not unpack what it has packed");
            }
        };
        let (record, counted) = iterate(entry, job, parts, take, watch)?;
        Ok(Left { record, parts: left, counted })
    }
}
