//! The turn of a pool's manager, under every interleaving and every allowed reordering: the core's
//! own code on loom's atomics.

use std::collections::VecDeque;

use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU32, Ordering};
use loom::sync::{Arc, Mutex};
use loom::thread;
use tresse_core::tasks::Combiner;

use crate::explore;

/// The letters that a manager has read, which one thread at a time may touch.
struct Manager(UnsafeCell<Vec<u32>>);

#[expect(unsafe_code, reason = "loom checks who touches it")]
// SAFETY: it is touched by whoever has the turn; loom fails where that is more than one.
unsafe impl Sync for Manager {}

impl Manager {
    fn read(&self, letter: u32) {
        // Loom fails if another thread is at it, or may not see what the one before has done.
        self.0.with_mut(|read| {
            #[expect(unsafe_code, reason = "loom checks who touches it")]
            // SAFETY: as for `Sync`.
            unsafe {
                (*read).push(letter)
            };
        });
    }
}

fn serve(turn: &Combiner, queue: &Mutex<VecDeque<u32>>, manager: &Manager) {
    let mut left = 1;
    while left > 0 {
        for _ in 0..left {
            let letter = queue.lock().unwrap().pop_front().expect("it was put there before");
            manager.read(letter);
        }
        left = turn.done(left);
    }
}

/// Each of two threads sends two letters; when both have gone, all four are read.
#[test]
fn every_letter_is_read_and_by_one_at_a_time() {
    explore(3, || {
        let turn = Arc::new(Combiner::new());
        let queue = Arc::new(Mutex::new(VecDeque::new()));
        let manager = Arc::new(Manager(UnsafeCell::new(vec![])));
        let threads = [0, 1].map(|sender| {
            let (turn, queue, manager) = (turn.clone(), queue.clone(), manager.clone());
            thread::spawn(move || {
                for letter in [2 * sender, 2 * sender + 1] {
                    queue.lock().unwrap().push_back(letter);
                    if turn.ask() {
                        serve(&turn, &queue, &manager);
                    }
                }
            })
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        manager.0.with_mut(|read| {
            #[expect(unsafe_code, reason = "loom checks who touches it")]
            // SAFETY: the threads have ended.
            let read = unsafe { &mut *read };
            read.sort_unstable();
            assert_eq!(*read, [0, 1, 2, 3]);
        });
        assert!(queue.lock().unwrap().is_empty());
    });
}

/// A combiner without the order of memory that the turn keeps, or with a turn that is asked for
/// before the letter is there; loom finds the race.
struct Copied {
    asked: AtomicU32,
    order: Ordering,
}

fn copied(order: Ordering) {
    explore(3, move || {
        let turn = Arc::new(Copied { asked: AtomicU32::new(0), order });
        let manager = Arc::new(Manager(UnsafeCell::new(vec![])));
        let threads = [0, 1].map(|letter| {
            let (turn, manager) = (turn.clone(), manager.clone());
            thread::spawn(move || {
                if turn.asked.fetch_add(1, turn.order) == 0 {
                    let mut left = 1;
                    while left > 0 {
                        manager.read(letter);
                        left = turn.asked.fetch_sub(left, turn.order) - left;
                    }
                }
            })
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn a_sound_copy_passes() {
    copied(Ordering::AcqRel);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn what_was_done_must_be_released() {
    copied(Ordering::Acquire);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn what_was_done_must_be_acquired() {
    copied(Ordering::Release);
}
