//! All ranks, and everything that can happen between them, one step at a time. What they do is done
//! by the shipped [`Moving`](tresse_core::ranks::Moving) and [`Links`](tresse_core::ranks::Links),
//! over a transport that gives each word when a step says so.

use std::cell::RefCell;

use tresse_core::balance::dplb::Transfer;
use tresse_core::base::id::{RankId, SlotId};
use tresse_core::field::grid::Decomposition;
use tresse_core::parts::halo::{Bounds, DirectoryEntry, HaloTag, Location};
use tresse_core::ranks::{Coming, Place};
use tresse_core::run::{Balance, GridSize, Mode};

use crate::configurations::{config, iterations};

use super::delayed::Delayed;
use super::graph::Parts;
use super::net::{Comes, Edges, Mangled, Memory, Net, SlotWords};
use super::rank::{AtHome, Copy, Rank, RankOf};

/// Faults of a host or of a transport; checks must find each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No fault.
    None,
    /// The receiver's answer is there before it has fetched the packet.
    AnswersEarly,
    /// The forward is there when the offer is.
    ForwardsEarly,
    /// The receiver does not see that it has not sent away yet what comes.
    Overwrites,
    /// The new halo tag is written before the edges are.
    TagFirst,
    /// Every slot says that it has the neighbour that is looked for.
    IgnoresTenant,
    /// Every edge has the label that is looked for.
    IgnoresLabel,
}

/// A step of one rank. Ranks, subdomains and places of links are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A rank decides to send its subdomain to another rank.
    Send(usize, usize),
    /// The holder of what a rank sends lets it go, or has, and it is packed and offered, if what it
    /// has read is out.
    LetGo(usize),
    /// A rank looks into its mailboxes.
    Look(usize),
    /// The head of a packet comes, or its cells do, which are installed and published.
    Receive(usize),
    /// The head or the cells of a packet come with a fault.
    ReceiveMangled(usize, Mangled),
    /// The sender reads the answer.
    Answer(usize),
    /// Others see a rank's next word of a subdomain.
    ShowEntry(usize, usize),
    /// Others see the next change of a rank's slot.
    ShowSlot(usize, usize),
    /// A rank begins to look at the neighbour at one of its places.
    Begin(usize, usize),
    /// One word of a head that was asked for comes before the other: the halo tag, or the version.
    GetHalf(usize, usize, bool),
    /// The words that it has asked for last come.
    Get(usize, usize),
}

/// The part of a system that does not change.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Numbers of ranks, slots and subdomains.
    pub bounds: Bounds,
    /// Neighbours of the subdomains.
    pub graph: Parts,
    /// The rank of each subdomain at the start.
    pub first: Vec<usize>,
    /// Greatest number of offers.
    pub offers: u32,
    /// Subdomains that may be sent.
    pub moves: Vec<usize>,
    /// Subdomains and links that are read; words that nobody reads are not delayed.
    pub readers: Vec<(usize, usize)>,
    /// Whether a subdomain to send is released at once, and one that is offered is installed at
    /// once, so that readers see no states in between.
    pub is_swift: bool,
    /// The two words of a head may come one by one, in any order.
    pub tears: bool,
    /// Packets may come as they were not sent.
    pub mangles: bool,
    /// Fault of the system.
    pub fault: Fault,
}

impl Setting {
    /// Returns subdomains of one cell below each other, on the ranks that `first` names; those in
    /// `moves` may move, `offers` times in all. Nobody reads, and nothing is mangled.
    ///
    /// # Panics
    /// Where there are no subdomains.
    pub fn column(ranks: u32, first: &[usize], moves: Vec<usize>, offers: u32) -> Self {
        let number = u32::try_from(first.len()).unwrap_or(0);
        let grid = GridSize { rows: first.len(), columns: 1 };
        let config = config(grid, (1, number), (Mode::Async, Balance::None), iterations(1));
        Self {
            bounds: Bounds { subdomains: number, ranks, slots: number },
            graph: Parts::Grid(
                Decomposition::new(&config).unwrap_or_else(|error| panic!("{error}")),
            ),
            first: first.to_vec(),
            offers,
            moves,
            readers: Vec::new(),
            is_swift: false,
            tears: false,
            mangles: false,
            fault: Fault::None,
        }
    }
}

