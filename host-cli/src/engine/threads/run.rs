//! The state that all workers of a run share, and their common decisions.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use tresse_core::halo::Edges;
use tresse_core::id::SubdomainId;
use tresse_core::ownership::Move;
use tresse_core::part::{Graph, SharedPart};
use tresse_core::progress::Progress;
use tresse_core::run::{End, RunConfig};
use tresse_core::shared::{Assignment, Barrier};
use tresse_core::time::Instant;
use tresse_core::worker::{Control, Turn};

use super::peers::{Moment, Peers};
use super::slots::Slots;
use super::sweeps::Sweeps;
use super::turn::{Around, Performed, TurnState};
use super::visits::Visits;
use crate::engine::clock::Clock;

/// A function that sets a part to its state at the start of the run.
pub(super) type Fill<'w, T> = dyn Fn(SubdomainId, &mut T) + Sync + 'w;

/// The state that the workers of one run share.
pub(super) struct Run<'w, 'r, T: SharedPart, G, P, const N: usize> {
    pub(super) config: &'w RunConfig,
    pub(super) graph: &'w G,
    pub(super) fill: &'w Fill<'w, T>,
    pub(super) slots: Slots<'r, T, N>,
    pub(super) peers: &'w P,
    pub(super) assignment: Assignment<'w>,
    /// Visits of parts, where these stay at home.
    pub(super) visits: Option<Visits<'w, 'r, T, N>>,
    pub(super) sweeps: &'w [Sweeps],
    pub(super) control: Control<AtomicU64>,
    pub(super) barrier: Barrier,
    pub(super) turn: Turn<AtomicU64>,
    pub(super) clock: Clock,
    /// Sum of squares of the initial residual; there once the clock has started.
    pub(super) initial: OnceLock<f64>,
    pub(super) turn_state: Mutex<TurnState<'w>>,
    /// Moves and rounds so far, for the thread that watches.
    pub(super) moves: AtomicU64,
    pub(super) rounds: AtomicU64,
    pub(super) interrupt: &'w AtomicBool,
    pub(super) oversubscribed: bool,
    pub(super) outcome: Mutex<Option<RunOutcome>>,
}

/// The end of a run, as worker 0 found it.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunOutcome {
    pub(super) end: End,
    pub(super) at: Instant,
    /// Sums of squares of the residual.
    pub(super) initial: f64,
    pub(super) detected: Option<f64>,
    pub(super) verified: f64,
}

/// The final figures of a run.
pub(super) struct Totals {
    pub(super) progress: Progress,
    pub(super) spread_max: u64,
    pub(super) moves: u64,
    pub(super) rounds: u64,
    pub(super) sweeps: u64,
}

