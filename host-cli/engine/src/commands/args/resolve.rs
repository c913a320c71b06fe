//! Merges flags, file and defaults, in this order of precedence, and makes the checks that come
//! before anything big is allocated.

mod checks;
mod grid;
mod resolved;
#[cfg(test)]
mod tests;

use tresse_core::field::grid::Decomposition;
use tresse_core::field::paper::CELLS_PER_WORKER;
use tresse_core::field::problem::Problem;
use tresse_core::field::stencil::Terms;
use tresse_core::node::owned::bytes_needed;
use tresse_core::run::convergence::norm;
use tresse_core::run::noise::{MAX_NOISE, Noise, NoiseChoice};
use tresse_core::run::{GridSize, Mode, NodeBalance, Nodes, RunConfig};

pub use self::resolved::Resolved;

pub(in crate::commands) use self::checks::warnings;
use self::checks::{check_magnitude, check_memory, check_record};
use self::grid::{asked, grid};
use super::choices::{RelativeToChoice, RunFlags};
use super::error::FrontError;
use super::method::method;
use super::solve::SolveArgs;
use super::source::Source;
use crate::files::problem::Built;
use crate::solvers::{Method, Solver};
use crate::{multigrid, threads};
use tresse_platform::TopologyOverride;

/// A function that puts the requested noise at its places, by the seed.
pub(super) type PlaceNoise<'a> =
    dyn Fn(&[NoiseChoice], u64) -> Result<heapless::Vec<Noise, MAX_NOISE>, FrontError> + 'a;

/// The machine and the defaults that a configuration is resolved for.
pub(super) struct Stage<'a> {
    /// Default number of workers.
    pub workers: u32,
    /// Number of processes, each of which gets a requested number of workers.
    pub process_count: u32,
    /// Nodes, and the balancer between them.
    pub nodes: Nodes,
    /// The balancer between nodes that was asked for.
    pub node_balance: Option<NodeBalance>,
    /// A flag about moves of subdomains between nodes that was given.
    pub node_flag: Option<&'static str>,
    /// Default size of a worker's part, for Jacobi iteration.
    pub cells_per_worker: GridSize,
    /// Free memory in bytes.
    pub available: u64,
    /// Function that puts noise at its places, where these are known already.
    pub noise: &'a PlaceNoise<'a>,
    /// Whether this is the real machine, which another may stand for.
    pub is_real: bool,
    /// Function that refuses runs that the machine cannot make, and returns the bytes that a run
    /// needs besides cells.
    pub check: &'a dyn Fn(&RunConfig, Method) -> Result<u64, FrontError>,
}

/// Merges flags, problem file and defaults, checks the result and reads the problem's arrays.
///
/// `workers` is the default number of workers, `available` the free memory in bytes.
pub fn resolve(args: &SolveArgs, workers: u32, available: u64) -> Result<Resolved, FrontError> {
    // This machine refuses no run, and needs no bytes besides cells.
    let check = &|_: &_, _| Ok(0);
    let noise = &|_: &[NoiseChoice], _| Ok(heapless::Vec::new());
    let stage = Stage {
        workers,
        process_count: 1,
        nodes: Nodes::ONE,
        node_balance: None,
        node_flag: None,
        cells_per_worker: CELLS_PER_WORKER,
        available,
        noise,
        is_real: true,
        check,
    };
    resolve_for(args, &stage)
}

/// Returns the balancer between nodes. Multigrid can move rows, unless an equation with a
/// coefficient, or cells that are not square, keep them where they are; subdomains are Jacobi's.
fn node_balance(
    method: Method,
    stage: &Stage<'_>,
    terms: Terms<()>,
) -> Result<NodeBalance, FrontError> {
    match (method, stage.node_balance) {
        (Method::Jacobi, Some(NodeBalance::Rows)) => {
            Err(FrontError::OnlyMultigrid { flag: "--node-balance rows" })
        }
        (Method::Jacobi, balance) => Ok(balance.unwrap_or_default()),
        (Method::Multigrid(_), balance) => match (stage.node_flag, balance) {
            (Some(flag), _) => Err(FrontError::NotMultigrid { flag }),
            (None, Some(NodeBalance::Rows)) if terms.faces.is_some() => {
                Err(FrontError::RowsOfConjugateGradients)
            }
            (None, balance) => Ok(balance.unwrap_or_default()),
        },
    }
}

