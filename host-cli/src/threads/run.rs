//! What all workers of a run share, and what they decide together.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use tresse_core::convergence::{Convergence, Detected, Verified};
use tresse_core::grid::Decomposition;
use tresse_core::id::{SubdomainId, WorkerId};
use tresse_core::ownership::Move;
use tresse_core::progress::Progress;
use tresse_core::run::{End, RunConfig};
use tresse_core::schedule::is_done;
use tresse_core::shared::{Assignment, Handover, Held, Publication, SharedReal};
use tresse_core::subdomain::Subdomain;
use tresse_core::time::Instant;

use super::clock::Clock;
use super::control::Control;
use super::duty::{Duty, Performed, Turn};
use super::worker::Sweeps;
use crate::kernel::Kernel;
use crate::problem::Problem;

/// A subdomain that a worker has just taken, and what it publishes.
pub(super) struct Taken<'r, F: SharedReal> {
    pub(super) id: SubdomainId,
    pub(super) held: Held<'r, Subdomain<'r, F>>,
    pub(super) publication: &'r Publication<'r, F>,
}

/// Everything that the workers of one run share.
pub(super) struct Run<'r, F: SharedReal> {
    pub(super) config: &'r RunConfig,
    pub(super) problem: &'r Problem,
    pub(super) decomposition: Decomposition,
    pub(super) kernel: Kernel<F>,
    pub(super) subdomains: &'r [Handover<Subdomain<'r, F>>],
    pub(super) publications: &'r [Publication<'r, F>],
    pub(super) assignment: Assignment<'r>,
    pub(super) sweeps: &'r [Sweeps],
    pub(super) control: Control,
    pub(super) turn: Turn,
    pub(super) clock: Clock,
    /// Sum of squares of the initial residual; there once the clock has started.
    pub(super) initial: OnceLock<f64>,
    pub(super) duty: Mutex<Duty<'r>>,
    /// Moves and rounds so far, for whoever watches.
    pub(super) moves: AtomicU64,
    pub(super) rounds: AtomicU64,
    pub(super) interrupt: &'r AtomicBool,
    pub(super) oversubscribed: bool,
    pub(super) outcome: Mutex<Option<Outcome>>,
}

/// How a run ended, as worker 0 found it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    pub(super) end: End,
    pub(super) at: Instant,
    /// Sums of squares of the residual.
    pub(super) initial: f64,
    pub(super) detected: Option<f64>,
    pub(super) verified: f64,
}

/// What the balancing came to.
pub(super) struct Totals {
    pub(super) progress: Progress,
    pub(super) spread_max: u64,
    pub(super) moves: u64,
    pub(super) rounds: u64,
}

impl<'r, F: SharedReal> Run<'r, F> {
    /// Takes a subdomain for a worker, if nobody holds it.
    pub(super) fn take(&self, id: SubdomainId, worker: WorkerId) -> Option<Taken<'r, F>> {
        let held = self.subdomains.get(id.index())?.take(worker)?;
        Some(Taken { id, held, publication: self.publications.get(id.index())? })
    }

    /// Sets a subdomain's cells to the problem's.
    pub(super) fn fill(&self, id: SubdomainId, subdomain: &mut Subdomain<'_, F>) {
        self.problem.fill(&self.decomposition, id, subdomain);
    }

    /// Starts the clock once every subdomain's initial residual is published; by worker 0.
    pub(super) fn begin(&self) {
        let sum = self.published_residual();
        let mut duty = self.lock_duty();
        duty.convergence = Convergence::new(sum, self.config.stop.tolerance);
        if duty.convergence.detect(sum, 0) == Detected::Verify {
            self.control.halt_now();
        }
        self.clock.start();
        self.initial.get_or_init(|| sum);
    }

    /// Makes whatever is due of a turn; the calling worker has the turn.
    pub(super) fn perform_duty(&self, moved: &mut impl FnMut(Move)) -> Performed {
        let mut duty = self.lock_duty();
        let now = self.clock.now();
        let performed = duty.perform(now, self.publications, self.sweeps, &mut |made| {
            self.assignment.announce(made);
            moved(made);
        });
        self.moves.store(duty.moves, Ordering::Relaxed);
        self.rounds.store(duty.balancer.rounds(), Ordering::Relaxed);
        performed
    }

    /// Decides, while everybody is halted and the published residuals are of a consistent state,
    /// whether the run has ended; by worker 0.
    pub(super) fn decide(&self) {
        let sum = self.published_residual();
        let mut duty = self.lock_duty();
        let verified = duty.convergence.verify(sum);
        let done = |sweeps: &Sweeps| {
            is_done(sweeps.made(), self.config.split, self.config.stop.iterations)
        };
        let end = match verified {
            Verified::Converged => Some(End::Converged),
            Verified::NotFinite => Some(End::NotFinite),
            Verified::Stagnated => Some(End::Stagnated),
            Verified::GoOn if self.is_interrupted() => Some(End::Interrupted),
            Verified::GoOn => self.sweeps.iter().any(done).then_some(End::Iterations),
        };
        let Some(end) = end else {
            self.control.go_on(self.config);
            return;
        };
        let outcome = Outcome {
            end,
            at: self.clock.now(),
            initial: self.initial.get().copied().unwrap_or(0.0),
            detected: duty.convergence.detected(),
            verified: sum,
        };
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        self.control.end();
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// The sum over all subdomains of what they last published, in the order of their numbers.
    pub(super) fn published_residual(&self) -> f64 {
        self.publications.iter().map(Publication::residual).sum()
    }

    /// The final figures; after the workers have ended.
    pub(super) fn totals(&self) -> Totals {
        let mut duty = self.lock_duty();
        self.snapshot(duty.counts);
        Totals {
            progress: duty.see_progress(),
            spread_max: duty.spread_max,
            moves: duty.moves,
            rounds: duty.balancer.rounds(),
        }
    }

    /// The counts as they are at this moment, not all at the same one.
    pub(super) fn snapshot(&self, counts: &mut [u64]) -> Progress {
        for (count, publication) in counts.iter_mut().zip(self.publications) {
            *count = publication.version();
        }
        Progress::of(counts.iter().copied())
    }

    /// Never contended: the turn belongs to one worker, and a halt to worker 0.
    fn lock_duty(&self) -> MutexGuard<'_, Duty<'r>> {
        self.duty.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
