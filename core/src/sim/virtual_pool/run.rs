//! The loop of a pool's run: one event after the other.

use alloc::vec::Vec;

use super::PoolCosts;
use super::config::PoolSimulation;
use super::error::PoolSimulationError;
use super::network::{DISTANCES, Envelope, Network};
use super::rank::{self, Doing, Rank};
use crate::base::id::WorkerId;
use crate::base::table::At;
use crate::base::time::{Duration, Instant};
use crate::sim::hardware::WorkerPlaces;
use crate::sim::owned::OwnedCores;
use crate::sim::owned::timeline::{Timeline, TrackRecorder};
use crate::sim::queue::OwnedQueue;
use crate::tasks::owned::{OwnedManager, OwnedWorker, everybody};
use crate::tasks::sharing::{
    Activity, Full, Managers, Message, Peer, PoolProgress, SharingStatistics, Work,
};

/// Outcome of a run.
#[derive(Clone, Debug)]
pub struct PoolOutcome<W> {
    /// The work of each worker, with its result.
    pub works: Vec<W>,
    /// Statistics of each worker.
    pub statistics: Vec<SharingStatistics>,
    /// Activities of everybody.
    pub timeline: Timeline,
    /// Time at which the last worker heard of the end.
    pub end: Instant,
    /// Messages sent.
    pub messages: u64,
}

/// A pool on a machine, at some time of its run ([`PoolSimulation::start`]).
pub struct PoolRun<'m, W: Work> {
    pub(super) costs: PoolCosts,
    pub(super) everybody: Managers,
    pub(super) workers: Vec<OwnedWorker<W>>,
    pub(super) managers: Vec<OwnedManager<W::Task>>,
    pub(super) ranks: Vec<Rank<W::Task>>,
    pub(super) cores: OwnedCores<'m>,
    pub(super) network: Network<W::Task>,
    queue: OwnedQueue,
    /// Messages that the acting rank has to send.
    pub(super) outbox: Vec<(Peer, Message, Vec<W::Task>)>,
    /// Activities of each rank.
    tracks: Vec<TrackRecorder>,
    pub(super) now: Instant,
    pub(super) messages: u64,
    /// Workers that have heard of the end.
    pub(super) ended: usize,
    pub(super) end: Instant,
    /// Whether the run has failed, so that nothing goes on.
    has_failed: bool,
}

impl<'m, W: Work> PoolRun<'m, W> {
    /// Returns a run of a valid simulation at time zero.
    pub(super) fn new(
        simulation: &PoolSimulation<'_, 'm>,
        first: &[W::Task],
        work: impl FnMut(WorkerId) -> W,
    ) -> Result<Self, PoolSimulationError> {
        let PoolSimulation { config, managers: all, hardware, costs, most_tasks, .. } = *simulation;
        let (mut workers, managers) = everybody(&all, config, most_tasks, work);
        if let Some(worker) = workers.first_mut() {
            worker.begin(first)?;
        }
        let ranks = all.workers() + all.number();
        let actors = (ranks + ranks * DISTANCES) as usize;
        let step = Duration(costs.task.0.saturating_mul(costs.most_at_a_time.into()));
        let mut run = Self {
            costs,
            everybody: all,
            ranks: (0..ranks).map(|rank| Rank::new(rank < all.workers())).collect(),
            cores: OwnedCores::new(
                &WorkerPlaces::all(hardware),
                hardware,
                &simulation.noise,
                ranks,
            )
            .map_err(PoolSimulationError::Noise)?,
            network: Network::new(hardware, ranks),
            queue: OwnedQueue::owned(actors, ranks as usize, step),
            outbox: Vec::new(),
            tracks: tracks(workers.len(), managers.len()),
            now: Instant::ZERO,
            messages: 0,
            ended: 0,
            end: Instant::ZERO,
            has_failed: false,
            workers,
            managers,
        };
        for rank in 0..all.workers() {
            run.push_rank(rank, Instant::ZERO);
        }
        Ok(run)
    }

