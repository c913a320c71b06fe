//! The turn of one worker at a time to balance and to detect the end for all (section 4.2: workers take
//! turns).

use tresse_core::balance::measured::Measured;
use tresse_core::balance::{Balancer, Lent, Observed};
use tresse_core::ownership::{Move, Ownership};
use tresse_core::part::SharedPart;
use tresse_core::progress::Progress;
use tresse_core::shared::Assignment;
use tresse_core::time::Instant;
use tresse_core::topology::Topology;
use tresse_core::worker::{Detection, Duty, Looked, Performed};

use super::peers::{Exchanged, Local, Peers};
use super::residuals::Residuals;
use super::slots::Slots;
use super::sweeps::Sweeps;

/// The state that goes from turn to turn.
pub(super) struct TurnState<'m> {
    pub(super) balancer: Balancer,
    /// Memory of the balancer: from round to round, and within one.
    pub(super) kept: &'m mut [u64],
    pub(super) room: &'m mut [u64],
    /// Measured times of sweeps, where the balancer uses them.
    pub(super) measured: Option<Measured<'m>>,
    pub(super) ownership: Ownership<'m>,
    pub(super) topology: Topology<'m>,
    /// Memory for a snapshot of the counts.
    pub(super) counts: &'m mut [u64],
    /// Memory for a snapshot of each worker's sweeps.
    pub(super) worker_updates: &'m mut [u64],
    pub(super) detection: Detection,
}

/// The state of the run that a turn uses.
pub(super) struct Around<'a, 'w, 'r, T: SharedPart, P, const N: usize> {
    pub(super) slots: Slots<'r, T, N>,
    pub(super) residuals: &'a Residuals,
    pub(super) sweeps: &'a [Sweeps],
    pub(super) assignment: Assignment<'w>,
    pub(super) peers: &'a P,
}

impl<'s, 'w, 'r, T: SharedPart, P, const N: usize> Around<'s, 'w, 'r, T, P, N> {
    /// Returns the state that the peers may use.
    fn local<'a>(
        &self,
        now: Instant,
        (balancer, topology): (&Balancer, Topology<'a>),
        counts: &'a [u64],
        ownership: &'a mut Ownership<'w>,
    ) -> Local<'a, 'w, 'r, T, N>
    where
        's: 'a,
    {
        Local {
            now,
            slots: self.slots,
            ownership,
            counts,
            progress: progress(counts, &self.slots),
            workers: topology.workers(),
            moves: balancer.moves(),
            rounds: balancer.rounds(),
            versions: self.residuals.versions(),
            assignment: self.assignment,
        }
    }
}

/// Returns the progress in a snapshot of the subdomains that are here.
pub(super) fn progress<T: SharedPart, const N: usize>(
    counts: &[u64],
    slots: &Slots<'_, T, N>,
) -> Progress {
    let here = slots.table.here();
    Progress::of(here.filter_map(|(id, _)| counts.get(id.index()).copied()))
}

impl<'w> TurnState<'w> {
    /// Balances and detects whatever is due; `moved` is called for each move.
    pub(super) fn perform<'r, T: SharedPart, P: Peers<'r, T, N>, const N: usize>(
        &mut self,
        (now, is_interrupted): (Instant, bool),
        around: &Around<'_, 'w, 'r, T, P, N>,
        moved: &mut impl FnMut(Move),
    ) -> Performed {
        around.slots.read_counts(self.counts);
        if let Some(measured) = &mut self.measured {
            for (id, publication) in around.slots.here() {
                if let Some(time) = measured.times.get_mut(id.index()) {
                    *time = publication.sweep_time().0;
                }
            }
        }
        for (updates, sweeps) in self.worker_updates.iter_mut().zip(around.sweeps) {
            *updates = sweeps.made();
        }
        let Self { balancer, kept, room, measured, topology, counts, detection, .. } = self;
        let duty = Duty {
            balancer,
            detection: Some(detection),
            observed: Observed { counts, worker_updates: self.worker_updates, topology: *topology },
            lent: Lent { kept, room, measured: measured.as_mut() },
            ownership: &mut self.ownership,
            is_interrupted,
        };
        let counts = &*counts;
        let look = |detection: &mut Detection, balancer: &Balancer, ownership: &mut _| {
            let sum = around.slots.published_residual();
            let mut local = around.local(now, (balancer, *topology), counts, ownership);
            let Exchanged { global, halts, due } = around.peers.exchange(&mut local, sum);
            let asks = global.is_some_and(|all| around.residuals.look(detection, &all));
            Looked { asks, halts, due }
        };
        duty.perform(now, look, moved)
    }

    /// Returns the state that the peers may use.
    pub(super) fn local<'a, 'r, T: SharedPart, P, const N: usize>(
        &'a mut self,
        now: Instant,
        around: &Around<'a, 'w, 'r, T, P, N>,
    ) -> Local<'a, 'w, 'r, T, N> {
        let Self { balancer, topology, counts, ownership, .. } = self;
        around.local(now, (balancer, *topology), counts, ownership)
    }
}
