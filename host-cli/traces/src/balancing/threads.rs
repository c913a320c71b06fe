//! Runs the core's work on the parts of many processors on rayon's threads.

use tresse_core::balance::grapevine::parallel::Parallel;

/// Tasks that rayon's pool shares out.
#[derive(Clone, Copy, Debug)]
pub struct Rayon;

impl Parallel for Rayon {
    fn join<A: Send, B: Send>(
        &self,
        left: impl FnOnce() -> A + Send,
        right: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        rayon::join(left, right)
    }
}
