//! Two threads that make the same sweep, one of them to help the other, under every interleaving
//! and every allowed reordering: the copies that the engine uses, on loom's atomics.

use std::sync::atomic as untracked;

use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use loom::thread;
use tresse_core::node::shared::{Claims, Copies, Grip, Pairs, Swept};

use crate::claim::claims;
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
    fn new() -> (&'static Self, Claims<'static, u64>) {
        let claims = claims([0; 2 * (PARTS + WORKERS)]);
        let (current, spare) = (words(PARTS), words(WORKERS));
        let pairs = Pairs { current, spare };
        let copies = Copies::paired(claims.all(), pairs);
        let shared = Box::leak(Box::new(Self {
            copies,
            spare,
            current,
            version: AtomicU64::new(0),
            published: AtomicU64::new(0),
        }));
        (shared, claims)
    }

    /// Takes the part and sweeps it so that others can help, or in place where it cannot be opened.
    fn sweep(&self, grip: &mut Grip<'static, u64>) {
        let Some(claim) = self.copies.take(grip, 0) else { return };
        grip.with(claim, |value| {
            assert_eq!(*value, self.version.load(Ordering::Relaxed), "what is taken");
        });
        match self.copies.sweep(grip, 0, |target, source| *target = *source + 1) {
            Swept::Won(claim, ()) => self.publish(grip, claim),
            Swept::Lost => {}
            Swept::Closed => {
                grip.with(claim, |value| *value += 1);
                self.publish(grip, claim);
            }
        }
    }

    /// Makes the sweep that the other worker is in.
    fn help(&self, grip: &mut Grip<'static, u64>) {
        let helped = self.copies.help(grip, 0, |target, source| *target = *source + 1);
        if let Swept::Won(claim, ()) = helped {
            self.publish(grip, claim);
            HELPED.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn publish(&self, grip: &mut Grip<'static, u64>, claim: usize) {
        let version = self.version.load(Ordering::Relaxed) + 1;
        grip.with(claim, |value| {
            assert_eq!(*value, version, "a version is published twice, or left out");
        });
        self.version.store(version, Ordering::Relaxed);
        self.published.fetch_add(1, Ordering::Relaxed);
        grip.leave(claim);
    }
}

/// Whoever is done first publishes, and the next sweep goes on from there.
fn run(ways: [&'static [fn(&Shared, &mut Grip<'static, u64>)]; 2]) {
    let (shared, mut claims) = Shared::new();
    let [mut grip, mut other] = [claims.grip(), claims.grip()];
    let others = thread::spawn(move || {
        ways[1].iter().for_each(|way| way(shared, &mut other));
        other
    });
    ways[0].iter().for_each(|way| way(shared, &mut grip));
    let mut other = others.join().unwrap();
    let before = shared.version.load(Ordering::Relaxed);
    assert!(before > 0 && before == shared.published.load(Ordering::Relaxed));
    // Everything is free again, and every pair has its place: as many open sweeps as there are
    // workers.
    for grip in [&mut grip, &mut other] {
        shared.sweep(grip);
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
