//! A run that nobody drives: its state besides the memory that it was lent.

use core::cell::Cell;

use super::error::SimulationError;
use super::memory::{Actors, Phase, SimulationMemory, SimulationNeeds, WorkerState};
use super::setup::check_memory;
use super::simulation::{Simulation, Workers, stride};
use super::transfers::Directories;
use crate::halo::Bounds;
use crate::ownership::Ownership;
use crate::part::{self, Graph, Part};
use crate::progress::Staleness;
use crate::run::{End, Mode, RunConfig};
use crate::sim::hardware::{Hardware, WorkerPlaces};
use crate::sim::queue::{Queue, QueueState};
use crate::time::Instant;
use crate::topology::Topology;
use crate::worker::{Control, Detection, Halts, Residuals};

/// State of a [`Simulation`] that has given its memory back, from which it goes on
/// ([`Simulation::resume`]): so a host that must return between two frames keeps a run, and a copy
/// of this, of the memory and of the parts is a moment of the run to come back to.
#[derive(Clone, Debug)]
pub struct Suspended {
    pub(super) needs: SimulationNeeds,
    pub(super) now: Instant,
    pub(super) queue: QueueState,
    pub(super) control: Control<Cell<u64>>,
    pub(super) halts: Halts<Cell<u64>>,
    pub(super) detection: Detection,
    pub(super) versions: Option<Residuals<Cell<u64>>>,
    pub(super) initial: f64,
    pub(super) verified: f64,
    pub(super) updates: u64,
    pub(super) away: u64,
    pub(super) helped: u64,
    pub(super) patrols: bool,
    pub(super) patrolled: (u64, u32),
    pub(super) staleness: Staleness,
    pub(super) transfers: u64,
    pub(super) interventions: u32,
    pub(super) arrived: u32,
    pub(super) has_begun: bool,
    pub(super) interrupted: bool,
    pub(super) end: Option<End>,
}

impl Suspended {
    /// Returns a run that has not started.
    pub(super) fn at_start(
        config: &RunConfig,
        diameter: u64,
        needs: SimulationNeeds,
        queue: QueueState,
    ) -> Self {
        Self {
            needs,
            now: Instant::ZERO,
            queue,
            control: Control::new(config),
            halts: Halts::new(config.mode),
            detection: Detection::new(config),
            versions: (config.mode == Mode::Exact).then(|| Residuals::new(diameter)),
            initial: 0.0,
            verified: 0.0,
            updates: 0,
            away: 0,
            helped: 0,
            patrols: false,
            patrolled: (0, 0),
            staleness: Staleness::default(),
            transfers: 0,
            interventions: 0,
            arrived: 0,
            has_begun: false,
            interrupted: false,
            end: None,
        }
    }
}

impl<'a, 'm, T: Part, G: Graph<N>, const N: usize> Simulation<'a, 'm, T, G, N> {
    /// Gives back the lent memory; [`Simulation::resume`] goes on as if nothing had happened.
    pub fn suspend(self) -> Suspended {
        Suspended {
            needs: self.needs,
            now: self.now,
            queue: self.workers.queue.state(),
            control: self.control,
            halts: self.halts,
            detection: self.detection,
            versions: self.versions,
            initial: self.initial,
            verified: self.verified,
            updates: self.updates,
            away: self.away,
            helped: self.helped,
            patrols: self.patrols,
            patrolled: self.patrolled,
            staleness: self.staleness,
            transfers: self.transfers,
            interventions: self.interventions_made,
            arrived: self.arrived,
            has_begun: self.has_begun,
            interrupted: self.interrupted,
            end: self.end,
        }
    }

    /// Goes on with a run. A host does so for every frame, so of the parts only their number is checked
    /// again, and of the workers that they are in the order of their sockets. Configuration, hardware and
    /// graph are those that it began with; parts and memory are as it left them, or copies of these.
    pub fn resume(
        config: &'a RunConfig,
        hardware: &'a Hardware,
        (graph, parts): (&'a G, &'a mut [T]),
        memory: SimulationMemory<'a, 'm>,
        suspended: Suspended,
    ) -> Result<Self, SimulationError> {
        part::check_number((graph, parts.len()), config)?;
        check_memory(&memory, &suspended.needs)?;
        let actors = Actors::of(config);
        let SimulationMemory { owners, links, holdings, sockets, by_socket, .. } = memory;
        let SimulationMemory { locations, handled, slots, .. } = memory;
        let numbers = (actors.all() as usize, memory.workers.len());
        let queue = Queue::resume(memory.pending, numbers, suspended.queue);
        Ok(Self {
            config,
            hardware,
            graph,
            stride: stride(graph),
            places: WorkerPlaces::of(config, hardware),
            actors,
            needs: suspended.needs,
            parts,
            now: suspended.now,
            workers: Workers { blocked: blocked(memory.workers), states: memory.workers, queue },
            subdomains: memory.subdomains,
            nodes: memory.nodes,
            slowdowns: memory.slowdowns,
            intervened: memory.intervened,
            ownership: Ownership::resume(owners, links, holdings),
            topology: Topology::new(sockets, by_socket)?,
            directories: Directories { locations, handled, slots, bounds: Bounds::of(config) },
            means: memory.means,
            counts: memory.counts,
            residuals: memory.residuals,
            worker_updates: memory.worker_updates,
            levelings: memory.levelings,
            kept: memory.kept,
            room: memory.room,
            measured: memory.measured,
            visits: memory.visits,
            shares: memory.shares,
            control: suspended.control,
            halts: suspended.halts,
            detection: suspended.detection,
            versions: suspended.versions,
            initial: suspended.initial,
            verified: suspended.verified,
            updates: suspended.updates,
            away: suspended.away,
            helped: suspended.helped,
            patrols: suspended.patrols,
            patrolled: suspended.patrolled,
            staleness: suspended.staleness,
            transfers: suspended.transfers,
            interventions_made: suspended.interventions,
            arrived: suspended.arrived,
            has_begun: suspended.has_begun,
            interrupted: suspended.interrupted,
            end: suspended.end,
        })
    }
}

/// Returns the number of workers that wait until they are woken.
fn blocked(workers: &[WorkerState]) -> u32 {
    let blocked = workers.iter().filter(|worker| worker.phase == Phase::Blocked).count();
    u32::try_from(blocked).unwrap_or(u32::MAX)
}