    /// Lets the next event happen; false once all workers have heard of the end. Nothing goes on
    /// after an error.
    #[inline]
    pub fn step(&mut self) -> Result<bool, PoolSimulationError> {
        if self.has_ended() || self.has_failed {
            return Ok(false);
        }
        let done = self.process_next_event();
        self.has_failed = done.is_err();
        done?;
        Ok(!self.has_ended())
    }

    /// Lets every event happen up to `time`, which is the run's time afterwards. False once the run
    /// has ended.
    pub fn advance_to(&mut self, time: Instant) -> Result<bool, PoolSimulationError> {
        while self.queue.first(|_| ()).is_none_or(|next| next <= time) {
            if !self.step()? {
                return Ok(false);
            }
        }
        self.now = self.now.max(time);
        Ok(true)
    }

    /// Takes the next event from the queue: a message arrives, or a rank acts. An error where
    /// nothing will ever happen.
    fn process_next_event(&mut self) -> Result<(), PoolSimulationError> {
        let next = self.queue.pop(|_| ()).filter(|(at, _)| *at < Instant::NEVER);
        let (at, actor) = next.ok_or(PoolSimulationError::Stalled)?;
        self.now = at;
        match actor.checked_sub(self.links()) {
            None => self.deliver(actor),
            Some(rank) => {
                self.ranks.at_mut(rank).acts = false;
                if rank < self.everybody.workers() {
                    self.work(rank)?;
                } else {
                    self.manage(rank)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the number of links, which come before ranks among the actors, so that a rank that
    /// acts has the messages that arrive at that time.
    fn links(&self) -> u32 {
        (self.everybody.workers() + self.everybody.number()) * DISTANCES
    }

    /// Schedules a rank.
    fn push_rank(&mut self, rank: u32, at: Instant) {
        self.queue.push(at, self.links() + rank);
    }

    /// Lets a rank act as soon as it is not busy any more.
    pub(super) fn wake(&mut self, rank: u32) {
        let state = self.ranks.at_mut(rank);
        if !state.acts && state.does.0 != Doing::Ended {
            state.acts = true;
            let at = self.now.max(state.busy_until);
            self.push_rank(rank, at);
        }
    }

    /// Delivers the message that has arrived over a link, and wakes its receiver.
    fn deliver(&mut self, link: u32) {
        let (envelope, next) = self.network.arrive(link);
        if let Some(next) = next {
            self.queue.push(next, link);
        }
        let to = envelope.to;
        self.ranks.at_mut(to).unread.push_back(envelope);
        self.wake(to);
    }

    /// Records what a rank does from one time to another.
    pub(super) fn does(&mut self, rank: u32, doing: Doing, from: Instant, until: Instant) {
        self.ranks.at_mut(rank).does = (doing, from, until);
        let (at, then) = match doing {
            Doing::Executing => (Activity::Tasks, None),
            Doing::Speculating => (Activity::Copies, None),
            Doing::Managing => (Activity::Managing, Some(Activity::Idle)),
            Doing::Messaging => (Activity::Messages, None),
            Doing::Waiting | Doing::Ended => (Activity::Searching, None),
        };
        self.turn_to(rank, at, from);
        if let Some(then) = then {
            self.turn_to(rank, then, until);
        }
    }

    /// Records the activity of a rank from a time on.
    pub(super) fn turn_to(&mut self, rank: u32, activity: Activity, from: Instant) {
        self.tracks.at_mut(rank).turn_to(activity, from);
    }

    /// Returns the progress of the pool.
    pub fn progress(&self) -> PoolProgress {
        let of = |worker: &OwnedWorker<W>| PoolProgress {
            done: worker.statistics().done(),
            queued: worker.worker().tasks() as u64,
        };
        let pooled = self.managers.iter().map(|manager| manager.manager().tasks() as u64).sum();
        let pooled = PoolProgress { done: 0, queued: pooled };
        self.workers.iter().map(of).fold(pooled, PoolProgress::and)
    }

    /// Records that a rank is busy until a time.
    pub(super) fn set_busy(&mut self, rank: u32, until: Instant) {
        self.ranks.at_mut(rank).busy_until = until;
    }

    /// Takes the next message that a rank has not read.
    pub(super) fn read(&mut self, rank: u32) -> Option<Envelope<W::Task>> {
        self.ranks.at_mut(rank).unread.pop_front()
    }

    /// Sends the messages in the outbox one after the other, each of which keeps the rank busy for
    /// `each`. Returns the time at which the last one has left.
    pub(super) fn send(&mut self, from: u32, mut now: Instant, each: Duration) -> Instant {
        if each > Duration::ZERO && !self.outbox.is_empty() {
            self.turn_to(from, Activity::Messages, now);
        }
        let Self { outbox, cores, network, queue, messages, everybody, .. } = self;
        for (to, message, tasks) in outbox.drain(..) {
            now = cores.finish(from, now, each);
            *messages += 1;
            let to = rank::number(*everybody, to);
            let envelope = Envelope { from, to, message, tasks, departs: now, arrives: now };
            if let Some((link, at)) = network.send(envelope) {
                queue.push(at, link);
            }
        }
        now
    }

    /// Returns the outcome up to now.
    pub fn into_outcome(self) -> PoolOutcome<W> {
        let Self { workers, mut tracks, end, messages, .. } = self;
        let managers = tracks.split_off(workers.len());
        let finished = |tracks: Vec<TrackRecorder>| {
            tracks.into_iter().map(|track| track.finish(end)).collect()
        };
        let timeline = Timeline { workers: finished(tracks), managers: finished(managers) };
        let statistics = workers.iter().map(|worker| *worker.statistics()).collect();
        let works = workers.into_iter().map(|worker| worker.work).collect();
        PoolOutcome { works, statistics, timeline, end, messages }
    }
}

/// Events between two looks at whether the run goes on.
const LOOK: u32 = 1 << 16;

impl<'m> PoolSimulation<'_, 'm> {
    /// Executes tasks, and all that come of them. `goes_on` is asked now and then, with the
    /// progress so far; none where it says no.
    pub fn run<W: Work>(
        &self,
        first: &[W::Task],
        work: impl FnMut(WorkerId) -> W,
        mut goes_on: impl FnMut(PoolProgress) -> bool,
    ) -> Result<Option<PoolOutcome<W>>, PoolSimulationError> {
        let mut run = self.start(first, work)?;
        let mut steps = 0_u32;
        while run.step()? {
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(LOOK) && !goes_on(run.progress()) {
                return Ok(None);
            }
        }
        Ok(Some(run.into_outcome()))
    }

    /// Returns the run at time zero, to be gone through step by step. The first worker has all the
    /// tasks.
    pub fn start<W: Work>(
        &self,
        first: &[W::Task],
        work: impl FnMut(WorkerId) -> W,
    ) -> Result<PoolRun<'m, W>, PoolSimulationError> {
        self.validate()?;
        PoolRun::new(self, first, work)
    }
}

/// Returns an empty track for each worker, which searches for tasks, and for each manager, which is
/// idle.
fn tracks(workers: usize, managers: usize) -> Vec<TrackRecorder> {
    let most = Timeline::spans_each(workers + managers);
    let begins = [(Activity::Searching, workers), (Activity::Idle, managers)];
    let tracks = begins.into_iter().flat_map(|(at, number)| core::iter::repeat_n(at, number));
    tracks.map(|at| TrackRecorder::new(at, most)).collect()
}

/// Returns an outbox for workers and managers: a function that queues the messages that they send.
pub(super) fn sender<T: Clone>(
    outbox: &mut Vec<(Peer, Message, Vec<T>)>,
) -> impl FnMut(Peer, Message, &[&[T]]) {
    move |to, message, parts| outbox.push((to, message, parts.concat()))
}

/// Result of a worker's or a manager's event.
pub(super) type Acted = Result<(), Full>;
