//! What all ranks do together while their workers are halted, one step of one rank after the other.

use tresse_core::node::worker::Rounds;
use tresse_core::node::worker::{Command, Detection, HaltStatus, Verdict};
use tresse_core::run::progress::Progress;
use tresse_core::run::{RunConfig, Stop};

use super::{Lives, Node, Ranks, Round};
use crate::migration::net::Comes;
use crate::migration::system::Setting;

impl Lives {
    /// Makes a step of what all ranks do together: a rank says a number, or what it has to say
    /// before a verdict, or goes on with what has come of that.
    pub(super) fn meet(&mut self, setting: &Setting, rank: usize, ranks: Ranks) {
        let Some(acting) = self.nodes[rank].acting() else { return };
        let command = self.nodes[rank].doing[acting];
        match self.nodes[rank].round {
            Round::None if matches!(command, Some(Command::Begin | Command::Decide)) => {
                let said = self.tells(rank);
                let is_alone = ranks == Ranks::DecidesAlone && command == Some(Command::Decide);
                let contribution = || Round::Contribution(verdict([said].into_iter()).encode());
                self.nodes[rank].round =
                    if is_alone { contribution() } else { Round::Tell(said.encode()) };
                self.close_round();
            }
            Round::None => {
                let number = self.says(setting, rank);
                self.nodes[rank].round = Round::Say(number);
                self.close_round();
            }
            Round::Hear(sum) => {
                let sum = if ranks == Ranks::SettlesOnce { 0 } else { sum };
                self.nodes[rank].round = Round::None;
                if self.goes_on(setting, rank, sum) {
                    self.nodes[rank].doing[acting] = None;
                }
            }
            Round::Contribution(words) => {
                self.nodes[rank].round = Round::None;
                self.decide(rank, command == Some(Command::Begin), &Verdict::decode(&words));
                self.nodes[rank].doing[acting] = None;
            }
            Round::Say(_) | Round::Tell(_) => {}
        }
    }

    /// Ends the round once all ranks have said what they have to say.
    fn close_round(&mut self) {
        let said = |node: &Node| match node.round {
            Round::Say(number) => Some(number),
            _ => None,
        };
        let contribution = |node: &Node| match node.round {
            Round::Tell(words) => Some(HaltStatus::decode(&words)),
            _ => None,
        };
        let next = if let Some(sum) = self.nodes.iter().map(said).sum::<Option<u64>>() {
            Round::Hear(sum)
        } else if let Some(all) = self.nodes.iter().map(contribution).collect::<Option<Vec<_>>>() {
            Round::Contribution(verdict(all.into_iter()).encode())
        } else {
            return;
        };
        let first = self.nodes[0].act();
        if self.nodes.iter().any(|node| node.act() != first) {
            self.broken = Some("ranks mean different rounds");
        }
        self.nodes.iter_mut().for_each(|node| node.round = next);
    }

    /// Returns what a rank says in the round of its present command.
    fn says(&mut self, setting: &Setting, rank: usize) -> u64 {
        let node = &mut self.nodes[rank];
        let first = match node.act() {
            Some(Command::Settle) => Rounds::SETTLE,
            Some(Command::Fetch) => Rounds::FETCH,
            // Noting that all have saved is a round of its own.
            _ => return 0,
        };
        let rounds = *node.rounds.get_or_insert(first);
        let mut number = 0;
        self.system.act(setting, rank, Comes::Whole, |shipped, home, net| {
            let Ok(waits) = shipped.advance_round(rounds, home, net);
            number = waits;
        });
        number
    }

    /// Goes on with the sum of a round; returns whether the command is carried out.
    fn goes_on(&mut self, setting: &Setting, rank: usize, sum: u64) -> bool {
        let node = &mut self.nodes[rank];
        let Some(rounds) = node.rounds else { return true };
        if rounds == Rounds::Settling && sum == 0 && node.has_decided && !self.system.is_quiet() {
            // The first rank that hears it; later ones may find the next moves on their way.
            let made = node.halts.next();
            if self.nodes.iter().all(|other| other.halts.next() <= made) {
                self.broken = Some("a halt is made while something is on its way");
            }
        }
        let Node { halts, rounds: next, has_decided, .. } = &mut self.nodes[rank];
        self.system.act(setting, rank, Comes::Nothing, |shipped, _, _| {
            *next = shipped.next_round(rounds, sum, halts);
        });
        *has_decided &= rounds != Rounds::Settling || next.is_some();
        let is_over = next.is_none();
        let here = self.system.ranks[rank].house.held.len();
        let node = &mut self.nodes[rank];
        node.control.count_parts(here as u64);
        node.is_fresh |= is_over && node.act() == Some(Command::Fetch);
        is_over
    }

    /// Returns what a rank says before a verdict: the last one wants a checkpoint in the second
    /// halt, and is interrupted in the last.
    fn tells(&mut self, rank: usize) -> HaltStatus {
        let is_last = rank + 1 == self.nodes.len();
        let node = &self.nodes[rank];
        if !node.has_decided && !self.is_published(rank) {
            self.broken = Some("a rank tells residuals that are old");
        }
        let made = node.halts.next() - 1;
        let held = self.system.ranks[rank].house.held.iter().map(|copy| copy.version);
        HaltStatus {
            progress: Progress::of(held),
            is_interrupted: is_last && made == node.last,
            wants_to_save: is_last && made == 2,
            wants_to_pull: None,
        }
    }

    /// Whether all subdomains of a rank have published their residuals as they are.
    fn is_published(&self, rank: usize) -> bool {
        let held = &self.system.ranks[rank].house.held;
        held.iter().all(|copy| self.nodes[rank].published[copy.subdomain.index()])
    }

    fn decide(&mut self, rank: usize, is_beginning: bool, verdict: &Verdict) {
        let mut all = self.nodes.iter().enumerate();
        if !all.all(|(rank, node)| node.has_decided || self.is_published(rank)) {
            self.broken = Some("a verdict on residuals that are old");
        }
        if verdict.progress.subdomains != self.saved.len() as u64 {
            self.broken = Some("a verdict without some subdomain");
        }
        let node = &mut self.nodes[rank];
        if std::mem::replace(&mut node.has_decided, true) {
            self.broken = Some("a verdict is made twice at one halt");
        }
        if is_beginning {
            node.control.begin(&Progress::default(), false);
        } else {
            node.control.carry_out(verdict);
        }
    }
}

/// Returns the first rank's verdict on what ranks say.
fn verdict(all: impl Iterator<Item = HaltStatus>) -> Verdict {
    let stop = Stop::NEVER;
    let config = RunConfig { stop, ..RunConfig::default() };
    let verdict =
        Detection::new(&config).decide(1.0, &all.fold(HaltStatus::default(), HaltStatus::and));
    // One checkpoint is enough.
    Verdict { saves: verdict.saves && verdict.end.is_none(), ..verdict }
}
