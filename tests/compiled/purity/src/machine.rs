//! The virtual machine, with cells of both precisions, without any, and with a graph of one's own.

use tresse_core::base::id::{SubdomainId, WorkerId};
use tresse_core::base::time::Instant;
use tresse_core::field::grid::Decomposition;
use tresse_core::field::stencil::Portable;
use tresse_core::field::subdomain::StencilPart;
use tresse_core::parts::{self, Graph, GraphError, NoCells, Part};
use tresse_core::run::RunConfig;
use tresse_core::sim::machine::{
    CoreTrace, Event, Hardware, LentParts, Simulation, SimulationError, SimulationMemory,
    SimulationOutcome, Watch,
};

/// Remembers the last event.
pub struct Last(Option<(Instant, Event)>);

impl Watch for Last {
    fn see(&mut self, now: Instant, event: Event) {
        self.0 = Some((now, event));
    }
}

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
    parts::check(ring, parts, config)
}

/// The results of a run that a host reads.
pub type Seen = Result<(Option<SimulationOutcome>, u64, f64), SimulationError>;

/// Returns a run from its beginning to its end, and everything that a host reads.
fn run<'m, T: Part, G: Graph<N>, const N: usize>(
    config: &RunConfig,
    hardware: &Hardware,
    traces: &[CoreTrace<'m>],
    parts: LentParts<'_, T, G>,
    memory: SimulationMemory<'_, 'm>,
) -> Seen {
    let mut machine = Simulation::new(config, hardware, traces, parts, memory)?;
    let mut last = Last(None);
    while machine.step(&mut last) || machine.step(&mut ()) {
        machine.interrupt();
    }
    let mut share = machine.staleness().mean() + machine.published_residual();
    machine.noise_taken(|taken| share += taken.share);
    let sets = machine.working_set(WorkerId(0)).count() as u64 + machine.counts().sum::<u64>();
    let owner = machine.owner(SubdomainId(0)).map_or(0, |owner| u64::from(owner.0));
    let sweeping = machine.sweeping(WorkerId(0)).map_or(0, |id| u64::from(id.0));
    let held = u64::from(machine.held(WorkerId(0)));
    let numbers = machine.moves() + machine.transfers() + machine.rounds() + machine.updates();
    let progress = machine.progress().spread() + machine.spread_max() + machine.now().0;
    let all = sets + owner + sweeping + held + numbers + progress;
    Ok((machine.outcome(), all, share + machine.initial_residual()))
}

/// An instance of `run`.
macro_rules! instance {
    ($name:ident, $part:ty, $graph:ty) => {
        #[inline(never)]
        pub fn $name<'m>(
            config: &RunConfig,
            hardware: &Hardware,
            traces: &[CoreTrace<'m>],
            parts: LentParts<'_, $part, $graph>,
            memory: SimulationMemory<'_, 'm>,
        ) -> Seen {
            run(config, hardware, traces, parts, memory)
        }
    };
}
instance!(run_without_cells, NoCells, Decomposition);
instance!(run_single, StencilPart<'_, f32, Portable>, Decomposition);
instance!(run_double, StencilPart<'_, f64, Portable>, Decomposition);
instance!(run_ring, NoCells, Ring);
