//! Merges flags, file and defaults, in this order of precedence, and makes the checks that come before
//! anything big is allocated.

use std::path::PathBuf;

use tresse_core::grid::Decomposition;
use tresse_core::id::SocketId;
use tresse_core::noise::{MAX_NOISE, Noise, NoiseChoice};
use tresse_core::owned::bytes_needed;
use tresse_core::paper::CELLS_PER_WORKER;
use tresse_core::run::{Balance, GridSize, Mode, Nodes, Precision, RunConfig};

use tresse_files::choices::{self, grid_of_all};

use super::choices::RunChoices;
use super::error::FrontError;
use super::method::method;
use super::solve::SolveArgs;
use super::source::Source;
use crate::engine::solvers::{Method, Solver};
use crate::engine::{multigrid, threads};
use crate::files::problem::{Problem, ProblemError};
use crate::platform::{Placement, TopologyOverride};
use crate::report::field::FieldName;
use crate::report::output::Inputs;
use crate::wording;

/// The resolved choices of `solve`.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// The effective configuration; valid, and without noise until [`Resolved::with_noise`].
    pub config: RunConfig,
    /// Method.
    pub method: Method,
    /// Solver of Jacobi iteration; the configuration has its mode. Multigrid is synchronous.
    pub solver: Solver,
    /// Noise that was asked for.
    pub noise: Vec<NoiseChoice>,
    /// Problem, on the configuration's grid.
    pub problem: Problem,
    /// Array file that the coefficient was read from.
    pub coefficient: Option<PathBuf>,
    /// Name of the quantity that is solved for.
    pub field: FieldName,
    /// Files that the choices and the problem were read from.
    pub inputs: Inputs,
    /// Folder for the results.
    pub out: Option<PathBuf>,
    /// File for the recording of the schedule.
    pub record: Option<PathBuf>,
    /// Whether one JSON object is printed in place of the report.
    pub json: bool,
    /// Whether progress bar and report are left out.
    pub quiet: bool,
    /// Topology in place of the machine's own.
    pub topology: Option<TopologyOverride>,
    /// Whether the size of the grid is the default.
    pub has_default_grid: bool,
    /// Warnings for a person to read before the run, one line each.
    pub warnings: Vec<String>,
}

impl Resolved {
    /// Returns the choices with each source of noise at its place, and with warnings about the workers'
    /// sockets.
    pub fn with_noise(mut self, placement: &Placement) -> Result<Self, FrontError> {
        self.config.noise = placement.resolve_noise(&self.noise, self.config.seed)?;
        self.warn_of(&placement.sockets());
        Ok(self)
    }
}

impl Resolved {
    /// Whether all processes wait for each other's messages, sweep for sweep.
    pub fn is_bulk_synchronous(&self) -> bool {
        self.solver == Solver::Rayon || self.method != Method::Jacobi
    }

    /// Adds the warnings for workers of each node on these sockets.
    pub fn warn_of(&mut self, sockets: &[SocketId]) {
        for warning in self.config.warnings_on(sockets.iter().copied()) {
            let warning = wording::warning(&warning);
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
    }
}

/// A function that puts the requested noise at its places, by the seed.
pub(super) type PlaceNoise<'a> =
    dyn Fn(&[NoiseChoice], u64) -> Result<heapless::Vec<Noise, MAX_NOISE>, FrontError> + 'a;

/// The machine and the defaults that a configuration is resolved for.
pub(super) struct Stage<'a> {
    /// Default number of workers.
    pub cores: u32,
    /// Number of workers for each of a requested number.
    pub times: u32,
    /// Nodes, and the balancer between them.
    pub nodes: Nodes,
    /// A flag about moves between nodes that was given.
    pub node_flag: Option<&'static str>,
    /// Default size of a worker's part, for Jacobi iteration.
    pub cells_per_worker: GridSize,
    /// Free memory in bytes.
    pub available: u64,
    /// Function that puts noise at its places, where these are known already.
    pub noise: &'a PlaceNoise<'a>,
    /// Whether this is the real machine, which another may stand for.
    pub is_real: bool,
    /// Function that refuses runs that the machine cannot make, and returns the bytes that a run needs
    /// besides cells.
    pub check: &'a dyn Fn(&RunConfig, Method) -> Result<u64, FrontError>,
}

