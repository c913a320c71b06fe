//! The other processes of a run, as the engine of one of them sees them.

use crate::balance::dplb;
use crate::base::bug::stop;
use crate::base::id::{SubdomainId, WorkerId};
use crate::base::sync::AtomicU64;
use crate::base::time::{Duration, Instant};
use crate::node::shared::{Assignment, Grip};
use crate::node::worker::{GlobalProgress, HaltStatus, Rounds, Verdict, Versions, next_look};
use crate::parts::Part;
use crate::parts::halo::Edges;
use crate::parts::ownership::Ownership;
use crate::run::progress::Progress;

use super::missing::MissingHalo;
use super::slots::Slots;

/// The services that the engine needs from the other processes. The defaults are those of a process
/// that is [`Alone`]; any other process must replace those that are collective.
///
/// Worker 0 makes the calls that are collective; all others may be made by any worker, and of those
/// that are made in turn only one at a time.
pub trait Peers<'r, T: Part, const N: usize = 4>: Sync {
    /// Whether this is the only process, so that no other is asked.
    const ALONE: bool;

    /// Returns where a part here reads the edge of its neighbour on `link`, which is in another
    /// process; `None` while the neighbour's place is unknown.
    #[inline]
    fn edges(&self, reader: SubdomainId, link: usize) -> Option<Edges<'r, 'r, T::Unit, N>> {
        let _ = (reader, link);
        None
    }

    /// Lets the transport make progress; workers call it after every sweep. Never waits.
    #[inline]
    fn enter(&self) {}

    /// Lets the transport make progress as [`Peers::enter`] does, for the monitoring thread;
    /// returns how long that thread may sleep.
    fn attend(&self) -> Duration {
        Duration::from_millis(50)
    }

    /// Requests the subdomains and edges for which a worker without anything to sweep waits. Never
    /// waits.
    #[inline]
    fn look(&self) {}

    /// Fetches edges that a worker cannot go on without. Never waits.
    #[inline]
    fn bring_halos(&self) {}

    /// Ends the run, of all processes, with an error: a halo can never come. To a single process
    /// that does not happen: all edges are in its memory, and a barrier keeps them.
    fn give_up(&self, missing: &MissingHalo) -> ! {
        let _ = missing;
        stop("a halo is lost within a process")
    }

    /// Sets a part to its state at the start of the run. The default leaves it as it is.
    fn fill(&self, id: SubdomainId, part: &mut T) {
        let _ = (id, part);
    }

    /// Returns the sum of squares of the residual that tolerances are relative to, where it is that
    /// of an earlier run.
    fn initial(&self) -> Option<f64> {
        None
    }

    /// Makes the exchange that is due with the other processes, in a worker's turn. `sum` is the
    /// sum of squares of the residuals published here.
    fn exchange(&self, local: &mut Local<'_, '_, 'r, T, N>, sum: f64) -> Exchanged {
        local.alone(sum)
    }

    /// Requests a halt of all processes; returns true where no other process has to agree.
    fn ask_to_halt(&self) -> bool {
        true
    }

    /// Collective, while no worker sweeps: returns the highest `count` of all processes.
    fn agree(&self, count: u64) -> u64 {
        count
    }

    /// Collective, between two synchronous iterations: fetches all edges, and returns whether a
    /// process has requested a halt.
    fn step(&self) -> bool {
        false
    }

    /// Collective, while all workers are halted: goes through rounds of this kind until they end.
    fn go_through(&self, rounds: Rounds, local: &mut Local<'_, '_, 'r, T, N>) {
        let _ = (rounds, local);
    }

    /// Collective, while all workers are halted and nothing is in transit: sends the status and the
    /// residuals of all processes to the first, and returns the verdict that it reaches by `judge`.
    /// Residuals, as sums of squares, are added in the order of the subdomains, so that their sum
    /// equals that of a single process to the bit.
    fn decide(
        &self,
        status: HaltStatus,
        residuals: &mut dyn Iterator<Item = (SubdomainId, f64)>,
        judge: &mut dyn FnMut(f64, &HaltStatus) -> Verdict,
    ) -> Verdict {
        judge(residuals.map(|(_, residual)| residual).sum(), &status)
    }

    /// Whether this process wants a checkpoint now.
    fn wants_to_save(&self, now: Instant) -> bool {
        let _ = now;
        false
    }

    /// Collective, after a verdict to save: begins a checkpoint. Returns whether subdomains are to
    /// be passed to [`Peers::save`], the same on all processes.
    fn begin_saving(&self, moment: &Moment) -> bool {
        let _ = moment;
        false
    }

    /// Saves a subdomain that has made this number of updates; all workers call it at once.
    fn save(&self, id: SubdomainId, updates: u64, part: &T) {
        let _ = (id, updates, part);
    }

    /// Collective: completes the checkpoint, as every subdomain is saved.
    fn saved(&self) {}

    /// Returns the progress of the other processes for the monitoring thread, and sets the counts
    /// of remote subdomains. `None` where nobody monitors this process.
    fn remote(&self, counts: &mut [u64]) -> Option<RemoteProgress> {
        let _ = counts;
        Some(RemoteProgress::default())
    }
}

