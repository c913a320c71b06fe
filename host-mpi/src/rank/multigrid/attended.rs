//! Beside a run whose cycles are kept: says, once the rank is asked to end, what is left if it
//! cannot.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration as Sleep;

use crate::rank::termination_notice::TerminationNotice;

/// Time between two looks whether the run is asked to end.
const LOOK: Sleep = Sleep::from_millis(50);

/// Makes a run beside a thread that, once `interrupt` is set, reports what is `left` of the run if
/// the rank is killed.
pub(super) fn attended<R>(
    notice: &TerminationNotice,
    interrupt: &AtomicBool,
    left: &(impl Fn() -> String + Sync),
    run: impl FnOnce() -> R,
) -> R {
    thread::scope(|scope| {
        // Dropped when the run is over, also by a panic.
        let (_goes_on, is_over) = mpsc::channel::<()>();
        scope.spawn(move || {
            while is_over.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if interrupt.load(Ordering::Relaxed) {
                    notice.send(left);
                }
            }
        });
        run()
    })
}
