//! What a person asks of a run, and what a run is where nothing is asked.

use tresse_core::grid::Decomposition;
use tresse_core::id::SocketId;
use tresse_core::machine::{Costs, Hardware, HardwareError, Intervention};
use tresse_core::noise::{self, MAX_NOISE, Noise, NoiseChoice, NoisePlaces, ScatterError};
use tresse_core::paper::CELLS_PER_WORKER;
use tresse_core::run::{
    Balance, GridSize, Imbalance, Mode, Nodes, PlbParams, Precision, RunConfig, RunConfigError,
    Stop,
};

use crate::machine_files::VirtualMachine;

/// How to run: each choice is absent where it was not made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunChoices {
    /// How uneven the workers' parts are.
    pub imbalance: Option<Imbalance>,
    /// Who waits for whom.
    pub mode: Option<Mode>,
    /// Subdomains of each worker.
    pub split: Option<u32>,
    /// How workers are balanced.
    pub balance: Option<Balance>,
    /// Pairs that a round considers.
    pub pairs: Option<usize>,
    /// Subdomains that a worker keeps.
    pub low: Option<u32>,
    /// Subdomains at which a worker takes no more.
    pub high: Option<u32>,
    /// Updates by which a pair must differ.
    pub dead_band: Option<u64>,
    /// The type of a cell.
    pub precision: Option<Precision>,
    /// Seed of every random choice.
    pub seed: Option<u64>,
    /// The residual that ends the run, relative to the initial one.
    pub tolerance: Option<f64>,
    /// The iterations that end it.
    pub iterations: Option<u64>,
}

impl RunChoices {
    /// The configuration of these choices, without noise and on one node; where none was made, it is the
    /// papers'. No balancer is chosen where all counts are equal, the thresholds belong to the split,
    /// and iterations alone need no tolerance.
    pub fn config(&self, workers: u32, grid: GridSize) -> RunConfig {
        let paper = RunConfig::paper(workers);
        let split = self.split.unwrap_or(paper.split);
        let mode = self.mode.unwrap_or(paper.mode);
        let balance = if mode.is_synchronous() { Balance::None } else { paper.balance };
        let plb = PlbParams::for_split(split);
        let tolerance = if self.iterations.is_some() { None } else { paper.stop.tolerance };
        RunConfig {
            grid,
            split,
            mode,
            balance: self.balance.unwrap_or(balance),
            plb: PlbParams {
                pairs: self.pairs.unwrap_or(plb.pairs),
                low: self.low.unwrap_or(plb.low),
                high: self.high.unwrap_or(plb.high),
                dead_band: self.dead_band.unwrap_or(plb.dead_band),
            },
            imbalance: self.imbalance.unwrap_or(paper.imbalance),
            stop: Stop { tolerance: self.tolerance.or(tolerance), iterations: self.iterations },
            precision: self.precision.unwrap_or(paper.precision),
            seed: self.seed.unwrap_or(paper.seed),
            ..paper
        }
    }
}

/// Cells of a worker's part in virtual time where no size is asked for; they are timed as the paper's.
pub const VIRTUAL_CELLS: GridSize = GridSize { rows: 16, columns: 16 };

/// The grid where each of the workers, on so many nodes, has these cells.
pub fn grid_of_all(cells: GridSize, workers: u32, nodes: u32) -> GridSize {
    let (rows, columns) = Decomposition::worker_rows_and_columns(workers, nodes);
    GridSize {
        rows: cells.rows.saturating_mul(rows as usize),
        columns: cells.columns.saturating_mul(columns as usize),
    }
}

/// Puts noise at its places on a machine, by the seed.
pub fn place_noise(
    choices: &[NoiseChoice],
    seed: u64,
    hardware: &Hardware,
    nodes: u32,
) -> Result<heapless::Vec<Noise, MAX_NOISE>, ScatterError> {
    let cores: Vec<u32> = (0..nodes.saturating_mul(hardware.node_cores())).collect();
    let sockets: Vec<_> = (0..nodes.saturating_mul(hardware.sockets)).map(SocketId).collect();
    noise::resolve(choices, seed, &NoisePlaces { cores: &cores, sockets: &sockets, nodes })
}

