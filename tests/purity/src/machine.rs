//! The virtual machine, with cells of both precisions and without any.

use tresse_core::grid::Decomposition;
use tresse_core::id::{SubdomainId, WorkerId};
use tresse_core::machine::{
    CoreTrace, Event, Hardware, Piece, Simulation, SimulationError, SimulationMemory,
    SimulationNeeds, SimulationOutcome, Watch,
};
use tresse_core::part::{self, Graph, GraphError, NoCells, Part};
use tresse_core::run::RunConfig;
use tresse_core::stencil::Portable;
use tresse_core::subdomain::StencilPart;
use tresse_core::time::Instant;

/// Remembers the last event.
pub struct Last(Option<(Instant, Event)>);

impl Watch for Last {
    fn see(&mut self, now: Instant, event: Event) {
        self.0 = Some((now, event));
    }
}

type CellsF64<'m> = StencilPart<'m, f64, Portable>;
type CellsF32<'m> = StencilPart<'m, f32, Portable>;

/// A ring of parts, each with two numbers.
pub struct Ring(u32);

impl Graph<2> for Ring {
    fn parts(&self) -> u32 {
        self.0
    }

    fn neighbours(&self, part: SubdomainId) -> [Option<SubdomainId>; 2] {
        let at = |place: u32| place.checked_rem(self.0).map(SubdomainId);
        [at(part.0.saturating_add(self.0).saturating_sub(1)), at(part.0.saturating_add(1))]
    }

    fn size(&self, _: SubdomainId) -> [u32; 2] {
        [1, 1]
    }
}

#[inline(never)]
pub fn check(ring: &Ring, parts: usize, config: &RunConfig) -> Result<(), GraphError> {
    part::check((ring, parts), config)
}

#[inline(never)]
pub fn step_ring(machine: &mut Simulation<'_, '_, NoCells, Ring, 2>, last: &mut Last) -> bool {
    machine.step(last)
}

#[inline(never)]
pub fn needs(config: &RunConfig, hardware: &Hardware, traces: &[CoreTrace<'_>]) -> SimulationNeeds {
    SimulationNeeds::of(config, hardware, traces)
}

#[inline(never)]
pub fn piece(from: Instant, millionths: u32) -> Piece {
    Piece::new(from, millionths)
}

#[inline(never)]
pub fn new<'a, 'm>(
    config: &'a RunConfig,
    hardware: &'a Hardware,
    traces: &[CoreTrace<'m>],
    parts: (&'a Decomposition, &'a mut [NoCells]),
    memory: SimulationMemory<'a, 'm>,
) -> Result<Simulation<'a, 'm, NoCells>, SimulationError> {
    Simulation::new(config, hardware, traces, parts, memory)
}

#[inline(never)]
pub fn new_f64<'a, 'm>(
    config: &'a RunConfig,
    hardware: &'a Hardware,
    parts: (&'a Decomposition, &'a mut [CellsF64<'a>]),
    memory: SimulationMemory<'a, 'm>,
) -> Result<Simulation<'a, 'm, CellsF64<'a>>, SimulationError> {
    Simulation::new(config, hardware, &[], parts, memory)
}

#[inline(never)]
pub fn new_f32<'a, 'm>(
    config: &'a RunConfig,
    hardware: &'a Hardware,
    parts: (&'a Decomposition, &'a mut [CellsF32<'a>]),
    memory: SimulationMemory<'a, 'm>,
) -> Result<Simulation<'a, 'm, CellsF32<'a>>, SimulationError> {
    Simulation::new(config, hardware, &[], parts, memory)
}

#[inline(never)]
pub fn step(machine: &mut Simulation<'_, '_, NoCells>, last: &mut Last) -> bool {
    machine.step(last)
}

#[inline(never)]
pub fn step_f64(machine: &mut Simulation<'_, '_, CellsF64<'_>>, last: &mut Last) -> bool {
    machine.step(last)
}

#[inline(never)]
pub fn step_f32(machine: &mut Simulation<'_, '_, CellsF32<'_>>) -> bool {
    machine.step(&mut ())
}

#[inline(never)]
pub fn interrupt(machine: &mut Simulation<'_, '_, NoCells>) {
    machine.interrupt();
}

/// Everything that a host reads.
#[inline(never)]
pub fn look<T: Part>(
    machine: &mut Simulation<'_, '_, T>,
    id: u32,
) -> (Option<SimulationOutcome>, u64, f64) {
    let mut share = machine.staleness().mean() + machine.published_residual();
    machine.noise_taken(|_, _, taken| share += taken);
    let (worker, id) = (WorkerId(id), SubdomainId(id));
    let sets = machine.working_set(worker).count() as u64 + u64::from(machine.held(worker));
    let owner = machine.owner(id).map_or(0, |owner| u64::from(owner.0));
    let sweeping = machine.sweeping(worker).map_or(0, |id| u64::from(id.0));
    let numbers = machine.moves() + machine.transfers() + machine.rounds() + machine.updates();
    let progress = machine.progress().spread() + machine.spread_max() + machine.now().0;
    let residual = machine.initial_residual();
    (machine.outcome(), sets + owner + sweeping + numbers + progress, share + residual)
}

#[inline(never)]
pub fn look_at_progress(
    machine: &mut Simulation<'_, '_, NoCells>,
    id: u32,
) -> (Option<SimulationOutcome>, u64, f64) {
    look(machine, id)
}
