//! The virtual machine, with cells of both precisions and without any.

use tresse_core::id::{SubdomainId, WorkerId};
use tresse_core::machine::{
    CoreTrace, Event, Fields, Hardware, NoFields, Piece, RealFields, Simulation, SimulationError,
    SimulationMemory, SimulationNeeds, SimulationOutcome, Watch,
};
use tresse_core::run::RunConfig;
use tresse_core::stencil::Portable;
use tresse_core::subdomain::Subdomain;
use tresse_core::time::Instant;

/// Remembers the last event.
pub struct Last(Option<(Instant, Event)>);

impl Watch for Last {
    fn see(&mut self, now: Instant, event: Event) {
        self.0 = Some((now, event));
    }
}

type CellsF64<'a, 'm> = RealFields<'a, 'm, f64, Portable>;
type CellsF32<'a, 'm> = RealFields<'a, 'm, f32, Portable>;

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
    memory: SimulationMemory<'a, 'm>,
) -> Result<Simulation<'a, 'm, NoFields>, SimulationError> {
    Simulation::new(config, hardware, traces, NoFields, memory)
}

#[inline(never)]
pub fn new_f64<'a, 'm>(
    config: &'a RunConfig,
    hardware: &'a Hardware,
    subdomains: &'a mut [Subdomain<'a, f64>],
    memory: SimulationMemory<'a, 'm>,
) -> Result<Simulation<'a, 'm, CellsF64<'a, 'a>>, SimulationError> {
    Simulation::new(config, hardware, &[], RealFields::new(subdomains, Portable), memory)
}

#[inline(never)]
pub fn new_f32<'a, 'm>(
    config: &'a RunConfig,
    hardware: &'a Hardware,
    subdomains: &'a mut [Subdomain<'a, f32>],
    memory: SimulationMemory<'a, 'm>,
) -> Result<Simulation<'a, 'm, CellsF32<'a, 'a>>, SimulationError> {
    Simulation::new(config, hardware, &[], RealFields::new(subdomains, Portable), memory)
}

#[inline(never)]
pub fn step(machine: &mut Simulation<'_, '_, NoFields>, last: &mut Last) -> bool {
    machine.step(last)
}

#[inline(never)]
pub fn step_f64(machine: &mut Simulation<'_, '_, CellsF64<'_, '_>>, last: &mut Last) -> bool {
    machine.step(last)
}

#[inline(never)]
pub fn step_f32(machine: &mut Simulation<'_, '_, CellsF32<'_, '_>>) -> bool {
    machine.step(&mut ())
}

#[inline(never)]
pub fn interrupt(machine: &mut Simulation<'_, '_, NoFields>) {
    machine.interrupt();
}

/// Everything that a host reads.
#[inline(never)]
pub fn look<P: Fields>(
    machine: &mut Simulation<'_, '_, P>,
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
    machine: &mut Simulation<'_, '_, NoFields>,
    id: u32,
) -> (Option<SimulationOutcome>, u64, f64) {
    look(machine, id)
}
