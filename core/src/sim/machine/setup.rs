//! Setup of a machine: checks, owners, noise and paces.

use super::cores::CoreNoise;
use super::error::SimulationError;
use super::memory::{SimulationMemory, SimulationNeeds, SubdomainState, WorkerState};
use crate::base::id::{SubdomainId, WorkerId};
use crate::base::table::At;
use crate::node::worker::Worker;
use crate::parts::Graph;
use crate::parts::ownership::Owner;
use crate::run::RunConfig;
use crate::sim::hardware::{Hardware, WorkerPlaces};
use crate::sim::speed::{CoreTrace, Slowdown};

/// Checks the configuration, the hardware, that the workers fit on it, and the noise: all that
/// needs no memory.
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
    CoreNoise::of(config, traces).check(hardware, nodes)
}

/// Checks that each list of the lent memory is as long as needed.
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
        (memory.waiting.len(), needs.waiting),
        (memory.levelings.len(), workers),
        (memory.balancer_state.len(), workers),
        (memory.balancer_scratch.len(), workers),
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
        (memory.intervened.len(), needs.intervened),
        (memory.shares.len(), needs.shares),
    ];
    let measures = match (&memory.measured, measured) {
        (Some(lent), Some(needed)) => lent.fits(&needed),
        (lent, needed) => lent.is_none() && needed.is_none(),
    };
    let visits = match &memory.visits {
        Some(lent) => needs.visits && lent.fits(subdomains, workers),
        None => !needs.visits,
    };
    let fits = measures && visits && lent.into_iter().all(|(lent, needed)| lent == needed);
    if fits { Ok(()) } else { Err(SimulationError::Memory) }
}

/// Sets the size and the first owner of every subdomain; returns the mean number of their cells.
pub(super) fn fill_subdomains<G: Graph<N>, const N: usize>(
    config: &RunConfig,
    graph: &G,
    subdomains: &mut [SubdomainState],
    owners: &[Owner],
) -> u64 {
    let mut cells = 0_u64;
    let number = subdomains.len() as u64;
    for (id, (state, owner)) in (0..).map(SubdomainId).zip(subdomains.iter_mut().zip(owners)) {
        let first = graph.first_owner(id, config);
        owner.set(first);
        let size = graph.size(id);
        cells = cells.saturating_add(graph.cells(size));
        *state = SubdomainState { last: first.0, size, ..SubdomainState::EMPTY };
    }
    cells.checked_div(number).unwrap_or(0)
}

/// Sets every worker's pace and its sources of noise.
pub(super) fn fill_workers<'m>(
    config: &RunConfig,
    hardware: &Hardware,
    traces: &[CoreTrace<'m>],
    workers: &mut [WorkerState],
    slowdowns: &mut [Slowdown<'m>],
) -> Result<(), SimulationError> {
    let number = u32::try_from(workers.len()).unwrap_or(u32::MAX);
    let tell = |worker: WorkerId, slowdowns, pace| {
        let state = workers.at_mut(worker);
        let life = Worker::new(worker, config.mode, config.nodes.number > 1);
        *state = WorkerState { life, slowdowns, pace, ..WorkerState::EMPTY };
    };
    let places = WorkerPlaces::of(config, hardware);
    CoreNoise::of(config, traces).fill((&places, hardware), slowdowns, number, tell)
}

#[cfg(test)]
mod tests {
    use super::super::{Costs, PaceRanges};
    use super::*;
    use crate::base::id::{NodeId, SocketId};
    use crate::base::time::Duration;
    use crate::run::Nodes;
    use crate::run::noise::{Noise, NoisePlace, Parasite, ParasiteCycle, generator};

    const MEANS: (Duration, Duration) = (Duration(400), Duration(900));

    /// Returns the time that a thread would leave of a core until `end`, with the bursts of a
    /// parasite of this number.
    fn left(config: &RunConfig, node: NodeId, parasite: u32, end: u64) -> u64 {
        let mut rng = generator(config.seed, node, parasite);
        let (mut time, mut left) = (0, 0);
        while time < end {
            let cycle = ParasiteCycle::draw(MEANS.0, MEANS.1, &mut rng);
            left += cycle.gap.0.min(end - time);
            time += cycle.gap.0 + cycle.burst.0;
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
