//! Multigrid in virtual time: the same cycles, by the workers of a virtual machine's nodes.

use tresse_core::base::id::NodeId;
use tresse_core::base::real::Real;
use tresse_core::base::time::{Duration, Instant};
use tresse_core::multigrid::owned::conjugate_gradients::ConjugateGradients;
use tresse_core::multigrid::owned::{InTurn, Multigrid};
use tresse_core::run::{Nodes, NoiseReport, Quantity, RunConfig, RunConfigError};
use tresse_core::sim::machine::{self, Hardware, NoiseTaken, SimulationError};
use tresse_core::sim::owned::{SpeedTrace, VirtualClock, VirtualThreads, lent};

use crate::kernel::RowKernel;
use crate::multigrid::{CycleLoop, Cycles, Geometric, Stage, Threads, scheme, shaped};
use crate::simulation::VirtualJob;
use crate::solution::{RunRecord, Solution};
use crate::solvers::MultigridChoices;
use crate::virtual_nodes::{Network, VirtualNode};
use tresse_draw::history::HistorySample;

/// Never for a grid of ours.
const NO_CELLS: SimulationError = SimulationError::Config(RunConfigError::Zero(Quantity::Grid));

/// Refuses a run by multigrid that a machine cannot simulate.
pub fn check(
    config: &RunConfig,
    hardware: &Hardware,
    traces: &[SpeedTrace],
    choices: MultigridChoices,
) -> Result<(), SimulationError> {
    machine::check(config, hardware, &lent(traces))?;
    match scheme(config, choices) {
        Some(_) => Ok(()),
        None => Err(SimulationError::Smoothing(choices.smoothing)),
    }
}

/// Solves by multigrid on the nodes of a machine, each of which has consecutive bands; an iteration
/// is a cycle.
pub fn simulate_multigrid<F: Real + Send + Sync>(
    job: VirtualJob<'_>,
    choices: MultigridChoices,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Solution<F>, SimulationError> {
    let config = job.config;
    check(config, job.hardware, job.traces, choices)?;
    let scheme = scheme(config, choices).ok_or(SimulationError::Smoothing(choices.smoothing))?;
    let clocks: Vec<_> = (0..config.nodes.number).map(|_| VirtualClock::default()).collect();
    let (nodes, costs) = (config.nodes.number, &job.hardware.costs);
    if job.problem.terms().faces.is_some() {
        let network = Network::new(nodes, costs);
        let solver = |node| {
            let node =
                VirtualNode { id: node, network: &network, clock: clocks.get(node.index())? };
            ConjugateGradients::<F, _>::among(job.problem, scheme.clone(), node, &InTurn)
        };
        let bands = config.subdomains();
        return on_nodes(job, (&network, &clocks), solver, |_| bands, watch);
    }
    let (network, kernel) = (Network::new(nodes, costs), RowKernel::best());
    let solver = |node| {
        let node = VirtualNode { id: node, network: &network, clock: clocks.get(node.index())? };
        let multigrid = Multigrid::<F, _>::among(job.problem, scheme.clone(), node)?;
        Some(Geometric { multigrid, kernel })
    };
    let bands = |solver: &Geometric<F, _>| solver.multigrid.all_bands() as u64;
    on_nodes(job, (&network, &clocks), solver, bands, watch)
}

/// The workers of a node, whose time begins with the first cycle.
struct VirtualWorkers<'m> {
    threads: VirtualThreads<'m>,
    clock: &'m VirtualClock,
}

impl<'m> Threads for VirtualWorkers<'m> {
    type Pool = VirtualThreads<'m>;

    fn run<R: Send>(&self, work: impl FnOnce(&VirtualThreads<'m>) -> R + Send) -> R {
        work(&self.threads)
    }

    fn now(&self) -> Instant {
        self.clock.now()
    }

    fn worked(&self) -> Duration {
        self.threads.worked()
    }
}

/// The result of one node.
struct Done<C> {
    record: RunRecord,
    /// Its rows.
    cells: Vec<C>,
}

/// Makes all cycles on all nodes at once, and returns the joined solution. `bands` gives the number
/// of bands of a node's solver.
fn on_nodes<N: Real, S: Cycles<Cell: Send> + Send>(
    job: VirtualJob<'_>,
    (network, clocks): (&Network<N>, &[VirtualClock]),
    solver: impl Fn(NodeId) -> Option<S> + Sync,
    bands: impl Fn(&S) -> u64 + Sync,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Solution<S::Cell>, SimulationError> {
    let on_node = |node: NodeId, watch: &mut dyn FnMut(&HistorySample)| {
        let clock = clocks.get(node.index()).ok_or(SimulationError::Memory)?;
        let solver = solver(node).ok_or(NO_CELLS)?;
        let bands = bands(&solver).try_into().unwrap_or(u32::MAX);
        run_node(job, (node, clock), (solver, bands), watch)
    };
    // The history is the same on all nodes: the first one's is watched.
    let done = network.run(|node| on_node(node, &mut |_| {}), || on_node(NodeId(0), watch));
    let done = done.map_err(|_| SimulationError::ThreadOfNode)?;
    let mut done = done.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter();
    // So are the records, but for the noise, which is that of a node's own cores.
    let Done { mut record, mut cells } = done.next().ok_or(SimulationError::Memory)?;
    for other in done {
        record.noise.extend(other.record.noise);
        cells.extend(other.cells);
    }
    let field = shaped(cells, job.config).map_err(|_| NO_CELLS)?;
    Ok(Solution { field, record: RunRecord { is_virtual: true, ..record } })
}

/// Makes all cycles on one node, until the run has ended.
fn run_node<S: Cycles + Send>(
    VirtualJob { config, hardware, traces, interrupt, .. }: VirtualJob<'_>,
    (node, clock): (NodeId, &VirtualClock),
    (mut solver, bands): (S, u32),
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Done<S::Cell>, SimulationError> {
    let traces = lent(traces);
    let threads = VirtualThreads::new(config, hardware, &traces, node, clock)?;
    let threads = VirtualWorkers { threads, clock };
    let stage = Stage::first(solver.residual_squares(&InTurn));
    clock.set(Instant::ZERO);
    // Its report is of what all nodes do.
    let all = RunConfig { nodes: Nodes { number: 1, ..config.nodes }, ..config.clone() };
    let mut cycles = CycleLoop::new(&all, interrupt, bands);
    let ended = cycles.run(&mut solver, &threads, stage, &(), watch);
    let noise = noise_taken(&threads.threads, config, hardware);
    let record = ended.record(&all, cycles.recorder.finish().0, noise);
    Ok(Done { record, cells: solver.into_cells() })
}

/// Returns the share of each core's time that each source of noise took.
fn noise_taken(
    threads: &VirtualThreads<'_>,
    config: &RunConfig,
    hardware: &Hardware,
) -> Vec<NoiseReport> {
    let mut noise = Vec::new();
    threads.noise_taken(config, hardware, |NoiseTaken { core, source, share }| {
        if let Some(&source) = config.noise.get(source) {
            noise.push(NoiseReport { source, core, share });
        }
    });
    noise
}
