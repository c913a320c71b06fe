//! The choices that a person makes about a run in virtual time, and the defaults that stand in for
//! the others.

use tresse_core::base::id::SocketId;
use tresse_core::field::choices::RunChoices;
use tresse_core::field::grid::{Arrangement, Decomposition};
use tresse_core::field::paper::CELLS_PER_WORKER;
use tresse_core::run::noise::{self, MAX_NOISE, Noise, NoiseChoice, NoisePlaces, ScatterError};
use tresse_core::run::{GridSize, Nodes, RunConfig, RunConfigError};
use tresse_core::sim::machine::{Costs, Hardware, HardwareError, Intervention};

use crate::machine_files::VirtualMachine;

/// Default size of a worker's part in virtual time; its sweeps are timed as those of the paper's
/// parts.
pub const VIRTUAL_CELLS: GridSize = GridSize { rows: 16, columns: 16 };

/// Returns the grid on which each of the `workers`, on this number of nodes, has a part of `cells`.
pub fn grid_of_all(cells: GridSize, workers: u32, nodes: u32) -> GridSize {
    let Arrangement { rows, columns } = Decomposition::worker_arrangement(workers, nodes);
    GridSize {
        rows: cells.rows.saturating_mul(rows as usize),
        columns: cells.columns.saturating_mul(columns as usize),
    }
}

/// Draws the places of noise on a machine from the seed, where they are not chosen.
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

/// Returns the costs of a machine with which a run of `config` is timed as if each worker's part
/// had `size` cells.
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

/// Choices about a run in virtual time.
#[derive(Clone, Debug, PartialEq)]
pub struct VirtualChoices {
    /// The machine.
    pub machine: VirtualMachine,
    /// Choices that runs of every kind have in common.
    pub run: RunChoices,
    /// Sockets of a node and cores of each socket, in place of the machine's.
    pub topology: Option<(u32, u32)>,
    /// Number of nodes in use; all of the machine's where nothing was chosen.
    pub nodes: Option<u32>,
    /// Balancer between nodes; the number of nodes in this field is not used.
    pub between: Nodes,
    /// Number of workers; one for each core where nothing was chosen.
    pub workers: Option<u32>,
    /// Cells of the grid.
    pub grid: Option<GridSize>,
    /// Size of a worker's part, used where no grid was chosen.
    pub cells_per_worker: Option<GridSize>,
    /// Size of a worker's part for which all costs are computed.
    pub timed_as: Option<GridSize>,
    /// Noise that slows the cores down.
    pub noise: Vec<NoiseChoice>,
    /// Interventions in the cores' speeds, in order of time.
    pub interventions: Vec<Intervention>,
}

/// A run that is not possible, with the choice that makes it impossible.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ChoiceError {
    /// The machine cannot have these sockets and cores.
    #[error("topology: {0}")]
    Topology(HardwareError),
    /// The machine cannot have this number of nodes.
    #[error("nodes: {0}")]
    Nodes(HardwareError),
    /// The noise has no place on the machine.
    #[error("noise: {0}")]
    Noise(ScatterError),
    /// The costs for this size of a part are out of range.
    #[error("timed as: {0}")]
    TimedAs(HardwareError),
    /// The configuration is not valid for another reason.
    #[error(transparent)]
    Config(#[from] RunConfigError),
}

/// A run in virtual time.
#[derive(Clone, Debug, PartialEq)]
pub struct VirtualRun {
    /// Configuration of what is computed; valid.
    pub config: RunConfig,
    /// Machine, with the costs by which the run is timed.
    pub machine: VirtualMachine,
    /// Size of a worker's part for which the costs are.
    pub timed_as: Option<GridSize>,
    /// Interventions in the cores' speeds, in order of time.
    pub interventions: Vec<Intervention>,
}

impl VirtualChoices {
    /// Returns the choices of a run on this machine with defaults for everything else.
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

    /// Resolves all choices to a run of the paper's problem.
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
        let mut config = RunConfig { nodes, ..self.run.resolve(workers, grid) };
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
