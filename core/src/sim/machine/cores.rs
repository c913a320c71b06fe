//! Speeds of the cores of a run: their paces, the noise that the machine has at rest, the noise
//! that is asked for, and speed traces.

use super::error::SimulationError;
use crate::base::id::{NodeId, SocketId, WorkerId};
use crate::base::rng::Rng;
use crate::run::RunConfig;
use crate::run::noise::{MAX_NOISE, Noise, NoisePlace, Parasite, generator};
use crate::sim::hardware::{Hardware, WorkerPlaces};
use crate::sim::speed::{CoreTrace, Slowdown};

/// Noise and speed traces that slow cores besides the noise of the machine at rest.
#[derive(Clone, Copy, Debug)]
pub struct CoreNoise<'a, 'm> {
    /// Noise at its places, at most [`MAX_NOISE`].
    pub noise: &'a [Noise],
    /// Speeds of single cores over time.
    pub traces: &'a [CoreTrace<'m>],
    /// Seed of paces, and of when noise begins.
    pub seed: u64,
}

/// Streams of random numbers of the cores, the sockets and the nodes: those below 2^32 and from
/// there on belong to the nodes' balancers.
const CORES: u64 = 1 << 40;
const SOCKETS: u64 = 1 << 41;
const NODES: u64 = 1 << 42;

impl<'a, 'm> CoreNoise<'a, 'm> {
    /// Returns the noise and the traces that a run asks for.
    pub(super) fn of(config: &'a RunConfig, traces: &'a [CoreTrace<'m>]) -> Self {
        Self { noise: &config.noise, traces, seed: config.seed }
    }
}

impl<'m> CoreNoise<'_, 'm> {
    /// No noise but that of the machine at rest.
    pub const NONE: Self = Self { noise: &[], traces: &[], seed: 0 };

    /// Checks that the first `nodes` nodes of a machine have all places that the noise names, and
    /// that no core is left without time.
    pub(crate) fn check(&self, hardware: &Hardware, nodes: u32) -> Result<(), SimulationError> {
        let cores = hardware.node_cores();
        let missing = self.noise.iter().find(|noise| match noise.place {
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
        let asked = self.noise.iter().map(|noise| &noise.parasite);
        if hardware.background.iter().chain(asked).any(takes_all) {
            return Err(SimulationError::NoTime);
        }
        let is_bad = |trace: &&CoreTrace<'_>| trace.core >= nodes * cores || !trace.is_possible();
        match self.traces.iter().find(is_bad) {
            Some(trace) => Err(SimulationError::Trace(trace.core)),
            None => Ok(()),
        }
    }

    /// Returns the number of sources of noise on a worker's core.
    pub(crate) fn sources(
        &self,
        worker: WorkerId,
        places: &WorkerPlaces,
        hardware: &Hardware,
    ) -> usize {
        let noise = self.noise.iter().filter(|noise| places.is_on(worker, noise)).count();
        let core = places.core(worker);
        let traces = self.traces.iter().filter(|trace| trace.core == core).count();
        hardware.background.len() + noise + traces
    }

    /// Returns, for each source of noise, the number of its first parasite on a node, as
    /// [`generator`] counts them.
    fn first_parasites(&self, places: &WorkerPlaces, node: NodeId) -> [u32; MAX_NOISE] {
        let mut first = [0; MAX_NOISE];
        let mut next = 0;
        let of_node = node.0 * places.node_workers..(node.0 + 1) * places.node_workers;
        for (place, noise) in first.iter_mut().zip(self.noise) {
            *place = next;
            for worker in of_node.clone().map(WorkerId) {
                next += u32::from(places.is_on(worker, noise));
            }
        }
        first
    }

    /// Draws the sources of noise and the pace of each of `workers`, and calls `tell` with the
    /// worker, the first and the number of its `slowdowns`, and the pace in 2^20th of the nominal
    /// time. The background's sources come first, then those that are asked for, then the traces.
    pub(crate) fn fill(
        &self,
        (places, hardware): (&WorkerPlaces, &Hardware),
        slowdowns: &mut [Slowdown<'m>],
        workers: u32,
        mut tell: impl FnMut(WorkerId, (u32, u32), u32),
    ) -> Result<(), SimulationError> {
        let (costs, seed) = (&hardware.costs, self.seed);
        let mut free = slowdowns.iter_mut();
        let mut first = 0;
        let mut parasites = [0; MAX_NOISE];
        for worker in (0..workers).map(WorkerId) {
            let node = places.node(worker);
            if worker.0 == node.0 * places.node_workers {
                parasites = self.first_parasites(places, node);
            }
            let core = places.core(worker);
            let stream = |number: u64| Rng::new(seed, CORES + (u64::from(core) << 8) + number);
            let mut number = 0;
            // Noise at rest is taken as it is: only the noise that a run asks for has to be started
            // and stopped.
            for &noise in &hardware.background {
                number += 1;
                *free.next().ok_or(SimulationError::Memory)? =
                    Slowdown::parasite(noise, costs.background(), stream(u64::from(number)))
                        .ok_or(SimulationError::NoTime)?;
            }
            for (noise, parasite) in self.noise.iter().zip(&mut parasites) {
                if !places.is_on(worker, noise) {
                    continue;
                }
                number += 1;
                // The bursts that a thread would make.
                let rng = if noise.parasite.is_random() {
                    generator(seed, node, *parasite)
                } else {
                    stream(u64::from(number))
                };
                *parasite += 1;
                *free.next().ok_or(SimulationError::Memory)? =
                    Slowdown::parasite(noise.parasite, costs.parasite(), rng)
                        .ok_or(SimulationError::NoTime)?;
            }
            for trace in self.traces.iter().filter(|trace| trace.core == core) {
                number += 1;
                *free.next().ok_or(SimulationError::Memory)? = Slowdown::trace(trace.pieces);
            }
            let of_socket = Rng::new(seed, SOCKETS + u64::from(places.socket(worker).0));
            let of_node = Rng::new(seed, NODES + u64::from(node.0));
            let pace = hardware.paces.draw(stream(0), of_socket, of_node);
            tell(worker, (first, number), pace);
            first += number;
        }
        Ok(())
    }
}
