//! Ranks whose workers sweep, wish halts, and make them together, while subdomains move: the
//! shipped [`Rank`](tresse_core::ranks::Rank) and [`Halts`], over the transport of the model.

use tresse_core::balance::Mean;
use tresse_core::base::time::Instant;
use tresse_core::node::worker::Halts;
use tresse_core::node::worker::Rounds;
use tresse_core::ranks::{Exchanged, Own};
use tresse_core::run::Mode;
use tresse_core::run::progress::Progress;

use super::net::Comes;
use super::rank::{House, RankOf};
use super::system::{Setting, Step, System};
use crate::number::Number;

/// Places in a record from which on its words may be read at a later moment than those before: that
/// of the wish, and that of the next halt.
const TORN: [usize; 2] = [10, 11];

/// What the workers of a rank do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// They sweep.
    Sweep,
    /// All are halted, and the rank advances what is on its way.
    Settle,
    /// The rank has said how much it waits for, and waits for the sum.
    Say(u64),
    /// The sum has come, and the rank has not heard it yet.
    Hear(u64),
}

/// The halts of a rank.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Party {
    /// The shipped halts.
    pub halts: Halts<Number>,
    /// What the rank's workers do.
    pub phase: Phase,
    /// The last halt that the rank has wished.
    pub wished: u64,
}

impl Party {
    /// Returns the number of halts that the rank has made.
    pub fn made(&self) -> u64 {
        self.halts.next() - 1
    }
}

/// A step of one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// A worker wishes a halt.
    Wish(usize),
    /// A step of a move that is not made in an exchange.
    Move(Step),
    /// A worker exchanges with the other ranks, while the words that were asked for come so far.
    Exchange(usize, Comes),
    /// A command comes, of those on their way.
    Command(usize, usize),
    /// A halted rank advances what is on its way, and says how much it waits for.
    Settle(usize, Comes),
    /// A rank hears the sum.
    Hear(usize),
}

/// All ranks, and what they have done.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Halting {
    /// Ranks and their memories.
    pub system: System,
    /// Halts of each rank.
    pub parties: Vec<Party>,
    /// Whether a halt was made while a subdomain was on its way.
    pub is_unsettled: bool,
    /// Whether the progress of all was judged by a record from before the last halt.
    pub is_stale: bool,
}

impl Halting {
    /// Returns all ranks before their first halt.
    pub fn new(setting: &Setting, mode: Mode) -> Self {
        let party = |_| Party { halts: Halts::new(mode), phase: Phase::Sweep, wished: 0 };
        let parties = (0..setting.bounds.ranks).map(party).collect();
        Self { system: System::new(setting), parties, is_unsettled: false, is_stale: false }
    }

    /// Returns the steps that may be possible, with no wish for a halt after the last one.
    pub fn possible(&self, setting: &Setting, last: u64, tears: bool) -> Vec<Turn> {
        let mut turns = Vec::new();
        for (rank, party) in self.parties.iter().enumerate() {
            turns.extend(self.commands(rank));
            match party.phase {
                Phase::Sweep => {
                    if party.halts.next() <= last && party.wished < party.halts.next() {
                        turns.push(Turn::Wish(rank));
                    }
                    turns.extend(self.let_go(rank));
                    let comes = [Comes::Nothing, Comes::Whole].into_iter().chain(self.reads(tears));
                    turns.extend(comes.map(|comes| Turn::Exchange(rank, comes)));
                }
                Phase::Settle => {
                    turns.extend([Comes::Nothing, Comes::Whole].map(|c| Turn::Settle(rank, c)));
                }
                Phase::Say(_) => {}
                Phase::Hear(_) => turns.push(Turn::Hear(rank)),
            }
        }
        turns.extend(self.system.sends(setting).into_iter().map(Turn::Move).filter(
            |turn| matches!(turn, Turn::Move(Step::Send(subdomain, _)) if self.sweeps(*subdomain)),
        ));
        turns
    }

    fn commands(&self, rank: usize) -> impl Iterator<Item = Turn> + use<> {
        (0..self.system.memories[rank].commands.len()).map(move |place| Turn::Command(rank, place))
    }

    fn let_go(&self, rank: usize) -> Option<Turn> {
        let one = &self.system.ranks[rank];
        let waits = one.shipped.moves.departure().is_some() && !one.house.is_packed;
        waits.then_some(Turn::Move(Step::LetGo(rank)))
    }

    fn sweeps(&self, subdomain: usize) -> bool {
        let held = self.system.held(subdomain);
        held.is_some_and(|(rank, _)| self.parties[rank].phase == Phase::Sweep)
    }

    /// Returns how a record may come: it is read, whole or its last words once more, and then it
    /// comes.
    fn reads(&self, tears: bool) -> impl Iterator<Item = Comes> + use<> {
        let starts = [0].into_iter().chain(TORN.into_iter().filter(move |_| tears));
        let ranks = 0..self.parties.len();
        let read = move |rank| starts.clone().map(move |start| Comes::Read(rank, start));
        ranks.flat_map(move |rank| read(rank).chain([Comes::Record(rank)]))
    }

