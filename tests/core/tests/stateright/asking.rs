//! The residual of a version that the first rank asks all for, in every order of sweeps, steps and
//! words: the shipped ranks, with a subdomain on its way from one to another.

use stateright::{Checker, Model, Property};
use tresse_core_tests::migration::asking::{Act, Asking};
use tresse_core_tests::migration::system::Setting;

const RIGHT: &str = "what is known of a version is the sum of all shares, each of them once";
const GOES_ON: &str = "another version becomes known, where everybody goes on in turn";
const KNOWN: &str = "a version becomes known";
const MISSED: &str = "a version is missed, and another one is asked for";
const MOVED: &str = "a version becomes known after a subdomain has moved";

/// Some subdomains below each other on a number of ranks; the second of them may move.
struct Ranks {
    setting: Setting,
    /// Number of sweeps of each subdomain.
    last: u64,
    /// The words of a record may be of two moments.
    tears: bool,
}

impl Model for Ranks {
    type State = Asking;
    type Action = Act;

    fn init_states(&self) -> Vec<Asking> {
        vec![Asking::new(&self.setting)]
    }

    fn actions(&self, all: &Asking, acts: &mut Vec<Act>) {
        acts.extend(all.possible(&self.setting, self.last, self.tears));
    }

    fn next_state(&self, all: &Asking, act: Act) -> Option<Asking> {
        let mut next = all.clone();
        next.apply(&self.setting, act);
        (next != *all).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(RIGHT, |_, all: &Asking| !all.is_wrong),
            Property::always(GOES_ON, |model: &Self, all: &Asking| {
                let mut rest = all.clone();
                rest.go_on(&model.setting) && !rest.is_wrong
            }),
            Property::sometimes(KNOWN, |_, all: &Asking| all.known.is_some()),
            Property::sometimes(MISSED, |_, all: &Asking| all.handle_missed),
            Property::sometimes(MOVED, |model: &Self, all: &Asking| {
                all.known.is_some() && all.system.sends == model.setting.offers
            }),
        ]
    }
}

fn explore(offers: u32, last: u64, tears: bool) -> usize {
    let setting = Setting { is_swift: true, ..Setting::column(2, &[0, 1], vec![1], offers) };
    let model = Ranks { setting, last, tears };
    let checker = model.checker().threads(2).spawn_bfs().join();
    checker.assert_properties();
    checker.unique_state_count()
}

#[test]
fn a_version_is_known_once_all_shares_are_in() {
    assert_eq!(explore(0, 2, false), 84_281, "the pinned number of states");
}

#[test]
fn a_subdomain_that_moves_counts_once() {
    assert_eq!(explore(1, 2, false), 617_185, "the pinned number of states");
}

#[test]
fn what_is_told_in_a_record_of_two_moments_does_not_count() {
    assert_eq!(explore(0, 2, true), 159_857, "the pinned number of states");
}
