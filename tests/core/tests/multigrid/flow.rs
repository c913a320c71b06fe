//! Cycles whose tasks are done in any order that their rows allow, and by several threads at once:
//! the result is that of one worker, to the bit.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use std::num::NonZeroU32;
use std::sync::{Condvar, Mutex};
use std::thread;

use tresse_core::base::rng::Rng;
use tresse_core::multigrid::Portable;
use tresse_core::multigrid::owned::flow::{Access, Flow, Running};
use tresse_core::multigrid::owned::{Effort, InTurn, Multigrid, Scheme, Workers};

use super::problems::{random, scheme, solver};
use super::processes::{Bits, bits};

/// One worker that has tasks in hand for a while, and does each of them at some moment between: in
/// a random order of all that are allowed.
struct AnyOrder {
    rng: Mutex<Rng>,
}

impl AnyOrder {
    fn new(seed: u64) -> Self {
        Self { rng: Mutex::new(Rng::new(seed, 0)) }
    }

    fn below(&self, count: usize) -> usize {
        let count = NonZeroU32::new(count.try_into().unwrap()).unwrap();
        self.rng.lock().unwrap().below(count.get()) as usize
    }
}

impl Workers for AnyOrder {
    fn number(&self) -> usize {
        1
    }

    fn each<T: Send>(&self, tasks: Vec<T>, effort: impl Fn(&T) -> Effort, work: impl Fn(T) + Sync) {
        InTurn.each(tasks, effort, work);
    }

    fn flow(&self, flow: &Flow, work: impl Fn(usize, usize) + Sync) {
        let mut running = flow.begin();
        // Tasks that have begun, and whether their work is done.
        let mut in_hand: Vec<(usize, bool)> = Vec::new();
        loop {
            if self.below(3) > 0
                && let Some(task) = running.take(self.below(8))
            {
                in_hand.push((task, false));
                continue;
            }
            if in_hand.is_empty() {
                match running.take(0) {
                    Some(task) => in_hand.push((task, false)),
                    None => return,
                }
            }
            let place = self.below(in_hand.len());
            let (task, is_done) = &mut in_hand[place];
            if !*is_done {
                work(0, *task);
                *is_done = true;
            }
            if self.below(2) == 0 {
                running.end(in_hand.swap_remove(place).0);
            }
        }
    }
}

/// Threads that take tasks as they come.
struct Threads(usize);

/// What they share.
struct Shared<'f> {
    running: Mutex<(Running<'f>, usize)>,
    more: Condvar,
}

impl Workers for Threads {
    fn number(&self) -> usize {
        self.0
    }

    fn each<T: Send>(&self, tasks: Vec<T>, effort: impl Fn(&T) -> Effort, work: impl Fn(T) + Sync) {
        InTurn.each(tasks, effort, work);
    }

    fn flow(&self, flow: &Flow, work: impl Fn(usize, usize) + Sync) {
        let shared =
            Shared { running: Mutex::new((flow.begin(), flow.len())), more: Condvar::new() };
        let go_on = |worker| {
            loop {
                let mut running = shared.running.lock().unwrap();
                let task = loop {
                    if let Some(task) = running.0.take(worker) {
                        break task;
                    }
                    if running.1 == 0 {
                        return;
                    }
                    running = shared.more.wait(running).unwrap();
                };
                drop(running);
                work(worker, task);
                let mut running = shared.running.lock().unwrap();
                running.0.end(task);
                running.1 -= 1;
                shared.more.notify_all();
            }
        };
        thread::scope(|scope| {
            for worker in 0..self.0 {
                scope.spawn(move || go_on(worker));
            }
        });
    }
}

/// Returns the bits of the cells after three cycles, and of the sums on the way.
fn cycled(mut solver: Multigrid<f64>, workers: &impl Workers) -> Bits {
    let mut sums = vec![solver.begin(&Portable, workers)];
    sums.extend((0..3).map(|_| solver.cycle(&Portable, workers)));
    sums.push(solver.residual_squares(workers));
    (bits(solver.cells()), bits(&sums))
}

