//! A run in virtual time that keeps its state between the calls of its host.

use alloc::vec::Vec;

use crate::base::time::Instant;
use crate::field::grid::Decomposition;
use crate::field::owned::CellMemory;
use crate::field::problem::Problem;
use crate::field::stencil::{Kernel, Real};
use crate::field::subdomain::{Shape, StencilPart};
use crate::run::RunConfig;
use crate::sim::machine::{
    CoreTrace, Hardware, Intervention, LentParts, Simulation, SimulationError, SimulationNeeds,
    Suspended, Watch,
};
use crate::sim::owned::OwnedSimulationMemory;

/// A run of the stencil in virtual time with all that it needs, for hosts that must return between
/// two frames. Hosts may intervene in it.
#[derive(Debug)]
pub struct OwnedRun<'m, F, K> {
    config: RunConfig,
    hardware: Hardware,
    decomposition: Decomposition,
    kernel: K,
    cells: CellMemory<F>,
    memory: OwnedSimulationMemory<'m>,
    /// State of the machine between two calls; none while it is driven.
    suspended: Option<Suspended>,
}

/// A moment of a run to come back to ([`OwnedRun::restore`]).
#[derive(Clone, Debug)]
pub struct Snapshot<'m, F> {
    shapes: Vec<Shape>,
    cells: Vec<F>,
    memory: OwnedSimulationMemory<'m>,
    suspended: Suspended,
}

impl<F> Snapshot<'_, F> {
    /// Returns the bytes of its cells, which are the most of it.
    pub const fn bytes(&self) -> usize {
        self.cells.len() * size_of::<F>()
    }
}

/// The machine of an [`OwnedRun`].
pub type OfStencil<'a, 'c, 'm, F, K> = Simulation<'a, 'm, StencilPart<'c, F, K>>;

impl<'m, F: Real, K: Kernel<F> + Copy> OwnedRun<'m, F, K> {
    /// Returns the run at time zero.
    pub fn new(
        config: RunConfig,
        hardware: Hardware,
        traces: &[CoreTrace<'m>],
        problem: &Problem,
        kernel: K,
    ) -> Result<Self, SimulationError> {
        config.validate()?;
        let decomposition = Decomposition::new(&config)?;
        let needs = SimulationNeeds::of(&config, &hardware, traces).with_interventions();
        let mut cells = CellMemory::allocate(&decomposition, problem.terms());
        let mut memory = OwnedSimulationMemory::new(&needs);
        let mut parts: Vec<_> = cells.parts(kernel).collect();
        for (id, part) in decomposition.ids().zip(&mut parts) {
            problem.fill(&decomposition, id, part);
        }
        let of_graph = LentParts::new(&decomposition, &mut parts);
        let machine = Simulation::new(&config, &hardware, traces, of_graph, memory.lend())?;
        let suspended = Some(machine.suspend());
        let shapes: Vec<_> = shapes(&parts).collect();
        cells.keep(shapes);
        Ok(Self { config, hardware, decomposition, kernel, cells, memory, suspended })
    }

    /// Returns the configuration.
    pub const fn config(&self) -> &RunConfig {
        &self.config
    }

    /// Returns the machine that the run is on.
    pub const fn hardware(&self) -> &Hardware {
        &self.hardware
    }

    /// Returns the decomposition of the grid.
    pub const fn decomposition(&self) -> &Decomposition {
        &self.decomposition
    }

    /// Calls `act` with the machine, which drives it or looks at it.
    pub fn with<R>(
        &mut self,
        act: impl FnOnce(&mut OfStencil<'_, '_, 'm, F, K>) -> R,
    ) -> Result<R, SimulationError> {
        let suspended = self.suspended.take().ok_or(SimulationError::Memory)?;
        let mut parts: Vec<_> = self.cells.parts(self.kernel).collect();
        let of_graph = LentParts::new(&self.decomposition, &mut parts);
        let memory = self.memory.lend();
        let mut machine =
            Simulation::resume(&self.config, &self.hardware, of_graph, memory, suspended)?;
        let result = act(&mut machine);
        self.suspended = Some(machine.suspend());
        let shapes: Vec<_> = shapes(&parts).collect();
        self.cells.keep(shapes);
        Ok(result)
    }

    /// Lets every event happen that is due before a time; false once the run has ended.
    pub fn advance(
        &mut self,
        until: Instant,
        watch: &mut impl Watch,
    ) -> Result<bool, SimulationError> {
        self.with(|machine| machine.advance(until, watch))
    }

    /// Intervenes in the run ([`Simulation::intervene`]).
    pub fn intervene(
        &mut self,
        intervention: &Intervention,
        watch: &mut impl Watch,
    ) -> Result<(), SimulationError> {
        self.with(|machine| machine.intervene(intervention, watch))?
    }

    /// Returns a copy of the run as it is now.
    pub fn snapshot(&mut self) -> Result<Snapshot<'m, F>, SimulationError> {
        let suspended = self.suspended.clone().ok_or(SimulationError::Memory)?;
        let memory = self.memory.clone();
        let (mut shapes, mut cells) = (Vec::new(), Vec::new());
        for subdomain in self.cells.lend() {
            shapes.push(subdomain.shape());
            cells.extend_from_slice(subdomain.cells());
        }
        Ok(Snapshot { shapes, cells, memory, suspended })
    }

    /// Makes the run what it was when it made the snapshot.
    pub fn restore(&mut self, snapshot: &Snapshot<'m, F>) {
        let mut rest = snapshot.cells.as_slice();
        for subdomain in self.cells.lend() {
            let cells = subdomain.into_cells();
            let Some((kept, others)) = rest.split_at_checked(cells.len()) else { break };
            cells.copy_from_slice(kept);
            rest = others;
        }
        self.cells.keep(snapshot.shapes.iter().copied());
        self.memory.clone_from(&snapshot.memory);
        self.suspended = Some(snapshot.suspended.clone());
    }
}

/// Returns the shapes of the parts, which say where their interiors lie now.
fn shapes<F: Real, K>(parts: &[StencilPart<'_, F, K>]) -> impl Iterator<Item = Shape> {
    parts.iter().map(|part| part.shape())
}
