//! Flags over file over defaults, and the checks that come before anything big is allocated.

use std::path::{Path, PathBuf};

use tresse_core::grid::{Decomposition, arrangement};
use tresse_core::noise::Noise;
use tresse_core::run::{
    Balance, ConfigError, GridSize, Mode, PlbParams, Precision, RunConfig, Stop,
};
use tresse_core::time::Duration;

use super::choices::RunChoices;
use super::error::FrontError;
use super::solve::SolveArgs;
use crate::machine::TopologyOverride;
use crate::problem::{Problem, ProblemError, ProblemFile};
use crate::threads;

/// Cells of a worker's part where nothing else is said (Zarins & Weiland 2017, section 4.2).
const CELLS_PER_WORKER: GridSize = GridSize { rows: 300, columns: 300 };

/// What `solve` runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// The effective configuration; valid.
    pub config: RunConfig,
    /// On the configuration's grid.
    pub problem: Problem,
    /// Where results are stored.
    pub out: Option<PathBuf>,
    /// One JSON object in place of the report.
    pub json: bool,
    /// No progress bar and no report.
    pub quiet: bool,
    /// In place of the machine's own.
    pub topology: Option<TopologyOverride>,
    /// What a person should know before the run, one line each.
    pub warnings: Vec<String>,
}

/// Merges flags, problem file and defaults, checks the result and reads the problem's arrays.
///
/// `cores` is the number of cores that the process may use, `available` the free memory in bytes.
pub fn resolve(args: &SolveArgs, cores: u32, available: u64) -> Result<Resolved, FrontError> {
    let source = Source::open(args.problem.as_deref())?;
    let choices = args.choices.clone().or(source.run());
    let workers = workers(&choices, cores);
    let (grid, origin) = grid(args, &source, workers)?;
    let config = config(&choices, workers, grid)?;
    let decomposition = config
        .validate()
        .and_then(|()| Decomposition::new(&config))
        .map_err(|error| source.blame(error))?;
    let needed = threads::bytes_needed(&config, &decomposition, source.has_source());
    let needed = needed.saturating_add(source.array_bytes(grid));
    check_memory(needed, config.precision, origin, available)?;
    let problem = source.build(grid)?;
    check_magnitude(&problem, config.precision)?;
    Ok(Resolved {
        warnings: warnings(&config),
        config,
        problem,
        out: args.out.clone(),
        json: args.json,
        quiet: args.quiet,
        topology: choices.topology,
    })
}

/// Where the problem comes from.
enum Source<'a> {
    Paper,
    File { path: &'a Path, folder: &'a Path, file: Box<ProblemFile> },
}

impl<'a> Source<'a> {
    fn open(path: Option<&'a Path>) -> Result<Self, ProblemError> {
        let Some(path) = path else { return Ok(Self::Paper) };
        let folder = path.parent().unwrap_or(Path::new(""));
        Ok(Self::File { path, folder, file: Box::new(ProblemFile::load(path)?) })
    }

    fn run(&self) -> RunChoices {
        match self {
            Self::Paper => RunChoices::default(),
            Self::File { file, .. } => file.run.clone(),
        }
    }

    fn grid(&self) -> Result<Option<GridSize>, ProblemError> {
        match self {
            Self::Paper => Ok(None),
            Self::File { path, folder, file } => {
                file.grid(folder).map_err(|error| error.within(path))
            }
        }
    }

    fn build(&self, grid: GridSize) -> Result<Problem, ProblemError> {
        match self {
            Self::Paper => Ok(Problem::paper(grid)),
            Self::File { path, folder, file } => {
                file.build(folder, grid).map_err(|error| error.within(path))
            }
        }
    }

    fn has_source(&self) -> bool {
        matches!(self, Self::File { file, .. } if file.has_source())
    }

    /// Bytes of the arrays as they are read.
    fn array_bytes(&self, grid: GridSize) -> u64 {
        match self {
            Self::Paper => 0,
            Self::File { file, .. } => {
                grid.cells().saturating_mul(file.arrays() * Precision::F64.bytes())
            }
        }
    }

    fn blame(&self, error: ConfigError) -> FrontError {
        match self {
            Self::File { path, file, .. } if file.run != RunChoices::default() => {
                FrontError::ConfigWithFile { file: path.to_path_buf(), error }
            }
            _ => FrontError::Config(error),
        }
    }
}