/// What a machine's costs are where the workers of a run are timed as if each had `size` cells.
pub fn costs_timed_as(
    hardware: &Hardware,
    config: &RunConfig,
    size: GridSize,
) -> Result<Costs, HardwareError> {
    let as_if = grid_of_all(size, config.workers, config.nodes.number);
    let costs = hardware.costs.timed_as(config.grid, as_if);
    Hardware { costs, ..hardware.clone() }.validate()?;
    Ok(costs)
}

/// What is asked of a run in virtual time.
#[derive(Clone, Debug, PartialEq)]
pub struct VirtualChoices {
    /// The machine.
    pub machine: VirtualMachine,
    /// What it has in common with all runs.
    pub run: RunChoices,
    /// Sockets of a node and cores of each, in place of the machine's.
    pub topology: Option<(u32, u32)>,
    /// Nodes that are used: all of the machine where none are asked for.
    pub nodes: Option<u32>,
    /// How work moves between them; its number of nodes says nothing.
    pub between: Nodes,
    /// Workers: one for each core where none are asked for.
    pub workers: Option<u32>,
    /// Cells of the grid.
    pub grid: Option<GridSize>,
    /// Cells of a worker's part, where no grid is asked for.
    pub cells_per_worker: Option<GridSize>,
    /// Everything is timed as if each worker had as many cells.
    pub timed_as: Option<GridSize>,
    /// What slows the cores down.
    pub noise: Vec<NoiseChoice>,
    /// What somebody does to them, in order of time.
    pub interventions: Vec<Intervention>,
}

/// A run that is not possible, and what asked for it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ChoiceError {
    /// The sockets and cores.
    #[error("topology: {0}")]
    Topology(HardwareError),
    /// The number of nodes.
    #[error("nodes: {0}")]
    Nodes(HardwareError),
    /// The places of the noise.
    #[error("noise: {0}")]
    Noise(ScatterError),
    /// The cells that everything is timed as.
    #[error("timed as: {0}")]
    TimedAs(HardwareError),
    /// Anything else.
    #[error(transparent)]
    Config(#[from] RunConfigError),
}

/// A run in virtual time.
#[derive(Clone, Debug, PartialEq)]
pub struct VirtualRun {
    /// What it computes; valid.
    pub config: RunConfig,
    /// What it runs on, with the costs that it is timed by.
    pub machine: VirtualMachine,
    /// What each worker is timed as.
    pub timed_as: Option<GridSize>,
    /// What somebody does to the cores, in order of time.
    pub interventions: Vec<Intervention>,
}

impl VirtualChoices {
    /// A run on a machine of which nothing else is asked.
    pub fn on(machine: VirtualMachine) -> Self {
        Self {
            machine,
            run: RunChoices::default(),
            topology: None,
            nodes: None,
            between: Nodes::ONE,
            workers: None,
            grid: None,
            cells_per_worker: None,
            timed_as: None,
            noise: Vec::new(),
            interventions: Vec::new(),
        }
    }

    /// The run; the problem is the paper's.
    pub fn resolve(self) -> Result<VirtualRun, ChoiceError> {
        let machine = match self.topology {
            Some((sockets, cores)) => {
                self.machine.of_sockets(sockets, cores).map_err(ChoiceError::Topology)?
            }
            None => self.machine,
        };
        let number = self.nodes.unwrap_or(machine.hardware.nodes);
        let mut machine = machine.on_nodes(number).map_err(ChoiceError::Nodes)?;
        let cores = number.saturating_mul(machine.hardware.node_cores());
        let workers = self.workers.unwrap_or(cores);
        let cells = self.cells_per_worker.unwrap_or(VIRTUAL_CELLS);
        let grid = self.grid.unwrap_or(grid_of_all(cells, workers, number));
        let nodes = Nodes { number, ..self.between };
        let mut config = RunConfig { nodes, ..self.run.config(workers, grid) };
        config.noise = place_noise(&self.noise, config.seed, &machine.hardware, number)
            .map_err(ChoiceError::Noise)?;
        config.validate()?;
        let has_default = self.grid.is_none() && self.cells_per_worker.is_none();
        let timed_as = self.timed_as.or(has_default.then_some(CELLS_PER_WORKER));
        if let Some(size) = timed_as {
            machine.hardware.costs =
                costs_timed_as(&machine.hardware, &config, size).map_err(ChoiceError::TimedAs)?;
        }
        let mut interventions = self.interventions;
        interventions.sort_by_key(|intervention| intervention.at);
        Ok(VirtualRun { config, machine, timed_as, interventions })
    }
}
