//! All ranks, and everything that can happen between them, one step at a time.

use tresse_core::balance::dplb::Transfer;
use tresse_core::grid::{Decomposition, Side};
use tresse_core::halo::{Bounds, DirectoryEntry, HaloTag, Location};
use tresse_core::id::{RankId, SubdomainId};
use tresse_core::migration::{
    Answer, FreeSlots, Look, Offer, Packet, Receiver, SendOutcome, Sender, Write,
};

use super::delayed::Delayed;
use super::rank::{Copy, Edges, Rank, SlotWords, readers};

/// What a host does wrong; checks must find each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// The receiver accepts before it has fetched the packet.
    AnswersEarly,
    /// The sender leaves the forward when it offers.
    ForwardsEarly,
    /// The receiver forgets what it has taken.
    TakesAgain,
    /// The receiver takes what it does not know yet to have left.
    Overwrites,
    /// The slot is given to others when the subdomain is let go.
    FreesEarly,
    /// The new halo tag is written before the edges are.
    TagFirst,
    /// The reader does not look whose the slot is.
    IgnoresTenant,
    /// The reader takes an edge whatever its label says.
    IgnoresLabel,
    /// The reader's rank takes its word for where the subdomain is.
    ShortensBlindly,
}

/// One thing that happens. Ranks and subdomains are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Its rank decides to send a subdomain to another rank.
    Send(usize, usize),
    /// The holder of what a rank sends lets it go: it is packed and offered.
    LetGo(usize),
    /// A rank looks into its mailbox of another.
    Look(usize, usize),
    /// The packet comes.
    Fetch(usize),
    /// What came is installed and published.
    Install(usize),
    /// The sender reads the answer.
    Answer(usize),
    /// Others see a rank's next word of a subdomain.
    ShowEntry(usize, usize),
    /// Others see the next change of a rank's slot.
    ShowPlace(usize, usize),
    /// A subdomain's holder begins to look at the neighbour on one side.
    Begin(usize, Side),
    /// The words that it has asked for last come.
    Get(usize),
}

/// What does not change.
#[derive(Clone, Debug)]
pub struct Setting {
    /// How many of everything.
    pub bounds: Bounds,
    /// Who is whose neighbour.
    pub cut: Decomposition,
    /// The rank of each subdomain at the start.
    pub first: Vec<usize>,
    /// No more offers than this number are made.
    pub offers: u32,
    /// What may be sent.
    pub moves: Vec<usize>,
    /// Who reads, on which sides; what nobody reads is not delayed.
    pub readers: Vec<(usize, Side)>,
    /// What is sent is let go at once, and what is offered installed at once: readers see nothing of
    /// what is between.
    pub is_swift: bool,
    /// What is wrong.
    pub fault: Fault,
}

/// All ranks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct System {
    /// One after the other.
    pub ranks: Vec<Rank>,
    /// Offers made.
    pub offers: u32,
    /// What was noticed while it happened.
    pub broken: Option<&'static str>,
}

/// A rank's name.
pub fn rank_id(index: usize) -> RankId {
    RankId(u32::try_from(index).unwrap_or(u32::MAX))
}

/// A subdomain's name.
pub use crate::world::identify;

