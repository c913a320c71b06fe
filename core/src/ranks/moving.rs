//! Subdomains that leave this rank and those that come: [`Sender`] and [`Receiver`], driven by the
//! words that are there.

use super::links::{GhostViews, Link, Links};
use super::transport::{CellsAt, Place, Transport};
use crate::balance::Mean;
use crate::balance::dplb::Transfer;
use crate::base::id::{RankId, SlotId, SubdomainId};
use crate::base::sync::{AtomicU64, Ordering};
use crate::base::time::Instant;
use crate::base::unit::Unit;
use crate::parts::Graph;
use crate::parts::halo::{Bounds, DirectoryEntry, HaloTag, Location};
use crate::ranks::migration::{
    Arrival, Departure, FreeSlots, Look, Offer, Packet, PacketError, Receiver, SendOutcome, Sender,
    Write, unpack,
};

type Shared<T> = <<T as Transport>::Unit as Unit>::Shared;

/// The workers, the cells and the balancer of a rank, as moves to and from other ranks touch them.
pub trait Home<F: Unit, const N: usize = 4> {
    /// Makes the worker that holds a subdomain release it; false where it cannot.
    fn release(&mut self, id: SubdomainId) -> bool;

    /// Claims a released subdomain until it is packed; false while a worker still holds it.
    fn take(&mut self, id: SubdomainId) -> bool;

    /// Packs a subdomain that was taken into the outbox ([`pack`](crate::ranks::migration::pack)):
    /// its head, with this epoch and these places of its neighbours, and its units, for the offer
    /// of this sequence number. False where it does not fit.
    fn pack(
        &mut self,
        departure: Departure,
        neighbours: [Option<Location>; N],
        sequence: u32,
    ) -> bool;

    /// Installs a subdomain in a slot: its units, and then all that it publishes. False where it
    /// does not fit.
    fn install(&mut self, slot: SlotId, packet: &Packet<N>, units: &[F::Shared]) -> bool;

    /// Publishes the halo tag of a slot; everything that is published there is seen before.
    fn admit(&mut self, slot: SlotId, tag: HaloTag);

    /// Records in which slot of this rank a subdomain lies; none where it has left.
    fn place(&mut self, id: SubdomainId, slot: Option<SlotId>);

    /// Returns the slot of a subdomain on this rank.
    fn slot(&self, id: SubdomainId) -> Option<usize>;

    /// Gives a subdomain, which lies in its slot, to one of the workers.
    fn give(&mut self, id: SubdomainId);

    /// Returns the update count of a subdomain.
    fn updates(&self, id: SubdomainId) -> Option<u64>;

    /// Returns the earliest time at which the balancer between ranks chooses again.
    fn chooses_at(&self) -> Instant;

    /// Lets the balancer choose the subdomain that leaves, where the ranks have these mean counts
    /// ([`NodeBalancer::poll`](crate::balance::dplb::NodeBalancer::poll)).
    fn choose(&mut self, now: Instant, means: &[Mean]) -> Option<Transfer>;

    /// Tells the balancer that the chosen subdomain has arrived, or stays.
    fn arrived(&mut self);

    /// Reports that an offered subdomain was refused because of `error`; it stays on its rank.
    fn refused(&mut self, arrival: Arrival, error: PacketError);
}

/// The part of an arrival that is being fetched.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Fetch<W, C, const N: usize = 4> {
    /// The head of its packet.
    Head(W),
    /// Its units; with its head, which has come.
    Units(Packet<N>, C),
}

/// One rank's part of all moves between ranks: the last offer of each rank that was taken or
/// refused (`H`, one word a rank) and the free slots (`M`, one element a slot) are lent or owned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Moving<G, W, C, H, M, const N: usize = 4> {
    graph: G,
    sender: Sender,
    receiver: Receiver,
    /// The last offer of each rank that was taken or refused.
    handled: H,
    slots: FreeSlots<M>,
    /// By link, the versions that the leaving subdomain has read of its neighbours; set once no
    /// worker holds it.
    leaving: Option<[u64; N]>,
    fetch: Option<(Arrival, Fetch<W, C, N>)>,
    /// Subdomains that this rank has sent away.
    pub sent: u64,
}

/// Moves over a transport.
pub type MovingOf<T, G, H, M, const N: usize = 4> =
    Moving<G, <T as Transport>::WordsComing, <T as Transport>::CellsComing, H, M, N>;