/// Schemes with bands of a few rows and of many, of equal heights and not, with some levels shared,
/// all, or none.
fn schemes() -> impl Iterator<Item = Scheme> {
    let all = [(6, 3, 1), (12, 4, 1), (7, 1, 300), (4, 2, usize::MAX)];
    all.into_iter().flat_map(|(bands, group, shared_from)| {
        (1..4).map(move |coarse_cycles| Scheme {
            group,
            shared_from,
            coarse_cycles,
            ..scheme(bands)
        })
    })
}

#[test]
fn tasks_in_any_order_that_is_allowed_come_to_the_same() {
    for (seed, (rows, columns)) in (0..).zip([(64, 50), (75, 20), (131, 9), (24, 30), (2, 40)]) {
        let problem = random(rows, columns, seed);
        for scheme in schemes() {
            let expected = cycled(solver(&problem, Scheme { bands: 1, ..scheme.clone() }), &InTurn);
            for order in 0..20 {
                let found = cycled(solver(&problem, scheme.clone()), &AnyOrder::new(order));
                assert!(found == expected, "{rows}x{columns}, {scheme:?}, order {order}");
            }
        }
    }
}

/// Here rows are lent to several at a time; a build with assertions stops where one is lent to two
/// that must not have it.
#[test]
fn threads_come_to_the_same() {
    let problem = random(150, 40, 9);
    for scheme in schemes() {
        let expected = cycled(solver(&problem, scheme.clone()), &InTurn);
        for threads in 1..=4 {
            let found = cycled(solver(&problem, scheme.clone()), &Threads(threads));
            assert!(found == expected, "{scheme:?} on {threads}");
        }
    }
}

/// Returns the order in which a single worker of this number does tasks, which are all of 2 homes.
fn order(flow: &Flow, worker: usize) -> Vec<usize> {
    let mut running = flow.begin();
    let take = || {
        let task = running.take(worker)?;
        running.end(task);
        Some(task)
    };
    std::iter::from_fn(take).collect()
}

fn task(cells: u64, home: usize, accesses: &[Access]) -> (Effort, usize, Vec<Access>) {
    (Effort { cells, sweeps: 1 }, home, accesses.to_vec())
}

#[test]
fn a_worker_takes_what_most_work_is_behind_and_its_own_first() {
    let (read, write) = (|row| Access::read(0, row..row + 1), |row| Access::write(0, row..row + 1));
    // The third follows from the first, and so the first comes before the second, which is longer.
    let flow = Flow::new(
        2,
        [
            task(2, 0, &[write(0)]),
            task(3, 0, &[write(1)]),
            task(2, 0, &[read(0), write(2)]),
            task(9, 1, &[write(3)]),
            task(1, 1, &[write(4)]),
        ],
    );
    assert_eq!(order(&flow, 0), [0, 1, 2, 3, 4]);
    assert_eq!(order(&flow, 1), [3, 4, 0, 1, 2]);
    // Whoever has nothing takes the longest of all; of equal ones, the first.
    assert_eq!(order(&flow, 2), [3, 0, 1, 2, 4]);
}

#[test]
fn only_rows_that_one_of_two_writes_make_them_wait() {
    let rows =
        |rows: std::ops::Range<usize>| (Access::read(0, rows.clone()), Access::write(0, rows));
    let ((read, write), (beside, _)) = (rows(2..5), rows(5..9));
    let ready = |accesses: [&Access; 2]| {
        Flow::new(1, accesses.map(|access| task(1, 0, std::slice::from_ref(access))))
            .begin()
            .ready()
    };
    assert_eq!([[&read, &read], [&write, &beside], [&beside, &write]].map(ready), [2; 3]);
    assert_eq!([[&read, &write], [&write, &read], [&write, &write]].map(ready), [1; 3]);
    assert_eq!(ready([&write, &Access::write(1, 2..5)]), 2);
    // What is written again hides what was before it from those that come later, who wait for it
    // anyway.
    let list = [&write, &write, &read].map(|access| task(1, 0, std::slice::from_ref(access)));
    assert_eq!(order(&Flow::new(1, list), 0), [0, 1, 2]);
    assert!(Flow::new(3, []).is_empty() && Flow::default().begin().take(5).is_none());
}