impl System {
    /// Every subdomain where it starts, and known there to its neighbours.
    pub fn new(setting: &Setting) -> Self {
        let numbers = 0..setting.bounds.ranks;
        let mut ranks: Vec<_> = numbers.map(|id| Rank::new(RankId(id), setting.bounds)).collect();
        let places: Vec<_> = setting
            .first
            .iter()
            .map(|&rank| ranks[rank].slots.take().map(|slot| (rank, slot)))
            .collect();
        let location = |id: SubdomainId| {
            let (rank, slot) = places[id.index()]?;
            Some(Location { rank: rank_id(rank), slot, epoch: 0 })
        };
        for (id, location) in setting.cut.ids().filter_map(|id| Some((id, location(id)?))) {
            let Location { rank: owner, slot, epoch } = location;
            let rank = &mut ranks[owner.index()];
            let tag = HaloTag { subdomain: id, owner }.encode();
            let edges = Some(Edges { subdomain: id, version: 0 });
            rank.places[slot.index()] = Delayed::new(SlotWords { edges, version: 0, tag });
            rank.directory[id.index()] =
                Delayed::new(DirectoryEntry::Here { slot, epoch }.encode());
        }
        for (id, &rank) in setting.cut.ids().zip(&setting.first) {
            let neighbours = setting.cut.neighbours(id).map(|id| location(id?));
            let (cells, readers) = (id.0.into(), readers(&setting.cut, id, neighbours));
            ranks[rank].hold(Copy { subdomain: id, version: 0, cells, readers, coming: None });
        }
        Self { ranks, offers: 0, broken: None }
    }

