//! Threads in virtual time: the workers of a virtual machine's node, which share out the bands that
//! it has.

use alloc::collections::{BTreeSet, BinaryHeap};
use alloc::vec;
use alloc::vec::Vec;
use core::cell::{RefCell, RefMut};
use core::cmp::Reverse;
use core::sync::atomic::{AtomicU64, Ordering};

use crate::base::bug::OrBug;
use crate::base::id::{NodeId, WorkerId};
use crate::base::time::{Duration, Instant};
use crate::multigrid::owned::flow::Flow;
use crate::multigrid::owned::{Effort, Workers};
use crate::run::RunConfig;
use crate::sim::hardware::{Costs, WorkerPlaces};
use crate::sim::machine::{CoreNoise, CoreTrace, Hardware, NoiseTaken, SimulationError};
use crate::sim::owned::OwnedCores;

/// Description of the bug that somebody does work within work.
const NESTED: &str = "a task shares out tasks of its own";

/// The time at which a node has done everything so far, for its workers and for whoever brings it
/// what others have sent.
#[derive(Debug, Default)]
pub struct VirtualClock(AtomicU64);

impl VirtualClock {
    /// Returns the time.
    pub fn now(&self) -> Instant {
        Instant(self.0.load(Ordering::Relaxed))
    }

    /// Sets the time: only while the node's workers do nothing.
    pub fn set(&self, now: Instant) {
        self.0.store(now.0, Ordering::Relaxed);
    }
}

/// The workers of one node in virtual time. A task goes to the worker that is free first, and to
/// the one of the lowest number among several, but a task of a
/// [`flow`](crate::multigrid::owned::flow) not before those that it follows from have ended; when
/// all tasks are done, everybody has met at a barrier.
///
/// A task takes what a sweep of its cells takes on this machine, and once more in cache for each
/// further evaluation of them ([`Costs::passes`]). What is not simulated: that cores share a
/// memory's bandwidth, and that a band's cells may be in another core's cache.
#[derive(Debug)]
pub struct VirtualThreads<'m> {
    costs: Costs,
    places: WorkerPlaces,
    /// Number of the node's first worker.
    first_worker: u32,
    /// Cells of a worker, on which the cost of a cell depends.
    in_hand: u64,
    clock: &'m VirtualClock,
    state: RefCell<State<'m>>,
}

#[derive(Debug)]
struct State<'m> {
    cores: OwnedCores<'m>,
    /// Time at which each worker is free.
    free: Vec<Instant>,
    /// Time in which they have done the tasks of flows.
    worked: Duration,
}

impl State<'_> {
    /// Runs `work` on the worker that is free earliest. `lowest_worker` is the number of the node's
    /// first worker.
    fn assign(&mut self, lowest_worker: u32, work: Duration) {
        let earliest = (lowest_worker..).zip(&mut self.free).min_by_key(|(_, free)| **free);
        if let Some((worker, free)) = earliest {
            *free = self.cores.finish(worker, *free, work);
        }
    }
}

