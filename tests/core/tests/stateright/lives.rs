//! Whole lives of two ranks with two workers each, in every order of their steps: halts, moves
//! between the ranks, and a checkpoint.

use stateright::{Checker, HasDiscoveries, Model, Property};
use tresse_core_tests::migration::lives::{Act, Lives, Ranks};
use tresse_core_tests::migration::system::Setting;

use crate::explore;

const SOUND: &str = "nothing is wrong";
const TOGETHER: &str = "all make the same halts, and none that nobody wished";
const ONE_OWNER: &str = "every subdomain counts exactly once";
const SAVED: &str = "every subdomain is saved once, as it is";
const ENDS: &str = "all lives end, where everybody goes on in turn";
const END: &str = "all lives end";

struct Nodes {
    setting: Setting,
    /// Workers of each rank.
    workers: [u32; 2],
    /// Halt with which the run ends; the beginning counts as the first.
    last: u64,
    /// Iterations of a worker after which it is not followed any further.
    iterations: u64,
    ranks: Ranks,
}

impl Model for Nodes {
    type State = Lives;
    type Action = Act;

    fn init_states(&self) -> Vec<Lives> {
        vec![Lives::new(&self.setting, &self.workers, self.last)]
    }

    fn actions(&self, lives: &Lives, acts: &mut Vec<Act>) {
        acts.extend(lives.possible(&self.setting));
    }

    fn next_state(&self, lives: &Lives, act: Act) -> Option<Lives> {
        let mut next = lives.clone();
        next.apply(&self.setting, act, self.ranks);
        Some(next)
    }

    fn within_boundary(&self, lives: &Lives) -> bool {
        lives.iterations() <= self.iterations
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(SOUND, |_, lives: &Lives| lives.broken.is_none()),
            Property::always(TOGETHER, |_, lives: &Lives| lives.are_together()),
            Property::always(ONE_OWNER, |_, lives: &Lives| lives.system.has_one_owner()),
            Property::always(SAVED, |_, lives: &Lives| !lives.have_ended() || lives.is_saved()),
            Property::always(ENDS, |model: &Self, lives: &Lives| {
                let mut rest = lives.clone();
                rest.go_on(&model.setting);
                rest.have_ended() && rest.broken.is_none() && rest.is_saved()
            }),
            Property::sometimes(END, |_, lives: &Lives| lives.have_ended()),
        ]
    }
}

fn nodes(workers: [u32; 2], first: &[usize], offers: u32, iterations: u64) -> Nodes {
    let setting = Setting::column(2, first, vec![1], offers);
    Nodes { setting, workers, last: 3, iterations, ranks: Ranks::Sound }
}

#[test]
fn two_ranks_of_two_workers_halt_save_and_end() {
    assert_eq!(explore(nodes([2, 2], &[0], 0, 2)), 716_100, "the pinned number of states");
}

#[test]
fn a_subdomain_that_moves_arrives_before_the_end() {
    assert_eq!(explore(nodes([1, 1], &[0, 0, 1], 1, 4)), 51_457, "the pinned number of states");
}

#[test]
fn a_subdomain_that_moves_to_a_rank_of_another_number_of_workers_arrives_before_the_end() {
    assert_eq!(explore(nodes([2, 1], &[0, 1], 1, 3)), 987_553, "the pinned number of states");
}

/// Checks that ranks that do not wait for each other break a property.
#[test]
fn a_round_that_is_left_out_is_caught() {
    for ranks in [Ranks::DecidesAlone, Ranks::SettlesOnce] {
        let faulty = Nodes { ranks, ..nodes([1, 1], &[0, 0, 1], 1, 4) };
        let caught = HasDiscoveries::AnyOf([SOUND, TOGETHER, ONE_OWNER, SAVED].into());
        let checker = faulty.checker().finish_when(caught).spawn_bfs().join();
        let found =
            [SOUND, TOGETHER, ONE_OWNER, SAVED].map(|name| checker.discovery(name).is_some());
        assert!(found.contains(&true), "{ranks:?}: nobody notices");
    }
}
