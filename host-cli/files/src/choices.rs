//! The choices that a person makes about a run, and the defaults that stand in for the others.

use tresse_core::base::id::SocketId;
use tresse_core::field::grid::Decomposition;
use tresse_core::field::paper::CELLS_PER_WORKER;
use tresse_core::run::noise::{self, MAX_NOISE, Noise, NoiseChoice, NoisePlaces, ScatterError};
use tresse_core::run::{
    Balance, GridSize, Imbalance, Mode, Nodes, PlbParams, Precision, RunConfig, RunConfigError,
    Stop,
};
use tresse_core::sim::machine::{Costs, Hardware, HardwareError, Intervention};

use crate::machine_files::VirtualMachine;

/// Choices about a run; a field is `None` where nothing was chosen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunChoices {
    /// Imbalance of the workers' parts.
    pub imbalance: Option<Imbalance>,
    /// Mode: which neighbours a sweep waits for.
    pub mode: Option<Mode>,
    /// Number of subdomains of each worker.
    pub split: Option<u32>,
    /// Method that balances the workers.
    pub balance: Option<Balance>,
    /// Number of pairs that a balancing round considers.
    pub pairs: Option<usize>,
    /// Number of subdomains that a worker always keeps.
    pub low: Option<u32>,
    /// Whether nobody helps with sweeps that others are stuck in.
    pub no_help: bool,
    /// Whether every sweep is made such that another worker can make it as well.
    pub always_help: bool,
    /// Number of subdomains from which on a worker takes no more.
    pub high: Option<u32>,
    /// Number of updates by which the two of a pair must differ.
    pub dead_band: Option<u64>,
    /// The type of a cell.
    pub precision: Option<Precision>,
    /// Seed of every random choice.
    pub seed: Option<u64>,
    /// Residual, relative to the start's or the problem's, at which the run ends.
    pub tolerance: Option<f64>,
    /// Residual itself at which the run ends.
    pub absolute_tolerance: Option<f64>,
    /// Number of iterations after which the run ends.
    pub iterations: Option<u64>,
}

impl RunChoices {
    /// Returns the configuration of these choices, without noise and on one node; every choice that
    /// was not made has the value of the papers, but that asynchronous workers borrow what is
    /// behind ([`Balance::Auto`]; in the exact mode sweep by sweep) unless thresholds of the
    /// paper's balancers were chosen, and no balancer is there where all counts are equal. The
    /// thresholds belong to the split, and iterations alone need no tolerance.
    pub fn config(&self, workers: u32, grid: GridSize) -> RunConfig {
        let paper = RunConfig::paper(workers);
        let split = self.split.unwrap_or(paper.split);
        let mode = self.mode.unwrap_or(paper.mode);
        let auto = match mode {
            Mode::Sync => Balance::None,
            Mode::Exact => Balance::Pull(Balance::LAG),
            // Nobody's only subdomain is borrowed.
            Mode::Async if split == 1 => Balance::None,
            Mode::Async if !self.has_thresholds() => Balance::Auto,
            // Who waits for neighbours is never so far ahead that another borrows, and thresholds
            // are the paper's.
            Mode::Async | Mode::SemiSync(_) => paper.balance,
        };
        // By that name a mode has what is of use in it.
        let balance = self.balance.filter(|&balance| balance != Balance::Auto).unwrap_or(auto);
        let may_pull = matches!(balance, Balance::Pull(_) | Balance::Auto);
        let plb = PlbParams::for_split(split);
        let has_other = self.iterations.is_some() || self.absolute_tolerance.is_some();
        let tolerance = if has_other { None } else { paper.stop.tolerance };
        RunConfig {
            grid,
            split,
            mode,
            balance,
            help: !self.no_help && may_pull,
            always_help: self.always_help && may_pull,
            plb: PlbParams {
                pairs: self.pairs.unwrap_or(plb.pairs),
                low: self.low.unwrap_or(plb.low),
                high: self.high.unwrap_or(plb.high),
                dead_band: self.dead_band.unwrap_or(plb.dead_band),
            },
            imbalance: self.imbalance.unwrap_or(paper.imbalance),
            stop: Stop {
                tolerance: self.tolerance.or(tolerance),
                absolute_tolerance: self.absolute_tolerance,
                reference: None,
                iterations: self.iterations,
            },
            precision: self.precision.unwrap_or(paper.precision),
            seed: self.seed.unwrap_or(paper.seed),
            ..paper
        }
    }
}

impl RunChoices {
    /// Whether a threshold of Algorithm 1 was chosen.
    fn has_thresholds(&self) -> bool {
        self.low.or(self.high).is_some() || self.dead_band.is_some()
    }
}

/// Default size of a worker's part in virtual time; its sweeps are timed as those of the paper's
/// parts.
pub const VIRTUAL_CELLS: GridSize = GridSize { rows: 16, columns: 16 };

/// Returns the grid on which each of the `workers`, on this number of nodes, has a part of `cells`.
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