impl<'w, 'r, T, G, P, const N: usize> Run<'w, 'r, T, G, P, N>
where
    T: SharedPart,
    G: Graph<N> + Sync,
    P: Peers<'r, T, N>,
{
    /// Returns the edges that a part reads of a neighbour in other hands, which is on its `link`.
    pub(super) fn edges(
        &self,
        reader: SubdomainId,
        neighbour: SubdomainId,
        link: usize,
    ) -> Option<Edges<'r, 'r, T::Real, N>> {
        match self.slots.publication(neighbour) {
            Some(publication) => Some(Edges::Published(publication)),
            None => self.peers.edges(reader, link),
        }
    }

    /// Starts the clock once every subdomain's initial residual is published; by worker 0.
    pub(super) fn begin(&self) {
        let sum = self.whole_residual();
        let initial = self.peers.initial().unwrap_or(sum);
        let mut turn_state = self.lock_turn_state();
        turn_state.snapshot(&self.slots);
        let progress = turn_state.progress(&self.slots);
        let halts = turn_state.detection.begin(initial, sum, &self.peers.global(progress));
        self.control.begin(&progress, halts);
        self.clock.start();
        self.initial.get_or_init(|| initial);
    }

    /// Does whatever is due in a turn; the calling worker has the turn.
    pub(super) fn perform_turn(&self, moved: &mut impl FnMut(Move)) -> Performed {
        let mut turn_state = self.lock_turn_state();
        let now = self.clock.now();
        let performed = turn_state.perform(now, &self.around(), &mut |made| {
            self.assignment.announce(made);
            moved(made);
        });
        self.moves.store(turn_state.moves, Ordering::Relaxed);
        self.rounds.store(turn_state.balancer.rounds(), Ordering::Relaxed);
        performed
    }

    fn around(&self) -> Around<'_, 'w, 'r, T, P, N> {
        Around {
            slots: self.slots,
            sweeps: self.sweeps,
            assignment: self.assignment,
            peers: self.peers,
        }
    }

    /// Meets the other processes between two synchronous iterations; by worker 0.
    pub(super) fn step(&self, iteration: u64) {
        if self.peers.step() {
            self.control.halt_at(iteration);
        }
    }

    /// Lets everything arrive that is under way; by worker 0.
    pub(super) fn settle(&self) {
        let mut turn_state = self.lock_turn_state();
        turn_state.snapshot(&self.slots);
        self.peers.settle(&mut turn_state.local(self.clock.now(), &self.around()));
    }

    /// Brings the newest edges from other processes; by worker 0.
    pub(super) fn fetch(&self) {
        let mut turn_state = self.lock_turn_state();
        turn_state.snapshot(&self.slots);
        self.peers.fetch(&mut turn_state.local(self.clock.now(), &self.around()));
    }

    /// Decides, while everybody is halted and the published residuals are of a consistent state,
    /// whether the run has ended; by worker 0.
    pub(super) fn decide(&self) {
        let sum = self.whole_residual();
        let mut turn_state = self.lock_turn_state();
        let is_interrupted = self.peers.any(self.is_interrupted());
        turn_state.snapshot(&self.slots);
        let progress = self.peers.global(turn_state.progress(&self.slots));
        let end = turn_state.detection.decide(sum, &progress, is_interrupted);
        // What was detected is known to the first process only.
        let end = decode(self.peers.agree(encode(end)));
        let (at, initial) = (self.clock.now(), self.initial.get().copied().unwrap_or(0.0));
        let is_reached = match end {
            None | Some(End::Interrupted) => false,
            Some(End::Iterations) => self.config.stop.tolerance.is_none(),
            Some(End::Converged | End::Stagnated | End::NotFinite | End::Stalled) => true,
        };
        let is_short = end.is_some() && !is_reached;
        let moment = Moment { at, initial, is_reached, is_short };
        self.control.save_if(self.peers.saves(&moment));
        if let Some(end) = end {
            let detected = turn_state.detection.detected();
            let outcome = RunOutcome { end, at, initial, detected, verified: sum };
            *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        }
        self.control.decide(end.is_some());
    }

    /// Returns the number of updates that all workers here together still lack of the requested
    /// iterations, or `None` where none were requested.
    pub(super) fn lacks(&self) -> Option<u64> {
        self.control.lacks(|| self.made())
    }

    /// Returns the number of sweeps that all workers here have made.
    pub(super) fn made(&self) -> u64 {
        self.sweeps.iter().map(Sweeps::made).sum()
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Returns the sum of the residuals that the subdomains here last published, added in the order of
    /// their numbers.
    pub(super) fn published_residual(&self) -> f64 {
        self.slots.here().map(|(_, publication)| publication.residual()).sum()
    }

    /// Returns the sum of squares of the residual over all subdomains, while all workers are halted;
    /// called by worker 0.
    fn whole_residual(&self) -> f64 {
        let here = self.slots.here();
        self.peers.sum(&mut here.map(|(id, publication)| (id, publication.residual())))
    }

    /// Returns the final figures; after the workers have ended.
    pub(super) fn totals(&self) -> Totals {
        let mut turn_state = self.lock_turn_state();
        turn_state.snapshot(&self.slots);
        let progress = turn_state.progress(&self.slots);
        Totals {
            progress,
            spread_max: turn_state.detection.spread_max().max(progress.spread()),
            moves: turn_state.moves,
            rounds: turn_state.balancer.rounds(),
            sweeps: self.made(),
        }
    }

    /// Reads the counts of the subdomains here, each at a slightly different moment.
    pub(super) fn snapshot(&self, counts: &mut [u64]) {
        for (id, publication) in self.slots.here() {
            if let Some(count) = counts.get_mut(id.index()) {
                *count = publication.version();
            }
        }
    }

    /// Never contended: the turn belongs to one worker, and a halt to worker 0.
    fn lock_turn_state(&self) -> MutexGuard<'_, TurnState<'w>> {
        self.turn_state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Encodes the reason for the end of a run as other processes are told it.
fn encode(end: Option<End>) -> u8 {
    let place = end.and_then(|end| End::ALL.iter().position(|&other| other == end));
    place.and_then(|place| u8::try_from(place + 1).ok()).unwrap_or(0)
}

fn decode(code: u8) -> Option<End> {
    End::ALL.get(usize::from(code).checked_sub(1)?).copied()
}
