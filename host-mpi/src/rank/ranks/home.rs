//! The home of a rank: its workers and cells, as [`tresse_core::ranks`] moves subdomains from and
//! to them.

use std::sync::atomic::AtomicU64;
use tresse_core::base::real::Real;

use tresse_core::balance::Mean;
use tresse_core::balance::dplb::{NodeBalancer, Transfer, boundary_counts};
use tresse_core::base::bug::OrBug;
use tresse_core::base::id::{RankId, SlotId, SubdomainId};
use tresse_core::base::table::At;
use tresse_core::base::time::{Duration, Instant};
use tresse_core::field::grid::Decomposition;
use tresse_core::field::owned::refit;
use tresse_core::parts::Part as _;
use tresse_core::parts::halo::{HaloTag, Location, Publication};
use tresse_core::ranks::migration::{Arrival, Departure, Packet, PacketError, pack};
use tresse_core::ranks::{Home, Place};

use tresse::engine::threads::{Cells, Local};
use tresse::files::problem::Problem;
use tresse::terminal;

use super::window_transport::WindowTransport;
use crate::mpi::Word;
use crate::rank::layout::Layout;

/// The state of a rank's home besides its workers: the balancer, the problem, and the subdomain
/// that is leaving.
pub(super) struct HomeState<'r> {
    balancer: NodeBalancer,
    problem: &'r Problem,
    cut: Decomposition,
    /// The claim of the subdomain that leaves this rank and that no worker has any more.
    leaving: Option<usize>,
}

impl<'r> HomeState<'r> {
    /// Returns the state of a home from which no subdomain is leaving.
    pub(super) const fn new(
        balancer: NodeBalancer,
        (problem, cut): (&'r Problem, Decomposition),
    ) -> Self {
        Self { balancer, problem, cut, leaving: None }
    }
}

/// The workers and the cells of a rank.
pub(super) struct RankHome<'a, 'b, 'w, 'r, F: Real> {
    own: RankId,
    problem: &'r Problem,
    cut: Decomposition,
    layout: Layout,
    /// Words and cells of this rank that the others see.
    memory: (&'r [AtomicU64], &'r [F::Shared]),
    balancer: &'a mut NodeBalancer,
    leaving: &'a mut Option<usize>,
    local: &'a mut Local<'b, 'w, 'r, Cells<'r, F>>,
}

impl<'a, 'b, 'w, 'r, F: Real<Shared: Word>> RankHome<'a, 'b, 'w, 'r, F> {
    /// Joins the state of the home with the local workers and the memory of the transport for one
    /// turn.
    pub(super) fn new(
        home_state: &'a mut HomeState<'r>,
        local: &'a mut Local<'b, 'w, 'r, Cells<'r, F>>,
        transport: &WindowTransport<'_, 'r, F>,
    ) -> Self {
        let HomeState { balancer, problem, cut, leaving } = home_state;
        let (own, layout, memory) = (transport.entry.rank(), transport.layout, transport.local());
        Self { own, problem, cut: *cut, layout, memory, balancer, leaving, local }
    }
}

impl<F: Real> Home<F> for RankHome<'_, '_, '_, '_, F> {
    fn release(&mut self, id: SubdomainId) -> bool {
        self.local.release(id)
    }

    fn take(&mut self, id: SubdomainId) -> bool {
        *self.leaving = self.local.take(id);
        self.leaving.is_some()
    }

    fn pack(
        &mut self,
        Departure { transfer, epoch, .. }: Departure,
        neighbours: [Option<Location>; 4],
        sequence: u32,
    ) {
        let subdomain = transfer.subdomain;
        let publication = self.local.slots.publication(subdomain);
        let leaves = publication.zip(self.leaving.take());
        let (publication, claim) = leaves.or_bug("nothing leaves that could be packed");
        let packet = Packet {
            subdomain,
            epoch: epoch.saturating_sub(1),
            version: publication.version(),
            residual: publication.residual(),
            sweep_time: publication.sweep_time(),
            neighbours,
        };
        let (words, cells) = self.memory;
        let words = words.stretch(self.layout.words_of(Place::Packet));
        self.local.grip.with(claim, |subdomain| {
            let layout = subdomain.layout();
            let outbox = self.layout.outbox(layout.rows(), layout.columns());
            let outbox = cells.stretch(outbox);
            let rows = (0..layout.rows()).map(|row| layout.row(subdomain.cells(), row));
            pack(words, outbox, &packet, sequence, rows.flatten().copied());
        });
        self.local.grip.leave(claim);
    }

    fn install(&mut self, slot: SlotId, packet: &Packet, cells: &[F::Shared]) -> bool {
        let id = packet.subdomain;
        let size = self.cut.rectangle(id).size;
        let (slots, grip) = (&self.local.slots, &mut *self.local.grip);
        let Some(publication) = slots.publications.get(slot.index()) else { return false };
        let Some(claim) = slots.parts.take(grip, slot.index()) else { return false };
        // All are there: they have been counted.
        let cell = |row: usize, column: usize| F::load(cells.at(row * size.columns + column));
        let is_installed = grip.with(claim, |subdomain| {
            if !refit(&self.cut, id, subdomain) {
                return false;
            }
            self.problem.fill_with(&self.cut, id, subdomain, cell);
            publication.vacate(id, packet.version);
            publication.publish_again([true; 4], |link, edge| subdomain.publish(link, edge));
            publish_rest(publication, packet.residual, packet.sweep_time);
            true
        });
        grip.leave(claim);
        is_installed
    }

    fn admit(&mut self, slot: SlotId, tag: HaloTag) {
        if let Some(publication) = self.local.slots.publications.get(slot.index()) {
            publication.admit(tag);
        }
    }

    fn place(&mut self, id: SubdomainId, slot: Option<SlotId>) {
        self.local.slots.table.place(id, slot.map(|slot| slot.0));
    }

    fn slot(&self, id: SubdomainId) -> Option<usize> {
        self.local.slots.table.slot(id)
    }

    fn give(&mut self, id: SubdomainId) {
        self.local.place(id);
    }

    fn updates(&self, id: SubdomainId) -> Option<u64> {
        self.local.counts.get(id.index()).copied()
    }

    fn chooses_at(&self) -> Instant {
        self.balancer.poll_at()
    }

    fn choose(&mut self, now: Instant, means: &[Mean]) -> Option<Transfer> {
        let Local { ownership, workers, counts, .. } = &self.local;
        let boundary = boundary_counts(&self.cut, ownership, workers, counts);
        self.balancer.poll(now, means, ownership, workers, boundary)
    }

    fn arrived(&mut self) {
        self.balancer.arrived();
    }

    fn refused(&mut self, Arrival { subdomain, from, .. }: Arrival, error: PacketError) {
        let own = self.own;
        terminal::tell(&format!(
            "warning: rank {own}: subdomain {subdomain} from rank {from} is refused and stays there: {error}"
        ));
    }
}

/// Publishes the residual (a sum of squares) and the time of sweeps of a subdomain that has come.
fn publish_rest<F: Real>(publication: &Publication<'_, F>, residual: f64, time: Duration) {
    publication.publish_residual(residual);
    publication.add_sweep_time(time);
}
