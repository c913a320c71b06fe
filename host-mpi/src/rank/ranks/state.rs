//! The state that one thread at a time uses: the words of other ranks, moves, and the view of all ranks'
//! progress.

use tresse::engine::threads::{Cells, Local};
use tresse_core::balance::Mean;
use tresse_core::grid::Decomposition;
use tresse_core::halo::SharedReal;
use tresse_core::id::{RankId, SubdomainId};
use tresse_core::remote::{LinkOf, LinksOf, Place, Transport as _};

use super::moving::Moving;
use super::sights::Sights;
use super::view::View;
use super::wire::Wire;
use crate::mpi::Entry;
use crate::mpi::{WindowError, Word};
use crate::rank::record::RankRecord;

/// The neighbours on other ranks.
pub(super) type RankLinks<'m, 'r, F> = LinksOf<
    Wire<'m, 'r, F>,
    Decomposition,
    &'r Sights<'r, F>,
    Vec<Option<LinkOf<Wire<'m, 'r, F>>>>,
>;

/// The state that one thread at a time uses.
pub(super) struct RankState<'m, 'r, F: SharedReal<Shared: Word>> {
    pub(super) wire: Wire<'m, 'r, F>,
    pub(super) links: RankLinks<'m, 'r, F>,
    pub(super) moving: Moving<'m, 'r, F>,
    pub(super) view: View<Wire<'m, 'r, F>>,
    /// Number of times that all were told to halt.
    pub(super) halts: u64,
}

impl<F: SharedReal<Shared: Word>> RankState<'_, '_, F> {
    /// Returns this rank's record of its progress.
    pub(super) fn record(
        &self,
        local: &Local<'_, '_, '_, Cells<'_, F>>,
        residual: f64,
        wishes: bool,
    ) -> RankRecord {
        let count = |id: SubdomainId| local.counts.get(id.index()).copied();
        let in_flight = self.moving.moves.departure().map(|departure| departure.transfer);
        RankRecord {
            mean: Mean::of(local.workers, local.counts, local.ownership),
            in_flight: in_flight.and_then(|sent| Some((sent.to, count(sent.subdomain)?))),
            residual,
            progress: local.progress,
            moves: local.moves,
            rounds: local.rounds,
            sent: self.moving.moves.sent,
            wishes,
            is_current: true,
        }
    }

    /// Makes workers look up again where their neighbours are, if these have moved.
    pub(super) fn reconnect(&mut self, local: &Local<'_, '_, '_, Cells<'_, F>>) {
        if std::mem::take(&mut self.links.has_changed) {
            local.reconnect();
        }
    }
}

impl<'r, F: SharedReal<Shared: Word>> RankState<'_, 'r, F> {
    /// Balances between nodes, where that is due and the records of all ranks have been read.
    fn balance(&mut self, local: &mut Local<'_, '_, 'r, Cells<'r, F>>) {
        let Self { moving, view, wire, .. } = self;
        let transfer =
            moving.balancer.poll(local.now, view.means(), local.ownership, local.workers);
        if let Some(transfer) = transfer {
            let (moves, mut home) = moving.at_home(local, wire);
            if !moves.send(transfer, &mut home, wire) {
                moving.balancer.arrived();
            }
        }
    }

    /// Advances all moves and looks as far as possible without waiting.
    pub(super) fn advance(
        &mut self,
        local: &mut Local<'_, '_, 'r, Cells<'r, F>>,
    ) -> Result<(), WindowError> {
        let Self { moving, links, wire, .. } = self;
        let (moves, mut home) = moving.at_home(local, wire);
        if moves.advance(&mut home, links, wire)? {
            moving.balancer.arrived();
        }
        links.advance(wire)?;
        wire.clear()?;
        Ok(())
    }

    /// Does everything that is due with the other ranks; returns whether the records of all have been
    /// read.
    pub(super) fn exchange(
        &mut self,
        local: &mut Local<'_, '_, 'r, Cells<'r, F>>,
        is_first: bool,
    ) -> Result<bool, WindowError> {
        self.advance(local)?;
        let Self { moving, wire, view, .. } = self;
        let is_due = local.now >= moving.balancer.poll_at();
        let is_complete = (is_first || is_due) && view.look(wire)?;
        if is_complete && is_due {
            self.balance(local);
        }
        self.reconnect(local);
        Ok(is_complete)
    }

    /// Tells every rank to halt.
    pub(super) fn call_halt(&mut self) -> Result<(), WindowError> {
        for rank in (0..self.wire.entry.ranks()).map(RankId) {
            self.wire.put(rank, Place::Command, self.halts + 1)?;
        }
        Ok(())
    }
}

/// Returns the value, or ends all ranks where MPI has failed.
pub(super) fn must<T>(result: Result<T, WindowError>, entry: &mut Entry) -> T {
    result.unwrap_or_else(|error| entry.give_up(&error))
}
