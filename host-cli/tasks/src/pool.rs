//! A pool of tasks on pinned threads: what [`tresse_core::tasks::sharing`] decides, done.
//!
//! Each worker is a thread with a mailbox. A manager is no thread: it is a turn that whoever has
//! sent it something takes, unless another has it. Managers that are to have threads of their own,
//! as the original has them, get them ([`Managing::Dedicated`]).

mod manager;
mod post;
mod report;
mod stopwatch;
mod watched;
mod worker;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use tresse_core::sim::owned::timeline::Timeline;
use tresse_core::tasks::owned::everybody;
use tresse_core::tasks::sharing::{
    Managers, PoolProgress, SharingConfig, SharingError, SharingStatistics, Work,
};
use tresse_platform::clock::Clock;
use tresse_platform::pinned::{self, SpawnError, on_seats};
use tresse_platform::{Placement, Seat};

pub use self::report::{PoolReport, WorkerReport};
pub use self::stopwatch::{Managed, Stopwatch};

use self::manager::Serving;
use self::post::Post;
use self::watched::Watched;
use self::worker::Left;

/// The threads that do the managers' work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "program", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Managing {
    /// Workers in turn: the one that has sent something to a manager.
    #[default]
    Turn,
    /// A thread for each manager.
    Dedicated,
}

/// A pool's configuration, and the cores that it runs on.
#[derive(Clone, Copy, Debug)]
pub struct PoolJob<'a> {
    /// Configuration of the sharing.
    pub config: SharingConfig,
    /// A seat for each worker.
    pub placement: &'a Placement,
    /// Threads that do the managers' work.
    pub managing: Managing,
    /// Greatest number of tasks that one worker or one manager may have at a time.
    pub most_tasks: usize,
    /// Flag that is set to end the pool early.
    pub interrupt: &'a AtomicBool,
}

/// Errors of running a pool.
#[derive(Debug, thiserror::Error)]
pub enum PoolError {
    /// A parameter is out of its bounds.
    #[error(transparent)]
    Config(#[from] SharingError),
    /// The system gives no more threads.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// There are more tasks than permitted.
    #[error("a worker or a manager has more than `most_tasks`, which is {most}")]
    TooManyTasks {
        /// Greatest number of tasks that is permitted.
        most: usize,
    },
    /// The pool was interrupted, with this number of tasks done.
    #[error("interrupted after {tasks} tasks: what was counted is incomplete")]
    Interrupted {
        /// Number of tasks that were executed.
        tasks: u64,
    },
}

/// The result of a pool: each worker's work, with its result, and a report.
#[derive(Debug)]
pub struct Pooled<W> {
    /// The work of each worker.
    pub works: Vec<W>,
    /// Report of the run.
    pub report: PoolReport,
}

/// The state that the threads of a run share.
struct PoolState<'a, T> {
    job: PoolJob<'a>,
    post: Post<T>,
    managers: Vec<Serving<T>>,
    /// Clock of the run, started with it.
    clock: Clock,
    watched: Watched,
    /// Whether a worker or a manager cannot go on.
    failed: AtomicBool,
    /// Number of workers that have not ended.
    at_work: AtomicU32,
}

impl<T> PoolState<'_, T> {
    /// Reports whether the pool is stopped, by an interrupt or because it is full.
    fn is_called_off(&self) -> bool {
        self.failed.load(Ordering::Relaxed) || self.job.interrupt.load(Ordering::Relaxed)
    }

    /// Returns the most spans of each track.
    fn most_spans(&self) -> usize {
        most_spans(self.job.placement.workers(), self.managers.len())
    }
}

/// Returns the greatest number of spans that each track may have.
fn most_spans(workers: u32, managers: usize) -> usize {
    Timeline::spans_each(workers as usize + managers)
}

/// Period in which `watch` is called.
const PERIOD: Duration = Duration::from_millis(100);

/// Executes tasks, and all tasks that they create, until there are none. Calls `watch` with the
/// progress, ten times a second.
pub fn run<W>(
    job: PoolJob<'_>,
    first: &[W::Task],
    work: impl FnMut(tresse_core::base::id::WorkerId) -> W,
    watch: &mut dyn FnMut(PoolProgress),
) -> Result<Pooled<W>, PoolError>
where
    W: Work + Send,
    W::Task: Send + Sync,
    W::Outcome: Send,
{
    job.config.validate()?;
    let workers = job.placement.workers();
    let managers = if job.config.method.steals() {
        Managers::one(workers)
    } else {
        Managers::enough_for(workers)
    };
    let (mut owned, managing) = everybody(&managers, job.config, job.most_tasks, work);
    if let Some(worker) = owned.first_mut() {
        let most = job.most_tasks;
        worker.begin(first).map_err(|_| PoolError::TooManyTasks { most })?;
    }
    let (post, mailboxes, boxes) = Post::new(workers, managers.number());
    let most_spans = most_spans(workers, managing.len());
    let managers = managing.into_iter().zip(boxes);
    let managers = managers.map(|(manager, mailbox)| Serving::new(manager, mailbox, most_spans));
    let state = PoolState {
        job,
        post,
        managers: managers.collect(),
        clock: Clock::default(),
        watched: Watched::default(),
        failed: AtomicBool::new(false),
        at_work: AtomicU32::new(workers),
    };
    state.clock.start();
    let left = thread::scope(|scope| {
        let state = &state;
        if job.managing == Managing::Dedicated {
            for serving in &state.managers {
                scope.spawn(move || manager::serve_until_end(serving, state));
            }
        }
        let work = |_: &Seat, (worker, mailbox)| {
            let left = worker::work(worker, &mailbox, state);
            state.at_work.fetch_sub(1, Ordering::Release);
            left
        };
        let watch = || {
            while state.at_work.load(Ordering::Acquire) > 0 {
                thread::park_timeout(PERIOD);
                watch(state.watched.all());
            }
        };
        let jobs = owned.into_iter().zip(mailboxes);
        let done = on_seats(&job.placement.seats, jobs, work, watch);
        // Managers with threads of their own would wait for those that have not begun.
        state.failed.fetch_or(done.is_err(), Ordering::Relaxed);
        done
    });
    let ((), left) = left?;
    finish(state, left)
}

/// Returns what the workers have left and the report, or the error of a pool that is full or
/// interrupted.
fn finish<W: Work>(
    state: PoolState<'_, W::Task>,
    left: Vec<pinned::Left<Left<W>>>,
) -> Result<Pooled<W>, PoolError> {
    let end = state.clock.now();
    let unpinned = left.iter().filter_map(|left| left.unpinned).collect();
    let left: Vec<_> = left.into_iter().map(|left| left.of).collect();
    let statistics: Vec<_> = left.iter().map(|left| *left.worker.statistics()).collect();
    if state.failed.load(Ordering::Relaxed) {
        return Err(PoolError::TooManyTasks { most: state.job.most_tasks });
    }
    if left.iter().any(|left| !left.ended) {
        let tasks = statistics.iter().map(SharingStatistics::done).sum();
        return Err(PoolError::Interrupted { tasks });
    }
    let PoolState { post, managers, .. } = state;
    let managers = managers.into_iter().map(|manager| manager.into_track(end)).collect();
    let (works, workers) =
        left.into_iter().map(|left| (left.worker.work, left.recorder.finish(end))).unzip();
    let timeline = Timeline { workers, managers };
    let report = PoolReport::new(timeline, statistics, post.messages());
    Ok(Pooled { works, report: PoolReport { unpinned, ..report } })
}
