//! Runs in virtual time: the host of [`tresse_core::sim::machine`].

use std::sync::atomic::{AtomicBool, Ordering};
use std::time;

use tresse_core::base::id::SubdomainId;
use tresse_core::base::time::Instant;
use tresse_core::base::unit::Unit as _;
use tresse_core::field::grid::Decomposition;
use tresse_core::field::owned::CellMemory;
use tresse_core::field::stencil::Real;
use tresse_core::parts::owned::{check_connected, check_memory, check_part};
use tresse_core::parts::{self, Graph, NoCells, Part};
use tresse_core::run::{End, NoiseReport, RunConfig, Stop};
use tresse_core::sim::machine::{
    self, Hardware, LentParts, NoiseTaken, Simulation, SimulationError, SimulationNeeds,
    SimulationOutcome, Watch,
};
use tresse_core::sim::owned::OwnedSimulationMemory;
pub use tresse_core::sim::owned::{SpeedTrace, lent};
use tresse_files::field;

use crate::files::problem::Problem;
use crate::kernel::Kernel;
use crate::recorder::{Recorder, sample};
use crate::solution::{RunRecord, Solution, Visited, residual_report};
use tresse_draw::history::HistorySample;
use tresse_platform::Platform;

/// A run to simulate, and its virtual machine.
#[derive(Clone, Copy)]
pub struct VirtualJob<'a> {
    /// Configuration of the method.
    pub config: &'a RunConfig,
    /// Problem to solve.
    pub problem: &'a Problem,
    /// The machine.
    pub hardware: &'a Hardware,
    /// Speeds of single cores over time.
    pub traces: &'a [SpeedTrace],
    /// Flag that another thread sets to end the run early.
    pub interrupt: &'a AtomicBool,
}

/// Refuses a run that the machine cannot simulate; returns the bytes that a run needs besides
/// cells.
pub fn check(
    config: &RunConfig,
    hardware: &Hardware,
    traces: &[SpeedTrace],
) -> Result<u64, SimulationError> {
    let traces = lent(traces);
    machine::check(config, hardware, &traces)?;
    Ok(OwnedSimulationMemory::bytes(&SimulationNeeds::of(config, hardware, &traces)))
}

/// Time for which an interrupted run may go on to a halt. Where a core is away for long in virtual
/// time, the others make millions of sweeps until then.
const PATIENCE: time::Duration = time::Duration::from_millis(500);

/// Number of events between two looks at the interrupt flag.
const STEPS_BETWEEN_CHECKS: u64 = 1_024;

/// Simulates a run; `watch` sees samples now and then, `events` sees every event.
pub fn simulate<F: Real>(
    job: VirtualJob<'_>,
    watch: &mut dyn FnMut(&HistorySample),
    events: &mut impl Watch,
) -> Result<Solution<F>, SimulationError> {
    job.config.validate()?;
    let decomposition = Decomposition::new(job.config)?;
    let mut cells = CellMemory::<F>::allocate(&decomposition, job.problem.terms());
    let mut parts: Vec<_> = cells.parts(Kernel::best()).collect();
    for (id, part) in decomposition.ids().zip(&mut parts) {
        job.problem.fill(&decomposition, id, part);
    }
    let record =
        run(&job.of(&decomposition), LentParts::new(&decomposition, &mut parts), watch, events)?;
    let field = field::assembled(&decomposition, |id, show| {
        parts.get(id.index()).into_iter().for_each(|part| show(part));
    });
    Ok(Solution { field, record })
}

/// Simulates only who sweeps what when, without any cells: nothing converges.
pub fn simulate_progress(job: VirtualJob<'_>) -> Result<RunRecord, SimulationError> {
    job.config.validate()?;
    let decomposition = Decomposition::new(job.config)?;
    let mut parts = vec![NoCells; decomposition.subdomains() as usize];
    run(&job.of(&decomposition), LentParts::new(&decomposition, &mut parts), &mut |_| {}, &mut ())
}

impl<'a> VirtualJob<'a> {
    /// Returns the iteration that this job is, on the graph of its subdomains.
    fn of(self, graph: &'a Decomposition) -> VirtualIteration<'a, Decomposition> {
        let Self { config, hardware, traces, interrupt, .. } = self;
        VirtualIteration { config, graph, hardware, traces, interrupt }
    }
}

/// An iteration of parts of any kind, and its virtual machine.
#[derive(Debug)]
pub struct VirtualIteration<'a, G> {
    /// The method. Its grid, imbalance and precision are those of the stencil, and say nothing
    /// here.
    pub config: &'a RunConfig,
    /// Graph of the parts: their number, sizes and neighbours.
    pub graph: &'a G,
    /// The machine.
    pub hardware: &'a Hardware,
    /// Speeds of single cores over time.
    pub traces: &'a [SpeedTrace],
    /// Flag that another thread sets to end the run early.
    pub interrupt: &'a AtomicBool,
}

