//! Ranks at work whose mail is in the hands of the test.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};
use tresse::engine::clock::Clock;
use tresse::engine::pool::Managing;
use tresse_core::base::id::RankId;
use tresse_core::tasks::sharing::{Full, Method, SharingConfig, Stack, Step, Work};

use super::post::{Mail, OVERHEAD};
use super::rank_at_work::RankAtWork;
use super::{Places, RankPool};
use crate::mpi::MOST_ON_THE_WAY;

/// The messages on their way to one rank, with the sender of each.
#[derive(Default)]
struct OnTheWay {
    messages: VecDeque<(RankId, Vec<u8>)>,
    bytes: usize,
    most: usize,
}

/// The mail of one rank.
struct Desk {
    own: RankId,
    to: Rc<[RefCell<OnTheWay>; 2]>,
}

impl Mail for Desk {
    fn send(&self, to: RankId, bytes: &[u8]) {
        let mut on_the_way = self.to[to.index()].borrow_mut();
        on_the_way.messages.push_back((self.own, bytes.to_vec()));
        on_the_way.bytes += bytes.len() + OVERHEAD;
        on_the_way.most = on_the_way.most.max(on_the_way.bytes);
    }

    fn next(&self) -> Option<(RankId, Vec<u8>)> {
        let mut on_the_way = self.to[self.own.index()].borrow_mut();
        let (from, bytes) = on_the_way.messages.pop_front()?;
        on_the_way.bytes -= bytes.len() + OVERHEAD;
        Some((from, bytes))
    }
}

/// A piece of a spine, each of which has a leaf; a task takes 150 bytes of a message.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
struct Piece {
    /// Number of pieces below this one; a leaf has none.
    below: u32,
    ballast: [u64; 15],
}

const BALLAST: [u64; 15] = [u64::MAX; 15];

/// Counts pieces and leaves.
struct Count(u64);

impl Work for Count {
    type Task = Piece;
    type Outcome = ();

    fn execute(&mut self, task: &Piece, children: &mut Stack<'_, Piece>) -> Result<(), Full> {
        assert_eq!(task.ballast, BALLAST, "what is sent comes whole");
        if let Some(below) = task.below.checked_sub(1) {
            children.push(Piece { below: 0, ballast: BALLAST })?;
            children.push(Piece { below, ballast: BALLAST })?;
        }
        Ok(())
    }

    fn commit(&mut self, _: &Piece, (): ()) {
        self.0 += 1;
    }
}

/// Lets the first rank, the manager, stand still while the other has more to release than there is
/// room for on the way.
#[test]
fn senders_hold_back_while_a_rank_stands_still() {
    const SPINE: u32 = 600_000;
    let mut config = SharingConfig::new(Method::Sharing);
    (config.chunk, config.interval) = (64, 64);
    let places = Places::new(2, Managing::Dedicated, false).unwrap();
    let interrupt = AtomicBool::new(false);
    let pool =
        RankPool { config, places, most_tasks: 1 << 20, is_watched: false, interrupt: &interrupt };
    let (clock, to) = (Clock::default(), Rc::<[RefCell<OnTheWay>; 2]>::default());
    let rank = |own| {
        let desk = Desk { own, to: Rc::clone(&to) };
        RankAtWork::new(own, 2, desk, &pool, &clock, |_| Count(0))
    };
    let [mut stopped, mut sender] = [RankId(0), RankId(1)].map(rank);
    sender.begin(&[Piece { below: SPINE, ballast: BALLAST }]);

    // As the loop of a rank does: it reads, and makes a step.
    let mut steps = 0;
    while !sender.read_some() && matches!(sender.step(), Ok(Step::Executed(_))) {
        steps += 1;
    }
    let most = to[0].borrow().most;
    let all = SPINE as usize * size_of::<Piece>();
    assert!(steps > 100 && all > MOST_ON_THE_WAY, "there is more than has room");
    // What one step sends may come on top.
    let held_back = MOST_ON_THE_WAY / 2..MOST_ON_THE_WAY / 2 + (1 << 17);
    assert!(held_back.contains(&most), "{most} bytes were on the way, not {held_back:?}");

    let mut turns = 0;
    while !(stopped.has_ended() && sender.has_ended()) {
        turns += 1;
        assert!(turns < SPINE, "who is read goes on");
        for rank in [&mut stopped, &mut sender] {
            rank.read_some();
            rank.step().unwrap();
        }
    }
    assert!(to[0].borrow().most < MOST_ON_THE_WAY);
    let counted = sender.worker.map_or(0, |worker| worker.work.0);
    assert_eq!(counted, 2 * u64::from(SPINE) + 1, "every piece, and every leaf, once");
}
