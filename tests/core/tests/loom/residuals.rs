//! A part's shares, told by one thread while others look at them and at what they have found.

use loom::sync::Arc;
use loom::sync::atomic::{AtomicU64, Ordering};
use loom::thread;
use tresse_core::node::worker::{Residuals, Shares, Sum, Taking};

use crate::explore;

/// Updates: one more than the shares that are kept of a part, so that one is overwritten.
const VERSIONS: u64 = 5;

struct Run {
    residuals: Residuals<AtomicU64>,
    shares: Shares<AtomicU64>,
    /// Count of the part, as it is published.
    count: AtomicU64,
}

impl Run {
    fn new() -> Arc<Self> {
        let (residuals, shares) = (Residuals::new(0), Shares::none());
        Arc::new(Self { residuals, shares, count: AtomicU64::new(0) })
    }

    /// Makes an update, and publishes it after the share `told` of it.
    fn update(&self, told: f64) {
        let version = self.count.load(Ordering::Relaxed);
        let share = Sum { version, taken: Taking::Fused, squares: told };
        self.residuals.publish_share(&self.shares, share);
        self.count.store(version + 1, Ordering::Release);
    }

    fn look(&self) -> Option<Sum> {
        let count = self.count.load(Ordering::Acquire);
        self.residuals.find_newest([&self.shares].into_iter(), count)
    }
}

/// The share of a version in this model.
fn of(version: u64) -> f64 {
    1.0 / (version + 1) as f64
}

fn check(sum: Sum) {
    assert_eq!(sum.squares.to_bits(), of(sum.version).to_bits(), "the share of another version");
}

/// What is found is of the version that it is said to be of, however far its part is meanwhile.
#[test]
fn a_share_is_never_that_of_another_version() {
    explore(3, || {
        let run = Run::new();
        run.update(of(0));
        let other = Arc::clone(&run);
        let worker = thread::spawn(move || (1..VERSIONS).for_each(|at| other.update(of(at))));
        run.look().into_iter().for_each(check);
        worker.join().unwrap();
        if let Some(sum) = run.look() {
            assert_eq!(sum.version, VERSIONS - 1);
            check(sum);
        }
        assert_eq!(run.residuals.known().map(|sum| sum.version), Some(VERSIONS - 1));
    });
}

/// Somebody who only watches sees what was found, or nothing.
#[test]
fn what_is_known_is_seen_whole() {
    explore(3, || {
        let run = Run::new();
        let other = Arc::clone(&run);
        let worker = thread::spawn(move || {
            for version in 0..3 {
                other.update(of(version));
                check(other.look().expect("nobody else has gone on"));
            }
        });
        let mut last = 0;
        for sum in [run.residuals.known(), run.residuals.known()].into_iter().flatten() {
            check(sum);
            assert!(sum.version >= last, "it goes backwards");
            last = sum.version;
        }
        worker.join().unwrap();
    });
}

#[test]
#[should_panic(expected = "nobody else has gone on")]
fn a_share_that_is_told_after_its_update_is_caught() {
    explore(3, || {
        let run = Run::new();
        let other = Arc::clone(&run);
        let worker = thread::spawn(move || {
            other.count.store(1, Ordering::Release);
            let share = Sum { version: 0, taken: Taking::Fused, squares: of(0) };
            other.residuals.publish_share(&other.shares, share);
        });
        let count = run.count.load(Ordering::Acquire);
        if count > 0 {
            check(run.look().expect("nobody else has gone on"));
        }
        worker.join().unwrap();
    });
}
