//! Checks that only one worker at a time holds a subdomain, under every interleaving and every allowed
//! reordering: the core's own code on loom's atomics. How workers hand subdomains over by it is in
//! `worker`.

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicU32, Ordering};
use loom::thread;
use tresse_core::base::id::WorkerId;
use tresse_core::node::shared::Handover;

use crate::explore;

/// Checks that the next holder sees everything that earlier ones have written.
#[test]
fn every_holder_sees_what_those_before_it_wrote() {
    explore(3, || {
        let shared = Arc::new(Handover::new(0));
        let threads = [0, 1, 2].map(|worker| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let held = shared.take(WorkerId(worker));
                held.map(|mut held| held.with(|count| *count += 1)).is_some()
            })
        });
        let taken = threads.into_iter().map(|thread| thread.join().unwrap());
        let times = taken.filter(|taken| *taken).count();
        let count = shared.take(WorkerId(3)).expect("nobody holds it").with(|count| *count);
        assert!(times > 0 && count == times);
    });
}

/// A copy of [`Handover`] whose parts can be weakened.
struct Copied {
    holder: AtomicU32,
    value: UnsafeCell<u32>,
    waits: bool,
    release: Ordering,
}

#[expect(unsafe_code, reason = "as in the original; the value is never reached, only traced")]
// SAFETY: nobody dereferences the pointers; loom checks when they could be.
unsafe impl Sync for Copied {}

impl Copied {
    fn take(&self, worker: u32) -> bool {
        if !self.waits {
            self.holder.store(worker, Ordering::Relaxed);
            return true;
        }
        let free = u32::MAX;
        self.holder.compare_exchange(free, worker, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    fn release(&self) {
        self.holder.store(u32::MAX, self.release);
    }
}

fn copied(waits: bool, release: Ordering) {
    explore(3, move || {
        let (holder, value) = (AtomicU32::new(u32::MAX), UnsafeCell::new(0));
        let copied = Arc::new(Copied { holder, value, waits, release });
        let threads = [0, 1].map(|worker| {
            let copied = Arc::clone(&copied);
            thread::spawn(move || {
                if copied.take(worker) {
                    copied.value.with_mut(|_| ());
                    copied.release();
                }
            })
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn the_copy_is_sound_as_it_is() {
    copied(true, Ordering::Release);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn a_take_that_does_not_wait_is_caught() {
    copied(false, Ordering::Release);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn a_release_without_its_order_is_caught() {
    copied(true, Ordering::Relaxed);
}
