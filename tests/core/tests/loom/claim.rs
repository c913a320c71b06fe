//! Checks that only one worker at a time holds a subdomain, under every interleaving and every
//! allowed reordering: the core's own code on loom's atomics. How workers hand subdomains over by
//! claims is in `worker`.

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicU32, Ordering};
use loom::thread;
use tresse_core::node::shared::{Claim, Claims};

use crate::explore;

/// Returns the claims of some values. Loom makes many; the little that is leaked is no harm.
pub fn claims<T>(values: impl IntoIterator<Item = T>) -> Claims<'static, T> {
    Claims::new(values.into_iter().map(Claim::new).collect::<Vec<_>>().leak())
}

/// Checks that the next holder sees everything that earlier ones have written.
#[test]
fn every_holder_sees_what_those_before_it_wrote() {
    explore(3, || {
        let mut claims = claims([0]);
        let threads = [(); 3].map(|()| {
            let mut grip = claims.grip();
            thread::spawn(move || {
                let is_taken = grip.take(0);
                if is_taken {
                    grip.with(0, |count| *count += 1);
                    grip.leave(0);
                }
                is_taken
            })
        });
        let taken = threads.into_iter().map(|thread| thread.join().unwrap());
        let times = taken.filter(|taken| *taken).count();
        let mut last = claims.grip();
        assert!(last.take(0), "nobody holds it");
        let count = last.with(0, |count| *count);
        assert!(times > 0 && count == times);
    });
}

/// A thing goes from one worker to the other, beside one that stays.
#[test]
fn a_holder_sees_both_that_it_has() {
    explore(3, || {
        let mut claims = claims([1, 0]);
        let mut stays = claims.grip();
        assert!(stays.take(0));
        let mut gives = claims.grip();
        let other = thread::spawn(move || {
            if gives.take(1) {
                gives.with(1, |value| *value += 1);
                gives.leave(1);
            }
        });
        if stays.take(1) {
            stays.with_both(0, 1, |own, other| *own += *other);
            stays.leave(1);
        }
        other.join().unwrap();
    });
}

/// A copy of [`Claim`] whose parts can be weakened.
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