/// Merges flags, problem file and defaults, checks the result and reads the problem's arrays.
///
/// `cores` is the number of cores that the process may use, `available` the free memory in bytes.
pub fn resolve(args: &SolveArgs, cores: u32, available: u64) -> Result<Resolved, FrontError> {
    let check = &|_: &_, _| Ok(0);
    let noise = &|_: &[NoiseChoice], _| Ok(heapless::Vec::new());
    let stage = Stage {
        cores,
        times: 1,
        nodes: Nodes::ONE,
        node_flag: None,
        cells_per_worker: CELLS_PER_WORKER,
        available,
        noise,
        is_real: true,
        check,
    };
    resolve_for(args, &stage)
}

/// Merges, checks and reads as [`resolve`] does, for any machine.
pub(super) fn resolve_for(args: &SolveArgs, stage: &Stage<'_>) -> Result<Resolved, FrontError> {
    let mut source = Source::open(args.problem.as_deref())?;
    let SolveArgs { mut choices, out, record, json, quiet, .. } = args.clone().or(source.run());
    if let Some(size) = choices.cell_size {
        source.set_cell_size(size);
    }
    let method = method(&choices)?;
    if let Method::Multigrid(_) = method {
        if let Some(flag) = stage.node_flag {
            return Err(FrontError::NotMultigrid { flag });
        }
        choices.mode = Some(Mode::Sync.into());
    }
    let workers = workers(&choices, stage);
    let asked = asked(args, &source, workers, stage.nodes.number);
    let each = match method {
        Method::Jacobi => stage.cells_per_worker,
        // Its visits are few, and its levels those of the grid that is asked about.
        Method::Multigrid(_) => CELLS_PER_WORKER,
    };
    let (size, origin) = grid(asked, &source, (workers, each), stage.nodes.number)?;
    let mut config = RunConfig { nodes: stage.nodes, ..config(&choices, workers, size) };
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
    let cells = match method {
        // Bands are of rows, as many as there are: every grid has some.
        Method::Multigrid(choices) => {
            multigrid::bytes_needed(&config, choices, (source.terms(), source.cell_ratio()))
        }
        Method::Jacobi => {
            let decomposition = Decomposition::new(&config).map_err(blame)?;
            match solver {
                Solver::Engine(_) => bytes_needed(&config, &decomposition, source.terms()),
                Solver::Rayon => threads::bytes_needed_with_rayon(&config, source.terms()),
            }
        }
    };
    let needed = (stage.check)(&config, method)?
        .saturating_add(cells)
        .saturating_add(source.array_bytes(size));
    check_memory(needed, &config, origin, stage.available)?;
    let problem = source.build(size)?;
    check_magnitude(&problem, config.precision)?;
    Ok(Resolved {
        warnings: warnings(&config, choices.no_help),
        config,
        method,
        solver,
        noise: choices.noise.sources,
        problem,
        coefficient: source.coefficient(),
        field: source.field(),
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

/// Refuses a recording where no thread has a schedule.
fn check_record(solver: Solver, is_real: bool) -> Result<(), FrontError> {
    match solver {
        _ if !is_real => Err(FrontError::RecordOfSimulation),
        Solver::Rayon => Err(FrontError::RecordOfRayon),
        Solver::Engine(_) => Ok(()),
    }
}

fn workers(choices: &RunChoices, stage: &Stage<'_>) -> u32 {
    let stands_for =
        |topology: TopologyOverride| u32::try_from(topology.cores()).unwrap_or(u32::MAX);
    // A virtual machine has the cores that its topology says.
    let stood_for = choices.topology.filter(|_| stage.is_real).map(stands_for);
    let asked = choices.workers.or(stood_for);
    asked.map_or(stage.cores, |workers| workers.saturating_mul(stage.times))
}

/// Returns the grid, and the name of the flag that decided it.
fn grid(
    asked: Option<(&'static str, GridSize)>,
    source: &Source,
    (workers, each): (u32, GridSize),
    nodes: u32,
) -> Result<(GridSize, String), FrontError> {
    match (asked, source.grid()?) {
        // A flag goes over the file; arrays of another shape are refused when they are read.
        (Some((flag, asked)), Some(file)) if asked != file && !is_flag(flag) => {
            Err(source.name(ProblemError::GridOfFlags { file, flag, asked }).into())
        }
        (Some((flag, asked)), _) => Ok((asked, flag.into())),
        (None, Some(file)) => Ok((file, "--problem".into())),
        (None, None) => {
            let flag = format!("--workers {workers} with {each} cells each");
            Ok((grid_of_all(each, workers, nodes), flag))
        }
    }
}

fn is_flag(name: &str) -> bool {
    name.starts_with("--")
}

/// Returns the grid that a flag asks for; one on the command line goes over one in the file.
fn asked(
    args: &SolveArgs,
    source: &Source,
    workers: u32,
    nodes: u32,
) -> Option<(&'static str, GridSize)> {
    let of = |args: &SolveArgs, grid, cells_per_worker| {
        let cells = args.choices.cells_per_worker;
        let by_worker = cells.map(|cells| (cells_per_worker, grid_of_all(cells, workers, nodes)));
        args.grid.map(|size| (grid, size)).or(by_worker)
    };
    of(args, "--grid", "--cells-per-worker")
        .or_else(|| of(&source.run(), "`grid` in [run]", "`cells-per-worker` in [run]"))
}

/// Returns the configuration of these choices.
fn config(choices: &RunChoices, workers: u32, grid: GridSize) -> RunConfig {
    let made = choices::RunChoices {
        imbalance: choices.imbalance,
        mode: choices.mode.map(Solver::mode),
        split: choices.split,
        balance: choices.balance,
        no_help: choices.no_help,
        pairs: choices.pairs,
        low: choices.low,
        high: choices.high,
        dead_band: choices.dead_band,
        precision: choices.precision,
        seed: choices.seed,
        tolerance: choices.tolerance,
        iterations: choices.iterations,
    };
    made.config(workers, grid)
}

fn check_memory(
    needed: u64,
    config: &RunConfig,
    origin: String,
    available: u64,
) -> Result<(), FrontError> {
    if needed <= available {
        return Ok(());
    }
    let precision = config.precision;
    let mend = match precision {
        Precision::F64 => "choose a smaller grid, a lower --split, or --precision f32",
        Precision::F32 => "choose a smaller grid or a lower --split",
    };
    let mend = if config.helps() { "choose a smaller grid, or --no-help" } else { mend };
    Err(FrontError::Memory { origin, grid: config.grid, needed, available, precision, mend })
}

/// Checks that the squares of residuals stay finite when they are summed over the grid.
fn check_magnitude(problem: &Problem, precision: Precision) -> Result<(), FrontError> {
    let limit = match precision {
        Precision::F32 => 1e15,
        Precision::F64 => 1e140,
    };
    // Before a source is divided by it.
    let (least, _) = problem.extent_of_weights();
    if least < 1.0 / limit {
        return Err(FrontError::Coefficient { least, limit: 1.0 / limit, precision });
    }
    let magnitude = problem.magnitude();
    if magnitude <= limit {
        return Ok(());
    }
    Err(FrontError::Magnitude { magnitude, limit, precision })
}

fn warnings(config: &RunConfig, no_help: bool) -> Vec<String> {
    let mut warnings: Vec<_> = config.warnings().map(|is| wording::warning(&is)).collect();
    if no_help && !matches!(config.balance, Balance::Pull(_)) {
        let balance = config.balance;
        warnings.push(format!(
            "--no-help has no effect with --balance {balance}: only with pull do workers help"
        ));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use tresse_core::run::Stop;
    use tresse_core::time::Duration;

    use super::*;
    use crate::commands::args::{Cli, Command};

    const GIB: u64 = 1 << 30;

    fn solve(line: &str) -> SolveArgs {
        let words = ["tresse", "solve"].into_iter().chain(line.split_whitespace());
        match Cli::try_parse_from(words).unwrap_or_else(|error| panic!("{line}: {error}")).command {
            Command::Solve(args) => *args,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn resolved(line: &str) -> Result<Resolved, FrontError> {
        resolve(&solve(line), 2, GIB)
    }

    #[test]
    fn defaults_are_the_papers_but_for_the_balancer() {
        let Resolved { config, problem, warnings, .. } = resolved("").unwrap();
        assert_eq!(config.grid, GridSize { rows: 600, columns: 300 });
        assert_eq!((config.workers, config.split, config.seed), (2, 4, 1));
        assert_eq!(config.mode, Mode::Async);
        assert_eq!(config.balance, Balance::Auto);
        let of = |line| resolved(line).unwrap().config.balance;
        let split = Balance::Split(Duration::from_millis(1));
        assert_eq!(
            ["--mode ssync:2", "--low 1", "--balance auto --dead-band 3"].map(of),
            [split; 3]
        );
        assert_eq!(["--split 1", "--mode sync --balance auto"].map(of), [Balance::None; 2]);
        assert_eq!(of("--mode exact --balance auto"), Balance::Pull(Balance::LAG));
        assert_eq!(config.stop, Stop { tolerance: Some(1e-4), iterations: None });
        assert_eq!(problem, Problem::paper(config.grid));
        assert!(warnings.is_empty(), "{warnings:?}");
        let sync = resolved("--mode sync --iterations 5").unwrap().config;
        assert_eq!(sync.balance, Balance::None);
        assert_eq!(sync.stop, Stop { tolerance: None, iterations: Some(5) });
    }

    #[test]
    fn thresholds_are_half_and_one_and_a_half_of_the_split() {
        for (split, low, high) in [(1, 1, 2), (2, 1, 3), (3, 1, 5), (4, 2, 6), (16, 8, 24)] {
            let plb = resolved(&format!("--split {split}")).unwrap().config.plb;
            assert_eq!((plb.low, plb.high), (low, high), "--split {split}");
        }
        let given = resolved("--split 16 --low 3").unwrap().config.plb;
        assert_eq!((given.low, given.high), (3, 24));
    }

    #[test]
    fn flags_go_over_the_file_and_the_file_over_the_defaults() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.toml");
        let run = "workers = 3\nsplit = 8\ntolerance = 1e-2\nmode = \"ssync:2\"\n\
                   cells-per-worker = \"10x20\"\nnoise = [\"core=0,duty=0.5\"]";
        std::fs::write(&path, format!("initial = 0.5\n[run]\n{run}")).unwrap();
        let line = format!("--problem {} --split 4 --mode async --iterations 7", path.display());
        let Resolved { config, noise, problem, warnings, .. } = resolved(&line).unwrap();
        assert_eq!((config.workers, config.split), (3, 4));
        assert_eq!(config.mode, Mode::Async);
        assert_eq!(config.stop, Stop { tolerance: Some(1e-2), iterations: Some(7) });
        assert_eq!(config.grid, GridSize { rows: 30, columns: 20 });
        assert_eq!(noise, [NoiseChoice::parse("core=0,duty=0.5").unwrap()]);
        assert!((problem.initial.at(0, 0) - 0.5).abs() < 1e-15);
        assert!(warnings.is_empty(), "{warnings:?}");
        let grid = resolved(&format!("--problem {} --grid 9x12", path.display())).unwrap();
        assert_eq!(grid.config.grid, GridSize { rows: 9, columns: 12 });
        std::fs::write(&path, "[run]\ngrid = \"24x36\"\njson = true\nout = \"there\"").unwrap();
        let sized = |flags: &str| resolved(&format!("--problem {} {flags}", path.display()));
        let of_file = sized("").unwrap();
        assert_eq!(of_file.config.grid, GridSize { rows: 24, columns: 36 });
        assert_eq!((of_file.json, of_file.out), (true, Some("there".into())));
        let by_worker = sized("--cells-per-worker 10x10 --out here").unwrap();
        assert_eq!(by_worker.config.grid, GridSize { rows: 20, columns: 10 });
        assert_eq!(by_worker.out, Some("here".into()));
    }

    #[test]
    fn what_cannot_run_names_the_flag_before_anything_is_allocated() {
        for (line, parts) in [
            ("--workers 0", &["--workers"][..]),
            ("--split 0", &["--split"]),
            ("--iterations 0", &["--iterations"]),
            ("--tolerance 0", &["--tolerance 0"]),
            ("--tolerance -1e-4", &["--tolerance -0.0001"]),
            ("--tolerance NaN", &["--tolerance NaN"]),
            ("--tolerance 1e999", &["--tolerance inf"]),
            ("--mode rayon --record run.tresse", &["--record", "--mode rayon"]),
            ("--method multigrid --mode sync", &["--mode", "--method multigrid"]),
            ("--method multigrid --balance none", &["--balance", "--method multigrid"]),
            ("--method multigrid --pairs 3", &["--pairs"]),
            ("--method multigrid --low 1", &["--low"]),
            ("--method multigrid --high 9", &["--high"]),
            ("--method multigrid --dead-band 1", &["--dead-band"]),
            ("--method multigrid --imbalance 0.5", &["--imbalance"]),
            ("--smoothing 3", &["--smoothing", "--method multigrid"]),
            ("--coarsest 64 --method jacobi", &["--coarsest", "--method multigrid"]),
            ("--low 0", &["--low 0"]),
            ("--low 6 --high 6", &["--low 6", "--high 6"]),
            ("--pairs 0", &["--pairs 0"]),
            ("--pairs 65", &["--pairs 65"]),
            ("--mode sync --balance split:1ms", &["--balance", "--mode sync"]),
            ("--grid 3x3 --workers 2", &["8 subdomains", "3x3", "--split"]),
            ("--grid 2x4 --split 9", &["2x4", "--split"]),
            ("--grid 20x20 --workers 2 --imbalance 0.999", &["8 subdomains", "20x20", "--grid"]),
            ("--grid 9x9 --workers 4294967295 --split 4294967295", &["--workers"]),
            ("--grid 4294967295x4294967295", &["--grid asks", "4294967295x4294967295", "1.0 GiB"]),
            ("--cells-per-worker 4294967295x4294967295", &["--cells-per-worker", "EiB"]),
            ("--workers 100000", &["--workers 100000", "GiB", "available"]),
            ("--grid 20000x20000 --split 100000000", &["--split", "GiB"]),
            ("--problem /nowhere.toml", &["--problem /nowhere.toml", "cannot be read"]),
            ("--problem /", &["--problem /", "name a file"]),
        ] {
            let error = resolved(line).expect_err(line).to_string();
            assert!(parts.iter().all(|part| error.contains(part)), "{line}: {error}");
            assert!(!error.contains('\n'), "{line}: {error}");
        }
    }

    #[test]
    fn file_and_flags_that_disagree_are_both_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.toml");
        for (text, flags, parts) in [
            (
                "grid = [5, 6]\n[run]\ncells-per-worker = \"9x9\"",
                "",
                &["`cells-per-worker` in", "p.toml", "5x6"][..],
            ),
            ("grid = [5, 6]\n[run]\ngrid = \"9x9\"", "", &["`grid` in [run]", "p.toml", "5x6"]),
            ("[run]\nrecord = \"r\"\nmode = \"rayon\"", "", &["--record", "--mode rayon"]),
            ("[run]\ntolerance = 0", "", &["--tolerance 0", "[run] of", "p.toml"]),
            ("grid = [100000, 100000]", "", &["--problem", "100000x100000", "GiB"]),
            ("gird = 1", "", &["--problem", "p.toml", "`gird`", "`grid`"]),
            ("initial = 1e200", "", &["1e200", "f64"]),
            ("source = 1e30", "--precision f32", &["1e30", "--precision f32"]),
            ("source = 1e300\nspacing = 1e10", "", &["`spacing`", "overflows"]),
            ("coefficient = 1e200", "", &["1e200", "f64"]),
            ("coefficient = 1e-16", "--precision f32", &["`coefficient`", "1e-16", "1e-15", "f32"]),
            ("source = 1e10\ncoefficient = 1e-10", "--precision f32", &["1e20", "f32"]),
        ] {
            std::fs::write(&path, text).unwrap();
            let line = format!("--problem {} {flags}", path.display());
            let error = resolved(&line).expect_err(text).to_string();
            assert!(parts.iter().all(|part| error.contains(part)), "{text} {flags}: {error}");
        }
    }

    #[test]
    fn a_split_that_leaves_nothing_to_move_is_warned_of() {
        for (flags, part) in [
            ("--split 1 --balance split:1ms", "--low 1"),
            ("--split 1 --balance borrow:1ms,8", "--low 1"),
            ("--split 2 --low 2", "--low 2"),
            ("--split 16 --high 16", "raise --high above --split"),
            ("--split 16 --low 1 --high 6 --balance joint:1ms", "--high 6"),
            ("--split 6 --high 6 --balance hybrid:1ms,2 --imbalance 0.5", "--high 6"),
        ] {
            let warnings = resolved(&format!("--grid 80x80 {flags}")).unwrap().warnings;
            assert!(warnings.iter().any(|warning| warning.contains(part)), "{flags}: {warnings:?}");
        }
        for fine in
            ["--split 2", "--split 16", "--split 3 --low 2", "--split 16 --balance swap:1ms"]
        {
            let warnings = resolved(&format!("--grid 80x80 {fine}")).unwrap().warnings;
            assert!(warnings.is_empty(), "{fine}: {warnings:?}");
        }
        let alone = resolved("--workers 1 --imbalance 0.5").unwrap().warnings;
        assert!(alone.iter().any(|warning| warning.contains("--imbalance 0.5")), "{alone:?}");
        let crowded = resolved("--topology 2x2").unwrap();
        assert_eq!(crowded.config.workers, 4);
    }
}