impl<G, W, C, H, M, const N: usize> Moving<G, W, C, H, M, N>
where
    G: Graph<N>,
    H: AsMut<[u32]>,
    M: AsMut<[bool]>,
{
    /// Returns the moves of rank `own`, with nothing in transit. `handled` has one word for each
    /// rank, `slots` one flag for each slot; the first `first` slots are taken.
    pub fn new(
        own: RankId,
        bounds: Bounds,
        graph: G,
        mut handled: H,
        slots: M,
        first: usize,
    ) -> Self {
        handled.as_mut().fill(0);
        Self {
            graph,
            sender: Sender::new(own, bounds),
            receiver: Receiver::new(own, bounds),
            handled,
            slots: FreeSlots::new(slots, first),
            leaving: None,
            fetch: None,
            sent: 0,
        }
    }

    /// Returns the subdomain that is leaving, until its arrival is known.
    pub const fn departure(&self) -> Option<Departure> {
        self.sender.departure()
    }

    /// Returns the subdomain that is being received.
    pub const fn arrival(&self) -> Option<Arrival> {
        self.receiver.arrival()
    }

    /// Whether nothing is in transit from or to this rank, as far as it knows.
    pub const fn is_idle(&self) -> bool {
        self.sender.is_idle() && self.receiver.arrival().is_none()
    }

    /// Begins to send a subdomain that the balancer has chosen; false where it stays, as another
    /// one is in transit or it cannot be released.
    pub fn send<T: Transport>(
        &mut self,
        transfer: Transfer,
        home: &mut impl Home<T::Unit, N>,
        transport: &T,
    ) -> bool {
        if !self.sender.send(transfer, entry_of(transfer.subdomain, transport)) {
            return false;
        }
        let is_released = home.release(transfer.subdomain);
        if !is_released {
            self.sender.cancel();
        }
        is_released
    }

    /// Advances all that is in transit as far as it goes without waiting. Returns whether the sent
    /// subdomain was accepted or refused, so that another may be sent.
    pub fn advance<T, S, L>(
        &mut self,
        home: &mut impl Home<T::Unit, N>,
        links: &mut Links<G, S, W, C, L, N>,
        transport: &mut T,
    ) -> Result<bool, T::Error>
    where
        T: Transport<WordsComing = W, CellsComing = C>,
        S: GhostViews<T::Unit>,
        L: AsRef<[Option<Link<W, C>>]> + AsMut<[Option<Link<W, C>>]>,
    {
        let stays = self.offer(home, links, transport)?;
        let has_ended = self.poll_answer(home, links, transport)? || stays;
        if self.fetch.is_none() {
            self.look(transport)?;
        }
        while self.receive(home, links, transport)? {}
        Ok(has_ended)
    }

    /// Packs and offers the leaving subdomain, once no worker holds it and all edges that it has
    /// read are published: wherever it goes, it then finds the versions that it has read, or newer
    /// ones. Returns whether it stays, as it does not fit into the outbox.
    pub fn offer<T, S, L>(
        &mut self,
        home: &mut impl Home<T::Unit, N>,
        links: &Links<G, S, W, C, L, N>,
        transport: &mut T,
    ) -> Result<bool, T::Error>
    where
        T: Transport<WordsComing = W, CellsComing = C>,
        L: AsRef<[Option<Link<W, C>>]>,
    {
        let Some(departure) = self.sender.departure() else { return Ok(false) };
        let (id, slot) = (departure.transfer.subdomain, departure.slot.index());
        if self.sender.waits_for_holder() && self.leaving.is_none() && home.take(id) {
            self.leaving = Some(links.fetched(slot));
        }
        if self.leaving.take_if(|read| links.have_shown(slot, *read)).is_none() {
            return Ok(false);
        }
        let Some(Write::Offer(to, offer)) = self.sender.let_go() else { return Ok(false) };
        let own = transport.own();
        let neighbours = self.graph.neighbours(id);
        let known = core::array::from_fn(|link| {
            let neighbour = neighbours.get(link).copied().flatten()?;
            links.known(slot, link).or_else(|| match entry_of(neighbour, transport) {
                DirectoryEntry::Here { slot, epoch } => Some(Location { rank: own, slot, epoch }),
                DirectoryEntry::Unknown | DirectoryEntry::Left { .. } => None,
            })
        });
        let Offer { sequence, .. } = offer;
        if !home.pack(departure, known, sequence) {
            self.sender.withdraw();
            home.give(id);
            return Ok(true);
        }
        transport.put(to, Place::Mailbox(own), offer.encode())?;
        Ok(false)
    }

    /// Polls for the answer to the offer, and completes or reverts the transfer; returns whether it
    /// has ended.
    pub fn poll_answer<T, S, L>(
        &mut self,
        home: &mut impl Home<T::Unit, N>,
        links: &mut Links<G, S, W, C, L, N>,
        transport: &mut T,
    ) -> Result<bool, T::Error>
    where
        T: Transport<WordsComing = W, CellsComing = C>,
        S: GhostViews<T::Unit>,
        L: AsMut<[Option<Link<W, C>>]>,
    {
        let Some(departure) = self.sender.departure() else { return Ok(false) };
        let to = departure.transfer.to;
        match self.sender.answered(to, transport.load(Place::Answer(to))) {
            None => return Ok(false),
            Some(SendOutcome::Accepted(departure)) => {
                for write in departure.writes() {
                    apply(write, home, transport)?;
                }
                self.complete_departure(departure, home, links, transport);
                self.sent += 1;
            }
            Some(SendOutcome::Refused(transfer)) => home.give(transfer.subdomain),
        }
        Ok(true)
    }

    /// Completes a departure: records that the subdomain is another rank's, opens its neighbours'
    /// links to there, and frees its slot.
    fn complete_departure<T, S, L>(
        &mut self,
        Departure { transfer: Transfer { subdomain, from, .. }, slot, epoch }: Departure,
        home: &mut impl Home<T::Unit, N>,
        links: &mut Links<G, S, W, C, L, N>,
        transport: &mut T,
    ) where
        T: Transport<WordsComing = W, CellsComing = C>,
        S: GhostViews<T::Unit>,
        L: AsMut<[Option<Link<W, C>>]>,
    {
        home.place(subdomain, None);
        let known = Location { rank: from, slot, epoch: epoch.saturating_sub(1) };
        for (link, neighbour) in self.graph.neighbours(subdomain).into_iter().enumerate() {
            links.close(slot.index(), link, transport);
            if let Some(neighbour) = neighbour
                && let Some(other) = home.slot(neighbour)
            {
                let back = self.graph.back(subdomain, link);
                links.open(other, back, neighbour, known, transport);
            }
        }
        self.slots.give_back(slot);
        links.has_changed = true;
    }

    /// Polls the mailboxes for an offer, and begins to fetch the first packet that can be taken.
    pub fn look<T>(&mut self, transport: &mut T) -> Result<(), T::Error>
    where
        T: Transport<WordsComing = W, CellsComing = C>,
    {
        for (from, handled) in (0..).map(RankId).zip(self.handled.as_mut()) {
            let word = transport.load(Place::Mailbox(from));
            if word == 0 {
                continue;
            }
            let entry = |id| entry_of(id, transport);
            match self.receiver.look(from, word, handled, entry, &mut self.slots) {
                Look::Nothing => {}
                Look::Refuse(answer) => write(answer, transport)?,
                Look::Fetch(arrival) => {
                    let head = transport.get(from, Place::Packet)?;
                    self.fetch = Some((arrival, Fetch::Head(head)));
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Makes one step of the arrival under way; returns whether the next step can be made at once.
    pub fn receive<T, S, L>(
        &mut self,
        home: &mut impl Home<T::Unit, N>,
        links: &mut Links<G, S, W, C, L, N>,
        transport: &mut T,
    ) -> Result<bool, T::Error>
    where
        T: Transport<WordsComing = W, CellsComing = C>,
        S: GhostViews<T::Unit>,
        L: AsMut<[Option<Link<W, C>>]>,
    {
        let Some((arrival, fetch)) = self.fetch.take() else { return Ok(false) };
        match fetch {
            Fetch::Head(coming) => match transport.poll(coming)? {
                Err(coming) => self.fetch = Some((arrival, Fetch::Head(coming))),
                Ok(words) => match self.check(arrival, words.as_ref(), transport) {
                    Ok(packet) => {
                        let outbox = CellsAt::Outbox(packet.units);
                        let units = transport.get_cells(arrival.from, outbox)?;
                        self.fetch = Some((arrival, Fetch::Units(packet, units)));
                        return Ok(true);
                    }
                    Err(error) => self.refuse(arrival, error, home, transport)?,
                },
            },
            Fetch::Units(packet, coming) => match transport.poll_cells(coming)? {
                Err(coming) => self.fetch = Some((arrival, Fetch::Units(packet, coming))),
                Ok(copy) => {
                    match unpack::<T::Unit, N>(copy.as_ref(), &packet, arrival.sequence()) {
                        Ok(units) => {
                            self.complete_arrival(arrival, &packet, units, home, links, transport)?;
                        }
                        Err(error) => self.refuse(arrival, error, home, transport)?,
                    }
                }
            },
        }
        Ok(false)
    }

    /// Returns the packet with these words as its head, which is the one that was offered.
    fn check<T: Transport>(
        &mut self,
        arrival: Arrival,
        words: &[AtomicU64],
        transport: &T,
    ) -> Result<Packet<N>, PacketError> {
        let words = words.iter().map(|word| word.load(Ordering::Acquire));
        let packet = Packet::decode(words, transport.bounds(), &self.graph)?;
        let entry = entry_of(arrival.subdomain, transport);
        if self.receiver.fetched(&packet, entry) { Ok(packet) } else { Err(PacketError::Another) }
    }

    /// Reports `error`, refuses the arrival and sends the answer.
    fn refuse<T: Transport>(
        &mut self,
        arrival: Arrival,
        error: PacketError,
        home: &mut impl Home<T::Unit, N>,
        transport: &mut T,
    ) -> Result<(), T::Error> {
        home.refused(arrival, error);
        match self.receiver.refuse(&mut self.slots) {
            Some(answer) => write(answer, transport),
            None => Ok(()),
        }
    }

    /// Installs a subdomain that has come: moves its cells and edges into its slot, publishes it,
    /// opens its links, and gives it to a worker.
    fn complete_arrival<T, S, L>(
        &mut self,
        arrival: Arrival,
        packet: &Packet<N>,
        units: &[Shared<T>],
        home: &mut impl Home<T::Unit, N>,
        links: &mut Links<G, S, W, C, L, N>,
        transport: &mut T,
    ) -> Result<(), T::Error>
    where
        T: Transport<WordsComing = W, CellsComing = C>,
        S: GhostViews<T::Unit>,
        L: AsMut<[Option<Link<W, C>>]>,
    {
        let Arrival { subdomain: id, slot, .. } = arrival;
        if !home.install(slot, packet, units) {
            return self.refuse(arrival, PacketError::Misfit, home, transport);
        }
        home.place(id, Some(slot));
        for write in self.receiver.installed().into_iter().flatten() {
            apply(write, home, transport)?;
        }
        links.open_all(slot.index(), id, packet.neighbours, |id| home.slot(id), transport);
        links.has_changed = true;
        home.give(id);
        Ok(())
    }
}

/// Returns this rank's directory entry of a subdomain.
fn entry_of<T: Transport>(id: SubdomainId, transport: &T) -> DirectoryEntry {
    DirectoryEntry::decode(transport.load(Place::Entry(id)), transport.bounds())
}

/// Writes a word to its place, including a halo tag on a slot of this rank.
fn apply<T: Transport, const N: usize>(
    word: Write,
    home: &mut impl Home<T::Unit, N>,
    transport: &mut T,
) -> Result<(), T::Error> {
    match word {
        Write::HaloTag(slot, tag) => {
            home.admit(slot, tag);
            Ok(())
        }
        Write::Offer(..) | Write::Answer(..) | Write::Entry(..) => write(word, transport),
    }
}

/// Puts a word other than a halo tag to its place on its rank.
fn write<T: Transport>(word: Write, transport: &mut T) -> Result<(), T::Error> {
    let own = transport.own();
    match word {
        Write::Offer(to, offer) => transport.put(to, Place::Mailbox(own), offer.encode()),
        Write::Answer(to, answer) => transport.put(to, Place::Answer(own), answer.encode()),
        Write::Entry(id, entry) => transport.put(own, Place::Entry(id), entry.encode()),
        Write::HaloTag(..) => Ok(()),
    }
}
