//! Sweeps in virtual time, written down as those of threads are.

use std::sync::atomic::AtomicBool;

use tresse::kernel::Kernel;
use tresse::problem::Problem;
use tresse::simulation::{VirtualJob, simulate};
use tresse::solution::Solution;
use tresse_core::grid::{Decomposition, Side};
use tresse_core::id::SubdomainId;
use tresse_core::machine::{
    CoreTrace, Event, Fields, RealFields, Simulation, SimulationError, SimulationNeeds,
    SimulationOutcome,
};
use tresse_core::owned::CellMemory;
use tresse_core::owned::OwnedSimulationMemory;
use tresse_core::progress::Staleness;
use tresse_core::stencil::Real;

use super::world::VirtualWorld;
use crate::problems::Failure;
use crate::recording::{Start, Sweep};

/// Real cells, and what was done to them.
struct Recorded<'a, 'm, F> {
    cells: RealFields<'a, 'm, F, Kernel<F>>,
    versions: Vec<u64>,
    halos: Vec<[Option<u64>; 4]>,
    sweeps: Vec<Sweep>,
}

impl<F: Real> Fields for Recorded<'_, '_, F> {
    fn read_halo(&mut self, id: SubdomainId, side: Side, neighbour: SubdomainId) {
        self.halos[id.index()][side.index()] = Some(self.versions[neighbour.index()]);
        self.cells.read_halo(id, side, neighbour);
    }

    fn sweep(&mut self, id: SubdomainId, with_residual: bool) -> Option<f64> {
        let subdomain = &self.cells.subdomains()[id.index()];
        let start = Start::of(subdomain.layout(), subdomain.cells());
        let residual = self.cells.sweep(id, with_residual);
        let subdomain = &self.cells.subdomains()[id.index()];
        self.versions[id.index()] += 1;
        self.sweeps.push(Sweep {
            subdomain: id.0,
            version: self.versions[id.index()],
            halos: self.halos[id.index()],
            ..start.end(subdomain.layout(), subdomain.cells())
        });
        residual
    }

    fn residual(&mut self, id: SubdomainId) -> f64 {
        self.cells.residual(id)
    }
}

/// Every sweep of a run, by subdomain and version; how it ended, and the halos that were counted.
pub fn record<F: Real>(
    world: &VirtualWorld,
    problem: &Problem,
) -> Result<(Vec<Sweep>, SimulationOutcome, Staleness), Failure> {
    let VirtualWorld { config, hardware, traces, .. } = world;
    let decomposition = Decomposition::new(config)?;
    let mut memory = CellMemory::<F>::allocate(&decomposition, !problem.source.is_zero());
    let mut subdomains: Vec<_> = memory.lend().collect();
    for (id, subdomain) in decomposition.ids().zip(&mut subdomains) {
        problem.fill(&decomposition, id, subdomain);
    }
    let fields = Recorded {
        versions: vec![0; subdomains.len()],
        halos: vec![[None; 4]; subdomains.len()],
        cells: RealFields::new(&mut subdomains, Kernel::best()),
        sweeps: Vec::new(),
    };
    let traces: Vec<_> =
        traces.iter().map(|trace| CoreTrace { core: trace.core, pieces: &trace.pieces }).collect();
    let mut memory = OwnedSimulationMemory::new(&SimulationNeeds::of(config, hardware, &traces));
    let mut machine = Simulation::new(config, hardware, &traces, fields, memory.lend())?;
    let mut workers = Vec::new();
    while machine.step(&mut |_, event| {
        if let Event::Swept { worker, .. } = event {
            workers.push(worker.0);
        }
    }) {}
    let outcome = machine.outcome().ok_or("it has not ended")?;
    let mut sweeps = machine.fields().sweeps.clone();
    if sweeps.len() != workers.len() {
        return Err(format!("{} sweeps, {} events", sweeps.len(), workers.len()).into());
    }
    for (sweep, worker) in sweeps.iter_mut().zip(workers) {
        sweep.worker = worker;
    }
    sweeps.sort_by_key(|sweep| (sweep.subdomain, sweep.version));
    Ok((sweeps, outcome, machine.staleness()))
}

/// The same as the host runs it.
pub fn solve<F: Real>(
    world: &VirtualWorld,
    problem: &Problem,
) -> Result<Solution<F>, SimulationError> {
    let VirtualWorld { config, hardware, traces, .. } = world;
    let interrupt = &AtomicBool::new(false);
    let job = VirtualJob { config, problem, hardware, traces, interrupt };
    simulate(job, &mut |_| {}, &mut ())
}
