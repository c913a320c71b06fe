//! The state that all workers of a run share, and their common decisions.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use tresse_core::halo::Edges;
use tresse_core::id::SubdomainId;
use tresse_core::ownership::Move;
use tresse_core::part::{Graph, SharedPart};
use tresse_core::progress::Progress;
use tresse_core::remote::Rounds;
use tresse_core::run::{Chosen, End, RunConfig};
use tresse_core::shared::{Assignment, Barrier};
use tresse_core::time::Instant;
use tresse_core::worker::{Control, Performed, Said, Turn, Verdict};

use super::peers::{Moment, Peers};
use super::residuals::Residuals;
use super::slots::Slots;
use super::sweeps::Sweeps;
use super::turn::{Around, TurnState, progress};
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
    /// Visits of parts, where these stay at home, or may do so from some halt on.
    pub(super) visits: Option<Visits<'w, 'r, T, N>>,
    pub(super) residuals: Residuals,
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
    pub(super) auto: Option<Chosen>,
    pub(super) sweeps: u64,
}

impl<'w, 'r, T, G, P, const N: usize> Run<'w, 'r, T, G, P, N>
where
    T: SharedPart,
    G: Graph<N> + Sync,
    P: Peers<'r, T, N>,
{
    /// Returns the visits, where parts are claimed for one sweep at a time.
    #[inline]
    pub(super) fn visits(&self) -> Option<&Visits<'w, 'r, T, N>> {
        self.visits.as_ref().filter(|_| self.control.visits())
    }

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
        let mut turn_state = self.lock_turn_state();
        let said = self.says(&mut turn_state);
        let Verdict { sum, progress, .. } = self.all_decide(said, &mut Verdict::go_on);
        self.residuals.halted(&progress, sum);
        let initial = self.peers.initial().unwrap_or(sum);
        let halts = turn_state.detection.begin(initial, sum, &progress);
        self.control.begin(&said.progress, halts);
        self.clock.start();
        self.initial.get_or_init(|| initial);
    }

    /// Does whatever is due in a turn; the calling worker has the turn.
    pub(super) fn perform_turn(&self, moved: &mut impl FnMut(Move)) -> Performed {
        let mut turn_state = self.lock_turn_state();
        let now = (self.clock.now(), self.is_interrupted());
        let performed = turn_state.perform(now, &self.around(), &mut |made| {
            self.assignment.announce(made);
            moved(made);
        });
        self.moves.store(turn_state.balancer.moves(), Ordering::Relaxed);
        self.rounds.store(turn_state.balancer.rounds(), Ordering::Relaxed);
        performed
    }

    fn around(&self) -> Around<'_, 'w, 'r, T, P, N> {
        Around {
            slots: self.slots,
            residuals: &self.residuals,
            sweeps: self.sweeps,
            assignment: self.assignment,
            peers: self.peers,
        }
    }

    /// Agrees with the other processes on the count at which all halt; by worker 0, while nobody sweeps.
    pub(super) fn agree(&self) {
        let versions = self.slots.here().map(|(_, publication)| publication.version());
        self.control.agree(self.peers.agree(versions.max().unwrap_or(0)));
    }

    /// Meets the other processes between two synchronous iterations; by worker 0.
    pub(super) fn step(&self, iteration: u64) {
        if self.peers.step() {
            self.control.halt_at(iteration);
        }
    }

    /// Goes with the other processes through rounds; by worker 0.
    pub(super) fn go_through(&self, rounds: Rounds) {
        let mut turn_state = self.lock_turn_state();
        self.slots.read_counts(turn_state.counts);
        let mut local = turn_state.local(self.clock.now(), &self.around());
        self.peers.go_through(rounds, &mut local);
    }

    /// Returns what this process says while all workers are halted.
    fn says(&self, turn_state: &mut TurnState<'w>) -> Said {
        self.slots.read_counts(turn_state.counts);
        Said {
            progress: progress(turn_state.counts, &self.slots),
            is_interrupted: self.is_interrupted(),
            wants_to_save: self.peers.wants_to_save(self.clock.now()),
            wants_to_pull: turn_state.balancer.is_to_turn(),
        }
    }

    /// Returns what the first process makes of the published residuals.
    fn all_decide(&self, said: Said, judge: &mut dyn FnMut(f64, &Said) -> Verdict) -> Verdict {
        let here = self.slots.here();
        let mut residuals = here.map(|(id, publication)| (id, publication.residual()));
        self.peers.decide(said, &mut residuals, judge)
    }

    /// Decides, while everybody is halted and the published residuals are of a consistent state,
    /// whether the run has ended; by worker 0. `moved` is called for each subdomain that goes home then.
    pub(super) fn decide(&self, moved: &mut impl FnMut(Move)) {
        let mut turn_state = self.lock_turn_state();
        let said = self.says(&mut turn_state);
        let detection = &mut turn_state.detection;
        let verdict = self.all_decide(said, &mut |sum, said| detection.decide(sum, said));
        self.residuals.halted(&verdict.progress, verdict.sum);
        let (at, initial) = (self.clock.now(), self.initial.get().copied().unwrap_or(0.0));
        if verdict.turns {
            self.send_home(&mut turn_state, at, moved);
        }
        let saves = verdict.saves && self.peers.begins_to_save(&Moment { at, initial });
        if let Some(end) = verdict.end {
            let detected = turn_state.detection.detected();
            let outcome = RunOutcome { end, at, initial, detected, verified: verdict.sum };
            *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        }
        self.control.carry_out(&Verdict { saves, ..verdict });
    }

    /// Gives the parts here to their homes, where they stay from now on.
    fn send_home(&self, turn_state: &mut TurnState<'w>, at: Instant, moved: &mut impl FnMut(Move)) {
        let TurnState { balancer, ownership, .. } = turn_state;
        let homes = self.visits.iter().flat_map(|visits| visits.homes.all());
        balancer.turn(at, ownership, homes, &mut |made| {
            self.assignment.announce(made);
            moved(made);
        });
    }

    /// Returns the number of sweeps that all workers here have made.
    pub(super) fn made(&self) -> u64 {
        self.sweeps.iter().map(Sweeps::made).sum()
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Returns the final figures; after the workers have ended.
    pub(super) fn totals(&self) -> Totals {
        let mut turn_state = self.lock_turn_state();
        self.slots.read_counts(turn_state.counts);
        let progress = progress(turn_state.counts, &self.slots);
        Totals {
            progress,
            spread_max: turn_state.detection.spread_max().max(progress.spread()),
            moves: turn_state.balancer.moves(),
            rounds: turn_state.balancer.rounds(),
            auto: turn_state.balancer.chosen(),
            sweeps: self.made(),
        }
    }

    /// Never contended: the turn belongs to one worker, and a halt to worker 0.
    fn lock_turn_state(&self) -> MutexGuard<'_, TurnState<'w>> {
        self.turn_state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