/// Iterates parts in virtual time until the run has ended; `parts` are those of the graph, in the
/// order of their numbers, as the run begins with them, and then as it has left them. An error
/// comes before anything is updated.
pub fn iterate<T: Part, G: Graph<N>, const N: usize>(
    iteration: &VirtualIteration<'_, G>,
    parts: &mut [T],
    watch: &mut dyn FnMut(&HistorySample),
    events: &mut impl Watch,
) -> Result<RunRecord, SimulationError> {
    let VirtualIteration { config, graph, .. } = *iteration;
    config.validate()?;
    parts::check(graph, parts.len(), config)?;
    check_connected(graph)?;
    let ids = (0..graph.parts()).map(SubdomainId);
    if let Ok(here) = Platform::detect() {
        check_memory::<T::Unit, _, N>(graph, ids.clone(), here.available_memory)?;
    }
    ids.clone().zip(parts.iter_mut()).try_for_each(|(id, part)| check_part(graph, id, part))?;
    let longest = ids.map(|id| (0..N).map(|link| graph.edge(graph.size(id), link)).max());
    let length = longest.flatten().max().unwrap_or(0);
    let edge: Vec<_> = (0..length).map(|_| T::Unit::shared_zero()).collect();
    let parts = LentParts { graph, parts, through: &edge };
    run(iteration, parts, watch, events)
}

/// Advances the machine to the end of the run. After an interrupt it has `PATIENCE` to end by
/// itself, and is then cut off.
fn run<T: Part, G: Graph<N>, const N: usize>(
    iteration: &VirtualIteration<'_, G>,
    parts: LentParts<'_, T, G>,
    watch: &mut dyn FnMut(&HistorySample),
    events: &mut impl Watch,
) -> Result<RunRecord, SimulationError> {
    let VirtualIteration { config, graph, hardware, traces, interrupt } = *iteration;
    let traces = lent(traces);
    let mut memory = OwnedSimulationMemory::new(&SimulationNeeds::of(config, hardware, &traces));
    let mut recorder = Recorder::new(graph, config);
    let mut machine = Simulation::new(config, hardware, &traces, parts, memory.lend())?;
    let mut counts = Vec::new();
    let (mut steps, mut asked, mut is_cut_off) = (0_u64, None, false);
    while machine.step(events) {
        if recorder.is_due(machine.now()) {
            watch(&take_sample(&machine, &config.stop, &mut recorder, &mut counts));
        }
        steps += 1;
        if steps.is_multiple_of(STEPS_BETWEEN_CHECKS) && interrupt.load(Ordering::Relaxed) {
            let asked = *asked.get_or_insert_with(time::Instant::now);
            if asked.elapsed() > PATIENCE {
                is_cut_off = true;
                break;
            }
            machine.interrupt();
        }
    }
    watch(&take_sample(&machine, &config.stop, &mut recorder, &mut counts));
    Ok(record(&mut machine, config, recorder, is_cut_off))
}

/// Samples the run, and keeps the sample. The residual is the known one, or else the sum of the
/// published ones, whose version is not known.
fn take_sample<T: Part, G: Graph<N>, const N: usize>(
    machine: &Simulation<'_, '_, T, G, N>,
    stop: &Stop,
    recorder: &mut Recorder,
    counts: &mut Vec<u64>,
) -> HistorySample {
    counts.clear();
    counts.extend(machine.counts());
    let reference = stop.reference_or(machine.initial_residual());
    let known = machine.known_residual().map(|known| (known.squares, Some(known.version)));
    let (squares, at) = known.unwrap_or_else(|| (machine.published_residual(), None));
    let relative = (reference > 0.0).then(|| ((squares / reference).sqrt(), at));
    let sample =
        sample(machine.now(), relative, &machine.progress(), machine.moves(), machine.rounds());
    recorder.count_spread(sample.spread);
    recorder.record(machine.now(), sample, counts);
    sample
}

/// Returns the record of a run, also of one that was cut off or stalled.
fn record<T: Part, G: Graph<N>, const N: usize>(
    machine: &mut Simulation<'_, '_, T, G, N>,
    config: &RunConfig,
    recorder: Recorder,
    is_cut_off: bool,
) -> RunRecord {
    // There is an outcome once there is no step. A run without one has no consistent state either:
    // its residual is the published one.
    let outcome = machine.outcome().unwrap_or(SimulationOutcome {
        end: if is_cut_off { End::Interrupted } else { End::Stalled },
        at: machine.now(),
        initial: machine.initial_residual(),
        detected: None,
        verified: machine.published_residual(),
    });
    let SimulationOutcome { end, at, initial, detected, verified } = outcome;
    let mut noise = Vec::new();
    machine.noise_taken(|NoiseTaken { core, source, share }| {
        if let Some(&source) = config.noise.get(source) {
            noise.push(NoiseReport { source, core, share });
        }
    });
    let (history, spreads) = recorder.finish();
    RunRecord {
        end,
        elapsed: at.since(Instant::ZERO),
        is_virtual: true,
        progress: machine.progress(),
        spread_max: machine.spread_max().max(spreads.most()),
        spread_p99: spreads.percentile(99),
        staleness: machine.staleness(),
        moves: machine.moves(),
        visits: machine.visits().then(|| Visited {
            away: machine.away(),
            helped: machine.helped(),
            sweeps_a_claim: machine.sweeps_a_claim(),
        }),
        sweeps: machine.updates(),
        transfers: machine.transfers(),
        rounds: machine.rounds(),
        auto: machine.chosen(),
        residual: residual_report(initial, detected, verified, &config.stop),
        error_estimate: None,
        history,
        noise,
        cpu_share: None,
        unpinned: Vec::new(),
    }
}