    /// The rank that holds a subdomain, and what it holds.
    pub fn held(&self, subdomain: usize) -> Option<(usize, &Copy)> {
        let of = |rank: &'_ Rank| {
            rank.held.iter().position(|copy| copy.subdomain == identify(subdomain))
        };
        let (place, rank) = self.ranks.iter().enumerate().find(|(_, rank)| of(rank).is_some())?;
        Some((place, &rank.held[of(rank)?]))
    }

    /// The steps that change something: of the ranks, then of their words, then of readers.
    pub fn possible(&self, setting: &Setting) -> Vec<Step> {
        let mut steps = self.sends(setting);
        steps.extend(self.protocol(setting));
        steps.extend(self.shows());
        steps.extend(self.reads(setting));
        steps
    }

    /// What a balancer could decide.
    pub fn sends(&self, setting: &Setting) -> Vec<Step> {
        let waiting = self.ranks.iter().filter(|rank| rank.is_preparing()).count();
        if self.offers as usize + waiting >= setting.offers as usize {
            return Vec::new();
        }
        let pairs =
            setting.moves.iter().flat_map(|&id| (0..self.ranks.len()).map(move |to| (id, to)));
        pairs
            .filter(|&(subdomain, to)| {
                self.held(subdomain)
                    .is_some_and(|(rank, _)| rank != to && self.ranks[rank].sender.is_idle())
            })
            .map(|(subdomain, to)| Step::Send(subdomain, to))
            .collect()
    }

    /// What goes on by itself until every subdomain has come somewhere.
    pub fn protocol(&self, setting: &Setting) -> Vec<Step> {
        let mut steps = Vec::new();
        for (place, rank) in self.ranks.iter().enumerate() {
            if rank.is_preparing() {
                steps.push(Step::LetGo(place));
            }
            match rank.receiver.arrival() {
                Some(_) if rank.fetched.is_empty() => steps.push(Step::Fetch(place)),
                Some(_) => steps.push(Step::Install(place)),
                None => steps.extend((0..self.ranks.len()).filter_map(|from| {
                    (rank.mailbox[from] != 0 && rank.looks_into_mailbox(setting, from))
                        .then_some(Step::Look(place, from))
                })),
            }
            let answer = answered(&mut rank.sender.clone(), &rank.answers);
            steps.extend(answer.map(|_| Step::Answer(place)));
        }
        steps
    }

    /// What was written and not seen.
    pub fn shows(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        for (place, rank) in self.ranks.iter().enumerate() {
            let coming = |(id, word): (usize, &Delayed<u64>)| (!word.is_settled()).then_some(id);
            let entries = rank.directory.iter().enumerate().filter_map(coming);
            steps.extend(entries.map(|id| Step::ShowEntry(place, id)));
            let coming =
                |(id, word): (usize, &Delayed<SlotWords>)| (!word.is_settled()).then_some(id);
            let places = rank.places.iter().enumerate().filter_map(coming);
            steps.extend(places.map(|id| Step::ShowPlace(place, id)));
        }
        steps
    }

    /// Makes a step; one that is not possible changes nothing.
    pub fn apply(&mut self, setting: &Setting, step: Step) {
        match step {
            Step::Send(subdomain, to) => {
                let from = self.held(subdomain).map(|(rank, _)| rank);
                self.send(setting, subdomain, to);
                if let Some(from) = from.filter(|_| setting.is_swift) {
                    self.let_go(setting, from);
                }
            }
            Step::LetGo(rank) => self.let_go(setting, rank),
            Step::Look(rank, from) => {
                self.look(setting, rank, from);
                if setting.is_swift {
                    self.fetch(setting, rank);
                    self.install(setting, rank);
                }
            }
            Step::Fetch(rank) => self.fetch(setting, rank),
            Step::Install(rank) => self.install(setting, rank),
            Step::Answer(rank) => self.answer(setting, rank),
            Step::ShowEntry(rank, id) => self.ranks[rank].directory[id].show(),
            Step::ShowPlace(rank, slot) => self.ranks[rank].places[slot].show(),
            Step::Begin(subdomain, side) => self.begin(subdomain, side),
            Step::Get(subdomain) => self.get(setting, subdomain),
        }
        let is_read = |id: usize| {
            let read =
                |(reader, side): &(usize, Side)| setting.cut.neighbour(identify(*reader), *side);
            setting.readers.iter().filter_map(read).any(|of| of.index() == id)
        };
        for rank in &mut self.ranks {
            for (id, word) in rank.directory.iter_mut().enumerate() {
                while !is_read(id) && !word.is_settled() {
                    word.show();
                }
            }
            for place in &mut rank.places {
                while setting.readers.is_empty() && !place.is_settled() {
                    place.show();
                }
            }
        }
    }

    /// Puts a word where it belongs.
    pub(super) fn write(&mut self, own: usize, write: Write) {
        match write {
            Write::Offer(to, offer) => self.ranks[to.index()].mailbox[own] = offer.encode(),
            Write::Answer(to, answer) => self.ranks[to.index()].answers[own] = answer.encode(),
            Write::Entry(id, entry) => self.ranks[own].directory[id.index()].write(entry.encode()),
            Write::HaloTag(slot, tag) => self.ranks[own].put_tag(slot, tag),
        }
    }

    fn write_all(&mut self, own: usize, writes: &[Write]) {
        for &write in writes {
            self.write(own, write);
        }
    }

    fn send(&mut self, setting: &Setting, subdomain: usize, to: usize) {
        let Some((from, _)) = self.held(subdomain) else { return };
        let transfer =
            Transfer { subdomain: identify(subdomain), from: rank_id(from), to: rank_id(to) };
        let rank = &mut self.ranks[from];
        let entry = rank.entry(transfer.subdomain, setting.bounds);
        rank.sender.send(transfer, entry);
    }

    fn let_go(&mut self, setting: &Setting, place: usize) {
        let rank = &mut self.ranks[place];
        let Some(departure) = rank.sender.departure() else { return };
        let (Some(copy), Some(offer)) =
            (rank.let_go(departure.transfer.subdomain), rank.sender.let_go())
        else {
            return;
        };
        rank.outbox = copy.pack(departure.epoch - 1);
        rank.frozen = Some(copy);
        if setting.fault == Fault::FreesEarly {
            rank.slots.give_back(departure.slot);
        }
        self.offers += 1;
        self.write(place, offer);
        if setting.fault == Fault::ForwardsEarly {
            self.write_all(place, &departure.writes());
        }
    }

    fn look(&mut self, setting: &Setting, place: usize, from: usize) {
        let rank = &mut self.ranks[place];
        let sequence =
            Offer::decode(rank.mailbox[from], setting.bounds).map(|offer| offer.sequence);
        match rank.look(setting, from) {
            Look::Refuse(answer) => self.write(place, answer),
            Look::Fetch(_) if setting.fault == Fault::AnswersEarly => {
                let answer = Answer { sequence: sequence.unwrap_or(0), accepted: true };
                self.write(place, Write::Answer(rank_id(from), answer));
            }
            Look::Fetch(_) | Look::Nothing => {}
        }
    }

    fn fetch(&mut self, setting: &Setting, place: usize) {
        let Some(arrival) = self.ranks[place].receiver.arrival() else { return };
        let words = self.ranks[arrival.from.index()].outbox.clone();
        let packet = Packet::decode(&words, setting.bounds, &setting.cut);
        let rank = &mut self.ranks[place];
        let entry = match setting.fault {
            Fault::Overwrites => DirectoryEntry::Unknown,
            _ => rank.entry(arrival.subdomain, setting.bounds),
        };
        if packet.is_ok_and(|packet| rank.receiver.fetched(&packet, entry)) {
            rank.fetched = words;
        } else if let Some(answer) = rank.receiver.refuse(&mut rank.slots) {
            self.write(place, answer);
        }
    }

    fn install(&mut self, setting: &Setting, place: usize) {
        let rank = &mut self.ranks[place];
        let words = std::mem::take(&mut rank.fetched);
        let (Some(arrival), Some(copy)) =
            (rank.receiver.arrival(), Copy::unpack(&words, setting.bounds, &setting.cut))
        else {
            return;
        };
        let edges = Edges { subdomain: copy.subdomain, version: copy.version };
        rank.hold(copy);
        let Some(writes) = rank.receiver.installed() else { return };
        if setting.fault == Fault::TagFirst {
            self.write(place, writes[0]);
        }
        self.ranks[place].put_edges(arrival.slot, edges);
        self.write_all(place, &writes);
    }

    fn answer(&mut self, setting: &Setting, place: usize) {
        let rank = &mut self.ranks[place];
        let (Some(outcome), Some(frozen)) =
            (answered(&mut rank.sender, &rank.answers), rank.frozen.take())
        else {
            return;
        };
        match outcome {
            SendOutcome::Accepted(departure) => {
                self.write_all(place, &departure.writes());
                if setting.fault != Fault::FreesEarly {
                    self.ranks[place].slots.give_back(departure.slot);
                }
            }
            SendOutcome::Refused(_) => rank.hold(frozen),
        }
    }
}

