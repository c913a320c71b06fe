//! The choice of a worker that claims parts for one sweep at a time, by what it must and must not be.

use std::cell::RefCell;

use proptest::prelude::*;
use tresse_core::grid::Decomposition;
use tresse_core::id::{SubdomainId, WorkerId};
use tresse_core::node::{Board, Choice, Homes};
use tresse_core::run::{Balance, GridSize, Mode, RunConfig};

/// What a worker sees: version, whether it is free, and whether it is ready, of each part.
#[derive(Clone, Debug)]
struct Seen {
    parts: Vec<(u64, bool, bool)>,
    least: RefCell<Vec<u64>>,
}

impl Board for Seen {
    fn version(&self, part: SubdomainId) -> u64 {
        self.parts[part.index()].0
    }

    fn is_free(&self, part: SubdomainId) -> bool {
        self.parts[part.index()].1
    }

    fn is_ready(&self, part: SubdomainId, version: u64) -> bool {
        assert_eq!(version, self.version(part), "of another version");
        self.parts[part.index()].2
    }

    fn least(&self, worker: WorkerId) -> u64 {
        self.least.borrow()[worker.index()]
    }

    fn publish_least(&self, worker: WorkerId, least: u64) {
        self.least.borrow_mut()[worker.index()] = least;
    }
}

impl Seen {
    fn able(&self, part: usize) -> Option<u64> {
        let (version, is_free, is_ready) = self.parts[part];
        (is_free && is_ready).then_some(version)
    }

    /// Returns the lowest version of those parts that can be swept.
    fn lowest(&self, parts: impl Iterator<Item = usize>) -> Option<u64> {
        parts.filter_map(|part| self.able(part)).min()
    }
}

const WORKERS: usize = 3;
const SPLIT: usize = 3;
const PARTS: usize = WORKERS * SPLIT;

fn at_home(worker: usize) -> impl Iterator<Item = usize> + Clone {
    worker * SPLIT..(worker + 1) * SPLIT
}

fn config(mode: Mode, balance: Balance) -> RunConfig {
    let grid = GridSize { rows: PARTS, columns: 4 };
    RunConfig { workers: 3, split: 3, grid, mode, balance, ..RunConfig::default() }
}

fn seen() -> impl Strategy<Value = Seen> {
    let part = (0_u64..12, prop::bool::weighted(0.8), prop::bool::weighted(0.8));
    let least = proptest::collection::vec(0_u64..12, WORKERS);
    (proptest::collection::vec(part, PARTS), least)
        .prop_map(|(parts, least)| Seen { parts, least: least.into() })
}

/// Lets worker 1 choose again and again; `check` sees the choice before, the board with what was published
/// before, and the choice.
fn choices(
    (mode, balance): (Mode, Balance),
    boards: &[Seen],
    check: impl Fn(Option<usize>, &Seen, Option<usize>),
) {
    let config = config(mode, balance);
    let Ok(cut) = Decomposition::new(&config) else { panic!("parts have a row each") };
    let (mut parts, mut starts) = ([SubdomainId(0); PARTS], [0; WORKERS + 1]);
    let homes = Homes::new(&cut, |part| cut.first_owner(part), &mut parts, &mut starts);
    let mut choosing = Choice::new(&config);
    let mut before = None;
    for board in boards {
        let told = board.clone();
        let chosen = choosing.next(WorkerId(1), &homes, board);
        let choice = chosen.map(|chosen| chosen.part.index());
        assert!(chosen.is_none_or(|chosen| chosen.is_away == (chosen.part.index() / SPLIT != 1)));
        assert!(choice.is_none_or(|part| board.able(part).is_some()), "{choice:?} cannot be swept");
        check(before, &told, choice);
        if balance != Balance::None {
            let all = at_home(1).map(|part| board.parts[part].0).min();
            assert_eq!(Some(board.least.borrow()[1]), all, "its own minimum is not published");
        }
        before = choice;
    }
}

/// Returns the worker that is furthest behind, of the others, as they have published it.
fn furthest(board: &Seen) -> usize {
    let least = board.least.borrow();
    if least[0] <= least[2] { 0 } else { 2 }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Borrows what is more than the lag behind, keeps it until it is level, and goes home.
    #[test]
    fn pulling_has_the_hysteresis_of_the_lag(
        boards in proptest::collection::vec(seen(), 1..6),
        lag in 0_u64..6,
    ) {
        choices((Mode::Async, Balance::Pull(lag)), &boards, |before, board, choice| {
            let level = board.lowest(at_home(1)).unwrap_or(u64::MAX);
            let borrowed = before.filter(|part| part / SPLIT != 1);
            let kept = borrowed.filter(|&part| board.able(part).is_some_and(|at| at < level));
            if let Some(kept) = kept {
                assert_eq!(choice, Some(kept), "it is not level yet");
                return;
            }
            let worker = furthest(board);
            let is_far = |version: u64| level == u64::MAX || version + lag < level;
            let wanted = board
                .lowest(at_home(worker))
                .filter(|&at| is_far(at) && is_far(board.least.borrow()[worker]));
            match choice {
                Some(part) if part / SPLIT != 1 => {
                    assert_eq!(part / SPLIT, worker, "another worker is further behind");
                    assert_eq!(board.able(part), wanted, "not its least, or not far enough behind");
                }
                Some(part) => {
                    assert_eq!(wanted, None, "what is far behind is not borrowed");
                    assert_eq!(board.able(part), Some(level), "not the least of its own");
                }
                None => assert!(level == u64::MAX && wanted.is_none(), "it does nothing"),
            }
        });
    }

    /// Goes through its own in turn, and borrows only where none of them is ready.
    #[test]
    fn the_exact_mode_goes_in_turn(
        boards in proptest::collection::vec(seen(), 1..6),
        pulls in any::<bool>(),
    ) {
        let balance = if pulls { Balance::Pull(0) } else { Balance::None };
        // Those at the border to other homes first.
        let order = [3, 5, 4];
        let cursor = std::cell::Cell::new(0);
        choices((Mode::Exact, balance), &boards, |_, board, choice| {
            let turn = (0..SPLIT).map(|place| (cursor.get() + place) % SPLIT);
            let next = turn.clone().find(|&place| board.able(order[place]).is_some());
            let worker = furthest(board);
            match (next, choice) {
                (Some(place), Some(part)) => {
                    assert_eq!(part, order[place], "not the next in turn");
                    cursor.set((place + 1) % SPLIT);
                }
                (None, Some(part)) => {
                    assert!(pulls && part / SPLIT == worker, "{part} is borrowed");
                    assert_eq!(board.able(part), board.lowest(at_home(worker)));
                }
                (Some(_), None) => panic!("something of its own is ready"),
                (None, None) => {
                    assert!(!pulls || board.lowest(at_home(worker)).is_none(), "it does nothing");
                }
            }
        });
    }
}
