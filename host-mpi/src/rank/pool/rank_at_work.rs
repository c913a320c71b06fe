//! A rank at work: a worker, a manager, or both.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;
use tresse::engine::clock::Clock;
use tresse::engine::pool::{Managed, Stopwatch};
use tresse_core::base::id::{RankId, WorkerId};
use tresse_core::sim::owned::timeline::{Timeline, TrackRecorder};
use tresse_core::tasks::owned::{OwnedManager, OwnedWorker};
use tresse_core::tasks::sharing::{
    Activity, Full, MOST_AT_A_LOOK, Message, Peer, PoolProgress, Step, Work, Worker,
};

use super::RankPool;
use super::post::{Mail, Post};
use super::rank_message::{CalledOff, RankMessage};
use super::report::{RankPooled, RankReport, gather, gather_timeline};
use crate::mpi::Entry;
use crate::rank::termination_notice::TerminationNotice;

/// Greatest number of tasks between two looks for messages: some microseconds of small tasks.
const MOST_AT_A_TIME: u32 = 256;

/// Number of looks for messages before a rank without tasks lets others have its core; after twice
/// as many, the rank sleeps.
const LOOKS: u32 = 2_000;

/// Time for which a rank without tasks sleeps.
const NAP: Duration = Duration::from_micros(20);

/// Period in which a rank reports its progress.
const PERIOD: Duration = Duration::from_millis(200);

/// Number of looks of a rank without tasks between two looks at the clock.
const PATIENT_LOOKS: u32 = 1 << 10;

/// A rank with its worker, its manager and its messages.
pub(super) struct RankAtWork<'a, W: Work, M> {
    pool: &'a RankPool<'a>,
    pub(super) worker: Option<OwnedWorker<W>>,
    manager: Option<OwnedManager<W::Task>>,
    post: Post<W::Task, M>,
    clock: &'a Clock,
    stopwatch: Stopwatch<'a>,
    /// Recorder of the manager's activities.
    managed: TrackRecorder,
    /// Progress of each rank, on the first one.
    progress: Vec<PoolProgress>,
    worker_ended: bool,
    /// Reason for which this rank or another has stopped the pool.
    called_off: Option<CalledOff>,
    overflowed: bool,
}

