//! The turn to balance and to detect, which the workers of a node take one after the other (section
//! 4.2: workers take turns): whose it is, when it is due, and what that worker does for its node.

use super::Detection;
use crate::balance::{Balancer, Lent, Observed};
use crate::base::SharedNumber;
use crate::base::id::WorkerId;
use crate::base::time::Instant;
use crate::parts::ownership::{Move, Ownership};

/// The turn of the workers of a node, which are numbered from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Turn<N> {
    worker: N,
    due: N,
    workers: u32,
}

impl<N: SharedNumber> Turn<N> {
    /// Returns the turn of worker 0, of `workers` in all, due at once.
    pub fn new(workers: u32) -> Self {
        Self { worker: N::from(0), due: N::from(0), workers }
    }

    /// Whether the turn is this worker's and is due; `now` is called only if it has the turn.
    #[inline]
    pub fn is_due(&self, worker: WorkerId, now: impl FnOnce() -> Instant) -> bool {
        self.worker.load() == u64::from(worker.0) && now() >= self.due()
    }

    /// Returns the time at which the turn is due.
    pub fn due(&self) -> Instant {
        Instant(self.due.load())
    }

    /// Makes the turn due at once.
    pub fn hurry(&self) {
        self.due.store(0);
    }

    /// Returns the worker whose turn it is.
    pub fn worker(&self) -> WorkerId {
        WorkerId(u32::try_from(self.worker.load()).unwrap_or(0))
    }

    /// Hands the turn to the next worker, due at `due`; called by the worker that has it.
    pub fn pass_on(&self, due: Instant) {
        let next = self.worker.load() + 1;
        let next = if next < u64::from(self.workers) { next } else { 0 };
        self.due.store(due.0);
        self.worker.store(next);
    }
}

/// The duty of whoever has the turn: to balance its node, to look whether the run may end, and to
/// say when the next turn is due. All of it is lent, by whoever keeps it from turn to turn.
#[derive(Debug)]
pub struct Duty<'l, 'm, 'o> {
    /// The node's balancer.
    pub balancer: &'l mut Balancer,
    /// The detection of the end; none where another node detects it for all.
    pub detection: Option<&'l mut Detection>,
    /// The counts as they are now, where [`Balancer::is_due`].
    pub observed: Observed<'l>,
    /// Memory of the balancer.
    pub lent: Lent<'l, 'm>,
    /// Owner of each subdomain.
    pub ownership: &'l mut Ownership<'o>,
    /// Whether the run is interrupted.
    pub is_interrupted: bool,
}

/// Result of a look for the end of the run.
#[derive(Clone, Copy, Debug)]
pub struct Looked {
    /// Whether what was seen asks for a halt.
    pub asks: bool,
    /// Whether another node has told all to halt.
    pub halts: bool,
    /// Time of the next look.
    pub due: Instant,
}

/// The result of a turn.
#[derive(Clone, Copy, Debug)]
pub struct Performed {
    /// The moves of a balancing round, where there was one.
    pub round: Option<u32>,
    /// Whether all nodes are to be asked to halt, for a look at a consistent state; where this one
    /// is alone, its workers halt ([`Worker::ask_to_halt`](super::Worker::ask_to_halt)).
    pub asks: bool,
    /// Whether the workers of this node halt, as another one has told them.
    pub halts: bool,
    /// Time at which the next turn is due.
    pub due: Instant,
}

