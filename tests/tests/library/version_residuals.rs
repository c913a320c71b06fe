//! The residuals of versions that the exact mode knows while everybody goes on, to the bit those of
//! a serial run of the same parts; and that nobody is halted for one but at the end.

use tresse::engine::kernel::Kernel;
use tresse::engine::threads::{Activity, Cells, End, Observer, Sweep};
use tresse::files::problem::Problem;
use tresse::files::stored_cell::StoredCell;
use tresse_core::base::rng::Rng;
use tresse_core::field::grid::Decomposition;
use tresse_core::field::owned::CellMemory;
use tresse_core::field::stencil::Real;
use tresse_core::node::worker::{Sum, Taking};
use tresse_core::parts::{Graph, Part};
use tresse_core::run::convergence::norm;
use tresse_core::run::{Balance, GridSize, Mode, Nodes, RunConfig};
use tresse_core::sim::machine::{CoreTrace, Event, LentParts, Simulation, SimulationNeeds};
use tresse_core::sim::owned::OwnedSimulationMemory;
use tresse_core_tests::simulated::cases;
use tresse_core_tests::simulated::world::VirtualWorld;
use tresse_tests::problems::{
    Failure, PULL, config, heterogeneous, observe, random, tolerance, within_ten_minutes,
};

/// Sums of squares of one version: taken fused with the sweep from it, and separate.
type Sums = [f64; 2];

/// Returns the sums of all versions from 0 to the last, of parts that one loop sweeps one after the
/// other.
fn serial<F: Real>(problem: &Problem, config: &RunConfig, last: u64) -> Result<Vec<Sums>, Failure> {
    let cut = Decomposition::new(config)?;
    let mut memory = CellMemory::<F>::allocate(&cut, problem.terms());
    let mut parts: Vec<_> = memory.parts(Kernel::best()).collect();
    for (id, part) in cut.ids().zip(&mut parts) {
        problem.fill(&cut, id, part);
    }
    let mut sums = vec![];
    for _ in 0..=last {
        for id in cut.ids() {
            for (link, neighbour) in cut.neighbours(id).into_iter().enumerate() {
                let Some(neighbour) = neighbour else { continue };
                let both = parts.get_disjoint_mut([id.index(), neighbour.index()])?;
                let [own, other] = both;
                own.copy(link, other, cut.back(id, link), &[]);
            }
        }
        let separate: f64 = parts.iter_mut().map(Part::residual).sum();
        let fused = parts.iter_mut().map(|part| part.update(true)).sum::<Option<f64>>();
        sums.push([fused.ok_or("a sweep without its share")?, separate]);
    }
    Ok(sums)
}

/// Returns the sums of one version.
fn at(sums: &[Sums], version: u64) -> Sums {
    sums.iter()
        .zip(0..)
        .find_map(|(sums, at)| (at == version).then_some(*sums))
        .unwrap_or([f64::NAN; 2])
}

/// Counts the looks at a consistent state: one as the run begins, and one for each halt.
#[derive(Default)]
struct Looks(u32);

impl<'m, F: Real> Observer<Cells<'m, F>> for Looks {
    fn starts(&mut self, _: Sweep<'_, Cells<'m, F>>) {}

    fn ends(&mut self, _: Sweep<'_, Cells<'m, F>>) {}

    fn returns(&mut self, activity: Activity) {
        self.0 += u32::from(activity == Activity::Verification);
    }
}

const GRID: GridSize = GridSize { rows: 83, columns: 71 };
/// Three workers with four subdomains each, on however few cores.
const PARTS: (u32, u32) = (3, 4);

fn on_threads<F: Real + StoredCell>(problem: &Problem, config: &RunConfig) -> Result<(), Failure> {
    let looks = (0..config.workers).map(|_| Looks::default()).collect();
    let (solution, looks) = observe::<F, _>(problem, config, looks)?;
    let record = solution.record;
    let looks: Vec<_> = looks.iter().map(|looks| looks.0).collect();
    // A worker that comes late finds that others have looked.
    if record.end != End::Converged
        || looks.iter().max() > Some(&2)
        || looks.iter().sum::<u32>() < 2
    {
        return Err(format!("{:?} after {looks:?} looks", record.end).into());
    }
    let last = record.progress.most;
    let sums = serial::<F>(problem, config, last)?;
    let [_, initial] = sums[0];
    let at_end = at(&sums, last)[1];
    assert_eq!(record.residual.verified.to_bits(), norm(at_end).to_bits());
    let mut between = 0;
    for sample in &record.history.samples {
        // None at the very moment at which another one becomes known.
        let Some((residual, version)) = sample.residual.zip(sample.residual_at) else { continue };
        let known = at(&sums, version).map(|squares| norm(squares / initial).to_bits());
        if !known.contains(&residual.to_bits()) || version > sample.most {
            return Err(format!("{residual} at {version}, not {known:?}").into());
        }
        between += u32::from(version > 0 && version < last);
    }
    if between == 0 { Err("nothing was known while it went on".into()) } else { Ok(()) }
}

