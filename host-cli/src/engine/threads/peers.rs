//! The other processes of a run, as the engine of one of them sees them.

use std::time::Duration as Sleep;

use tresse_core::balance::dplb;
use tresse_core::halo::Edges;
use tresse_core::id::{SubdomainId, WorkerId};
use tresse_core::ownership::{Move, Ownership};
use tresse_core::part::SharedPart;
use tresse_core::progress::Progress;
use tresse_core::shared::{Assignment, Held};
use tresse_core::time::Instant;
use tresse_core::worker::next_look;

use super::missing::MissingHalo;
use super::slots::Slots;

/// What the engine asks of the other processes. The defaults are those of a process that is [`Alone`];
/// one that is not needs its own of whatever is collective.
///
/// Worker 0 makes the calls that are collective; all others may be made by any worker, and of those
/// that are made in turn only one at a time.
pub trait Peers<'r, T: SharedPart, const N: usize = 4>: Sync {
    /// Whether nobody else is there, so that nobody is asked.
    const ALONE: bool;

    /// Where a part here reads what its neighbour on a link publishes, where that neighbour is remote, in
    /// another process; none as long as it is not known where.
    #[inline]
    fn edges(&self, reader: SubdomainId, link: usize) -> Option<Edges<'r, 'r, T::Real, N>> {
        let _ = (reader, link);
        None
    }

    /// Lets messages through, where they would not come through otherwise; called by workers after
    /// every sweep. Never waits.
    #[inline]
    fn enter(&self) {}

    /// The same for the thread that watches, which may sleep for the answer then.
    fn attend(&self) -> Sleep {
        Sleep::from_millis(2)
    }

    /// Asks for what a worker waits for that has nothing to sweep. Never waits.
    #[inline]
    fn look(&self) {}

    /// Brings edges that a worker cannot go on without. Never waits.
    #[inline]
    fn bring_halos(&self) {}

    /// Ends the run, of all processes, with an error: a halo can never come.
    fn give_up(&self, missing: &MissingHalo) -> !;

    /// Sets a subdomain that is here to what it was when an earlier run stopped; false where there is
    /// none.
    fn restore(&self, id: SubdomainId, part: &mut T) -> bool {
        let _ = (id, part);
        false
    }

    /// Returns the sum of squares of the residual that tolerances are relative to, where it is that of an
    /// earlier run.
    fn initial(&self) -> Option<f64> {
        None
    }

    /// Does in turn what is due with the others; answers what all together have come to, where it is
    /// this process that has to know.
    fn exchange(&self, local: &mut Local<'_, '_, 'r, T, N>, sum: f64) -> Exchanged {
        Exchanged {
            global: Some(GlobalProgress { sum, progress: local.progress }),
            halts: false,
            due: next_look(local.now, local.slots.table.subdomains()),
        }
    }

    /// Asks all to halt; true where that is for nobody else to agree to.
    fn ask_to_halt(&self) -> bool {
        true
    }

    /// Collective, between two synchronous iterations: brings all edges, and answers whether
    /// somebody has asked all to halt.
    fn step(&self) -> bool {
        false
    }

    /// Collective, while all workers are halted and hold nothing that is to leave: lets everything
    /// arrive that is under way.
    fn settle(&self, local: &mut Local<'_, '_, 'r, T, N>) {
        let _ = local;
    }

    /// Collective, while all are halted and nothing is under way: brings the newest edges.
    fn fetch(&self, local: &mut Local<'_, '_, 'r, T, N>) {
        let _ = local;
    }

    /// Collective: the sum of everybody's residuals, in the order of the subdomains, to the bit what
    /// one process would have come to.
    fn sum(&self, residuals: &mut dyn Iterator<Item = (SubdomainId, f64)>) -> f64 {
        residuals.map(|(_, residual)| residual).sum()
    }

    /// Collective: what all processes have come to together, each with what is there, while nothing
    /// is under way.
    fn global(&self, own: Progress) -> Progress {
        own
    }

    /// Collective: whether it is so for anybody.
    fn any(&self, is: bool) -> bool {
        is
    }

    /// Collective: what the first process says.
    fn agree(&self, own: u8) -> u8 {
        own
    }

    /// After a collective decision, with nothing under way: whether the subdomains are to be shown
    /// to [`Peers::save`]; worker 0 asks, all processes get the same answer.
    fn saves(&self, moment: &Moment) -> bool {
        let _ = moment;
        false
    }

    /// Takes a subdomain down; any worker, all at once.
    fn save(&self, id: SubdomainId, updates: u64, part: &T) {
        let _ = (id, updates, part);
    }

    /// Collective: everything is saved.
    fn saved(&self) {}

    /// What this process cannot see itself, for whoever watches: sets the counts of the subdomains
    /// that are remote. None where nobody watches this process.
    fn remote(&self, counts: &mut [u64]) -> Option<RemoteProgress> {
        let _ = counts;
        Some(RemoteProgress::default())
    }
}

