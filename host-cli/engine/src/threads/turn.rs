//! What the worker that has the turn does for its process: it balances, and looks whether the run
//! may end (section 4.2: workers take turns).

use std::sync::atomic::Ordering;

use tresse_core::balance::{Balancer, Lent, Observed};
use tresse_core::base::time::Instant;
use tresse_core::base::topology::Topology;
use tresse_core::node::shared::Grip;
use tresse_core::node::worker::{Detection, Duty, Looked, Performed};
use tresse_core::parts::ownership::{Move, Ownership};
use tresse_core::parts::{Graph, SharedPart};

use super::peers::{Exchanged, Local, Peers};
use super::run::{Run, TurnState};

impl<'w, 'r, T, G, P, const N: usize> Run<'w, 'r, T, G, P, N>
where
    T: SharedPart,
    G: Graph<N> + Sync,
    P: Peers<'r, T, N>,
{
    /// Does whatever is due; the calling worker has the turn. `moved` is called for each move.
    pub(super) fn perform_turn(&self, moved: &mut impl FnMut(Move)) -> Performed {
        let mut turn_state = self.lock_turn_state();
        let now = self.clock.now();
        self.observe(&mut turn_state);
        let TurnState {
            balancer,
            kept,
            room,
            measured,
            ownership,
            topology,
            counts,
            worker_updates,
            detection,
            grip,
        } = &mut *turn_state;
        let counts = &**counts;
        let duty = Duty {
            balancer,
            detection: Some(detection),
            observed: Observed { counts, worker_updates, topology: *topology },
            lent: Lent { kept, room, measured: measured.as_mut() },
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
        let performed = duty.perform(now, look, moved);
        self.moves.store(turn_state.balancer.moves(), Ordering::Relaxed);
        self.rounds.store(turn_state.balancer.rounds(), Ordering::Relaxed);
        performed
    }

    /// Takes a snapshot of what the balancer goes by.
    fn observe(&self, turn_state: &mut TurnState<'w, 'r, T>) {
        self.slots.read_counts(turn_state.counts);
        if let Some(measured) = &mut turn_state.measured {
            for (id, publication) in self.slots.here() {
                if let Some(time) = measured.times.get_mut(id.index()) {
                    *time = publication.sweep_time().0;
                }
            }
        }
        for (updates, sweeps) in turn_state.worker_updates.iter_mut().zip(self.sweeps) {
            *updates = sweeps.made();
        }
    }

    /// Returns the state that the other processes' side may use.
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
