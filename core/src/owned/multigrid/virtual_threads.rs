//! Threads in virtual time: the workers of a virtual machine's node, which share out a solver's bands.

use alloc::vec;
use alloc::vec::Vec;
use core::cell::RefCell;

use super::super::OwnedCores;
use super::{Effort, ForkJoin};
use crate::bug::OrBug;
use crate::id::WorkerId;
use crate::machine::{CoreNoise, CoreTrace, Hardware, SimulationError};
use crate::run::RunConfig;
use crate::sim::hardware::{Costs, WorkerPlaces};
use crate::time::{Duration, Instant};

/// Description of the bug that somebody does work within work.
const NESTED: &str = "a task shares out tasks of its own";

/// The workers of one node in virtual time. A task goes to the worker that is free first, and to the one of the lowest
/// number among several; when all tasks are done, everybody has met at a barrier.
///
/// A task takes what a sweep of its cells takes on this machine, and once more in cache for each further evaluation of
/// them ([`Costs::passes`]). What is not simulated: that cores share a memory's bandwidth, and that a band's cells may
/// be in another core's cache.
#[derive(Debug)]
pub struct VirtualThreads<'m> {
    costs: Costs,
    places: WorkerPlaces,
    /// Cells of a worker.
    in_hand: u64,
    state: RefCell<State<'m>>,
}

#[derive(Debug)]
struct State<'m> {
    cores: OwnedCores<'m>,
    /// Time at which each worker is free.
    free: Vec<Instant>,
    now: Instant,
}

impl State<'_> {
    /// Lets the worker that is free first do something.
    fn assign(&mut self, work: Duration) {
        let first = (0..).zip(&mut self.free).min_by_key(|(_, free)| **free);
        if let Some((number, free)) = first {
            *free = self.cores.finish(number, *free, work);
        }
    }

    /// Lets everybody go on together.
    fn meet(&mut self, barrier: Duration) {
        let last = self.free.iter().copied().max().unwrap_or(self.now);
        self.now = last.after(barrier);
        self.free.fill(self.now);
    }
}

impl<'m> VirtualThreads<'m> {
    /// Returns the workers of a configuration for one node that [`check`](crate::machine::check) has accepted.
    pub fn new(
        config: &RunConfig,
        hardware: &Hardware,
        traces: &[CoreTrace<'m>],
    ) -> Result<Self, SimulationError> {
        let workers = config.workers_per_node();
        let places = WorkerPlaces::of(config, hardware);
        let noise = CoreNoise { noise: &config.noise, traces, seed: config.seed };
        let cores = OwnedCores::new((&places, hardware), &noise, workers)?;
        let free = vec![Instant::ZERO; workers as usize];
        Ok(Self {
            costs: hardware.costs,
            places,
            in_hand: config.grid.cells().checked_div(workers.into()).unwrap_or(0),
            state: RefCell::new(State { cores, free, now: Instant::ZERO }),
        })
    }

    /// Returns the time at which everybody has done everything so far.
    pub fn now(&self) -> Instant {
        self.state.try_borrow().map_or(Instant::ZERO, |state| state.now)
    }

    /// Calls `out` with the core, the source's place in the configuration's list, and the share of the core's time that
    /// it took so far, for each source on each core.
    pub fn noise_taken(
        &self,
        config: &RunConfig,
        hardware: &Hardware,
        mut out: impl FnMut(u32, usize, f64),
    ) {
        let Some(mut state) = self.state.try_borrow_mut().ok().or_bug(NESTED) else { return };
        let (now, background) = (state.now, hardware.background.len());
        for worker in (0..config.workers_per_node()).map(WorkerId) {
            let on = (0..).zip(&config.noise).filter(|(_, noise)| self.places.is_on(worker, noise));
            let mut on = on.map(|(number, _)| number);
            state.cores.taken(worker.0, now, |source, taken| {
                if source >= background
                    && let Some(number) = on.next()
                {
                    out(self.places.core(worker), number, taken as f64 / now.0.max(1) as f64);
                }
            });
        }
    }

    fn time(&self, Effort { cells, sweeps }: Effort) -> Duration {
        self.costs.passes(cells, sweeps, self.in_hand)
    }
}

impl ForkJoin for VirtualThreads<'_> {
    fn each<T: Send>(&self, tasks: Vec<T>, effort: impl Fn(&T) -> Effort, work: impl Fn(T) + Sync) {
        if let Some(mut state) = self.state.try_borrow_mut().ok().or_bug(NESTED) {
            for task in &tasks {
                state.assign(self.time(effort(task)));
            }
            state.meet(self.costs.barrier(self.places.node_workers));
        }
        tasks.into_iter().for_each(work);
    }

    fn alone<R>(&self, effort: Effort, work: impl FnOnce() -> R) -> R {
        if let Some(mut state) = self.state.try_borrow_mut().ok().or_bug(NESTED) {
            state.assign(self.time(effort));
            state.meet(Duration::ZERO);
        }
        work()
    }
}
