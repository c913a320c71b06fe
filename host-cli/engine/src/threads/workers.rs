//! The worker threads of a run, and the thread that watches them.

use std::thread;
use std::time::{Duration, Instant};

use tresse_core::node::executor::{
    Done, Observer, Outcome, OwnedWorkerMemory, Peers, Visited, Worker,
};
use tresse_core::node::shared::Grip;
use tresse_core::parts::{Graph, Part};
use tresse_core::run::progress::Staleness;

use super::error::EngineError;
use super::samples::Sampler;
use super::worker_host::{RunState, WorkerHost};
use tresse_console::terminal;
use tresse_draw::history::HistorySample;
use tresse_platform::pinned::on_seats;
use tresse_platform::{Placement, share};

/// The results of the workers.
pub(super) struct Worked<O> {
    pub(super) outcome: Outcome,
    pub(super) staleness: Staleness,
    pub(super) visited: Visited,
    pub(super) observers: Vec<O>,
    /// Cores that a worker could not be pinned to.
    pub(super) unpinned: Vec<u32>,
    /// Share of their cores' time that they had.
    pub(super) cpu_share: Option<f64>,
}

/// Time without a sweep of any worker after which the thread that watches says so.
const STALL: Duration = Duration::from_secs(10);

/// Runs one pinned thread for each worker until the run has ended.
pub(super) fn work<'r, T, G, P, O, const N: usize>(
    sampler: &Sampler<'_, '_, 'r, T, G, P, N>,
    state: &RunState<'_, T>,
    placement: &Placement,
    (grips, observers): (Vec<Grip<'r, T>>, Vec<O>),
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Worked<O>, EngineError>
where
    T: Part,
    G: Graph<N> + Sync,
    P: Peers<'r, T, N>,
    O: Observer<T, N>,
{
    let node = sampler.node;
    let (outcome, left) = on_seats(
        &placement.seats,
        grips.into_iter().zip(observers),
        |_, (grip, observer)| {
            let mut memory = OwnedWorkerMemory::new(node.slots().parts.parts());
            let host = WorkerHost::new(state, observer, |now| sampler.sample_if_due(now));
            let Done { staleness, visited, host } =
                Worker::new(node, grip, memory.lend(), host).work();
            (staleness, visited, host.into_observer())
        },
        || watch_until_end(sampler, state, watch),
    )?;
    let unpinned = left.iter().filter_map(|left| left.unpinned).collect();
    let mut worked = Worked {
        outcome,
        staleness: Staleness::default(),
        visited: Visited::default(),
        observers: vec![],
        unpinned,
        cpu_share: share(left.iter().map(|left| left.core_time)),
    };
    for (staleness, visited, observer) in left.into_iter().map(|left| left.of) {
        worked.staleness = worked.staleness.and(staleness);
        worked.visited = worked.visited.and(visited);
        worked.observers.push(observer);
    }
    Ok(worked)
}

/// Shows the samples of the run until its end is declared, and one of the end.
///
/// The thread that does it has a core of its own only by luck.
fn watch_until_end<'r, T, G, P, const N: usize>(
    sampler: &Sampler<'_, '_, 'r, T, G, P, N>,
    state: &RunState<'_, T>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Outcome
where
    T: Part,
    G: Graph<N> + Sync,
    P: Peers<'r, T, N>,
{
    let (mut made, mut since) = (0, Instant::now());
    loop {
        let pause = sampler.peers.attend();
        if let Some(outcome) = state.outcome() {
            sampler.samples.keep(watch);
            sampler.take(sampler.clock.now());
            sampler.samples.keep(watch);
            return outcome;
        }
        sampler.samples.keep(watch);
        let now_made = sampler.node.made();
        if now_made != made {
            (made, since) = (now_made, Instant::now());
        } else if P::ALONE && since.elapsed() > STALL {
            // Workers of one rank may have to wait for another's for as long as that takes.
            warn_of_stall(since.elapsed());
            since = Instant::now();
        }
        thread::park_timeout(Duration::from_nanos(pause.0));
    }
}

/// Warns that no worker has ended a sweep for this time.
#[cold]
fn warn_of_stall(time: Duration) {
    terminal::tell(&format!(
        "warning: no worker has ended a sweep for {} s: they are stopped, or their cores are taken",
        time.as_secs()
    ));
}