/// All ranks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct System {
    /// Ranks in their order.
    pub ranks: Vec<Rank>,
    /// Memory of each rank that the others reach.
    pub memories: Vec<Memory>,
    /// Transfers begun.
    pub sends: u32,
}

/// Returns a rank's name.
pub fn rank_id(index: usize) -> RankId {
    RankId(u32::try_from(index).unwrap_or(u32::MAX))
}

/// A subdomain's name.
pub use crate::world::identify;

impl System {
    /// Returns every subdomain where it starts, and known there to its neighbours.
    pub fn new(setting: &Setting) -> Self {
        let of = |rank: usize| {
            let here = (0..).zip(&setting.first).filter(move |(_, first)| **first == rank);
            here.map(|(id, _)| identify(id)).collect::<Vec<_>>()
        };
        let numbers = 0..setting.bounds.ranks as usize;
        let ranks: Vec<_> = numbers.clone().map(|own| Rank::new(setting, own, &of(own))).collect();
        let mut memories: Vec<_> = numbers.clone().map(|_| Memory::new(setting.bounds)).collect();
        let homes: Vec<_> = (0..)
            .zip(&setting.first)
            .map(|(id, &rank)| {
                let slot = ranks[rank].house.table[id].unwrap_or(0);
                let slot = SlotId(u32::try_from(slot).unwrap_or(u32::MAX));
                Location { rank: rank_id(rank), slot, epoch: 0 }
            })
            .collect();
        for (subdomain, &Location { rank: owner, slot, epoch }) in setting.graph.ids().zip(&homes) {
            let memory = &mut memories[owner.index()];
            let tag = HaloTag { subdomain, owner }.encode();
            let edges = Some(Edges { subdomain, version: 0 });
            memory.slots[slot.index()] = Delayed::new(SlotWords { edges, version: 0, tag });
            memory.directory[subdomain.index()] =
                Delayed::new(DirectoryEntry::Here { slot, epoch }.encode());
        }
        let mut system = Self { ranks, memories, sends: 0 };
        for own in numbers {
            let here: Vec<_> = (0..).zip(of(own)).map(|(slot, id)| (id, slot)).collect();
            system.act(setting, own, Comes::Nothing, |rank, _, net| {
                rank.links.open_first(here.into_iter(), &homes, net);
            });
        }
        system
    }

    /// Returns the rank that holds a subdomain, and what it holds.
    pub fn held(&self, subdomain: usize) -> Option<(usize, &Copy)> {
        self.ranks.iter().enumerate().find_map(|(place, rank)| {
            let mut held = rank.house.held.iter();
            held.find(|copy| copy.subdomain == identify(subdomain)).map(|copy| (place, copy))
        })
    }

    /// Returns the steps that change something: of the ranks, then of their words, then of readers.
    pub fn possible(&self, setting: &Setting) -> Vec<Step> {
        let mut steps = self.sends(setting);
        steps.extend(self.protocol(setting));
        steps.extend(self.shows());
        steps.extend(self.reads(setting));
        steps
    }

    /// Returns the steps that a balancer could decide.
    pub fn sends(&self, setting: &Setting) -> Vec<Step> {
        if self.sends >= setting.offers {
            return Vec::new();
        }
        let pairs =
            setting.moves.iter().flat_map(|&id| (0..self.ranks.len()).map(move |to| (id, to)));
        pairs
            .filter(|&(subdomain, to)| {
                self.held(subdomain).is_some_and(|(rank, _)| {
                    rank != to && self.ranks[rank].shipped.moves.departure().is_none()
                })
            })
            .map(|(subdomain, to)| Step::Send(subdomain, to))
            .collect()
    }