    /// Makes a step; one that is not possible changes nothing.
    pub fn apply(&mut self, setting: &Setting, turn: Turn) {
        match turn {
            Turn::Wish(rank) => {
                let party = &mut self.parties[rank];
                party.halts.wish();
                party.wished = party.made() + 1;
            }
            Turn::Move(step) => self.system.apply(setting, step),
            Turn::Exchange(rank, comes) => self.exchange(setting, rank, comes),
            Turn::Command(rank, place) => {
                let memory = &mut self.system.memories[rank];
                memory.command = memory.commands.remove(place);
            }
            Turn::Settle(rank, comes) => self.settle(setting, rank, comes),
            Turn::Hear(rank) => self.hear(rank),
        }
        self.system.show_unread(setting);
    }

    fn exchange(&mut self, setting: &Setting, rank: usize, comes: Comes) {
        let Self { system, parties, .. } = self;
        let halts = &parties[rank].halts;
        let own = own(&system.ranks[rank].house, halts.next());
        let mut exchanged = None;
        system.act(setting, rank, comes, |shipped: &mut RankOf, home, net| {
            let Ok(all) = shipped.exchange(own, halts, None, home, net);
            exchanged = Some(all);
        });
        let Some(Exchanged { global, halts }) = exchanged else { return };
        let is_old = |rounds: u64| rounds != parties[rank].halts.next();
        let mut others = system.ranks[rank].shipped.view.others();
        self.is_stale |= global.is_some() && others.any(|record| is_old(record.rounds));
        if halts {
            parties[rank].phase = Phase::Settle;
        }
    }

    fn settle(&mut self, setting: &Setting, rank: usize, comes: Comes) {
        // Every worker has let go of what is to leave.
        self.system.ranks[rank].house.lets_go = true;
        let mut waits = 0;
        self.system.act(setting, rank, comes, |shipped, home, net| {
            let Ok(number) = shipped.advance_round(Rounds::Settling, home, net);
            waits = number;
        });
        self.parties[rank].phase = Phase::Say(waits);
        let said = |party: &Party| match party.phase {
            Phase::Say(waits) => Some(waits),
            _ => None,
        };
        if let Some(sum) = self.parties.iter().map(said).sum::<Option<u64>>() {
            self.parties.iter_mut().for_each(|party| party.phase = Phase::Hear(sum));
        }
    }

    fn hear(&mut self, rank: usize) {
        let party = &mut self.parties[rank];
        let Phase::Hear(sum) = party.phase else { return };
        let first = party.halts.next();
        let is_first = self.parties.iter().all(|party| party.halts.next() <= first);
        let party = &mut self.parties[rank];
        let is_settled = party.halts.settle(sum);
        party.phase = if is_settled { Phase::Sweep } else { Phase::Settle };
        self.is_unsettled |= is_settled && is_first && !self.system.is_quiet();
    }

    /// Lets everybody go on in turn, with no more wishes and moves, until nothing changes.
    pub fn go_on(&mut self, setting: &Setting) {
        for _ in 0..50 {
            let before = self.clone();
            for rank in 0..self.parties.len() {
                self.take_turn(setting, rank);
            }
            if *self == before {
                return;
            }
        }
    }

    fn take_turn(&mut self, setting: &Setting, rank: usize) {
        while let Some(turn) = self.commands(rank).next() {
            self.apply(setting, turn);
        }
        match self.parties[rank].phase {
            Phase::Sweep => {
                if let Some(turn) = self.let_go(rank) {
                    self.apply(setting, turn);
                }
                let comes = [Comes::Nothing, Comes::Whole].into_iter().chain(self.reads(false));
                for comes in comes {
                    if self.parties[rank].phase == Phase::Sweep {
                        self.apply(setting, Turn::Exchange(rank, comes));
                    }
                }
            }
            Phase::Settle => self.apply(setting, Turn::Settle(rank, Comes::Whole)),
            Phase::Say(_) => {}
            Phase::Hear(_) => self.apply(setting, Turn::Hear(rank)),
        }
    }

    /// Whether everybody sweeps, nothing is on its way, and every halt that was wished is made.
    pub fn is_at_rest(&self) -> bool {
        let rests = |party: &Party| party.phase == Phase::Sweep && party.made() >= party.wished;
        let has_come = self.system.memories.iter().all(|memory| memory.commands.is_empty());
        self.parties.iter().all(rests) && has_come && self.system.is_quiet()
    }
}

/// Returns a rank's own progress; it counts the halts in place of balancing rounds.
pub(super) fn own(house: &House, next: u64) -> Own {
    let versions = || house.held.iter().map(|copy| copy.version);
    let progress = Progress::of(versions());
    let mean = Mean { updates: versions().sum(), subdomains: house.held.len() as u64 };
    Own { now: Instant::ZERO, mean, progress, residual: 0.0, moves: 0, rounds: next }
}