impl<'a, W, M> RankAtWork<'a, W, M>
where
    M: Mail,
    W: Work,
    W::Task: Serialize + DeserializeOwned,
{
    /// Returns one of `ranks` with its worker, its manager, or both.
    pub fn new(
        rank: RankId,
        ranks: u32,
        mail: M,
        pool: &'a RankPool<'a>,
        clock: &'a Clock,
        work: impl FnOnce(WorkerId) -> W,
    ) -> Self {
        let RankPool { config, places, most_tasks, .. } = *pool;
        let managers = &places.managers;
        let worker = places.worker(rank).map(|id| {
            let worker = Worker::new(id, managers, config);
            OwnedWorker::new(worker, &config, work(id), most_tasks)
        });
        let manager = places.manager(rank);
        let manager = manager.map(|id| OwnedManager::new(managers.members(id), config, most_tasks));
        let spans = Timeline::spans_each((managers.workers() + managers.number()) as usize);
        Self {
            pool,
            worker_ended: worker.is_none(),
            worker,
            manager,
            post: Post::new(rank, ranks, places, mail),
            clock,
            stopwatch: Stopwatch::new(clock, spans),
            managed: TrackRecorder::new(Activity::Idle, spans),
            progress: vec![PoolProgress::default(); ranks as usize],
            called_off: None,
            overflowed: false,
        }
    }

    /// Gives the first tasks to the first worker.
    pub fn begin(&mut self, tasks: &[W::Task]) {
        if let Some(worker) = &mut self.worker
            && worker.worker().id() == WorkerId(0)
        {
            self.overflowed = worker.begin(tasks).is_err();
        }
    }

    /// Works until the tasks of all ranks are executed, or the pool is stopped.
    pub fn work(
        &mut self,
        entry: &mut Entry,
        notice: &TerminationNotice,
        watch: &mut dyn FnMut(PoolProgress),
    ) {
        let (mut looks, mut told) = (0_u32, Instant::now());
        while !self.has_ended() {
            if self.read_some() {
                looks = 0;
            }
            let step = self.step();
            if let Some(failure) = self.post.failure() {
                entry.give_up(failure);
            }
            self.overflowed |= step.is_err();
            if self.pool.interrupt.load(Ordering::Relaxed) {
                self.called_off = Some(CalledOff::AskedToEnd);
            } else if self.overflowed {
                self.called_off = self.called_off.or(Some(CalledOff::NoRoom));
            }
            if let Some(why) = self.called_off {
                if why == CalledOff::AskedToEnd {
                    // The rank that speaks may hear it from another before it is asked itself.
                    notice.send(|| "what was counted so far is incomplete".to_owned());
                }
                self.post.call_off(why);
                return;
            }
            let set_busy = matches!(step, Ok(Step::Executed(_) | Step::Speculated));
            looks = if set_busy { 0 } else { looks.saturating_add(1) };
            if looks > 2 * LOOKS {
                thread::sleep(NAP);
            } else if looks > LOOKS {
                thread::yield_now();
            }
            if looks.is_multiple_of(PATIENT_LOOKS)
                && self.pool.is_watched
                && told.elapsed() > PERIOD
            {
                told = Instant::now();
                self.report_progress(watch);
            }
        }
    }

    /// Reports whether the worker and the manager of this rank have ended.
    pub(super) fn has_ended(&self) -> bool {
        let manager = self.manager.as_ref();
        self.worker_ended && manager.is_none_or(|manager| manager.manager().has_ended())
    }

    /// Reports this rank's progress to the first rank, and, on that one, the progress of all to
    /// `watch`.
    fn report_progress(&mut self, watch: &mut dyn FnMut(PoolProgress)) {
        let pooled = self.manager.as_ref().map_or(0, |manager| manager.manager().tasks());
        let of = |worker: &OwnedWorker<W>| (worker.statistics().done(), worker.worker().tasks());
        let (done, own) = self.worker.as_ref().map_or((0, 0), of);
        self.post.report_progress(PoolProgress { done, queued: (own + pooled) as u64 });
        if self.post.rank() == RankId(0) {
            let all = self.progress.iter().copied();
            watch(all.fold(PoolProgress::default(), PoolProgress::and));
        }
    }

    /// Advances the worker by one step. It waits instead while too many bytes are unread, and a
    /// rank without a worker has ended.
    pub(super) fn step(&mut self) -> Result<Step, Full> {
        let Self { worker: Some(worker), post, stopwatch, .. } = self else {
            return Ok(Step::Ended);
        };
        if post.is_congested() {
            // Somebody does not read what is sent to it: it is given time.
            stopwatch.turn_to(Step::Waits);
            return Ok(Step::Waits);
        }
        let own = Peer::Worker(worker.worker().id());
        let mut out = |to: Peer, message: Message, parts: &[&[W::Task]]| {
            post.send(own, to, message, parts);
        };
        let step = worker.step(MOST_AT_A_TIME, &mut out)?;
        stopwatch.turn_to(step);
        self.worker_ended = step == Step::Ended;
        Ok(step)
    }

    /// Reads some of the messages that have arrived; returns whether there were any.
    pub(super) fn read_some(&mut self) -> bool {
        let mut some = false;
        for _ in 0..MOST_AT_A_LOOK {
            let Some(rank_message) = self.post.next() else { break };
            some = true;
            match rank_message {
                RankMessage::CalledOff(why) => self.called_off = Some(why),
                // The post keeps count.
                RankMessage::Read(_) => {}
                RankMessage::Progress { rank, progress } => {
                    if let Some(of_rank) = self.progress.get_mut(rank as usize) {
                        *of_rank = progress;
                    }
                }
                RankMessage::Message { from, to, message, tasks } => {
                    let read = self.read((from, to), &message, &tasks);
                    self.overflowed |= read.is_err();
                }
            }
        }
        some
    }

    /// Delivers a message to the worker or the manager of this rank. The time of a manager beside a
    /// worker is booked as managing.
    fn read(
        &mut self,
        (from, to): (Peer, Peer),
        message: &Message,
        tasks: &[W::Task],
    ) -> Result<(), Full> {
        let Self { worker, manager, post, managed, stopwatch, clock, .. } = self;
        let mut out = |next: Peer, message: Message, parts: &[&[W::Task]]| {
            post.send(to, next, message, parts);
        };
        match (to, worker, manager) {
            (Peer::Worker(_), Some(worker), _) => worker.receive(from, message, tasks, &mut out),
            (Peer::Manager(_), worker, Some(manager)) => {
                let mut receive = |time: &mut Managed<'_>| {
                    let read = manager.receive(from, message, tasks, &mut out);
                    time.by(managed);
                    read
                };
                match worker {
                    Some(_) => stopwatch.manages(receive),
                    None => receive(&mut Managed::begin(clock)),
                }
            }
            // Nobody writes to who is not there.
            _ => Ok(()),
        }
    }

    /// Ends the rank's work, and gathers the reports of all ranks. Collective.
    pub fn settle(mut self, entry: &mut Entry) -> RankPooled<W> {
        let now = self.clock.now();
        self.post.settle(entry);
        let own = RankReport {
            worker: self.worker.as_ref().map(|worker| *worker.statistics()),
            messages: self.post.messages(),
            ended: self.has_ended() && self.called_off.is_none(),
            overflowed: self.overflowed,
        };
        let worker = self.worker.as_ref().map(|_| self.stopwatch.into_recorder());
        let manager = self.manager.as_ref().map(|_| self.managed);
        RankPooled {
            work: self.worker.map(|worker| worker.work),
            all: gather(entry, &own),
            timeline: gather_timeline(entry, now, [worker, manager]),
        }
    }
}
