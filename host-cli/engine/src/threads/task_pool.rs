//! Tasks on rayon's thread pool: each on whichever thread is free.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::Scope;
use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};
use tresse_core::multigrid::owned::flow::{Flow, Running};
use tresse_core::multigrid::owned::{Effort, Workers};
use tresse_core::tasks::sharing::Activity;

use super::task_tracks::TaskTracks;

/// The pool: tasks go to whoever is free.
pub(crate) struct Pool<'t>(pub &'t TaskTracks);

/// A flow on its way, and what its tasks do.
struct Shared<'f, W> {
    state: Mutex<State<'f>>,
    tracks: &'f TaskTracks,
    work: W,
}

struct State<'f> {
    running: Running<'f>,
    /// Threads that do tasks, or are about to.
    busy: usize,
}

impl State<'_> {
    /// Returns how many idle threads are to start for the tasks that are ready, and counts them as
    /// busy.
    fn wanted(&mut self) -> usize {
        let idle = rayon::current_num_threads().saturating_sub(self.busy);
        let wanted = self.running.ready().min(idle);
        self.busy += wanted;
        wanted
    }
}

impl<'f, W: Fn(usize, usize) + Sync> Shared<'f, W> {
    fn state(&self) -> MutexGuard<'_, State<'f>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds so many threads.
    fn call<'s>(&'s self, threads: usize, scope: &Scope<'s>) {
        for _ in 0..threads {
            scope.spawn(|scope| self.run_tasks(scope));
        }
    }

    /// Runs tasks until none is ready, and starts more threads where more are ready than threads
    /// run.
    fn run_tasks<'s>(&'s self, scope: &Scope<'s>) {
        let worker = rayon::current_thread_index().unwrap_or(0);
        let mut ended = None;
        loop {
            let mut state = self.state();
            if let Some(task) = ended {
                state.running.end(task);
            }
            let Some(task) = state.running.take(worker) else {
                state.busy -= 1;
                return;
            };
            let wanted = state.wanted();
            drop(state);
            self.call(wanted, scope);
            self.tracks.during(Activity::Tasks, || (self.work)(worker, task));
            ended = Some(task);
        }
    }
}

impl Workers for Pool<'_> {
    fn number(&self) -> usize {
        rayon::current_num_threads()
    }

    fn flow(&self, flow: &Flow, work: impl Fn(usize, usize) + Sync) {
        let mut state = State { running: flow.begin(), busy: 0 };
        let wanted = state.wanted();
        let shared = Shared { state: Mutex::new(state), tracks: self.0, work };
        self.0.working(|| rayon::scope(|scope| shared.call(wanted, scope)));
    }

    fn each<T: Send>(&self, tasks: Vec<T>, _: impl Fn(&T) -> Effort, work: impl Fn(T) + Sync) {
        tasks
            .into_par_iter()
            .with_max_len(1)
            .for_each(|task| self.0.during(Activity::Tasks, || work(task)));
    }

    fn alone<R>(&self, _: Effort, work: impl FnOnce() -> R) -> R {
        self.0.during(Activity::Tasks, work)
    }
}
