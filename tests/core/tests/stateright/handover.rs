//! The executor under every order of its workers' steps: balancing, hand-over, sweeps, halts and
//! the end.

use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};

use stateright::{Checker, HasDiscoveries, Model, Property};
use tresse_core::base::time::Duration;
use tresse_core::run::{Balance, Mode, PlbParams};
use tresse_core_tests::explorer::{Lives, after};
use tresse_core_tests::node_life::Setting;

use crate::explore;

const SOUND: &str = "no rule is broken";
const CURRENT: &str = "a worker that is to hear of nothing sweeps what is its own";
const ENDS: &str = "all lives end, whatever came before, where everybody goes on in turn";
const CHANGES: &str = "a part changes hands, or workers turn to claims of one sweep";

/// A small node, beside whom somebody may take what is frozen: a fault.
#[derive(Clone, Copy)]
struct Node {
    setting: Setting,
    has_thief: bool,
}

/// A state, known by the steps that lead to it.
#[derive(Clone, Debug)]
struct State {
    steps: Vec<u8>,
    /// Nothing where a rule is broken on the way.
    seen: Option<Seen>,
}

/// What is seen of a state.
#[derive(Clone, Debug)]
struct Seen {
    /// What stands for all that decides what follows.
    key: u64,
    /// The workers whose lives are not over.
    alive: Vec<u8>,
    have_their_parts: bool,
    /// Whether a part has changed hands, or all have turned to claims of one sweep.
    has_changed: bool,
    /// Whether no worker has made more iterations than are looked at: one that has nothing to sweep
    /// makes many.
    is_within: bool,
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Hash for State {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl State {
    fn key(&self) -> Option<u64> {
        self.seen.as_ref().map(|seen| seen.key)
    }

    fn holds(&self, rule: impl FnOnce(&Seen) -> bool) -> bool {
        self.seen.as_ref().is_none_or(rule)
    }
}

impl Node {
    /// Returns what is seen after these steps; none where a rule is broken on the way.
    fn see<R>(self, steps: &[u8], see: impl FnOnce(&mut Lives<'_, '_>) -> R) -> Option<R> {
        let steps = steps.iter().map(|&worker| usize::from(worker));
        catch_unwind(AssertUnwindSafe(|| after(self.setting, steps, see))).ok()
    }

    fn state(self, steps: Vec<u8>) -> State {
        let most = self.setting.iterations + 1;
        let thief = self.has_thief.then_some(self.setting.workers as usize);
        let number = |worker| u8::try_from(worker).unwrap_or(u8::MAX);
        let seen = self.see(&steps, |lives| Seen {
            key: lives.key(),
            alive: lives.alive().chain(thief).map(number).collect(),
            have_their_parts: lives.have_their_parts(),
            has_changed: lives.moves() > 0 || lives.have_switched(),
            is_within: !lives.has_come_beyond(most),
        });
        State { steps, seen }
    }
}

impl Model for Node {
    type State = State;
    type Action = u8;

    fn init_states(&self) -> Vec<State> {
        vec![self.state(Vec::new())]
    }

    fn actions(&self, state: &State, workers: &mut Vec<u8>) {
        workers.extend(state.seen.iter().flat_map(|seen| &seen.alive));
    }

    fn next_state(&self, state: &State, worker: u8) -> Option<State> {
        let steps = state.steps.iter().copied().chain([worker]);
        Some(self.state(steps.collect()))
    }

    fn within_boundary(&self, state: &State) -> bool {
        state.holds(|seen| seen.is_within)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let mut properties = vec![
            Property::always(SOUND, |_, state: &State| state.seen.is_some()),
            Property::always(CURRENT, |_, state: &State| state.holds(|seen| seen.have_their_parts)),
            Property::always(ENDS, |node: &Self, state: &State| {
                let ends = |lives: &mut Lives<'_, '_>| {
                    lives.settle();
                    lives.have_their_parts()
                };
                state.seen.is_none() || node.see(&state.steps, ends) == Some(true)
            }),
        ];
        if matches!(self.setting.balance, Balance::Joint(_) | Balance::Auto) {
            properties.push(Property::sometimes(CHANGES, |_, state: &State| {
                state.seen.as_ref().is_some_and(|seen| seen.has_changed)
            }));
        }
        properties
    }
}

/// Two workers with three parts in a row, which Algorithm 1 moves in every turn.
const BRAID: Setting = Setting {
    balance: Balance::Joint(Duration(0)),
    plb: PlbParams { pairs: 2, low: 1, high: 3, dead_band: 1 },
    parts: 3,
    are_linked: true,
    iterations: 3,
    halts: 2,
    ..Setting::ONE
};

/// Returns the number of states.
fn states(setting: Setting) -> usize {
    explore(Node { setting, has_thief: false })
}

#[test]
fn two_workers_keep_one_writer_and_one_state() {
    assert_eq!(states(BRAID), 156_643, "the pinned number of states");
}

#[test]
fn three_workers_keep_one_writer_and_one_state() {
    let three = Setting { workers: 3, parts: 4, iterations: 1, halts: 0, ..BRAID };
    assert_eq!(states(three), 396_511, "the pinned number of states");
}

#[test]
fn workers_that_wait_for_their_neighbours_all_come_to_the_end() {
    let semi = Setting { mode: Mode::SemiSync(1), ..BRAID };
    assert_eq!(states(semi), 190_667, "the pinned number of states");
}

#[test]
fn nobody_gets_ahead_of_a_barrier() {
    let balance = Balance::None;
    let run = Setting { mode: Mode::Sync, balance, workers: 3, ..BRAID };
    let synchronous = Setting { iterations: 2, halts: 1, ..run };
    assert_eq!(states(synchronous), 29_701, "the pinned number of states");
}

#[test]
fn taking_what_is_frozen_is_caught() {
    let caught = HasDiscoveries::AnyOf([SOUND, ENDS].into());
    let builder = Node { setting: BRAID, has_thief: true }.checker().finish_when(caught);
    let checker = builder.spawn_bfs().join();
    assert!(checker.discovery(SOUND).or_else(|| checker.discovery(ENDS)).is_some());
}

/// Two workers with a part each, in step to the bit.
const EXACT: Setting = Setting { mode: Mode::Exact, parts: 2, are_linked: true, halts: 1, ..BRAID };

#[test]
fn exact_lives_end_level_whatever_the_order() {
    let alone = Setting { balance: Balance::None, iterations: 3, ..EXACT };
    let pulls = Setting { balance: Balance::Pull(0), iterations: 2, ..EXACT };
    let four = Setting { parts: 4, iterations: 1, ..pulls };
    assert_eq!(
        [alone, pulls, four].map(states),
        [26_706, 32_365, 5_416],
        "the pinned number of states"
    );
}

#[test]
fn what_is_pulled_is_swept_by_one_at_a_time_whatever_the_order() {
    let pull = Setting { mode: Mode::Async, balance: Balance::Pull(0), iterations: 2, ..EXACT };
    let semi = Setting { mode: Mode::SemiSync(1), ..pull };
    assert_eq!([pull, semi].map(states), [58_150, 64_592], "the pinned number of states");
}

/// Workers keep their parts up to the first halt, and claim them for one sweep at a time from then
/// on.
#[test]
fn lives_that_turn_to_claims_of_one_sweep_end_whatever_the_order() {
    let auto = Setting { mode: Mode::Async, balance: Balance::Auto, iterations: 3, ..EXACT };
    assert_eq!(states(auto), 18_531, "the pinned number of states");
}
