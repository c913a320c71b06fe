//! The home of a rank: its workers and cells, as [`tresse_core::ranks`] moves subdomains from and
//! to them.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicU64;

use tresse_core::balance::Mean;
use tresse_core::balance::dplb::{NodeBalancer, Transfer, boundary_counts};
use tresse_core::base::bug::OrBug;
use tresse_core::base::id::{RankId, SlotId, SubdomainId};
use tresse_core::base::table::At;
use tresse_core::base::time::Instant;
use tresse_core::base::unit::Unit;
use tresse_core::parts::halo::{HaloTag, Location};
use tresse_core::parts::{Graph, Part};
use tresse_core::ranks::migration::{Arrival, Departure, Packet, PacketError, pack};
use tresse_core::ranks::{Home, Place};

use tresse::engine::checkpoints::Keeper;
use tresse::engine::threads::Local;
use tresse::terminal;

use super::window_transport::WindowTransport;
use crate::mpi::Word;
use crate::rank::layout::Layout;

/// The state of a rank's home besides its workers: the balancer, and the subdomain that is leaving.
pub(super) struct HomeState {
    balancer: NodeBalancer,
    /// The claim of the subdomain that leaves this rank and that no worker has any more.
    leaving: Option<usize>,
    /// Whether it was said that a subdomain stays, as it does not fit into the outbox.
    has_told: bool,
    /// Parts that a user's code did not unpack as they came, of which this was said.
    not_unpacked: BTreeSet<SubdomainId>,
}

impl HomeState {
    /// Returns the state of a home from which no subdomain is leaving.
    pub(super) const fn new(balancer: NodeBalancer) -> Self {
        Self { balancer, leaving: None, has_told: false, not_unpacked: BTreeSet::new() }
    }
}

/// The workers and the parts of a rank.
pub(super) struct RankHome<'a, 'b, 'w, 'r, T: Part, G, K, const N: usize> {
    own: RankId,
    graph: &'r G,
    keeper: &'r K,
    layout: Layout<N>,
    /// Words and units of this rank that the others see.
    memory: (&'r [AtomicU64], &'r [<T::Unit as Unit>::Shared]),
    state: &'a mut HomeState,
    local: &'a mut Local<'b, 'w, 'r, T, N>,
}

impl<'a, 'b, 'w, 'r, T, G, K, const N: usize> RankHome<'a, 'b, 'w, 'r, T, G, K, N>
where
    T: Part<Unit: Unit<Shared: Word>>,
{
    /// Joins the state of the home with the local workers and the memory of the transport for one
    /// turn.
    pub(super) fn new(
        (graph, keeper): (&'r G, &'r K),
        state: &'a mut HomeState,
        local: &'a mut Local<'b, 'w, 'r, T, N>,
        transport: &WindowTransport<'_, 'r, T::Unit, N>,
    ) -> Self {
        let (own, layout, memory) = (transport.entry.rank(), transport.layout, transport.local());
        Self { own, graph, keeper, layout, memory, state, local }
    }
}

impl<T, G, K, const N: usize> Home<T::Unit, N> for RankHome<'_, '_, '_, '_, T, G, K, N>
where
    T: Part,
    G: Graph<N>,
    K: Keeper<T>,
{
    fn release(&mut self, id: SubdomainId) -> bool {
        self.local.release(id)
    }

    fn take(&mut self, id: SubdomainId) -> bool {
        self.state.leaving = self.local.take(id);
        self.state.leaving.is_some()
    }

    fn pack(
        &mut self,
        Departure { transfer, epoch, .. }: Departure,
        neighbours: [Option<Location>; N],
        sequence: u32,
    ) -> bool {
        let subdomain = transfer.subdomain;
        let publication = self.local.slots.publication(subdomain);
        let leaving = publication.zip(self.state.leaving.take());
        let (publication, claim) = leaving.or_bug("no subdomain is leaving");
        let room = self.layout.packed();
        let (words, cells) = self.memory;
        let words = words.stretch(self.layout.words_of(Place::Packet));
        let units = self.local.grip.with(claim, |part| {
            let units = part.pack().count();
            let packet = Packet {
                subdomain,
                // Without this move.
                epoch: epoch.saturating_sub(1),
                version: publication.version(),
                residual: publication.residual().to_bits(),
                sweep_time: publication.sweep_time(),
                units: units as u64,
                neighbours,
            };
            if units <= room {
                let outbox = cells.stretch(self.layout.outbox(packet.units));
                pack(words, outbox, &packet, sequence, part.pack());
            }
            units
        });
        // If it does not fit, the caller gives it back to a worker of this rank.
        self.local.grip.leave(claim);
        let fits = units <= room;
        if !fits && !std::mem::replace(&mut self.state.has_told, true) {
            let own = self.own;
            terminal::tell(&format!(
                "warning: rank {own}: part {subdomain} stays here: it is packed in {units} units, and \
                 there is room for {room}: as many as the largest had at the start, with all edges"
            ));
        }
        fits
    }

    fn install(
        &mut self,
        slot: SlotId,
        packet: &Packet<N>,
        units: &[<T::Unit as Unit>::Shared],
    ) -> bool {
        let id = packet.subdomain;
        let Self { own, graph, keeper, state, local, .. } = self;
        let (slots, grip) = (&local.slots, &mut *local.grip);
        let Some(publication) = slots.publications.get(slot.index()) else { return false };
        let Some(claim) = slots.parts.take(grip, slot.index()) else { return false };
        let is_installed = grip.with(claim, |part| {
            if !keeper.unpack(id, part, &mut units.iter().map(T::Unit::load)) {
                if state.not_unpacked.insert(id) {
                    let units = units.len();
                    terminal::tell(&format!(
                        "warning: rank {own}: part {id} is not unpacked from the {units} units in which it came \
                         from another rank, and stays there"
                    ));
                }
                return false;
            }
            publication.vacate(id, packet.version);
            let size = graph.size(id);
            let links = graph.neighbours(id).map(|neighbour| neighbour.is_some());
            publication.publish_again(links, |link, edge| {
                part.publish(link, edge.exactly(graph.edge(size, link)));
            });
            publication.publish_residual(f64::from_bits(packet.residual));
            publication.add_sweep_time(packet.sweep_time);
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
        self.state.balancer.poll_at()
    }

    fn choose(&mut self, now: Instant, means: &[Mean]) -> Option<Transfer> {
        let Local { ownership, workers, counts, .. } = &*self.local;
        let boundary = boundary_counts(self.graph, ownership, workers, counts);
        self.state.balancer.poll(now, means, ownership, workers, boundary)
    }

    fn arrived(&mut self) {
        self.state.balancer.arrived();
    }

    fn refused(&mut self, Arrival { subdomain, from, .. }: Arrival, error: PacketError) {
        let own = self.own;
        if self.state.not_unpacked.contains(&subdomain) {
            return;
        }
        terminal::tell(&format!(
            "warning: rank {own}: subdomain {subdomain} from rank {from} is refused and stays there: {error}"
        ));
    }
}
