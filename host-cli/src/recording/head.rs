//! What a recording begins and ends with.
//!
//! Text and small numbers are JSON; arrays follow as they are, see [`Head::arrays`].

use ndarray::Array2;
use serde::{Deserialize, Serialize};
use tresse_core::grid::{Decomposition, Side};
use tresse_core::noise::Noise;
use tresse_core::run::{Balance, GridSize, Mode, PlbParams, Precision, RunConfig, Stop};

use super::error::RecordingError;
use crate::machine::{MAX_WORKERS, Placement};
use crate::problem::{Boundary, Cells, Problem, Profile, side_length};
use crate::solver::FieldHash;
use crate::threads;

/// What was solved, how, and on what tracks it was recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// The version of the program that wrote the recording.
    pub program: String,
    /// The effective configuration; valid, and not of [`Mode::Rayon`].
    pub config: RunConfig,
    /// The problem, on the configuration's grid.
    pub problem: Problem,
    /// The cores of the workers, by their numbers; a worker's track has its number.
    pub cores: Vec<u32>,
    /// The parasites, whose tracks follow those of the workers.
    pub noise: Vec<Source>,
}

/// A parasite and its core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// What it was asked to do.
    pub noise: Noise,
    /// The core, by the operating system's number.
    pub core: u32,
}

/// How a recording ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    /// Events of all tracks.
    pub(super) events: u64,
    /// How many of these are sweeps.
    pub(super) sweeps: u64,
    /// The hash of the field.
    pub(super) field: FieldHash,
}

impl End {
    pub(super) fn to_json(self) -> serde_json::Result<Vec<u8>> {
        let Self { events, sweeps, field } = self;
        serde_json::to_vec(&EndForm { events, sweeps, field: field.to_string() })
    }

    pub(super) fn from_json(json: &[u8]) -> Result<Self, RecordingError> {
        let form: EndForm = serde_json::from_slice(json)
            .map_err(|error| RecordingError::nonsense(format!("its end: {error}")))?;
        let field = u128::from_str_radix(&form.field, 16);
        let field = field.map_err(|_| RecordingError::nonsense("its end: the hash"))?;
        Ok(Self { events: form.events, sweeps: form.sweeps, field: FieldHash(field) })
    }
}

impl Head {
    /// Of a run that is about to begin.
    pub fn new(
        config: &RunConfig,
        problem: &Problem,
        placement: &Placement,
        noise: Vec<Source>,
    ) -> Self {
        Self {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            config: config.clone(),
            problem: problem.clone(),
            cores: placement.seats.iter().map(|seat| seat.core).collect(),
            noise,
        }
    }

    /// Workers and parasites.
    pub fn tracks(&self) -> usize {
        self.cores.len() + self.noise.len()
    }

