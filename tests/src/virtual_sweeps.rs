//! Sweeps in virtual time, written down as those of threads are.

use std::sync::atomic::AtomicBool;

use tresse::engine::kernel::Kernel;
use tresse::engine::simulation::{VirtualJob, simulate};
use tresse::engine::solution::Solution;
use tresse::engine::threads::Cells;
use tresse::files::problem::Problem;
use tresse_core::base::id::SubdomainId;
use tresse_core::field::grid::Decomposition;
use tresse_core::field::owned::CellMemory;
use tresse_core::field::stencil::Real;
use tresse_core::parts::halo::{EdgeReader, EdgeWriter};
use tresse_core::parts::{Part, SharedUnit};
use tresse_core::run::progress::Staleness;
use tresse_core::sim::machine::{
    CoreTrace, Event, LentParts, Simulation, SimulationError, SimulationNeeds, SimulationOutcome,
};
use tresse_core::sim::owned::OwnedSimulationMemory;

use crate::problems::Failure;
use crate::recording::{Start, Sweep};
use tresse_core_tests::simulated::world::VirtualWorld;

/// Real cells, and what was done to them.
struct Recorded<'m, F> {
    id: SubdomainId,
    part: Cells<'m, F>,
    version: u64,
    halos: [Option<u64>; 4],
    sweeps: Vec<Sweep>,
}

impl<F: Real> Part for Recorded<'_, F> {
    type Unit = F;

    fn publish(&self, link: usize, edge: EdgeWriter<'_, F>) {
        self.part.publish(link, edge);
    }

    fn read(&mut self, link: usize, edge: EdgeReader<'_, F>) {
        self.part.read(link, edge);
    }

    fn pack(&self) -> impl Iterator<Item = F> {
        self.part.pack()
    }

    fn unpack(&mut self, id: SubdomainId, units: impl Iterator<Item = F>) -> bool {
        self.part.unpack(id, units)
    }

    fn copy(&mut self, link: usize, neighbour: &Self, back: usize, through: &[SharedUnit<Self>]) {
        self.halos[link] = Some(neighbour.version);
        self.part.copy(link, &neighbour.part, back, through);
    }

    fn update(&mut self, with_residual: bool) -> Option<f64> {
        let start = Start::of(self.part.layout(), self.part.cells());
        let residual = self.part.update(with_residual);
        self.version += 1;
        self.sweeps.push(Sweep {
            subdomain: self.id.0,
            version: self.version,
            halos: self.halos,
            ..start.end(self.part.layout(), self.part.cells())
        });
        residual
    }

    fn residual(&mut self) -> f64 {
        self.part.residual()
    }
}

/// Returns every sweep of a run, by subdomain and version; how it ended, and the halos that were
/// counted.
pub fn record<F: Real>(
    world: &VirtualWorld,
    problem: &Problem,
) -> Result<(Vec<Sweep>, SimulationOutcome, Staleness), Failure> {
    let VirtualWorld { config, hardware, traces, .. } = world;
    let decomposition = Decomposition::new(config)?;
    let mut memory = CellMemory::<F>::allocate(&decomposition, problem.terms());
    let parts = decomposition.ids().zip(memory.parts(Kernel::best()));
    let parts = parts.map(|(id, mut part)| {
        problem.fill(&decomposition, id, &mut part);
        Recorded { id, part, version: 0, halos: [None; 4], sweeps: Vec::new() }
    });
    let mut parts: Vec<_> = parts.collect();
    let traces: Vec<_> =
        traces.iter().map(|trace| CoreTrace { core: trace.core, pieces: &trace.pieces }).collect();
    let mut memory = OwnedSimulationMemory::new(&SimulationNeeds::of(config, hardware, &traces));
    let parts = LentParts::new(&decomposition, &mut parts);
    let mut machine = Simulation::new(config, hardware, &traces, parts, memory.lend())?;
    let mut workers = Vec::new();
    while machine.step(&mut |_, event| {
        if let Event::Swept { worker, subdomain, version } = event {
            workers.push((subdomain.0, version, worker.0));
        }
    }) {}
    let outcome = machine.outcome().ok_or("it has not ended")?;
    let mut sweeps: Vec<_> = machine.parts().iter().flat_map(|one| one.sweeps.clone()).collect();
    sweeps.sort_by_key(|sweep| (sweep.subdomain, sweep.version));
    workers.sort_unstable();
    if sweeps.len() != workers.len() {
        return Err(format!("{} sweeps, {} events", sweeps.len(), workers.len()).into());
    }
    for (sweep, (subdomain, version, worker)) in sweeps.iter_mut().zip(workers) {
        if (sweep.subdomain, sweep.version) != (subdomain, version) {
            return Err(format!("an event of update {version} of subdomain {subdomain}").into());
        }
        sweep.worker = worker;
    }
    Ok((sweeps, outcome, machine.staleness()))
}

/// Makes a run in virtual time as the host does.
pub fn solve<F: Real>(
    world: &VirtualWorld,
    problem: &Problem,
) -> Result<Solution<F>, SimulationError> {
    let VirtualWorld { config, hardware, traces, .. } = world;
    let interrupt = &AtomicBool::new(false);
    let job = VirtualJob { config, problem, hardware, traces, interrupt };
    simulate(job, &mut |_| {}, &mut ())
}
