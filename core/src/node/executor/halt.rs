//! What one worker does for all while nobody sweeps, as it has ended a pass: it meets the other
//! processes, and decides whether the run has ended.

use crate::base::time::Instant;
use crate::node::worker::{HaltStatus, Rounds, Verdict};
use crate::parts::ownership::Move;
use crate::parts::{Graph, Part};
use crate::run::Switched;

use super::host::{Host, Outcome};
use super::node::{Node, TurnState};
use super::observer::Observer as _;
use super::peers::{Moment, Peers};

impl<'w, 'r, T, G, P, const N: usize> Node<'w, 'r, T, G, P, N>
where
    T: Part,
    G: Graph<N>,
    P: Peers<'r, T, N>,
{
    /// Starts the clock, once the initial residual of every subdomain is published.
    pub(super) fn begin(&self, host: &mut impl Host<T, N>) {
        self.in_turn(|state| {
            let status = self.status(state, host.now());
            let Verdict { sum, progress, .. } = self.verdict_of_all(status, &mut Verdict::go_on);
            self.residuals.halted(&progress, sum);
            let initial = self.peers.initial().unwrap_or(sum);
            let halts = state.detection.begin(initial, sum, &progress);
            self.control.begin(&status.progress, halts);
            host.start_clock();
            self.note_initial(initial);
        });
    }

    /// Agrees with the other processes on the update count at which all halt.
    pub(super) fn agree(&self) {
        let versions = self.slots.here().map(|(_, publication)| publication.version());
        self.control.agree(self.peers.agree(versions.max().unwrap_or(0)));
    }

    /// Exchanges with the other processes between two synchronous iterations, and sets a halt
    /// before `iteration` where one of them has requested it.
    pub(super) fn step(&self, iteration: u64) {
        if self.peers.step() {
            self.control.halt_at(iteration);
        }
    }

    /// Takes part in these rounds with the other processes until they end.
    pub(super) fn go_through(&self, rounds: Rounds, now: Instant) {
        self.in_turn(|state| {
            self.slots.read_counts(state.counts);
            let TurnState { balancer, topology, counts, ownership, grip, .. } = state;
            let mut local = self.local(now, (balancer, *topology), counts, (ownership, grip));
            self.peers.go_through(rounds, &mut local);
        });
        self.control.count_parts(self.parts());
    }

    /// Returns what this process reports while all workers are halted.
    fn status(&self, state: &mut TurnState<'w, 'r, T>, now: Instant) -> HaltStatus {
        self.slots.read_counts(state.counts);
        HaltStatus {
            progress: self.slots.progress(state.counts),
            is_interrupted: self.is_interrupted(),
            wants_to_save: self.peers.wants_to_save(now),
            wants_to_pull: state.balancer.switches_at(),
        }
    }

    /// Returns the verdict that the first process reaches by `judge` from the sum of squares of all
    /// published residuals and the status of all.
    fn verdict_of_all(
        &self,
        status: HaltStatus,
        judge: &mut dyn FnMut(f64, &HaltStatus) -> Verdict,
    ) -> Verdict {
        let here = self.slots.here();
        let mut residuals = here.map(|(id, publication)| (id, publication.residual()));
        self.peers.decide(status, &mut residuals, judge)
    }

    /// Decides whether the run has ended, and carries the verdict out. Everybody is halted, and the
    /// published residuals are of a consistent state.
    pub(super) fn conclude(&self, host: &mut impl Host<T, N>) {
        self.in_turn(|state| {
            let status = self.status(state, host.now());
            let detection = &mut state.detection;
            let verdict =
                self.verdict_of_all(status, &mut |sum, status| detection.decide(sum, status));
            self.residuals.halted(&verdict.progress, verdict.sum);
            let (at, initial) = (host.now(), self.initial().unwrap_or(0.0));
            if let Some(spread) = verdict.switches_at {
                let switched = Switched { at, spread };
                self.switch_to_pull(state, switched, &mut |made| host.observer().moves(made));
            }
            let saves = verdict.saves && self.peers.begin_saving(&Moment { at, initial });
            if let Some(end) = verdict.end {
                let detected = state.detection.detected();
                host.end(Outcome { end, at, initial, detected, verified: verdict.sum });
            }
            self.control.carry_out(&Verdict { saves, ..verdict });
        });
    }

    /// Gives the parts here to their home workers, where they stay from now on, so that workers
    /// pull. Calls `moved` for each part that changes its owner.
    fn switch_to_pull(
        &self,
        state: &mut TurnState<'w, 'r, T>,
        Switched { at, spread }: Switched,
        moved: &mut impl FnMut(Move),
    ) {
        let TurnState { balancer, ownership, .. } = state;
        let homes = self.visits.iter().flat_map(|visits| visits.homes.all());
        balancer.switch_to_pull(at, spread, ownership, homes, moved);
    }
}
