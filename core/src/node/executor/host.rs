//! What the executor needs from whoever runs it.

use super::observer::Observer;
use crate::base::id::SubdomainId;
use crate::base::time::Instant;
use crate::run::End;

/// What surrounds one worker: a clock, a way to wait, and an observer.
pub trait Host<T, const N: usize = 4> {
    /// Who sees the worker's sweeps.
    type Observer: Observer<T, N>;

    /// Returns the observer of the worker's sweeps.
    fn observer(&mut self) -> &mut Self::Observer;

    /// Returns the time since the run began; zero before that.
    fn now(&self) -> Instant;

    /// Starts the clock. Called once in a run, by one worker, while the others wait.
    fn start_clock(&mut self) {}

    /// Sets a part to its state at the start of the run. The default leaves it as it is.
    fn fill(&mut self, id: SubdomainId, part: &mut T) {
        let _ = (id, part);
    }

    /// Pauses once, to let others go on, before the worker checks again what it waits for.
    fn wait(&mut self, wait: Wait);

    /// Notes that a wait is over.
    fn waited(&mut self, wait: Wait) {
        let _ = wait;
    }

    /// Samples the run in the worker's turn, where that is due; returns when it is due again.
    fn look(&mut self, now: Instant) -> Instant {
        let _ = now;
        Instant::NEVER
    }

    /// Notes the end of the run. Called once, by one worker, while the others wait.
    fn end(&mut self, outcome: Outcome) {
        let _ = outcome;
    }
}

/// What a worker waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// For something to sweep: each check reads all neighbours.
    Sweep,
    /// For the edge of a neighbour.
    Halo,
    /// For all other workers: each check reads one word.
    Workers,
}

/// The end of a run, as whoever decided found it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Why the run has ended.
    pub end: End,
    /// Time of the end.
    pub at: Instant,
    /// The sum of squares of the residual that tolerances are relative to.
    pub initial: f64,
    /// The sum of squares of the published residuals that asked for the last halt.
    pub detected: Option<f64>,
    /// The sum of squares of the residual of the consistent state at the end.
    pub verified: f64,
}
