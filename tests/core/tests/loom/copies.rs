//! Two threads that make the same sweep, one of them to help the other, under every interleaving and every allowed
//! reordering: the copies that the engine uses, on loom's atomics.

use std::sync::atomic as untracked;

use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use loom::thread;
use tresse_core::base::id::WorkerId;
use tresse_core::node::shared::{Copies, Handover, Held, Pairs, Sweep};

use crate::explore;

const PARTS: usize = 1;
const WORKERS: usize = 2;

/// Executions in which the one that helped was done first.
static HELPED: untracked::AtomicU64 = untracked::AtomicU64::new(0);

/// Copies of one part, whose value is its version, and what is published of it.
struct Shared {
    copies: Copies<'static, u64>,
    spare: &'static [AtomicU32],
    current: &'static [AtomicU32],
    version: AtomicU64,
    /// Sweeps that were published.
    published: AtomicU64,
}

fn words(number: usize) -> &'static [AtomicU32] {
    (0..number).map(|_| AtomicU32::new(0)).collect::<Vec<_>>().leak()
}

impl Shared {
    fn new() -> &'static Self {
        let all: Vec<_> = (0..2 * (PARTS + WORKERS)).map(|_| Handover::new(0)).collect();
        let part = words(all.len());
        let (current, spare) = (words(PARTS), words(WORKERS));
        let pairs = Pairs { current, part, spare };
        let copies = Copies::paired(all.leak(), pairs);
        Box::leak(Box::new(Self {
            copies,
            spare,
            current,
            version: AtomicU64::new(0),
            published: AtomicU64::new(0),
        }))
    }

    /// Takes the part and sweeps it so that others can help, or in place where it cannot be opened.
    fn sweep(&self, worker: u32) {
        let Some(mut held) = self.copies.take(0, WorkerId(worker)) else { return };
        held.with(|value| {
            assert_eq!(*value, self.version.load(Ordering::Relaxed), "what is taken")
        });
        match self.copies.open(0, held, WorkerId(worker)) {
            Ok(sweep) => {
                self.end(sweep);
            }
            Err(mut held) => {
                held.with(|value| *value += 1);
                self.publish(held);
            }
        }
    }

    /// Makes the sweep that the other worker is in.
    fn help(&self, worker: u32) {
        if let Some(sweep) = self.copies.help(0, WorkerId(worker))
            && self.end(sweep)
        {
            HELPED.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Ends a sweep; false where the other worker was done first.
    fn end(&self, mut sweep: Sweep<'static, u64>) -> bool {
        sweep.make(|target, source, _| *target = *source + 1);
        let won = self.copies.publish(sweep);
        won.map(|held| self.publish(held)).is_some()
    }

    fn publish(&self, mut held: Held<'_, u64>) {
        let version = self.version.load(Ordering::Relaxed) + 1;
        held.with(|value| assert_eq!(*value, version, "a version is published twice, or left out"));
        self.version.store(version, Ordering::Relaxed);
        self.published.fetch_add(1, Ordering::Relaxed);
    }
}

/// Whoever is done first publishes, and the next sweep goes on from there.
fn run(ways: [&'static [fn(&Shared, u32)]; 2]) {
    let shared = Shared::new();
    let others = thread::spawn(move || ways[1].iter().for_each(|way| way(shared, 1)));
    ways[0].iter().for_each(|way| way(shared, 0));
    others.join().unwrap();
    let before = shared.version.load(Ordering::Relaxed);
    assert!(before > 0 && before == shared.published.load(Ordering::Relaxed));
    // Everything is free again, and every pair has its place: as many open sweeps as there are workers.
    for worker in [0, 1] {
        shared.sweep(worker);
    }
    assert_eq!(shared.version.load(Ordering::Relaxed), before + 2);
    let spare = shared.spare.iter().map(|pair| pair.load(Ordering::Relaxed));
    let mut pairs: Vec<_> = spare.chain([shared.current[0].load(Ordering::Relaxed) / 2]).collect();
    pairs.sort_unstable();
    assert_eq!(pairs, [0, 1, 2], "a pair is lost");
}

#[test]
fn a_sweep_that_two_make_is_published_once() {
    explore(3, || run([&[Shared::sweep], &[Shared::help]]));
    assert!(HELPED.load(Ordering::Relaxed) > 0, "nobody helps");
}

#[test]
fn whoever_is_late_finds_its_sweep_made() {
    explore(3, || run([&[Shared::sweep, Shared::sweep], &[Shared::help, Shared::sweep]]));
}

#[test]
fn both_sweep_and_help() {
    explore(2, || run([&[Shared::sweep, Shared::help], &[Shared::help, Shared::sweep]]));
}
