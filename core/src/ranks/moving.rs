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
pub trait Home<F: Unit> {
    /// Makes the worker that holds a subdomain let it go; false where it cannot.
    fn release(&mut self, id: SubdomainId) -> bool;

    /// Takes a subdomain that a worker has let go, and keeps it until it is packed; false while a
    /// worker still has it.
    fn take(&mut self, id: SubdomainId) -> bool;

    /// Packs a subdomain that was taken into the outbox ([`pack`](crate::ranks::migration::pack)):
    /// its head, with this epoch and these places of its neighbours, and its cells, for the offer
    /// of this sequence number.
    fn pack(&mut self, departure: Departure, neighbours: [Option<Location>; 4], sequence: u32);

    /// Puts a subdomain that has come into a slot: its cells, and then everything that is published
    /// of it. False where it does not fit.
    fn install(&mut self, slot: SlotId, packet: &Packet, cells: &[F::Shared]) -> bool;

    /// Publishes the halo tag of a slot; everything that is published there is seen before.
    fn admit(&mut self, slot: SlotId, tag: HaloTag);

    /// Records that a subdomain lies in a slot of this rank, or no more.
    fn place(&mut self, id: SubdomainId, slot: Option<SlotId>);

    /// Returns the slot of a subdomain on this rank.
    fn slot(&self, id: SubdomainId) -> Option<usize>;

    /// Gives a subdomain in its slot to one of the workers.
    fn give(&mut self, id: SubdomainId);

    /// Returns the update count of a subdomain.
    fn updates(&self, id: SubdomainId) -> Option<u64>;

    /// Returns the time from which on the balancer chooses what leaves.
    fn chooses_at(&self) -> Instant;

    /// Lets the balancer choose what leaves, of all that the workers have, where the ranks have
    /// these mean counts ([`NodeBalancer::poll`](crate::balance::dplb::NodeBalancer::poll)).
    fn choose(&mut self, now: Instant, means: &[Mean]) -> Option<Transfer>;

    /// Tells the balancer that what it has chosen has arrived, or stays.
    fn arrived(&mut self);

    /// Reports that an offered subdomain did not come as it was sent, and stays on its rank.
    fn refused(&mut self, arrival: Arrival, error: PacketError);
}

/// Part of an arrival that is being fetched.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Fetch<W, C> {
    /// The head of its packet.
    Head(W),
    /// Its cells; the words of its head have come.
    Cells([u64; Packet::WORDS], C),
}

/// One rank's part of all moves between ranks: the last offer of each rank that was taken or
/// refused (`H`, one word a rank) and the free slots (`M`, one element a slot) are lent or owned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Moving<G, W, C, H, M> {
    graph: G,
    sender: Sender,
    receiver: Receiver,
    /// The last offer of each rank that was taken or refused.
    handled: H,
    slots: FreeSlots<M>,
    /// Versions that the leaving subdomain has read of its neighbours, once nobody holds it.
    leaving: Option<[u64; 4]>,
    fetch: Option<(Arrival, Fetch<W, C>)>,
    /// Subdomains that this rank has sent away.
    pub sent: u64,
}

/// Moves over a transport.
pub type MovingOf<T, G, H, M> =
    Moving<G, <T as Transport>::WordsComing, <T as Transport>::CellsComing, H, M>;

