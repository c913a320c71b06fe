//! rayon's pool on pinned threads.

use rayon::ThreadPool;

use super::error::EngineError;
use super::task_pool::Pool;
use super::task_tracks::TaskTracks;
use tresse_platform::{CoreTime, Placement, pin_current_thread, share};

/// The time that the threads of a pool have had of their cores when a run began.
pub(super) struct PoolTime(Vec<Option<CoreTime>>);

impl PoolTime {
    pub(super) fn begin(pool: &ThreadPool) -> Self {
        Self(pool.broadcast(|_| CoreTime::of_this_thread()))
    }

    /// Returns the share of their cores' time that the threads have had since then.
    pub(super) fn share(&self, pool: &ThreadPool) -> Option<f64> {
        let now = pool.broadcast(|_| CoreTime::of_this_thread());
        let since = |(now, before): (Option<CoreTime>, &Option<CoreTime>)| Some(now? - (*before)?);
        share(now.into_iter().zip(&self.0).map(since))
    }
}

/// Lets a pinned thread for each seat work on something that is not recorded.
///
/// # Errors
///
/// Where the system gives no threads.
pub(crate) fn on_pinned_threads<R: Send>(
    placement: &Placement,
    work: impl FnOnce(&Pool<'_>) -> R + Send,
) -> Result<R, EngineError> {
    let unrecorded = TaskTracks::default();
    Ok(pool(placement)?.install(|| work(&Pool(&unrecorded))))
}

/// Returns a pool with a pinned thread for each worker.
pub(super) fn pool(placement: &Placement) -> Result<ThreadPool, EngineError> {
    let cores: Vec<_> = placement.seats.iter().map(|seat| seat.core).collect();
    rayon::ThreadPoolBuilder::new()
        .num_threads(cores.len())
        .thread_name(|worker| format!("worker {worker}"))
        .start_handler(move |thread| {
            if let Some(&core) = cores.get(thread) {
                // Unpinned it is slower, not wrong.
                let _ = pin_current_thread(core);
            }
        })
        .build()
        .map_err(EngineError::Pool)
}