/// What a run has come to when it is halted.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// When.
    pub at: Instant,
    /// The sum of squares of the residual that tolerances are relative to.
    pub initial: f64,
    /// Whether the run ends here as it was to: within the tolerance, or, without one, with its
    /// iterations made, or where it can come no further.
    pub is_reached: bool,
    /// Whether it ends here before that.
    pub is_short: bool,
}

/// What came of an exchange.
#[derive(Clone, Copy, Debug)]
pub struct Exchanged {
    /// What all together have come to, where it is known and this process is to judge it.
    pub global: Option<GlobalProgress>,
    /// Whether all have been told to halt.
    pub halts: bool,
    /// When the next exchange is due.
    pub due: Instant,
}

/// The progress of all processes together.
#[derive(Clone, Copy, Debug)]
pub struct GlobalProgress {
    /// The published residuals' sum of squares.
    pub sum: f64,
    /// Highest and lowest counts, and all updates.
    pub progress: Progress,
}

/// The progress of the other processes, for whoever watches this one.
#[derive(Clone, Copy, Debug, Default)]
pub struct RemoteProgress {
    /// The published residuals' sum of squares.
    pub residual: f64,
    /// Moves within the other processes.
    pub moves: u64,
    /// Their balancing rounds.
    pub rounds: u64,
    /// Updates of all subdomains that were made in an earlier run.
    pub before: u64,
}

/// What the peers may touch of a process in its turn.
pub struct Local<'a, 'w, 'r, T: SharedPart, const N: usize = 4> {
    /// The time.
    pub now: Instant,
    /// What is here.
    pub slots: Slots<'r, T, N>,
    /// Which worker has what; what is on other ranks belongs to [`Local::in_transit`].
    pub ownership: &'a mut Ownership<'w>,
    /// By subdomain the counts of those that are here, as this turn found them.
    pub counts: &'a [u64],
    /// Highest and lowest counts, and all updates, of those that are here.
    pub progress: Progress,
    /// The workers of this process.
    pub workers: &'a [WorkerId],
    /// Moves between them so far.
    pub moves: u64,
    /// Balancing rounds so far.
    pub rounds: u64,
    pub(super) assignment: Assignment<'w>,
}

impl<'r, T: SharedPart, const N: usize> Local<'_, '_, 'r, T, N> {
    /// Returns the number of no worker, which owns what is in transit or on another rank.
    pub fn in_transit(&self) -> WorkerId {
        WorkerId(u32::try_from(self.workers.len()).unwrap_or(u32::MAX))
    }

    /// Tells the worker that has a subdomain to let it go; [`Local::take`] gets it then.
    pub fn release(&mut self, id: SubdomainId) -> bool {
        let made = self.ownership.give(id, self.in_transit());
        made.map(|made| self.assignment.announce(made)).is_some()
    }

    /// Takes what a worker has let go of.
    pub fn take(&self, id: SubdomainId) -> Option<Held<'r, T>> {
        self.slots.take(id, self.in_transit()).map(|taken| taken.held)
    }

    /// Gives a subdomain, which lies in its slot, to one of the workers (step 4 of DPLB).
    pub fn place(&mut self, id: SubdomainId) -> Option<WorkerId> {
        let worker = dplb::place(self.ownership, self.workers)?;
        let Move { to, .. } = self.ownership.give(id, worker).inspect(|&made| {
            self.assignment.announce(made);
        })?;
        Some(to)
    }

    /// Makes all workers find out again where their neighbours are.
    pub fn reconnect(&self) {
        self.workers.iter().for_each(|&worker| self.assignment.mark(worker));
    }
}

/// Nobody else: all subdomains are here.
#[derive(Clone, Copy, Debug)]
pub struct Alone;

impl<T: SharedPart, const N: usize> Peers<'_, T, N> for Alone {
    const ALONE: bool = true;

    #[expect(
        clippy::panic,
        reason = "never: all edges are in this process, and a barrier keeps them"
    )]
    fn give_up(&self, missing: &MissingHalo) -> ! {
        panic!("{missing}")
    }
}