impl<G: Graph, W, C, H: AsMut<[u32]>, M: AsMut<[bool]>> Moving<G, W, C, H, M> {
    /// Returns a rank's moves with the first slots taken, `first` in number, and nothing on its
    /// way.
    pub fn new(
        (own, bounds): (RankId, Bounds),
        graph: G,
        (mut handled, slots): (H, M),
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

    /// Returns the subdomain that is to leave, or has left, and is not known to have arrived.
    pub const fn departure(&self) -> Option<Departure> {
        self.sender.departure()
    }

    /// Returns the subdomain that is being received.
    pub const fn arrival(&self) -> Option<Arrival> {
        self.receiver.arrival()
    }

    /// Whether nothing is on its way from or to this rank, as far as it knows.
    pub const fn is_idle(&self) -> bool {
        self.sender.is_idle() && self.receiver.arrival().is_none()
    }

    /// Begins to send a subdomain that the balancer has chosen; false where it does not leave, as
    /// another one is on its way.
    pub fn send<T: Transport>(
        &mut self,
        transfer: Transfer,
        home: &mut impl Home<T::Unit>,
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

    /// Advances everything that is on its way as far as it goes without waiting. Returns whether
    /// the sent subdomain has arrived or was refused, so that another may be sent.
    pub fn advance<T, S, L>(
        &mut self,
        home: &mut impl Home<T::Unit>,
        links: &mut Links<G, S, W, C, L>,
        transport: &mut T,
    ) -> Result<bool, T::Error>
    where
        T: Transport<WordsComing = W, CellsComing = C>,
        S: GhostViews<T::Unit>,
        L: AsRef<[Option<Link<W, C>>]> + AsMut<[Option<Link<W, C>>]>,
    {
        self.offer(home, links, transport)?;
        let has_ended = self.hear_answer(home, links, transport)?;
        if self.fetch.is_none() {
            self.look(transport)?;
        }
        while self.receive(home, links, transport)? {}
        Ok(has_ended)
    }

    /// Offers the subdomain that is to leave, once no worker holds it and all edges that it has
    /// read are out: wherever it goes, it finds the versions that it has read, or newer ones.
    pub fn offer<T, S, L>(
        &mut self,
        home: &mut impl Home<T::Unit>,
        links: &Links<G, S, W, C, L>,
        transport: &mut T,
    ) -> Result<(), T::Error>
    where
        T: Transport<WordsComing = W, CellsComing = C>,
        L: AsRef<[Option<Link<W, C>>]>,
    {
        let Some(departure) = self.sender.departure() else { return Ok(()) };
        let (id, slot) = (departure.transfer.subdomain, departure.slot.index());
        if self.sender.waits_for_holder() && self.leaving.is_none() && home.take(id) {
            self.leaving = Some(links.fetched(slot));
        }
        if self.leaving.take_if(|read| links.have_shown(slot, *read)).is_none() {
            return Ok(());
        }
        let Some(Write::Offer(to, offer)) = self.sender.let_go() else { return Ok(()) };
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
        home.pack(departure, known, sequence);
        transport.put(to, Place::Mailbox(own), offer.encode())
    }

    /// Reads the answer to the offer; returns whether the transfer has come to an end.
    pub fn hear_answer<T, S, L>(
        &mut self,
        home: &mut impl Home<T::Unit>,
        links: &mut Links<G, S, W, C, L>,
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
                self.part(departure, home, links, transport);
                self.sent += 1;
            }
            Some(SendOutcome::Refused(transfer)) => home.give(transfer.subdomain),
        }
        Ok(true)
    }

    /// Records that a subdomain is another rank's: its neighbours here have to look there.
    fn part<T, S, L>(
        &mut self,
        Departure { transfer: Transfer { subdomain, from, .. }, slot, epoch }: Departure,
        home: &mut impl Home<T::Unit>,
        links: &mut Links<G, S, W, C, L>,
        transport: &mut T,
    ) where
        T: Transport<WordsComing = W, CellsComing = C>,
        S: GhostViews<T::Unit>,
        L: AsMut<[Option<Link<W, C>>]>,
    {
        home.place(subdomain, None);
        let known = Location { rank: from, slot, epoch: epoch.saturating_sub(1) };
        for (link, neighbour) in self.graph.neighbours(subdomain).into_iter().enumerate() {
            links.close((slot.index(), link), transport);
            if let Some(neighbour) = neighbour
                && let Some(other) = home.slot(neighbour)
            {
                let back = self.graph.back(subdomain, link);
                links.open((other, back), neighbour, known, transport);
            }
        }
        self.slots.give_back(slot);
        links.has_changed = true;
    }

