//! What the executor needs from whoever runs it.

use super::observer::Observer;
use crate::base::id::SubdomainId;
use crate::base::time::Instant;
use crate::run::End;

/// The surroundings of one worker: a clock, a way to wait, and whoever looks on.
pub trait Host<T, const N: usize = 4> {
    /// Who sees the worker's sweeps.
    type Observer: Observer<T, N>;

    /// Returns who sees the worker's sweeps.
    fn observer(&mut self) -> &mut Self::Observer;

    /// Returns the time since the run began; zero before that.
    fn now(&self) -> Instant;

    /// Starts the clock. Called once in a run, by one worker, while the others wait.
    fn start_clock(&mut self) {}

    /// Sets a part to its state at the start of the run; here it has that.
    fn fill(&mut self, id: SubdomainId, part: &mut T) {
        let _ = (id, part);
    }

    /// Lets others go on, once, before the worker looks again whether it may go on.
    fn wait(&mut self, wait: Wait);

    /// Notes that what was waited for is there.
    fn waited(&mut self, wait: Wait) {
        let _ = wait;
    }

    /// Looks on, in the worker's turn, where that is due; returns the time from which on it is
    /// again.
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
    /// Something to sweep: each look checks all neighbours.
    Sweep,
    /// The edge of a neighbour.
    Halo,
    /// All other workers: each look is a word.
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
