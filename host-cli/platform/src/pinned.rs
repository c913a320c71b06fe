//! Pinned threads, one for each worker: started together, watched and joined, whatever they do.

use std::sync::OnceLock;
use std::thread::{self, Builder, Scope, ScopedJoinHandle};

use crate::{CoreTime, Seat, pin_current_thread};

/// The system gives no more threads: no worker has begun.
#[derive(Debug, thiserror::Error)]
#[error("cannot start a thread for worker {worker}: {source} (lower --workers)")]
pub struct SpawnError {
    /// The worker without a thread.
    pub worker: u32,
    /// The system's error.
    pub source: std::io::Error,
}

/// The result of a worker's thread.
#[derive(Debug)]
pub struct Left<L> {
    /// Result of the worker's job.
    pub of: L,
    /// The core that the worker could not be pinned to.
    pub unpinned: Option<u32>,
    /// Time of its thread, where the system counts it.
    pub core_time: Option<CoreTime>,
}

/// Does one job on a thread of each seat. The calling thread runs `meanwhile`; it is unparked
/// whenever a worker is done, and the call returns once all are. The results are in the order of
/// the seats. A worker that panics ends the process: the others would wait for it for ever.
pub fn on_seats<J: Send, L: Send, R>(
    seats: &[Seat],
    jobs: impl IntoIterator<Item = J>,
    work: impl Fn(&Seat, J) -> L + Sync,
    meanwhile: impl FnOnce() -> R,
) -> Result<(R, Vec<Left<L>>), SpawnError> {
    // Whether there is a thread for every worker: none may begin to wait for one that never comes.
    let complete = OnceLock::new();
    thread::scope(|scope| {
        let seated = seats.iter().zip(jobs);
        let threads: Result<Vec<_>, _> =
            seated.map(|(seat, job)| start(scope, seat, job, &work, &complete)).collect();
        complete.get_or_init(|| threads.is_ok());
        let threads = threads?;
        let answer = meanwhile();
        let left = threads.into_iter().filter_map(|thread| thread.join().ok().flatten()).collect();
        Ok((answer, left))
    })
}

/// Starts a worker on its core. It begins once `complete` says that all are started, and does
/// nothing if they are not.
fn start<'s, 'e, J: Send + 's, L: Send + 's>(
    scope: &'s Scope<'s, 'e>,
    seat: &'e Seat,
    job: J,
    work: &'e (impl Fn(&Seat, J) -> L + Sync),
    complete: &'e OnceLock<bool>,
) -> Result<ScopedJoinHandle<'s, Option<Left<L>>>, SpawnError> {
    let main = thread::current();
    let worker = seat.worker.0;
    Builder::new()
        .name(format!("worker {worker}"))
        .spawn_scoped(scope, move || {
            complete.wait().then(|| {
                let _together = EndTogether;
                let is_pinned = pin_current_thread(seat.core).is_ok();
                let of = work(seat, job);
                main.unpark();
                let unpinned = (!is_pinned).then_some(seat.core);
                Left { of, unpinned, core_time: CoreTime::of_this_thread() }
            })
        })
        .map_err(|source| SpawnError { worker, source })
}

/// Ends the process when its thread panics.
struct EndTogether;

impl Drop for EndTogether {
    fn drop(&mut self) {
        if thread::panicking() {
            std::process::abort();
        }
    }
}