#[test]
fn threads_know_the_serial_residuals_and_halt_once() -> Result<(), Failure> {
    for balance in [Balance::None, PULL] {
        let checked = within_ten_minutes("a run in the exact mode", move || {
            let problem = random(5, GRID, true);
            let config = config(GRID, PARTS, (Mode::Exact, balance), tolerance(1e-3));
            let config = RunConfig { help: true, ..config };
            on_threads::<f32>(&problem, &config)
                .and_then(|()| on_threads::<f64>(&problem, &config))
                .and_then(|()| on_threads::<f64>(&heterogeneous(5, problem.clone()), &config))
                .map_err(|failure| format!("{balance}: {failure}"))
        })?;
        checked?;
    }
    Ok(())
}

/// What a run in virtual time has known of versions while it went.
struct Known {
    sums: Vec<Sum>,
    /// Looks at a consistent state.
    verified: u32,
    end: Option<End>,
    last: u64,
}

fn in_virtual_time<F: Real>(world: &VirtualWorld, problem: &Problem) -> Result<Known, Failure> {
    let VirtualWorld { config, hardware, traces, .. } = world;
    let cut = Decomposition::new(config)?;
    let mut cells = CellMemory::<F>::allocate(&cut, problem.terms());
    let mut parts: Vec<_> = cells.parts(Kernel::best()).collect();
    for (id, part) in cut.ids().zip(&mut parts) {
        problem.fill(&cut, id, part);
    }
    let traces: Vec<_> =
        traces.iter().map(|trace| CoreTrace { core: trace.core, pieces: &trace.pieces }).collect();
    let mut memory = OwnedSimulationMemory::new(&SimulationNeeds::of(config, hardware, &traces));
    let parts = LentParts::new(&cut, &mut parts);
    let mut machine = Simulation::new(config, hardware, &traces, parts, memory.lend())?;
    let mut sums: Vec<_> = machine.known_residual().into_iter().collect();
    let mut verified = 0;
    loop {
        let goes_on = machine.step(&mut |_, event: Event| {
            verified += u32::from(matches!(event, Event::Verified { .. }));
        });
        sums.extend(machine.known_residual().filter(|sum| sums.last() != Some(sum)));
        if !goes_on {
            break;
        }
    }
    let end = machine.outcome().map(|outcome| outcome.end);
    Ok(Known { sums, verified, end, last: machine.progress().most })
}

fn knows_the_serial_residuals<F: Real>(
    world: &VirtualWorld,
    problem: &Problem,
) -> Result<usize, Failure> {
    let Known { sums, verified, end, last } = in_virtual_time::<F>(world, problem)?;
    // One that stops a worker for good, or all of the last iterations.
    let halts = u32::from(end != Some(End::Stalled));
    if verified != halts {
        return Err(format!("{verified} looks for the end {end:?}").into());
    }
    let serial = serial::<F>(problem, &world.config, last)?;
    for &Sum { version, taken, squares } in &sums {
        let [fused, separate] = at(&serial, version);
        let expected = if taken == Taking::Fused { fused } else { separate };
        if squares.to_bits() != expected.to_bits() {
            return Err(format!("{squares:e} at {version}, {taken:?}: not {expected:e}").into());
        }
    }
    assert!(sums.is_sorted_by(|one, next| one.version < next.version || next.version == last));
    Ok(sums.len())
}

/// Any machine, noise and balance, to a tolerance that single precision just reaches, or does not:
/// then the run ends without a second halt as well.
#[test]
fn virtual_time_knows_the_serial_residuals_and_halts_once() -> Result<(), Failure> {
    let (mut worlds, mut known) = (0, 0);
    let tolerances = [1e-2, 1e-4, 1e-6].into_iter().cycle();
    for (seed, relative) in (0..u64::from(cases(60))).zip(tolerances) {
        let mut rng = Rng::new(seed, 7);
        let bytes: Vec<_> = (0..160).map(|_| rng.below(256).to_le_bytes()[0]).collect();
        let world = VirtualWorld::from_bytes(&bytes);
        let balance = if seed.is_multiple_of(2) { Balance::None } else { PULL };
        let stop = tolerance(relative);
        let config = RunConfig {
            mode: Mode::Exact,
            balance,
            stop,
            nodes: Nodes::ONE,
            ..world.config.clone()
        };
        if world.config.nodes.number > 1 {
            continue;
        }
        let world = VirtualWorld { config, ..world };
        let mut problem = random(seed, world.config.grid, seed.is_multiple_of(2));
        if seed.is_multiple_of(5) {
            problem = heterogeneous(seed, problem);
        }
        let found = knows_the_serial_residuals::<f32>(&world, &problem)
            .and_then(|f32| Ok(f32 + knows_the_serial_residuals::<f64>(&world, &problem)?));
        known += found.map_err(|failure| format!("{failure} in {world:?}"))?;
        worlds += 1;
    }
    // Beside those of the beginning and of the end.
    assert!(worlds > 10 && known > 10 * worlds, "{known} in {worlds} worlds");
    Ok(())
}