fn workers(choices: &RunChoices, cores: u32) -> u32 {
    let stands_for =
        |topology: TopologyOverride| u32::try_from(topology.cores()).unwrap_or(u32::MAX);
    let machine = choices.topology.map_or(cores, stands_for);
    choices.workers.unwrap_or(machine)
}

/// The grid, and what decided it with its value.
fn grid(args: &SolveArgs, source: &Source, workers: u32) -> Result<(GridSize, String), FrontError> {
    let per_worker = |cells: GridSize| {
        let (rows, columns) = arrangement(workers);
        GridSize {
            rows: cells.rows.saturating_mul(rows as usize),
            columns: cells.columns.saturating_mul(columns as usize),
        }
    };
    // A flag of either kind goes over a `cells-per-worker` in the file.
    let in_run = source.run().cells_per_worker.filter(|_| args.grid.is_none());
    let cells = args.choices.cells_per_worker.or(in_run);
    let asked = args.grid.map(|grid| ("--grid", grid)).or(cells.map(|cells| {
        let flag = if args.choices.cells_per_worker.is_some() {
            "--cells-per-worker"
        } else {
            "`cells-per-worker` in [run]"
        };
        (flag, per_worker(cells))
    }));
    match (asked, source.grid()?) {
        (Some((flag, asked)), Some(file)) if asked != file => {
            let error = ProblemError::GridOfFlags { file, flag, asked };
            Err(match source {
                Source::File { path, .. } => error.within(path),
                Source::Paper => error,
            }
            .into())
        }
        (Some((flag, asked)), _) => Ok((asked, format!("{flag} with a grid of {asked} cells"))),
        (None, Some(file)) => Ok((file, format!("--problem with a grid of {file} cells"))),
        (None, None) => {
            let grid = per_worker(CELLS_PER_WORKER);
            let origin =
                format!("--workers {workers} with {CELLS_PER_WORKER} cells each, a grid of {grid}");
            Ok((grid, origin))
        }
    }
}

fn config(choices: &RunChoices, workers: u32, grid: GridSize) -> Result<RunConfig, FrontError> {
    let defaults = PlbParams::default();
    let mode = choices.mode.unwrap_or(Mode::Async);
    Ok(RunConfig {
        grid,
        workers,
        split: choices.split.unwrap_or(4),
        mode,
        balance: choices.balance.unwrap_or(if mode.is_synchronous() {
            Balance::None
        } else {
            Balance::Split(Duration::from_millis(1))
        }),
        plb: PlbParams {
            pairs: choices.pairs.unwrap_or(defaults.pairs),
            low: choices.low.unwrap_or(defaults.low),
            high: choices.high.unwrap_or(defaults.high),
            dead_band: choices.dead_band.unwrap_or(defaults.dead_band),
        },
        stop: stop(choices),
        precision: choices.precision.unwrap_or(Precision::F64),
        seed: choices.seed.unwrap_or(1),
        noise: noise(&choices.noise)?,
    })
}

fn stop(choices: &RunChoices) -> Stop {
    let default = if choices.iterations.is_some() { None } else { Some(1e-4) };
    Stop { tolerance: choices.tolerance.or(default), iterations: choices.iterations }
}

fn noise<const N: usize>(sources: &[Noise]) -> Result<heapless::Vec<Noise, N>, FrontError> {
    heapless::Vec::from_slice(sources).map_err(|_| FrontError::TooMuchNoise(sources.len()))
}

fn check_memory(
    needed: u64,
    precision: Precision,
    origin: String,
    available: u64,
) -> Result<(), FrontError> {
    if needed <= available {
        return Ok(());
    }
    let mend = match precision {
        Precision::F64 => "choose a smaller grid, or --precision f32",
        Precision::F32 => "choose a smaller grid",
    };
    Err(FrontError::Memory { origin, needed, available, precision, mend })
}

/// Squares of residuals are summed over the grid: they must stay finite.
fn check_magnitude(problem: &Problem, precision: Precision) -> Result<(), FrontError> {
    let limit = match precision {
        Precision::F32 => 1e15,
        Precision::F64 => 1e140,
    };
    let magnitude = problem.magnitude();
    if magnitude <= limit {
        return Ok(());
    }
    Err(FrontError::Magnitude { magnitude, limit, precision })
}

fn warnings(config: &RunConfig) -> Vec<String> {
    config.warning().map(|warning| warning.to_string()).into_iter().collect()
}
