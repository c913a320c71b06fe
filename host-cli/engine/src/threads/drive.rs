//! Setting a run up, having its workers drive the parts, and gathering what it leaves.

use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, OnceLock};

use tresse_core::balance::owned::OwnedMeasuredMemory;
use tresse_core::balance::{Balancer, measured};
use tresse_core::base::id::{NodeId, SocketId, SubdomainId, WorkerId};
use tresse_core::base::time::Instant;
use tresse_core::base::topology::Topology;
use tresse_core::node::Homes;
use tresse_core::node::shared::{Assignment, Barrier, Claims};
use tresse_core::node::worker::{Control, Detection, Turn};
use tresse_core::parts::ownership::{Holding, Link, Mark, Owner, Ownership};
use tresse_core::parts::{Graph, SharedPart};
use tresse_core::run::RunConfig;

use super::error::EngineError;
use super::job::{Iteration, noisy_cores, seats};
use super::observer::{Observer, Observers};
use super::peers::Peers;
use super::residuals::Residuals;
use super::run::{Fill, Run, Sweeps, TurnState};
use super::samples::Samples;
use super::slots::Slots;
use super::visits::Visits;
use super::workers;
use crate::recorder::Recorder;
use crate::solution::RunRecord;
use tresse_draw::history::HistorySample;
use tresse_platform::clock::Clock;
use tresse_platform::noise::NoiseThreads;

/// Drives the parts of one node, or of all, which are in their slots, until the run has ended.
pub(super) fn drive<'r, T, G, P, O, const N: usize>(
    iteration: &Iteration<'_, G>,
    node: NodeId,
    (slots, claims, fill): (Slots<'r, T, N>, &mut Claims<'r, T>, &Fill<'_, T>),
    peers: &P,
    observers: Observers<O>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<(RunRecord, Vec<O>), EngineError>
where
    T: SharedPart,
    G: Graph<N> + Sync,
    P: Peers<'r, T, N>,
    O: Observer<T, N>,
{
    let Iteration { config, graph, placement, interrupt } = *iteration;
    let noise = noisy_cores(config, placement)?;
    let seats =
        seats(placement, if P::ALONE { config.workers } else { config.workers_per_node() })?;
    let workers = seats as usize;

    let owners = owners(seats, (graph, config), node);
    let marks: Vec<_> = (0..workers).map(|_| Mark::new()).collect();
    let sweeps: Vec<_> = (0..workers).map(|_| Sweeps::default()).collect();
    // With others, one more for what is remote.
    let holders = if P::ALONE { workers } else { workers + 1 };
    let (mut links, mut holdings) =
        (vec![Link::EMPTY; owners.len()], vec![Holding::EMPTY; holders]);
    let sockets = placement.sockets();
    let by_socket = by_socket(&sockets);
    let (mut kept, mut room) = (vec![0; workers], vec![0; workers]);
    let (mut counts, mut worker_updates) = (vec![0; owners.len()], vec![0; workers]);
    let (mut at_home, mut starts) =
        (vec![SubdomainId::default(); owners.len()], vec![0; workers + 1]);
    let home = |id: SubdomainId| owners.get(id.index()).map_or(WorkerId(seats), Owner::worker);
    let homes = config.may_visit().then(|| Homes::new(graph, home, &mut at_home, &mut starts));
    let mut measured = measured::MeasuredNeeds::of(config).as_ref().map(OwnedMeasuredMemory::new);

    let grips = (0..seats).map(|_| claims.grip()).collect();
    let balancer = Balancer::new(config, u64::from(node.0), Instant::ZERO);
    let run = Run {
        config,
        graph,
        fill,
        slots,
        peers,
        assignment: Assignment::new(&owners, &marks),
        visits: homes.map(|homes| Visits::new(homes, graph, &slots)),
        residuals: Residuals::new(config, graph, P::ALONE),
        sweeps: &sweeps,
        control: Control::new(config, slots.here().count() as u64),
        barrier: Barrier::new(seats),
        turn: Turn::new(seats),
        clock: Clock::default(),
        initial: OnceLock::new(),
        turn_state: Mutex::new(TurnState::<'_, 'r, T> {
            balancer,
            kept: &mut kept,
            room: &mut room,
            measured: measured.as_mut().map(OwnedMeasuredMemory::lend),
            ownership: Ownership::new(&owners, &mut links, &mut holdings)?.marking(&marks),
            topology: Topology::new(&sockets, &by_socket)?,
            counts: &mut counts,
            worker_updates: &mut worker_updates,
            detection: Detection::new(config),
            grip: claims.grip(),
        }),
        moves: AtomicU64::new(0),
        rounds: AtomicU64::new(0),
        samples: Samples::new(Recorder::new(graph, config), slots.table.subdomains()),
        interrupt,
        oversubscribed: placement.oversubscribed,
        outcome: Mutex::new(None),
    };
    let noise = NoiseThreads::start_observed(&noise, config.seed, node, observers.noise)?;
    let worked = workers::work(&run, placement, (grips, observers.workers), watch)?;
    let noise = noise.stop()?;
    Ok((RunRecord::of(&run, &worked, run.samples.finish(), noise), worked.observers))
}

/// Returns the worker, by its number within its node, that each part starts with; those of other
/// nodes belong to the one after the last.
fn owners<G: Graph<N>, const N: usize>(
    workers: u32,
    (graph, config): (&G, &RunConfig),
    node: NodeId,
) -> Vec<Owner> {
    let first = node.0.saturating_mul(workers);
    let owner = |id| {
        let owner = graph.first_owner(id, config).0.checked_sub(first);
        Owner::of(WorkerId(owner.filter(|&owner| owner < workers).unwrap_or(workers)))
    };
    (0..graph.parts()).map(SubdomainId).map(owner).collect()
}

/// Returns all workers in ascending order of (socket, worker).
fn by_socket(sockets: &[SocketId]) -> Vec<WorkerId> {
    let mut workers: Vec<_> = (0..).map(WorkerId).take(sockets.len()).collect();
    workers.sort_by_key(|worker| sockets[worker.index()]);
    workers
}
