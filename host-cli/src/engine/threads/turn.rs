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
use tresse_core::worker::Detection;

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
    pub(super) moves: u64,
}

/// The result of a turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Performed {
    /// The moves of a balancing round, where there was one.
    pub(super) round: Option<u32>,
    /// Whether the progress of all calls for a look at a consistent state.
    pub(super) asks: bool,
    /// Whether all workers are told to halt.
    pub(super) halts: bool,
    /// Time at which the next turn is due.
    pub(super) due: Instant,
}

/// The state of the run that a turn uses.
pub(super) struct Around<'a, 'w, 'r, T: SharedPart, P, const N: usize> {
    pub(super) slots: Slots<'r, T, N>,
    pub(super) residuals: &'a Residuals,
    pub(super) sweeps: &'a [Sweeps],
    pub(super) assignment: Assignment<'w>,
    pub(super) peers: &'a P,
}

impl<'w> TurnState<'w> {
    /// Balances and detects whatever is due; `moved` is called for each move.
    pub(super) fn perform<'r, T: SharedPart, P: Peers<'r, T, N>, const N: usize>(
        &mut self,
        now: Instant,
        around: &Around<'_, 'w, 'r, T, P, N>,
        moved: &mut impl FnMut(Move),
    ) -> Performed {
        self.snapshot(&around.slots);
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
        let round = self.balance(now, moved);
        let (mut asks, mut halts) = (false, false);
        if now >= self.detection.due() {
            let sum = around.slots.here().map(|(_, publication)| publication.residual()).sum();
            let Exchanged { global, halts: told, due } =
                around.peers.exchange(&mut self.local(now, around), sum);
            if let Some(global) = global {
                let found = around.residuals.look(&mut self.detection, &global.progress);
                asks = found.unwrap_or_else(|| self.detection.look(global.sum, &global.progress));
            }
            halts = told;
            self.detection.set_due(due);
        }
        asks |= self.balancer.is_to_turn();
        Performed { round, asks, halts, due: self.detection.due().min(self.balancer.poll_at()) }
    }

    /// Returns the state that the peers may use.
    pub(super) fn local<'a, 'r, T: SharedPart, P, const N: usize>(
        &'a mut self,
        now: Instant,
        around: &Around<'_, 'w, 'r, T, P, N>,
    ) -> Local<'a, 'w, 'r, T, N> {
        let progress = self.progress(&around.slots);
        Local {
            now,
            slots: around.slots,
            counts: self.counts,
            progress,
            workers: self.topology.workers(),
            moves: self.moves,
            rounds: self.balancer.rounds(),
            assignment: around.assignment,
            ownership: &mut self.ownership,
        }
    }

    /// Reads the counts of the subdomains that are here.
    pub(super) fn snapshot<T: SharedPart, const N: usize>(&mut self, slots: &Slots<'_, T, N>) {
        for (id, publication) in slots.here() {
            if let Some(count) = self.counts.get_mut(id.index()) {
                *count = publication.version();
            }
        }
    }

    /// Returns the progress in the snapshot of the subdomains that are here.
    pub(super) fn progress<T: SharedPart, const N: usize>(
        &self,
        slots: &Slots<'_, T, N>,
    ) -> Progress {
        let counts = slots.table.here();
        Progress::of(counts.filter_map(|(id, _)| self.counts.get(id.index()).copied()))
    }

    fn balance(&mut self, now: Instant, moved: &mut impl FnMut(Move)) -> Option<u32> {
        let rounds = self.balancer.rounds();
        let mut made_now = 0;
        let observed = Observed {
            counts: self.counts,
            worker_updates: self.worker_updates,
            topology: self.topology,
        };
        let lent = Lent { kept: self.kept, room: self.room, measured: self.measured.as_mut() };
        self.balancer.poll(now, &observed, lent, &mut self.ownership, &mut |made| {
            made_now += 1;
            moved(made);
        });
        self.moves += u64::from(made_now);
        (self.balancer.rounds() > rounds).then_some(made_now)
    }
}