    /// Returns the steps that follow by themselves until every subdomain has arrived.
    pub fn protocol(&self, setting: &Setting) -> Vec<Step> {
        let mut steps = Vec::new();
        for (place, rank) in self.ranks.iter().enumerate() {
            let memory = &self.memories[place];
            if let Some(departure) = rank.shipped.moves.departure() {
                let to = departure.transfer.to.index();
                if !rank.house.is_packed {
                    steps.push(Step::LetGo(place));
                } else if memory.answers[to] != 0 {
                    steps.push(Step::Answer(place));
                }
            }
            if rank.shipped.moves.arrival().is_some() {
                steps.push(Step::Receive(place));
                if setting.mangles {
                    let mangled = [Mangled::Stale, Mangled::Cut, Mangled::Flipped];
                    steps.extend(mangled.map(|how| Step::ReceiveMangled(place, how)));
                }
            } else if memory.mailbox.iter().any(|word| *word != 0) {
                steps.push(Step::Look(place));
            }
        }
        // Others would change nothing.
        steps.retain(|step| {
            let is_sure = matches!(step, Step::Receive(_) | Step::ReceiveMangled(..));
            is_sure || {
                let mut next = self.clone();
                next.apply(setting, *step);
                next != *self
            }
        });
        steps
    }

    /// Returns the steps that show written words to the others.
    pub fn shows(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        for (place, memory) in self.memories.iter().enumerate() {
            let coming = |(id, word): (usize, &Delayed<u64>)| (!word.is_settled()).then_some(id);
            let entries = memory.directory.iter().enumerate().filter_map(coming);
            steps.extend(entries.map(|id| Step::ShowEntry(place, id)));
            let coming =
                |(id, word): (usize, &Delayed<SlotWords>)| (!word.is_settled()).then_some(id);
            let slots = memory.slots.iter().enumerate().filter_map(coming);
            steps.extend(slots.map(|id| Step::ShowSlot(place, id)));
        }
        steps
    }

    /// Returns the steps of readers.
    pub fn reads(&self, setting: &Setting) -> Vec<Step> {
        let of = |&(subdomain, link): &(usize, usize)| {
            self.ranks.iter().enumerate().flat_map(move |(number, rank)| {
                let place = rank.place(subdomain, link);
                let link = place.and_then(|place| Some((place, rank.shipped.links.link(place)?)));
                let Some((place, link)) = link else { return Vec::new() };
                match link.coming {
                    Coming::Nothing => vec![Step::Begin(number, place)],
                    Coming::Words(asked)
                        if setting.tears
                            && asked.half.is_none()
                            && matches!(asked.place, Place::Head(_)) =>
                    {
                        [false, true].map(|is_tag| Step::GetHalf(number, place, is_tag)).to_vec()
                    }
                    Coming::Words(_) | Coming::Edge(_) => vec![Step::Get(number, place)],
                }
            })
        };
        setting.readers.iter().flat_map(of).collect()
    }

    /// Makes a step; one that is not possible changes nothing.
    pub fn apply(&mut self, setting: &Setting, step: Step) {
        match step {
            Step::Send(subdomain, to) => self.send(setting, subdomain, to),
            Step::LetGo(rank) => self.let_go(setting, rank),
            Step::Look(rank) => {
                self.act(setting, rank, Comes::Nothing, look);
                while setting.is_swift && self.ranks[rank].shipped.moves.arrival().is_some() {
                    self.act(setting, rank, Comes::Whole, receive);
                }
            }
            Step::Receive(rank) => self.act(setting, rank, Comes::Whole, receive),
            Step::ReceiveMangled(rank, how) => {
                self.act(setting, rank, Comes::Mangled(how), receive);
            }
            Step::Answer(rank) => self.act(setting, rank, Comes::Nothing, poll_answer),
            Step::ShowEntry(rank, id) => self.memories[rank].directory[id].show(),
            Step::ShowSlot(rank, slot) => self.memories[rank].slots[slot].show(),
            Step::Begin(rank, place) => self.read(setting, rank, place, Comes::Nothing),
            Step::GetHalf(rank, place, is_tag) => {
                self.read(setting, rank, place, Comes::Half(is_tag));
            }
            Step::Get(rank, place) => self.read(setting, rank, place, Comes::Whole),
        }
        self.show_unread(setting);
    }

