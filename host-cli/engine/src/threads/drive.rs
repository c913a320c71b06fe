//! Setting a run up, having its workers drive the parts, and gathering what it leaves.

use tresse_core::base::id::{NodeId, SocketId, WorkerId};
use tresse_core::base::topology::Topology;
use tresse_core::node::executor::{Node, Observer, OwnedNodeMemory, Peers, Setup, Slots};
use tresse_core::node::shared::Claims;
use tresse_core::parts::{Graph, Part};

use super::error::EngineError;
use super::job::{Iteration, noisy_cores, seats};
use super::observer::Observers;
use super::samples::{Sampler, Samples};
use super::worker_host::RunState;
use super::workers;
use crate::recorder::Recorder;
use crate::solution::RunRecord;
use tresse_draw::history::HistorySample;
use tresse_platform::noise::NoiseThreads;

/// Drives the parts of one node on pinned threads, together with the other processes, until the
/// run has ended. The placement is that of the node's workers. The parts are in their slots, before
/// and after, and nobody holds them.
pub fn drive<'r, T, G, P, O, const N: usize>(
    iteration: &Iteration<'_, G>,
    id: NodeId,
    slots: Slots<'r, T, N>,
    claims: &mut Claims<'r, T>,
    peers: &P,
    observers: Observers<O>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<(RunRecord, Vec<O>), EngineError>
where
    T: Part,
    G: Graph<N> + Sync,
    P: Peers<'r, T, N>,
    O: Observer<T, N>,
{
    let Iteration { config, graph, placement, interrupt } = *iteration;
    config.validate()?;
    let noise = noisy_cores(config, placement)?;
    let seats =
        seats(placement, if P::ALONE { config.workers } else { config.workers_per_node() })?;
    let sockets = placement.sockets();
    let by_socket = by_socket(&sockets);
    let topology = Topology::new(&sockets, &by_socket)?;
    let parts = slots.table.subdomains();
    let mut memory = OwnedNodeMemory::new(config, parts, seats as usize);
    let grips = (0..seats).map(|_| claims.grip()).collect();
    let setup = Setup { config, graph, node: id, slots, peers, topology, interrupt };
    let node = Node::new(setup, claims.grip(), memory.lend())?;

    let fill = |id, part: &mut T| peers.fill(id, part);
    let state = RunState::new(&fill, placement.oversubscribed);
    let sampler = Sampler {
        node: &node,
        peers,
        stop: config.stop,
        clock: &state.clock,
        samples: Samples::new(Recorder::new(graph, config), parts),
    };
    let noise = NoiseThreads::start_observed(&noise, config.seed, id, observers.noise)?;
    let worked = workers::work(&sampler, &state, placement, (grips, observers.workers), watch)?;
    let noise = noise.stop()?;
    let record = RunRecord::of(&node, &worked, config, sampler.samples.finish(), noise);
    Ok((record, worked.observers))
}

/// Returns all workers in ascending order of (socket, worker).
fn by_socket(sockets: &[SocketId]) -> Vec<WorkerId> {
    let mut workers: Vec<_> = (0..).map(WorkerId).take(sockets.len()).collect();
    workers.sort_by_key(|worker| sockets[worker.index()]);
    workers
}