/// Merges, checks and reads as [`resolve`] does, for any machine.
pub(super) fn resolve_for(args: &SolveArgs, stage: &Stage<'_>) -> Result<Resolved, FrontError> {
    let mut source = Source::open(args.problem.as_deref())?;
    let SolveArgs { mut choices, out, record, json, quiet, .. } = args.clone().or(source.run());
    if let Some(size) = choices.cell_size {
        source.set_cell_size(size);
    }
    let method = method(&choices)?;
    let node_balance = node_balance(method, stage, source.terms())?;
    if let Method::Multigrid(_) = method {
        choices.mode = Some(Mode::Sync.into());
    }
    let workers = workers(&choices, stage);
    let asked = asked(args, &source, workers, stage.nodes.number);
    let each = match method {
        Method::Jacobi => stage.cells_per_worker,
        // Its cycles are few, and its levels those of the grid that is asked about.
        Method::Multigrid(_) => CELLS_PER_WORKER,
    };
    let (size, origin) = grid(asked, &source, (workers, each), stage.nodes.number)?;
    let nodes = Nodes { balance: node_balance, ..stage.nodes };
    let mut config = RunConfig { nodes, ..choices.choices().resolve(workers, size) };
    let solver = choices.mode.unwrap_or(config.mode.into());
    if record.is_some() {
        check_record(solver, stage.is_real)?;
    }
    config.noise = (stage.noise)(&choices.noise.sources, config.seed)?;
    let blame = |error| source.blame(error, solver);
    config.validate().map_err(blame)?;
    if solver == Solver::Rayon && !stage.is_real {
        return Err(FrontError::SimulationOfRayon);
    }
    let decomposition = match method {
        // Bands are of rows, as many as there are: every grid has some.
        Method::Multigrid(_) => None,
        Method::Jacobi => Some(Decomposition::new(&config).map_err(blame)?),
    };
    let cells = |config: &RunConfig| match (method, &decomposition) {
        (Method::Multigrid(choices), _) => {
            let terms = source.terms_of_multigrid();
            multigrid::bytes_needed(config, choices, terms, source.cell_size().ratio())
        }
        (Method::Jacobi, Some(cut)) if solver != Solver::Rayon => {
            bytes_needed(config, cut, source.terms())
        }
        (Method::Jacobi, _) => threads::bytes_needed_with_rayon(config, source.terms()),
    };
    // Each rank reads all arrays.
    let readers = if stage.is_real { stage.nodes.number } else { 1 };
    let arrays = source.array_bytes(size).saturating_mul(readers.into());
    let besides = (stage.check)(&config, method)?.saturating_add(arrays);
    let needed = |config: &RunConfig| besides.saturating_add(cells(config));
    if config.may_switch() && needed(&config) > stage.available {
        // What workers may come to help with is swept alone where there is no room for copies.
        config.help = false;
    }
    let needed = needed(&config);
    check_memory(needed, &config, origin, stage.available)?;
    let Built { problem, losses, enclosed } = source.build(size)?;
    check_magnitude(&problem, config.precision)?;
    config.stop.reference = reference(&choices, &problem, args.problem.is_some());
    let mut warnings = warnings(&config, &choices, (solver, stage.node_flag));
    warnings.extend(losses.iter().map(ToString::to_string));
    if enclosed > 0 {
        warnings.push(format!(
            "`mask`: {enclosed} more cells are left out, which it parts from all sides with values"
        ));
    }
    Ok(Resolved {
        warnings,
        config,
        method,
        solver,
        noise: choices.noise.sources,
        problem,
        coefficient: source.coefficient(),
        mask: source.mask(),
        field: source.about(),
        inputs: source.inputs(),
        out,
        record,
        json,
        quiet,
        topology: choices.topology,
        has_default_grid: asked.is_none() && source.grid()?.is_none(),
    })
}

/// Returns the sockets and cores that flags or the problem file ask for.
pub(super) fn topology(args: &SolveArgs) -> Result<Option<TopologyOverride>, FrontError> {
    let source = Source::open(args.problem.as_deref())?;
    Ok(args.clone().or(source.run()).choices.topology)
}

/// Returns the number of workers: as asked for, of the topology that is stood for, or by default.
fn workers(choices: &RunFlags, stage: &Stage<'_>) -> u32 {
    let stands_for =
        |topology: TopologyOverride| u32::try_from(topology.cores()).unwrap_or(u32::MAX);
    // A virtual machine has the cores that its topology says.
    let stood_for = choices.topology.filter(|_| stage.is_real).map(stands_for);
    let asked = choices.workers.or(stood_for);
    asked.map_or(stage.workers, |workers| workers.saturating_mul(stage.process_count))
}

/// Returns the norm that residuals are relative to, unless that is the start's: of a file's
/// problem, which may start anywhere, that of source and boundary, where there is any.
fn reference(choices: &RunFlags, problem: &Problem, is_of_file: bool) -> Option<f64> {
    let default = if is_of_file { RelativeToChoice::Problem } else { RelativeToChoice::Start };
    match choices.relative_to.unwrap_or(default) {
        RelativeToChoice::Start => None,
        RelativeToChoice::Problem => Some(norm(problem.norm_squared())).filter(|&norm| norm > 0.0),
    }
}
