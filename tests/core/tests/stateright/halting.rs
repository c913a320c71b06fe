//! Halts that all ranks make together, in every order of steps and of words: the shipped ranks,
//! with a subdomain on its way from one to another.

use stateright::{Model, Property};
use tresse_core::run::Mode;
use tresse_core_tests::migration::halting::{Halting, Party, Phase, Turn};
use tresse_core_tests::migration::system::Setting;

use crate::explore;

const TOGETHER: &str =
    "no rank is a halt ahead of one that has not heard that nothing is on its way";
const WISHED: &str = "no halt is made that nobody wished";
const SETTLED: &str = "nothing is on its way when a halt is made";
const ONE_OWNER: &str = "every subdomain counts exactly once";
const CURRENT: &str = "no record from before the last halt is judged";
const ENDS: &str = "every wish comes true, where everybody goes on in turn";
const ALL: &str = "all halts are made";
const WAITS: &str = "a halt waits for a subdomain";

/// Some subdomains below each other on a number of ranks; the second of them may move.
struct Ranks {
    setting: Setting,
    /// Number of halts that may be wished.
    halts: u64,
    /// The words of a record may be of two moments.
    tears: bool,
}

impl Ranks {
    /// Returns ranks with the subdomains that `first` puts there.
    fn new(ranks: u32, first: &[usize], halts: u64, offers: u32) -> Self {
        let setting = Setting::column(ranks, first, vec![1], offers);
        Self { setting, halts, tears: false }
    }

    /// Returns ranks of which only the first has a subdomain, so that nothing else is on its way
    /// than what halts need.
    fn bare(ranks: u32, halts: u64) -> Self {
        Self::new(ranks, &[0], halts, 0)
    }
}

impl Model for Ranks {
    type State = Halting;
    type Action = Turn;

    fn init_states(&self) -> Vec<Halting> {
        vec![Halting::new(&self.setting, Mode::Async)]
    }

    fn actions(&self, all: &Halting, turns: &mut Vec<Turn>) {
        turns.extend(all.possible(&self.setting, self.halts, self.tears));
    }

    fn next_state(&self, all: &Halting, turn: Turn) -> Option<Halting> {
        let mut next = all.clone();
        next.apply(&self.setting, turn);
        (next != *all).then_some(next)
    }

    /// Leaves out what only a fault leads to: more and more commands on their way.
    fn within_boundary(&self, all: &Halting) -> bool {
        all.system.memories.iter().all(|memory| memory.commands.len() <= 2)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let mut properties = vec![
            Property::always(TOGETHER, |_, all: &Halting| {
                let most = all.parties.iter().map(Party::made).max();
                all.parties.iter().all(|party| {
                    Some(party.made()) == most
                        || Some(party.made() + 1) == most && party.phase == Phase::Hear(0)
                })
            }),
            Property::always(WISHED, |_, all: &Halting| {
                let wished = all.parties.iter().map(|party| party.wished).max();
                all.parties.iter().all(|party| Some(party.made()) <= wished)
            }),
            Property::always(SETTLED, |_, all: &Halting| !all.is_unsettled),
            Property::always(ONE_OWNER, |_, all: &Halting| all.system.has_one_owner()),
            Property::always(ENDS, |model: &Self, all: &Halting| {
                let mut rest = all.clone();
                rest.go_on(&model.setting);
                rest.is_at_rest()
            }),
            Property::sometimes(ALL, |model: &Self, all: &Halting| {
                all.parties.iter().all(|party| party.made() == model.halts)
            }),
            Property::sometimes(WAITS, |model: &Self, all: &Halting| {
                model.setting.offers == 0
                    || all.parties.iter().any(|party| party.phase == Phase::Hear(1))
            }),
        ];
        if !self.tears {
            properties.push(Property::always(CURRENT, |_, all: &Halting| !all.is_stale));
        }
        properties
    }
}

#[test]
fn all_halt_together_whatever_is_on_its_way() {
    let states = explore(Ranks::new(2, &[0, 0, 1], 2, 1));
    assert_eq!(states, 297_335, "the pinned number of states");
}

#[test]
fn three_ranks_halt_together() {
    assert_eq!(explore(Ranks::bare(3, 1)), 73_312, "the pinned number of states");
}

/// A record is read as its words are at two moments, so that it may have an old wish and a new
/// halt, or the other way round.
#[test]
fn a_record_of_two_moments_is_no_wish() {
    let model = Ranks { tears: true, ..Ranks::bare(2, 3) };
    assert_eq!(explore(model), 38_057, "the pinned number of states");
}
