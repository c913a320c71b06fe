//! The observers of a run on threads.

use tresse_platform::noise::Bursts;

/// All observers of a run.
pub struct Observers<O> {
    /// Observers of the workers, one each.
    pub workers: Vec<O>,
    /// Observers of the noisy cores, in the order of [`Job::noisy_cores`](super::Job::noisy_cores);
    /// cores beyond the list have none.
    pub noise: Vec<Box<dyn Bursts>>,
}

impl<O> Observers<O> {
    /// Returns observers of the workers only.
    pub const fn of_workers(workers: Vec<O>) -> Self {
        Self { workers, noise: Vec::new() }
    }
}