impl<'o> Duty<'_, '_, 'o> {
    /// Balances, and looks for the end of the run, as far as either is due. `out` is called for
    /// each move, after it is recorded in the ownership. `look` compares published residuals and
    /// progress, and exchanges with other nodes.
    pub fn perform(
        self,
        now: Instant,
        look: impl FnOnce(&mut Detection, &Balancer, &mut Ownership<'o>) -> Looked,
        out: &mut impl FnMut(Move),
    ) -> Performed {
        let Self { balancer, detection, observed, lent, ownership, is_interrupted } = self;
        let round = balancer.poll(now, &observed, lent, ownership, out);
        let mut due = balancer.poll_at();
        let (mut asks, mut halts) = (is_interrupted || balancer.switches_at().is_some(), false);
        if let Some(detection) = detection {
            if now >= detection.due() {
                let looked = look(detection, balancer, ownership);
                detection.set_due(looked.due);
                asks |= looked.asks;
                halts = looked.halts;
            }
            due = due.min(detection.due());
        }
        Performed { round, asks, halts, due }
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;

    use super::*;
    use crate::base::id::SocketId;
    use crate::base::time::Duration;
    use crate::base::topology::Topology;
    use crate::parts::ownership::{Holding, Link, Owner};
    use crate::run::{Balance, RunConfig};

    const MILLISECOND: Duration = Duration::from_millis(1);

    fn after(milliseconds: u64) -> Instant {
        Instant::ZERO.after(Duration::from_millis(milliseconds))
    }

    #[test]
    fn it_goes_round() {
        let turn = Turn::<Cell<u64>>::new(2);
        let now = || Instant(5);
        assert!(turn.is_due(WorkerId(0), now));
        assert!(!turn.is_due(WorkerId(1), || unreachable!("nobody reads the clock out of turn")));
        turn.pass_on(Instant(5));
        assert_eq!((turn.worker(), turn.due()), (WorkerId(1), Instant(5)));
        assert!(turn.is_due(WorkerId(1), now));
        turn.pass_on(Instant(6));
        assert!(!turn.is_due(WorkerId(0), now), "not yet");
        turn.pass_on(Instant(4));
        turn.pass_on(Instant(4));
        assert!(turn.is_due(WorkerId(0), now));
    }

    /// A worker alone with a part, whose looks come every two milliseconds, and its rounds every
    /// three.
    struct Alone {
        balancer: Balancer,
        detection: Detection,
    }

    impl Alone {
        fn new() -> Self {
            let balance = Balance::Joint(Duration(3 * MILLISECOND.0));
            let config = RunConfig { balance, ..RunConfig::default() };
            let balancer = Balancer::new(&config, 0, Instant::ZERO);
            Self { balancer, detection: Detection::new(&config) }
        }

        fn turn(&mut self, at: u64, detects: bool, asks: bool, is_interrupted: bool) -> Performed {
            let (owners, mut links) = ([Owner::default()], [Link::EMPTY]);
            let mut holdings = [Holding::EMPTY];
            let duty = Duty {
                balancer: &mut self.balancer,
                detection: detects.then_some(&mut self.detection),
                observed: Observed {
                    counts: &[0],
                    worker_updates: &[0],
                    topology: Topology::new(&[SocketId(0)], &[WorkerId(0)]).unwrap(),
                },
                lent: Lent { state: &mut [], scratch: &mut [], measured: None },
                ownership: &mut Ownership::new(&owners, &mut links, &mut holdings).unwrap(),
                is_interrupted,
            };
            let look = |_: &mut Detection, balancer: &Balancer, _: &mut Ownership<'_>| {
                assert!(!balancer.is_due(after(at)), "a look before the round that is due");
                Looked { asks, halts: at == 4, due: after(at + 2) }
            };
            duty.perform(after(at), look, &mut |_| unreachable!("there is nobody else"))
        }
    }

    #[test]
    fn rounds_and_looks_come_when_they_are_due() {
        let mut alone = Alone::new();
        let seen = [0, 1, 2, 3, 4, 6].map(|at| {
            let Performed { round, asks, halts, due } = alone.turn(at, true, true, false);
            (round, asks, halts, due)
        });
        let expected = [
            (None, true, false, after(2)),
            (None, false, false, after(2)),
            (None, true, false, after(3)),
            (Some(0), false, false, after(4)),
            (None, true, true, after(6)),
            (Some(0), true, false, after(8)),
        ];
        assert_eq!(seen, expected);
        assert_eq!(alone.balancer.rounds(), 2);
    }

    #[test]
    fn where_another_node_detects_nobody_looks() {
        let mut alone = Alone::new();
        let Performed { asks, due, .. } = alone.turn(0, false, true, false);
        assert!(!asks && due == after(3));
        assert!(alone.turn(1, false, false, true).asks, "interrupted");
    }
}
