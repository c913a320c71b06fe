//! The head as it is written: choices in their grammar, so that whatever a person may ask for comes
//! back as it was.

use ndarray::Array2;
use serde::{Deserialize, Serialize};
use tresse_core::grid::Side;
use tresse_core::noise::Noise;
use tresse_core::run::{
    Balance, GridSize, Imbalance, Mode, NodeBalance, NodeRule, Nodes, PlbParams, Precision,
    RunConfig, Stop,
};
use tresse_core::time::Duration;

use super::{Head, Source};
use crate::problem::{Boundary, Cells, Problem, Profile, side_length};
use crate::recording::error::RecordingError;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HeadForm {
    pub(super) program: String,
    pub(super) config: ConfigForm,
    pub(super) problem: ProblemForm,
    pub(super) cores: Vec<u32>,
    pub(super) noise: Vec<SourceForm>,
}

/// Choices are in their grammar.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ConfigForm {
    grid: [usize; 2],
    workers: u32,
    split: u32,
    mode: String,
    balance: String,
    pairs: usize,
    low: u32,
    high: u32,
    dead_band: u64,
    nodes: NodesForm,
    imbalance: String,
    tolerance: Option<f64>,
    iterations: Option<u64>,
    precision: String,
    seed: u64,
    noise: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NodesForm {
    number: u32,
    balance: String,
    rule: String,
    cooldown: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SourceForm {
    noise: String,
    core: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProblemForm {
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
    pub(super) fn of(head: &Head) -> Self {
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
    pub(super) fn read(&self) -> Option<Source> {
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
            nodes: NodesForm::of(&config.nodes),
            imbalance: config.imbalance.to_string(),
            tolerance: config.stop.tolerance,
            iterations: config.stop.iterations,
            precision: config.precision.to_string(),
            seed: config.seed,
            noise: config.noise.iter().map(ToString::to_string).collect(),
        }
    }

    pub(super) fn read(&self) -> Option<RunConfig> {
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
            nodes: self.nodes.read()?,
            imbalance: Imbalance::parse(&self.imbalance).ok()?,
            stop: Stop { tolerance: self.tolerance, iterations: self.iterations },
            precision: Precision::parse(&self.precision).ok()?,
            seed: self.seed,
            noise: heapless::Vec::from_slice(&noise).ok()?,
        })
    }
}

impl NodesForm {
    fn of(nodes: &Nodes) -> Self {
        Self {
            number: nodes.number,
            balance: nodes.balance.to_string(),
            rule: nodes.rule.to_string(),
            cooldown: nodes.cooldown.to_string(),
        }
    }

    fn read(&self) -> Option<Nodes> {
        Some(Nodes {
            number: self.number,
            balance: NodeBalance::parse(&self.balance).ok()?,
            rule: NodeRule::parse(&self.rule).ok()?,
            cooldown: Duration::parse(&self.cooldown).ok()?,
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

    pub(super) fn read(
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