impl Rank {
    /// Whether a worker is still to let go what this rank sends.
    fn is_preparing(&self) -> bool {
        self.frozen.is_none() && !self.sender.is_idle()
    }

    /// What is there in the mailbox, where the receiver and the slots are such.
    fn look_with(
        &self,
        setting: &Setting,
        from: usize,
        (receiver, handled): (&mut Receiver, &mut u32),
        slots: &mut FreeSlots<Vec<bool>>,
    ) -> Look {
        if setting.fault == Fault::TakesAgain && receiver.arrival().is_none() {
            (*receiver, *handled) = (Receiver::new(self.own, setting.bounds), 0);
        }
        let entry = |id| match setting.fault {
            Fault::Overwrites => DirectoryEntry::Unknown,
            _ => self.entry(id, setting.bounds),
        };
        receiver.look(rank_id(from), (self.mailbox[from], handled), entry, slots)
    }

    fn looks_into_mailbox(&self, setting: &Setting, from: usize) -> bool {
        let (mut receiver, mut slots) = (self.receiver.clone(), self.slots.clone());
        let receiving = (&mut receiver, &mut self.handled[from].clone());
        self.look_with(setting, from, receiving, &mut slots) != Look::Nothing
    }

    fn look(&mut self, setting: &Setting, from: usize) -> Look {
        let (mut receiver, mut slots) = (self.receiver.clone(), self.slots.clone());
        let mut handled = self.handled[from];
        let look = self.look_with(setting, from, (&mut receiver, &mut handled), &mut slots);
        (self.receiver, self.handled[from], self.slots) = (receiver, handled, slots);
        look
    }
}

/// The outcome of what is offered, where there is an answer.
fn answered(sender: &mut Sender, answers: &[u64]) -> Option<SendOutcome> {
    let to = sender.departure()?.transfer.to;
    sender.answered(to, answers[to.index()])
}
