//! The choice of a worker that claims parts for one sweep at a time, by what it must and must not
//! be.

use std::cell::{Cell, RefCell};

use proptest::prelude::*;
use tresse_core::base::id::{SubdomainId, WorkerId};
use tresse_core::base::time::{Duration, Instant};
use tresse_core::field::grid::Decomposition;
use tresse_core::node::worker::Control;
use tresse_core::node::{Around, Board, Choice, Chosen, Homes, Next, Visit, Visitor};
use tresse_core::run::{Balance, GridSize, Mode, RunConfig};

/// What a worker sees: version, whether it is free, and whether it is ready, of each part.
#[derive(Clone, Debug)]
struct Seen {
    parts: Vec<(u64, bool, bool)>,
    least: RefCell<Vec<u64>>,
    /// Whether sweeps are open to others.
    is_open: bool,
    /// Parts that were told to be stuck.
    stuck: RefCell<Vec<usize>>,
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

    fn is_open(&self, part: SubdomainId) -> bool {
        self.is_open && !self.is_free(part)
    }

    fn stuck(&self, _: WorkerId) -> u64 {
        0
    }

    fn tell_stuck(&self, part: SubdomainId) {
        self.stuck.borrow_mut().push(part.index());
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

const SWEEP: Duration = Duration::from_micros(10);
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
    (proptest::collection::vec(part, PARTS), least, any::<bool>()).prop_map(
        |(parts, least, is_open)| Seen {
            parts,
            least: least.into(),
            is_open,
            stuck: RefCell::default(),
        },
    )
}

/// Lets worker 1 choose again and again; `check` sees the choice before, the board with what was
/// published before, and the choice.
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
        // No time passes, so that nothing is stuck.
        let now = || Instant::ZERO;
        let chosen = choosing.next(WorkerId(1), &homes, board, now, SWEEP).map(claimed);
        assert!(board.stuck.borrow().is_empty());
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

fn claimed(next: Next) -> Chosen {
    match next {
        Next::Claim(chosen) => chosen,
        Next::Help(chosen) => panic!("nothing is stuck: {chosen:?}"),
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

    /// Helps with what is in somebody's hands for long and twice the lag behind, where nothing that
    /// is to be borrowed is further behind; and where that is not open, tells so.
    #[test]
    fn what_is_stuck_is_helped_with(board in seen(), lag in 0_u64..4, helps in any::<bool>()) {
        let config = RunConfig { help: helps, ..config(Mode::Async, Balance::Pull(lag)) };
        let Ok(cut) = Decomposition::new(&config) else { panic!("parts have a row each") };
        let (mut parts, mut starts) = ([SubdomainId(0); PARTS], [0; WORKERS + 1]);
        let homes = Homes::new(&cut, |part| cut.first_owner(part), &mut parts, &mut starts);
        let mut choosing = Choice::new(&config);
        let mut look = |millis| {
            let now = || Instant::ZERO.after(Duration::from_millis(millis));
            choosing.next(WorkerId(1), &homes, &board, now, SWEEP)
        };
        // Until what was published of each worker is right.
        let first = (0..WORKERS as u64).map(&mut look).last().flatten();
        board.stuck.borrow_mut().clear();
        let worker = furthest(&board);
        let level = board.lowest(at_home(1)).unwrap_or(u64::MAX);
        let is_behind = |version: u64, lags: u64| level == u64::MAX || version + lags * lag < level;
        // Of a worker that has published that it is behind.
        let looks = is_behind(board.least.borrow()[worker], 1);
        let theirs = at_home(worker).filter(|_| looks);
        let held = theirs.chain(at_home(1)).filter(|&part| !board.parts[part].1);
        let lowest = held.clone().map(|part| board.parts[part].0).min();
        let able = board.lowest(at_home(worker)).filter(|&version| looks && is_behind(version, 1));
        let is_lower = |version: u64| able.is_none_or(|able| version < able);
        let stuck = lowest.filter(|&version| helps && is_behind(version, 2) && is_lower(version));
        match look(9) {
            Some(Next::Help(chosen)) => {
                let part = chosen.part.index();
                prop_assert!(board.is_open && held.clone().any(|held| held == part));
                prop_assert_eq!(Some(board.parts[part].0), stuck, "not what is furthest behind");
                prop_assert_eq!(chosen.is_away, part / SPLIT != 1);
            }
            next => {
                prop_assert!(next == first || matches!(first, Some(Next::Help(_))));
                let told = board.stuck.borrow().first().map(|&part| board.parts[part].0);
                // What is borrowed is kept without a look at anything else.
                let kept = matches!(first, Some(Next::Claim(chosen)) if chosen.is_away);
                let expected = stuck.filter(|_| !kept);
                prop_assert_eq!(told, expected.filter(|_| !board.is_open), "{:?} is stuck", expected);
                prop_assert!(!board.is_open || expected.is_none(), "nobody helps");
            }
        }
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
        let cursor = Cell::new(0);
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

#[test]
fn sweeps_are_open_from_the_first_on_only_where_help_is_always_possible() {
    for always_help in [false, true] {
        let config = config(Mode::Async, Balance::Pull(3));
        let config = RunConfig { help: true, always_help, ..config };
        let cut = Decomposition::new(&config).unwrap();
        let (mut parts, mut starts) = ([SubdomainId(0); PARTS], [0; WORKERS + 1]);
        let homes = Homes::new(&cut, |part| cut.first_owner(part), &mut parts, &mut starts);
        let board = Seen {
            parts: vec![(0, true, true); PARTS],
            least: RefCell::new(vec![0; WORKERS]),
            is_open: false,
            stuck: RefCell::default(),
        };
        let control = Control::<Cell<u64>>::new(&config, PARTS as u64);
        let around = Around {
            me: WorkerId(1),
            homes: &homes,
            board: &board,
            control: &control,
            diameter: 1,
        };
        let (mut visitor, mut sweeps) = (Visitor::new(&config), 0);
        while sweeps < 10_000 {
            match visitor.next(&around, || Instant::ZERO) {
                Visit::Claim(_) => visitor.handle_claimed(),
                Visit::Read(_) => visitor.handle_read(0),
                Visit::Sweep { is_open, .. } => {
                    assert_eq!(is_open, always_help, "sweep {sweeps}");
                    sweeps += 1;
                }
                Visit::Help { .. } => panic!("there is nothing to help with"),
                Visit::Leave(_) | Visit::Done(_) => {}
            }
        }
    }
}

/// A part in somebody's hands is helped with where it is twice as far behind as what is borrowed,
/// and has been there for four sweeps or the shortest stop.
#[test]
fn what_is_stuck_is_twice_as_far_behind_as_what_is_borrowed() {
    let helps = |balance, version, micros| {
        let config = config(Mode::Async, balance);
        let Ok(cut) = Decomposition::new(&config) else { panic!("parts have a row each") };
        let (mut parts, mut starts) = ([SubdomainId(0); PARTS], [0; WORKERS + 1]);
        let homes = Homes::new(&cut, |part| cut.first_owner(part), &mut parts, &mut starts);
        let mut parts = vec![(100, true, true); PARTS];
        parts[0] = (version, false, true);
        let least = RefCell::new(vec![version, 100, 100]);
        let board = Seen { parts, least, is_open: true, stuck: RefCell::default() };
        let mut choosing = Choice::new(&config);
        let mut next = |micros| {
            let now = Instant::ZERO.after(Duration::from_micros(micros));
            choosing.next(WorkerId(1), &homes, &board, || now, SWEEP)
        };
        assert!(matches!(next(0), Some(Next::Claim(_))), "it was just seen");
        matches!(next(micros), Some(Next::Help(chosen)) if chosen.part == SubdomainId(0))
    };
    // The lag, and that with which `auto` goes on once it pulls.
    for (balance, lag) in [(Balance::Pull(10), 10), (Balance::Pull(1), 1), (Balance::Auto, 8)] {
        let limit = 100 - 2 * lag;
        assert_eq!(
            [limit - 1, limit].map(|at| helps(balance, at, 100)),
            [true, false],
            "{balance}"
        );
        assert!(!helps(balance, limit - 1, 99), "a stop that is too short");
    }
}