    pub(super) fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&HeadForm::of(self))
    }

    /// The arrays of the problem in the order in which they follow the head: the sides by
    /// [`Side::index`], the initial cells, the source, each where it is one.
    pub(super) fn arrays(&self) -> impl Iterator<Item = &[f64]> {
        let Problem { boundary, initial, source, .. } = &self.problem;
        let sides = Side::ALL.into_iter().filter_map(|side| match boundary.profile(side) {
            Profile::Values(values) => Some(values.as_slice()),
            Profile::Constant(_) | Profile::Gaussian { .. } => None,
        });
        let cells = [initial, source].into_iter().filter_map(|cells| match cells {
            Cells::Values(values) => values.as_slice(),
            Cells::Constant(_) => None,
        });
        sides.chain(cells)
    }

    /// Reads JSON, and then the arrays with `read`, which is given their lengths; refuses what would
    /// need more than `available` bytes of memory before anything is read.
    pub(super) fn from_json(
        json: &[u8],
        available: u64,
        read: &mut dyn FnMut(usize) -> Result<Vec<f64>, RecordingError>,
    ) -> Result<Self, RecordingError> {
        let form: HeadForm = serde_json::from_slice(json)
            .map_err(|error| RecordingError::nonsense(format!("its head: {error}")))?;
        let config = form.config.read().ok_or_else(|| RecordingError::nonsense("its method"))?;
        config.validate()?;
        let decomposition = Decomposition::new(&config)?;
        let workers = config.workers;
        if config.mode == Mode::Rayon || workers > MAX_WORKERS {
            return Err(RecordingError::nonsense(format!("{workers} workers, {}", config.mode)));
        }
        if form.cores.len() != workers as usize {
            return Err(RecordingError::nonsense("workers without a core"));
        }
        let needed = threads::bytes_needed(&config, &decomposition, true)
            .saturating_add(config.grid.cells().saturating_mul(2 * size_of::<f64>() as u64));
        if needed > available {
            return Err(RecordingError::Memory { needed, available });
        }
        let noise = form.noise.iter().map(SourceForm::read).collect::<Option<_>>();
        Ok(Self {
            program: form.program,
            problem: form.problem.read(config.grid, read)?,
            config,
            cores: form.cores,
            noise: noise.ok_or_else(|| RecordingError::nonsense("its noise"))?,
        })
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EndForm {
    events: u64,
    sweeps: u64,
    /// In hexadecimal digits.
    field: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeadForm {
    program: String,
    config: ConfigForm,
    problem: ProblemForm,
    cores: Vec<u32>,
    noise: Vec<SourceForm>,
}

/// Choices are in their grammar.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ConfigForm {
    grid: [usize; 2],
    workers: u32,
    split: u32,
    mode: String,
    balance: String,
    pairs: usize,
    low: u32,
    high: u32,
    dead_band: u64,
    tolerance: Option<f64>,
    iterations: Option<u64>,
    precision: String,
    seed: u64,
    noise: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SourceForm {
    noise: String,
    core: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProblemForm {
    /// By [`Side::index`].
    boundary: [ProfileForm; 4],
    initial: CellsForm,
    source: CellsForm,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum ProfileForm {
    Constant(f64),
    Gaussian { amplitude: f64, centre: f64, width: f64 },
    Array,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum CellsForm {
    Constant(f64),
    Array,
}

impl HeadForm {
    fn of(head: &Head) -> Self {
        let form =
            |source: &Source| SourceForm { noise: source.noise.to_string(), core: source.core };
        Self {
            program: head.program.clone(),
            config: ConfigForm::of(&head.config),
            problem: ProblemForm::of(&head.problem),
            cores: head.cores.clone(),
            noise: head.noise.iter().map(form).collect(),
        }
    }
}

impl SourceForm {
    fn read(&self) -> Option<Source> {
        Some(Source { noise: Noise::parse(&self.noise).ok()?, core: self.core })
    }
}

impl ConfigForm {
    fn of(config: &RunConfig) -> Self {
        Self {
            grid: [config.grid.rows, config.grid.columns],
            workers: config.workers,
            split: config.split,
            mode: config.mode.to_string(),
            balance: config.balance.to_string(),
            pairs: config.plb.pairs,
            low: config.plb.low,
            high: config.plb.high,
            dead_band: config.plb.dead_band,
            tolerance: config.stop.tolerance,
            iterations: config.stop.iterations,
            precision: config.precision.to_string(),
            seed: config.seed,
            noise: config.noise.iter().map(ToString::to_string).collect(),
        }
    }

    fn read(&self) -> Option<RunConfig> {
        let [rows, columns] = self.grid;
        let noise: Vec<_> =
            self.noise.iter().map(|text| Noise::parse(text).ok()).collect::<Option<_>>()?;
        Some(RunConfig {
            grid: GridSize { rows, columns },
            workers: self.workers,
            split: self.split,
            mode: Mode::parse(&self.mode).ok()?,
            balance: Balance::parse(&self.balance).ok()?,
            plb: PlbParams {
                pairs: self.pairs,
                low: self.low,
                high: self.high,
                dead_band: self.dead_band,
            },
            stop: Stop { tolerance: self.tolerance, iterations: self.iterations },
            precision: Precision::parse(&self.precision).ok()?,
            seed: self.seed,
            noise: heapless::Vec::from_slice(&noise).ok()?,
        })
    }
}

impl ProblemForm {
    fn of(problem: &Problem) -> Self {
        let cells = |cells: &Cells| match cells {
            Cells::Constant(value) => CellsForm::Constant(*value),
            Cells::Values(_) => CellsForm::Array,
        };
        Self {
            boundary: Side::ALL.map(|side| match problem.boundary.profile(side) {
                Profile::Constant(value) => ProfileForm::Constant(*value),
                &Profile::Gaussian { amplitude, centre, width } => {
                    ProfileForm::Gaussian { amplitude, centre, width }
                }
                Profile::Values(_) => ProfileForm::Array,
            }),
            initial: cells(&problem.initial),
            source: cells(&problem.source),
        }
    }

    fn read(
        self,
        grid: GridSize,
        read: &mut dyn FnMut(usize) -> Result<Vec<f64>, RecordingError>,
    ) -> Result<Problem, RecordingError> {
        let mut boundary = Boundary::default();
        for (side, form) in Side::ALL.into_iter().zip(self.boundary) {
            let profile = match form {
                ProfileForm::Constant(value) => Profile::Constant(value),
                ProfileForm::Gaussian { amplitude, centre, width } => {
                    Profile::Gaussian { amplitude, centre, width }
                }
                ProfileForm::Array => Profile::Values(read(side_length(side, grid))?),
            };
            boundary = boundary.with(side, profile);
        }
        let mut cells = |form: CellsForm| match form {
            CellsForm::Constant(value) => Ok(Cells::Constant(value)),
            CellsForm::Array => {
                let values = read(usize::try_from(grid.cells()).unwrap_or(usize::MAX))?;
                Array2::from_shape_vec((grid.rows, grid.columns), values)
                    .map(Cells::Values)
                    .map_err(|error| RecordingError::nonsense(error.to_string()))
            }
        };
        let (initial, source) = (cells(self.initial)?, cells(self.source)?);
        Ok(Problem { grid, boundary, initial, source })
    }
}
