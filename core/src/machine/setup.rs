//! What a machine begins with: checks, owners, noise and paces.

use super::error::SimulationError;
use super::hardware::{Hardware, WorkerPlaces};
use super::memory::{SimulationMemory, SimulationNeeds, SubdomainState, WorkerState};
use super::speed::{CoreTrace, Slowdown};
use crate::grid::Decomposition;
use crate::id::{NodeId, SocketId, WorkerId};
use crate::noise::{MAX_NOISE, NoisePlace, Parasite, generator};
use crate::rng::Rng;
use crate::run::RunConfig;
use crate::worker::Worker;

/// Checks everything that can be checked before memory is lent.
pub fn check(
    config: &RunConfig,
    hardware: &Hardware,
    traces: &[CoreTrace<'_>],
) -> Result<(), SimulationError> {
    config.validate()?;
    hardware.validate()?;
    let nodes = config.nodes.number;
    if nodes > hardware.nodes {
        return Err(SimulationError::Nodes { nodes, available: hardware.nodes });
    }
    let (workers, cores) = (config.workers_per_node(), hardware.node_cores());
    if workers > cores {
        return Err(SimulationError::Cores { workers, cores });
    }
    let missing = config.noise.iter().find(|noise| match noise.place {
        NoisePlace::Core(core) => core >= nodes * cores,
        NoisePlace::Socket(SocketId(socket)) => socket >= nodes * hardware.sockets,
        NoisePlace::Node(NodeId(node)) => node >= nodes,
    });
    if let Some(noise) = missing {
        return Err(SimulationError::NoSuchPlace(*noise));
    }
    let takes_all = |parasite: &Parasite| {
        Slowdown::parasite(*parasite, hardware.costs.parasite(), Rng::new(0, 0)).is_none()
    };
    let asked = config.noise.iter().map(|noise| &noise.parasite);
    if hardware.background.iter().chain(asked).any(takes_all) {
        return Err(SimulationError::NoTime);
    }
    let is_bad = |trace: &&CoreTrace<'_>| trace.core >= nodes * cores || !trace.is_possible();
    match traces.iter().find(is_bad) {
        Some(trace) => Err(SimulationError::Trace(trace.core)),
        None => Ok(()),
    }
}

pub(super) fn check_memory(
    memory: &SimulationMemory<'_, '_>,
    needs: &SimulationNeeds,
) -> Result<(), SimulationError> {
    let SimulationNeeds {
        subdomains, workers, nodes, holdings, pending, slowdowns, measured, ..
    } = *needs;
    let lent = [
        (memory.subdomains.len(), subdomains),
        (memory.owners.len(), subdomains),
        (memory.links.len(), subdomains),
        (memory.counts.len(), subdomains),
        (memory.residuals.len(), subdomains),
        (memory.workers.len(), workers),
        (memory.worker_updates.len(), workers),
        (memory.last_updates.len(), workers),
        (memory.rates.len(), workers),
        (memory.sockets.len(), workers),
        (memory.by_socket.len(), workers),
        (memory.holdings.len(), holdings),
        (memory.nodes.len(), nodes),
        (memory.means.len(), nodes),
        (memory.locations.len(), needs.locations),
        (memory.handled.len(), needs.handled),
        (memory.slots.len(), needs.slots),
        (memory.pending.len(), pending),
        (memory.slowdowns.len(), slowdowns),
    ];
    let measures = match (&memory.measured, measured) {
        (Some(lent), Some(needed)) => lent.fits(&needed),
        (lent, needed) => lent.is_none() && needed.is_none(),
    };
    let fits = measures && lent.into_iter().all(|(lent, needed)| lent == needed);
    if fits { Ok(()) } else { Err(SimulationError::Memory) }
}

/// Gives every subdomain its size and its first owner.
pub(super) fn fill_subdomains(
    decomposition: &Decomposition,
    subdomains: &mut [SubdomainState],
    owners: &mut [WorkerId],
) -> Result<(), SimulationError> {
    let side = |cells| u32::try_from(cells).map_err(|_| SimulationError::Memory);
    for (id, (state, owner)) in decomposition.ids().zip(subdomains.iter_mut().zip(owners)) {
        *owner = decomposition.first_owner(id);
        let part = decomposition.part(id).size;
        let (rows, columns) = (side(part.rows)?, side(part.columns)?);
        *state = SubdomainState { last: owner.0, rows, columns, ..SubdomainState::EMPTY };
    }
    Ok(())
}

/// Streams of random numbers: those below 2^32 and from there on belong to the nodes' balancers.
const CORES: u64 = 1 << 40;
const SOCKETS: u64 = 1 << 41;
const NODES: u64 = 1 << 42;

/// The number of the first parasite of each source on a node, as [`generator`] counts them.
fn first_parasites(config: &RunConfig, places: &WorkerPlaces, node: NodeId) -> [u32; MAX_NOISE] {
    let mut first = [0; MAX_NOISE];
    let mut next = 0;
    let of_node = node.0 * places.node_workers..(node.0 + 1) * places.node_workers;
    for (place, noise) in first.iter_mut().zip(&config.noise) {
        *place = next;
        let workers = of_node.clone().map(WorkerId);
        next = workers.filter(|&worker| places.is_on(worker, noise)).fold(next, |next, _| next + 1);
    }
    first
}

/// Gives every worker its pace and its sources of noise: the background's, then the run's, then
/// the traces.
pub(super) fn fill_workers<'m>(
    config: &RunConfig,
    hardware: &Hardware,
    traces: &[CoreTrace<'m>],
    workers: &mut [WorkerState],
    slowdowns: &mut [Slowdown<'m>],
) -> Result<(), SimulationError> {
    let (places, costs) = (WorkerPlaces::of(config, hardware), &hardware.costs);
    let mut free = slowdowns.iter_mut();
    let mut first = 0;
    let mut parasites = [0; MAX_NOISE];
    for (worker, state) in (0..).map(WorkerId).zip(workers) {
        let node = places.node(worker);
        if worker.0 == node.0 * places.node_workers {
            parasites = first_parasites(config, &places, node);
        }
        let core = places.core(worker);
        let stream = |number: u64| Rng::new(config.seed, CORES + (u64::from(core) << 8) + number);
        let mut number = 0;
        // What is there at rest is as it is: only what a run asks for has to be started and stopped.
        for &noise in &hardware.background {
            number += 1;
            *free.next().ok_or(SimulationError::Memory)? =
                Slowdown::parasite(noise, costs.background(), stream(u64::from(number)))
                    .ok_or(SimulationError::NoTime)?;
        }
        for (noise, parasite) in config.noise.iter().zip(&mut parasites) {
            if !places.is_on(worker, noise) {
                continue;
            }
            number += 1;
            // The bursts that a thread would make.
            let rng = if noise.parasite.is_random() {
                generator(config.seed, node, *parasite)
            } else {
                stream(u64::from(number))
            };
            *parasite += 1;
            *free.next().ok_or(SimulationError::Memory)? =
                Slowdown::parasite(noise.parasite, costs.parasite(), rng)
                    .ok_or(SimulationError::NoTime)?;
        }
        for trace in traces.iter().filter(|trace| trace.core == core) {
            number += 1;
            *free.next().ok_or(SimulationError::Memory)? = Slowdown::trace(trace.pieces);
        }
        let of_socket = Rng::new(config.seed, SOCKETS + u64::from(places.socket(worker).0));
        let of_node = Rng::new(config.seed, NODES + u64::from(node.0));
        let pace = hardware.paces.draw(stream(0), of_socket, of_node);
        let life = Worker::new(worker, config.mode, false);
        *state = WorkerState { life, slowdowns: (first, number), pace, ..WorkerState::EMPTY };
        first += number;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{Costs, PaceRanges};
    use super::*;
    use crate::noise::{Noise, Turn};
    use crate::run::Nodes;
    use crate::time::Duration;

    const MEANS: (Duration, Duration) = (Duration(400), Duration(900));

    /// What a thread would leave of a core until `end`, with the bursts of a parasite of this number.
    fn left(config: &RunConfig, node: NodeId, parasite: u32, end: u64) -> u64 {
        let mut rng = generator(config.seed, node, parasite);
        let (mut time, mut left) = (0, 0);
        while time < end {
            let turn = Turn::draw(MEANS.0, MEANS.1, &mut rng);
            left += turn.gap.0.min(end - time);
            time += turn.gap.0 + turn.burst.0;
        }
        left
    }

    #[test]
    fn bursts_are_those_that_threads_of_the_same_number_make() {
        let parasite = Parasite::Bursts { burst: MEANS.0, gap: MEANS.1 };
        let on = |place| Noise { place, parasite };
        let noise =
            [NoisePlace::Socket(SocketId(0)), NoisePlace::Core(1), NoisePlace::Node(NodeId(1))];
        let config = RunConfig {
            workers: 4,
            nodes: Nodes { number: 2, ..Nodes::ONE },
            noise: noise.into_iter().map(on).collect(),
            seed: 11,
            ..RunConfig::default()
        };
        let hardware = Hardware {
            nodes: 2,
            sockets: 1,
            cores: 2,
            costs: Costs::default(),
            paces: PaceRanges::default(),
            background: heapless::Vec::new(),
        };
        let mut workers = [WorkerState::EMPTY; 4];
        let mut slowdowns = [const { Slowdown::NONE }; 5];
        fill_workers(&config, &hardware, &[], &mut workers, &mut slowdowns).unwrap();
        // The socket's two on cores 0 and 1, then core 1's own; on the other node its own two.
        let numbers = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)];
        for ((node, number), slowdown) in numbers.into_iter().zip(&mut slowdowns) {
            for end in [500, 5_000, 50_000] {
                let expected = left(&config, NodeId(node), number, end);
                assert_eq!(slowdown.left(end), expected, "{node} {number} at {end}");
            }
        }
        assert_eq!(workers[1].slowdowns, (1, 2));
    }
}