impl<'m> VirtualThreads<'m> {
    /// Returns the workers of a node, whose time goes by `clock`.
    /// [`check`](crate::sim::machine::check) has accepted the configuration.
    pub fn new(
        config: &RunConfig,
        hardware: &Hardware,
        traces: &[CoreTrace<'m>],
        node: NodeId,
        clock: &'m VirtualClock,
    ) -> Result<Self, SimulationError> {
        let workers = config.workers_per_node();
        let places = WorkerPlaces::of(config, hardware);
        let noise = CoreNoise { noise: &config.noise, traces, seed: config.seed };
        let cores = OwnedCores::new(&places, hardware, &noise, config.workers)?;
        let free = vec![Instant::ZERO; workers as usize];
        Ok(Self {
            costs: hardware.costs,
            places,
            first_worker: node.0.saturating_mul(workers),
            in_hand: config.grid.cells().checked_div(config.workers.into()).unwrap_or(0),
            clock,
            state: RefCell::new(State { cores, free, worked: Duration::ZERO }),
        })
    }

    /// Returns for how long the workers have done the tasks of flows, until the last of each had
    /// ended.
    pub fn worked(&self) -> Duration {
        self.state().worked
    }

    /// Calls `out` for each source of noise that the configuration names, on each core that it
    /// slows.
    pub fn noise_taken(
        &self,
        config: &RunConfig,
        hardware: &Hardware,
        mut out: impl FnMut(NoiseTaken),
    ) {
        let mut state = self.state();
        let (now, background) = (self.clock.now(), hardware.background.len());
        let workers =
            self.first_worker..self.first_worker.saturating_add(config.workers_per_node());
        for worker in workers.map(WorkerId) {
            let on = (0..).zip(&config.noise).filter(|(_, noise)| self.places.is_on(worker, noise));
            let mut on = on.map(|(number, _)| number);
            state.cores.taken(worker.0, now, |source, taken| {
                if source >= background
                    && let Some(number) = on.next()
                {
                    let share = taken as f64 / now.0.max(1) as f64;
                    out(NoiseTaken { core: self.places.core(worker), source: number, share });
                }
            });
        }
    }

    fn state(&self) -> RefMut<'_, State<'m>> {
        self.state.try_borrow_mut().or_bug(NESTED)
    }

    /// Returns the nominal time of a task.
    fn time(&self, Effort { cells, sweeps }: Effort) -> Duration {
        self.costs.passes(cells, sweeps, self.in_hand)
    }

    /// Runs tasks of these efforts on the workers, and sets the clock to the end of the last one
    /// and the barrier behind it.
    fn work(&self, tasks: impl Iterator<Item = Effort>, barrier: Duration) {
        let mut state = self.state();
        let now = self.clock.now();
        state.free.fill(now);
        tasks.for_each(|effort| state.assign(self.first_worker, self.time(effort)));
        let last = state.free.iter().copied().max().unwrap_or(now);
        self.clock.set(last.after(barrier));
    }

    /// Runs the tasks of a flow on the workers, and sets the clock to the end of the last one.
    /// `work` is called for each task as it begins, as worker 0.
    fn run(&self, flow: &Flow, work: impl Fn(usize, usize)) {
        let mut state = self.state();
        let State { cores, free, worked } = &mut *state;
        let begun = self.clock.now();
        let mut now = begun;
        let mut running = flow.begin();
        // Workers by their places in the node, those without a task and those with one.
        let mut idle: BTreeSet<usize> = (0..free.len()).collect();
        let mut busy: BinaryHeap<Reverse<(Instant, usize, usize)>> = BinaryHeap::new();
        loop {
            while let Some(&worker) = idle.first()
                && let Some(task) = running.take(worker)
            {
                idle.remove(&worker);
                let number =
                    self.first_worker.saturating_add(worker.try_into().unwrap_or(u32::MAX));
                let end = cores.finish(number, now, self.time(flow.effort(task)));
                busy.push(Reverse((end, worker, task)));
                // Tasks may begin in this order, and each sees what those before it have ended
                // with.
                work(0, task);
            }
            let Some(Reverse((end, worker, task))) = busy.pop() else { break };
            now = end;
            running.end(task);
            idle.insert(worker);
        }
        *worked = Duration(worked.0.saturating_add(now.since(begun).0));
        self.clock.set(now);
    }
}

impl Workers for VirtualThreads<'_> {
    fn number(&self) -> usize {
        1
    }

    fn each<T: Send>(&self, tasks: Vec<T>, effort: impl Fn(&T) -> Effort, work: impl Fn(T) + Sync) {
        // The longest first: threads, too, begin with the highest of their bands, and take over
        // what is low.
        let mut efforts: Vec<_> = tasks.iter().map(effort).collect();
        efforts.sort_by_key(|effort| Reverse(effort.evaluations()));
        self.work(efforts.into_iter(), self.costs.barrier(self.places.node_workers));
        tasks.into_iter().for_each(work);
    }

    fn flow(&self, flow: &Flow, work: impl Fn(usize, usize) + Sync) {
        self.run(flow, work);
        self.clock.set(self.clock.now().after(self.costs.barrier(self.places.node_workers)));
    }

    fn alone<R>(&self, effort: Effort, work: impl FnOnce() -> R) -> R {
        self.work(core::iter::once(effort), Duration::ZERO);
        work()
    }
}