    /// Shows words that nobody reads at once.
    pub(super) fn show_unread(&mut self, setting: &Setting) {
        let is_read = |id: usize| {
            let read =
                |(reader, link): &(usize, usize)| setting.graph.neighbour(identify(*reader), *link);
            setting.readers.iter().filter_map(read).any(|of| of.index() == id)
        };
        for memory in &mut self.memories {
            for (id, word) in memory.directory.iter_mut().enumerate() {
                while !is_read(id) && !word.is_settled() {
                    word.show();
                }
            }
            for slot in &mut memory.slots {
                while setting.readers.is_empty() && !slot.is_settled() {
                    slot.show();
                }
            }
        }
    }

    /// Makes an action of one rank, while the words that it has asked for come as a step says.
    pub(super) fn act(
        &mut self,
        setting: &Setting,
        own: usize,
        comes: Comes,
        act: impl FnOnce(&mut RankOf, &mut AtHome<'_>, &mut Net<'_>),
    ) {
        self.act_on(setting, own, (comes, None), act);
    }

    fn act_on(
        &mut self,
        setting: &Setting,
        own: usize,
        (comes, place): (Comes, Option<usize>),
        act: impl FnOnce(&mut RankOf, &mut AtHome<'_>, &mut Net<'_>),
    ) {
        let memories = RefCell::new(std::mem::take(&mut self.memories));
        let Rank { house, shipped } = &mut self.ranks[own];
        let neighbour = place.and_then(|place| Some(shipped.links.link(place)?.reader.neighbour()));
        // What a subdomain has read that nobody has taken yet.
        let held = shipped.moves.departure().filter(|_| house.frozen.is_none());
        let read = held.map(|leaves| leaves.slot.index());
        let read = read.map(|slot| (slot, shipped.links.fetched(slot)));
        let mut home = AtHome { setting, own, house, memories: &memories };
        let mut net = Net { setting, own, memories: &memories, comes, receives: false, neighbour };
        act(shipped, &mut home, &mut net);
        let is_early = |(slot, read)| house.is_packed && !shipped.links.have_shown(slot, read);
        house.packs_early |= read.is_some_and(is_early);
        self.memories = memories.into_inner();
    }

    fn read(&mut self, setting: &Setting, rank: usize, place: usize, comes: Comes) {
        self.act_on(setting, rank, (comes, Some(place)), |rank, _, net| {
            let Ok(_) = rank.links.step(place, net);
        });
    }

    fn send(&mut self, setting: &Setting, subdomain: usize, to: usize) {
        let Some((from, _)) = self.held(subdomain) else { return };
        let transfer =
            Transfer { subdomain: identify(subdomain), from: rank_id(from), to: rank_id(to) };
        let mut begins = false;
        self.act(setting, from, Comes::Nothing, |rank, home, net| {
            begins = rank.moves.send(transfer, home, net);
        });
        self.sends += u32::from(begins);
        if begins && setting.is_swift {
            self.let_go(setting, from);
        }
    }

    fn let_go(&mut self, setting: &Setting, rank: usize) {
        self.ranks[rank].house.lets_go = true;
        self.act(setting, rank, Comes::Nothing, |rank, home, net| {
            let Ok(_) = rank.moves.offer(home, &rank.links, net);
        });
    }
}

fn look(rank: &mut RankOf, _: &mut AtHome<'_>, net: &mut Net<'_>) {
    net.receives = true;
    let Ok(()) = rank.moves.look(net);
}

fn receive(rank: &mut RankOf, home: &mut AtHome<'_>, net: &mut Net<'_>) {
    net.receives = true;
    let Ok(_) = rank.moves.receive(home, &mut rank.links, net);
}

fn poll_answer(rank: &mut RankOf, home: &mut AtHome<'_>, net: &mut Net<'_>) {
    let Ok(_) = rank.moves.poll_answer(home, &mut rank.links, net);
}
