//! rayon's pool on pinned threads.

use rayon::ThreadPool;

use super::error::EngineError;
use crate::platform::{Placement, pin_current_thread};

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