/// The state of a run at the moment of a halt.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// Time of the halt.
    pub at: Instant,
    /// The sum of squares of the residual that tolerances are relative to.
    pub initial: f64,
}

/// The result of an exchange.
#[derive(Clone, Copy, Debug)]
pub struct Exchanged {
    /// Progress of all processes together, where it is known and this process has to judge it.
    pub global: Option<GlobalProgress>,
    /// Whether all processes have been told to halt.
    pub halts: bool,
    /// Time at which the next exchange is due.
    pub due: Instant,
}

/// The progress of the other processes, for the thread that watches this one.
#[derive(Clone, Copy, Debug, Default)]
pub struct RemoteProgress {
    /// The published residuals' sum of squares.
    pub residual: f64,
    /// Moves within the other processes.
    pub moves: u64,
    /// Balancing rounds of the other processes.
    pub rounds: u64,
    /// Updates of all subdomains that were made in an earlier run.
    pub before: u64,
    /// Whether counts of remote subdomains are of earlier moments than those that are here.
    pub is_late: bool,
}

/// The state of a process that its peers may use in a turn.
pub struct Local<'a, 'w, 'r, T: Part, const N: usize = 4> {
    /// The time.
    pub now: Instant,
    /// Slots of this process.
    pub slots: Slots<'r, T, N>,
    /// Owner of each subdomain; those on other ranks belong to [`Local::in_transit`].
    pub ownership: &'a mut Ownership<'w>,
    /// What takes parts that are in transit.
    pub grip: &'a mut Grip<'r, T>,
    /// Update counts by subdomain, as this turn found them; only those of subdomains that are here
    /// count.
    pub counts: &'a [u64],
    /// Highest and lowest counts, and all updates, of those that are here.
    pub progress: Progress,
    /// The workers of this process.
    pub workers: &'a [WorkerId],
    /// Moves between these workers so far.
    pub moves: u64,
    /// Balancing rounds so far.
    pub rounds: u64,
    /// Residuals of versions, where they are collected.
    pub versions: Option<Versions<'a, AtomicU64>>,
    pub(super) assignment: Assignment<'w>,
}

impl<T: Part, const N: usize> Local<'_, '_, '_, T, N> {
    /// Returns the number after that of the last worker, which owns the subdomains that are in
    /// transit or on another rank.
    pub fn in_transit(&self) -> WorkerId {
        WorkerId(u32::try_from(self.workers.len()).unwrap_or(u32::MAX))
    }

    /// Makes the worker that holds a subdomain release it, so that [`Local::take`] gets it; returns
    /// whether a worker had it.
    pub fn release(&mut self, id: SubdomainId) -> bool {
        self.ownership.give(id, self.in_transit()).is_some()
    }

    /// Claims a subdomain that a worker has released; returns the index of its claim.
    pub fn take(&mut self, id: SubdomainId) -> Option<usize> {
        self.slots.parts.take(self.grip, self.slots.table.slot(id)?)
    }

    /// Gives a subdomain, which lies in its slot, to one of the workers (step 4 of DPLB); returns
    /// which.
    pub fn place(&mut self, id: SubdomainId) -> Option<WorkerId> {
        let worker = dplb::place(self.ownership, self.workers)?;
        self.ownership.give(id, worker).map(|made| made.to)
    }

    /// Returns the result of an exchange without other processes. `sum` is the sum of squares of
    /// the published residuals.
    pub fn alone(&self, sum: f64) -> Exchanged {
        let known = self.versions.and_then(|versions| versions.find_newest(self.progress.least));
        Exchanged {
            global: Some(GlobalProgress { sum, progress: self.progress, known }),
            halts: false,
            due: next_look(self.now, self.slots.table.subdomains()),
        }
    }

    /// Makes all workers look up again where their neighbours are.
    pub fn reconnect(&self) {
        self.assignment.mark_all();
    }
}

/// The peers of a single process: none, as all subdomains are here.
#[derive(Clone, Copy, Debug)]
pub struct Alone;

impl<T: Part, const N: usize> Peers<'_, T, N> for Alone {
    const ALONE: bool = true;
}
