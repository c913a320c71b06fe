//! The state that one thread at a time uses: the words of other ranks, moves, and the view of all ranks'
//! progress.

use std::sync::atomic::AtomicU64;

use tresse::engine::threads::{Cells, Local};
use tresse_core::balance::Mean;
use tresse_core::grid::Decomposition;
use tresse_core::halo::SharedReal;
use tresse_core::remote::{
    Exchanged, LinkOf, LinksOf, MovingOf, Own, Pace, Rank, Rounds, SeenOf, ViewOf,
};
use tresse_core::worker::Halts;

use super::household::{Household, RankHome};
use super::sights::Sights;
use super::wire::Wire;
use crate::mpi::Entry;
use crate::mpi::{WindowError, Word};

/// The neighbours on other ranks.
pub(super) type RankLinks<'m, 'r, F> = LinksOf<
    Wire<'m, 'r, F>,
    Decomposition,
    &'r Sights<'r, F>,
    Vec<Option<LinkOf<Wire<'m, 'r, F>>>>,
>;
/// Subdomains on their way.
pub(super) type RankMoves<'m, 'r, F> =
    MovingOf<Wire<'m, 'r, F>, Decomposition, Vec<u32>, Vec<bool>>;
/// Progress of all ranks.
pub(super) type RankView<'m, 'r, F> =
    ViewOf<Wire<'m, 'r, F>, Vec<SeenOf<Wire<'m, 'r, F>>>, Vec<Mean>>;

type RankOf<'m, 'r, F> = Rank<RankLinks<'m, 'r, F>, RankMoves<'m, 'r, F>, RankView<'m, 'r, F>>;

/// The state that one thread at a time uses.
pub(super) struct RankState<'m, 'r, F: SharedReal<Shared: Word>> {
    pub(super) wire: Wire<'m, 'r, F>,
    pub(super) rank: RankOf<'m, 'r, F>,
    pub(super) household: Household<'r, F>,
    pub(super) pace: Pace,
}

impl<'r, F: SharedReal<Shared: Word>> RankState<'_, 'r, F> {
    /// Does everything that is due with the other ranks.
    pub(super) fn exchange(
        &mut self,
        local: &mut Local<'_, '_, 'r, Cells<'r, F>>,
        (halts, residual): (&Halts<AtomicU64>, f64),
    ) -> Result<Exchanged, WindowError> {
        let own = Own {
            now: local.now,
            mean: Mean::of(local.workers, local.counts, local.ownership),
            progress: local.progress,
            residual,
            moves: local.moves,
            rounds: local.rounds,
        };
        let versions = local.versions;
        let Self { wire, rank, household, .. } = self;
        let mut home = RankHome::new(household, local, wire);
        let exchanged = rank.exchange(own, (halts, versions), &mut home, wire)?;
        wire.clear()?;
        self.reconnect(local);
        Ok(exchanged)
    }

    /// Does what is to be done in a round while all are halted; returns how much this rank still waits for.
    pub(super) fn say(
        &mut self,
        rounds: Rounds,
        local: &mut Local<'_, '_, 'r, Cells<'r, F>>,
    ) -> Result<u64, WindowError> {
        let Self { wire, rank, household, .. } = self;
        let waits = rank.say(rounds, &mut RankHome::new(household, local, wire), wire)?;
        wire.clear()?;
        Ok(waits)
    }

    /// Makes workers look up again where their neighbours are, if these have moved.
    pub(super) fn reconnect(&mut self, local: &Local<'_, '_, '_, Cells<'_, F>>) {
        if std::mem::take(&mut self.rank.links.has_changed) {
            local.reconnect();
        }
    }
}

/// Returns the value, or ends all ranks where MPI has failed.
pub(super) fn must<T>(result: Result<T, WindowError>, entry: &mut Entry) -> T {
    result.unwrap_or_else(|error| entry.give_up(&error))
}
