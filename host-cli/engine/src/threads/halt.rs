//! What one worker does for all while nobody sweeps, as it has ended a pass: it meets the other
//! processes, and decides whether the run has ended.

use std::sync::PoisonError;

use tresse_core::base::time::Instant;
use tresse_core::node::worker::{Said, Verdict};
use tresse_core::parts::ownership::Move;
use tresse_core::parts::{Graph, SharedPart};
use tresse_core::ranks::Rounds;

use super::peers::{Moment, Peers};
use super::run::{Run, RunOutcome, TurnState};

impl<'w, 'r, T, G, P, const N: usize> Run<'w, 'r, T, G, P, N>
where
    T: SharedPart,
    G: Graph<N> + Sync,
    P: Peers<'r, T, N>,
{
    /// Starts the clock once every subdomain's initial residual is published.
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

    /// Agrees with the other processes on the count at which all halt.
    pub(super) fn agree(&self) {
        let versions = self.slots.here().map(|(_, publication)| publication.version());
        self.control.agree(self.peers.agree(versions.max().unwrap_or(0)));
    }

    /// Meets the other processes between two synchronous iterations.
    pub(super) fn step(&self, iteration: u64) {
        if self.peers.step() {
            self.control.halt_at(iteration);
        }
    }

    /// Goes with the other processes through rounds.
    pub(super) fn go_through(&self, rounds: Rounds) {
        let mut turn_state = self.lock_turn_state();
        self.slots.read_counts(turn_state.counts);
        let TurnState { balancer, topology, counts, ownership, grip, .. } = &mut *turn_state;
        let now = self.clock.now();
        let mut local = self.local(now, (balancer, *topology), counts, (ownership, grip));
        self.peers.go_through(rounds, &mut local);
        self.control.count_parts(self.parts());
    }

    /// Returns what this process says while all workers are halted.
    fn says(&self, turn_state: &mut TurnState<'w, 'r, T>) -> Said {
        self.slots.read_counts(turn_state.counts);
        Said {
            progress: self.slots.progress(turn_state.counts),
            is_interrupted: self.is_interrupted(),
            wants_to_save: self.peers.wants_to_save(self.clock.now()),
            wants_to_pull: turn_state.balancer.turns_at(),
        }
    }

    /// Returns what the first process makes of the published residuals.
    fn all_decide(&self, said: Said, judge: &mut dyn FnMut(f64, &Said) -> Verdict) -> Verdict {
        let here = self.slots.here();
        let mut residuals = here.map(|(id, publication)| (id, publication.residual()));
        self.peers.decide(said, &mut residuals, judge)
    }

    /// Decides, while everybody is halted and the published residuals are of a consistent state,
    /// whether the run has ended. `moved` is called for each subdomain that goes home then.
    pub(super) fn decide(&self, moved: &mut impl FnMut(Move)) {
        let mut turn_state = self.lock_turn_state();
        let said = self.says(&mut turn_state);
        let detection = &mut turn_state.detection;
        let verdict = self.all_decide(said, &mut |sum, said| detection.decide(sum, said));
        self.residuals.halted(&verdict.progress, verdict.sum);
        let (at, initial) = (self.clock.now(), self.initial.get().copied().unwrap_or(0.0));
        if let Some(spread) = verdict.turns {
            self.send_home(&mut turn_state, (at, spread), moved);
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
    fn send_home(
        &self,
        turn_state: &mut TurnState<'w, 'r, T>,
        why: (Instant, u64),
        moved: &mut impl FnMut(Move),
    ) {
        let TurnState { balancer, ownership, .. } = turn_state;
        let homes = self.visits.iter().flat_map(|visits| visits.homes.all());
        balancer.turn(why, ownership, homes, moved);
    }
}