    /// Looks into the mailboxes, until there is something to fetch.
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
            match self.receiver.look(from, (word, handled), entry, &mut self.slots) {
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

    /// Makes one step of the arrival; returns whether the next can be made at once.
    pub fn receive<T, S, L>(
        &mut self,
        home: &mut impl Home<T::Unit>,
        links: &mut Links<G, S, W, C, L>,
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
                    Ok(head) => {
                        let outbox = CellsAt::Outbox(arrival.subdomain);
                        let cells = transport.get_cells(arrival.from, outbox)?;
                        self.fetch = Some((arrival, Fetch::Cells(head, cells)));
                        return Ok(true);
                    }
                    Err(error) => self.refuse(arrival, error, home, transport)?,
                },
            },
            Fetch::Cells(head, coming) => match transport.poll_cells(coming)? {
                Err(coming) => self.fetch = Some((arrival, Fetch::Cells(head, coming))),
                Ok(copy) => match self.unpack::<T>(arrival, &head, copy.as_ref(), transport) {
                    Ok((packet, cells)) => {
                        self.land(arrival, &packet, cells, home, links, transport)?;
                    }
                    Err(error) => self.refuse(arrival, error, home, transport)?,
                },
            },
        }
        Ok(false)
    }

    /// Returns the words of the packet's head, where it is the one that was offered.
    fn check<T: Transport>(
        &mut self,
        arrival: Arrival,
        words: &[AtomicU64],
        transport: &T,
    ) -> Result<[u64; Packet::WORDS], PacketError> {
        let mut head = [0; Packet::WORDS];
        let words = words.get(..Packet::WORDS).ok_or(PacketError::Short)?;
        for (to, word) in head.iter_mut().zip(words) {
            *to = word.load(Ordering::Acquire);
        }
        let packet = Packet::decode(&head, transport.bounds(), &self.graph)?;
        let entry = entry_of(arrival.subdomain, transport);
        if self.receiver.fetched(&packet, entry) { Ok(head) } else { Err(PacketError::Another) }
    }

    /// Returns the packet and its cells, where they are what was packed for this offer.
    fn unpack<'c, T: Transport>(
        &self,
        arrival: Arrival,
        head: &[u64; Packet::WORDS],
        copy: &'c [Shared<T>],
        transport: &T,
    ) -> Result<(Packet, &'c [Shared<T>]), PacketError> {
        let packet = Packet::decode(head, transport.bounds(), &self.graph)?;
        let cells = G::cells(self.graph.size(arrival.subdomain));
        let cells = usize::try_from(cells).unwrap_or(usize::MAX);
        let cells = unpack::<T::Unit>(copy, &packet, arrival.sequence(), cells)?;
        Ok((packet, cells))
    }

    fn refuse<T: Transport>(
        &mut self,
        arrival: Arrival,
        error: PacketError,
        home: &mut impl Home<T::Unit>,
        transport: &mut T,
    ) -> Result<(), T::Error> {
        home.refused(arrival, error);
        match self.receiver.refuse(&mut self.slots) {
            Some(answer) => write(answer, transport),
            None => Ok(()),
        }
    }

    /// Installs a subdomain that is here: its cells and edges go to its slot, it goes to a worker,
    /// and its neighbours here read it there.
    fn land<T, S, L>(
        &mut self,
        arrival: Arrival,
        packet: &Packet,
        cells: &[Shared<T>],
        home: &mut impl Home<T::Unit>,
        links: &mut Links<G, S, W, C, L>,
        transport: &mut T,
    ) -> Result<(), T::Error>
    where
        T: Transport<WordsComing = W, CellsComing = C>,
        S: GhostViews<T::Unit>,
        L: AsMut<[Option<Link<W, C>>]>,
    {
        let Arrival { subdomain: id, slot, .. } = arrival;
        if !home.install(slot, packet, cells) {
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

/// Returns the entry of this rank's directory about a subdomain.
fn entry_of<T: Transport>(id: SubdomainId, transport: &T) -> DirectoryEntry {
    DirectoryEntry::decode(transport.load(Place::Entry(id)), transport.bounds())
}

/// Writes a word where it belongs.
fn apply<T: Transport>(
    word: Write,
    home: &mut impl Home<T::Unit>,
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

/// Writes a word that is no halo tag where it belongs.
fn write<T: Transport>(word: Write, transport: &mut T) -> Result<(), T::Error> {
    let own = transport.own();
    match word {
        Write::Offer(to, offer) => transport.put(to, Place::Mailbox(own), offer.encode()),
        Write::Answer(to, answer) => transport.put(to, Place::Answer(own), answer.encode()),
        Write::Entry(id, entry) => transport.put(own, Place::Entry(id), entry.encode()),
        Write::HaloTag(..) => Ok(()),
    }
}
