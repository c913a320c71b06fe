//! What the worker that has the turn does for its process: it balances, and looks whether the run
//! may end (section 4.2: workers take turns).

use crate::balance::{Balancer, Lent, Observed};
use crate::base::sync::Ordering;
use crate::base::table::At;
use crate::base::time::Instant;
use crate::base::topology::Topology;
use crate::node::shared::Grip;
use crate::node::worker::{Detection, Duty, Looked, Performed};
use crate::parts::ownership::Ownership;
use crate::parts::{Graph, Part};

use super::host::Host;
use super::node::{Node, TurnState};
use super::observer::Observer as _;
use super::peers::{Exchanged, Local, Peers};

impl<'w, 'r, T, G, P, const N: usize> Node<'w, 'r, T, G, P, N>
where
    T: Part,
    G: Graph<N>,
    P: Peers<'r, T, N>,
{
    /// Does whatever is due in a turn, and returns the result; the calling worker has the turn.
    pub(super) fn perform_turn(&self, host: &mut impl Host<T, N>) -> Performed {
        self.in_turn(|state| {
            let now = host.now();
            self.observe(state);
            let performed = self.perform(state, now, host);
            self.moves.store(state.balancer.moves(), Ordering::Relaxed);
            self.rounds.store(state.balancer.rounds(), Ordering::Relaxed);
            performed
        })
    }

    /// Balances, exchanges with the other processes and looks for the end of the run, as far as
    /// each is due at `now`.
    fn perform(
        &self,
        state: &mut TurnState<'w, 'r, T>,
        now: Instant,
        host: &mut impl Host<T, N>,
    ) -> Performed {
        let TurnState {
            balancer,
            balancer_state,
            balancer_scratch,
            measured,
            ownership,
            topology,
            counts,
            worker_updates,
            detection,
            grip,
        } = state;
        let counts = &**counts;
        let duty = Duty {
            balancer,
            detection: Some(detection),
            observed: Observed { counts, worker_updates, topology: *topology },
            lent: Lent {
                state: balancer_state,
                scratch: balancer_scratch,
                measured: measured.as_mut(),
            },
            ownership,
            is_interrupted: self.is_interrupted(),
        };
        let look = |detection: &mut Detection, balancer: &Balancer, ownership: &mut _| {
            let sum = self.slots.published_residual();
            let mut local = self.local(now, (balancer, *topology), counts, (ownership, grip));
            let Exchanged { global, halts, due } = self.peers.exchange(&mut local, sum);
            let asks = global.is_some_and(|all| self.residuals.look(detection, &all));
            // A halt of all is called in an exchange.
            let due = if asks && !P::ALONE { now } else { due };
            Looked { asks, halts, due }
        };
        duty.perform(now, look, &mut |made| host.observer().moves(made))
    }

    /// Takes a snapshot of the counts, sweep times and sweeps that the balancer works with.
    fn observe(&self, state: &mut TurnState<'w, 'r, T>) {
        self.slots.read_counts(state.counts);
        if let Some(measured) = &mut state.measured {
            for (id, publication) in self.slots.here() {
                *measured.times.at_mut(id) = publication.sweep_time().0;
            }
        }
        for (updates, sweeps) in state.worker_updates.iter_mut().zip(self.sweeps) {
            *updates = sweeps.made();
        }
    }

    /// Returns the part of this process's state that [`Peers`] may use in an exchange.
    pub(super) fn local<'a>(
        &'a self,
        now: Instant,
        (balancer, topology): (&Balancer, Topology<'a>),
        counts: &'a [u64],
        (ownership, grip): (&'a mut Ownership<'w>, &'a mut Grip<'r, T>),
    ) -> Local<'a, 'w, 'r, T, N> {
        Local {
            now,
            slots: self.slots,
            ownership,
            grip,
            counts,
            progress: self.slots.progress(counts),
            workers: topology.workers(),
            moves: balancer.moves(),
            rounds: balancer.rounds(),
            versions: self.residuals.versions(),
            assignment: self.assignment,
        }
    }
}
