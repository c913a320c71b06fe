//! Any virtual machine and any run on it, from bytes: one decoder for properties and for fuzzing.

use std::iter;

use tresse_core::base::id::{NodeId, SocketId};
use tresse_core::base::time::{Duration, Instant};
use tresse_core::field::grid::{Arrangement, Decomposition};
use tresse_core::run::noise::{Noise, NoisePlace, Parasite};
use tresse_core::run::{
    Balance, GridSize, Imbalance, Mode, NodeBalance, NodeRule, Nodes, PlbParams, Precision,
    RunConfig, Stop,
};
use tresse_core::sim::machine::{Costs, Hardware, PaceRanges, Path, Paths, Piece};
use tresse_core::sim::owned::SpeedTrace;

use crate::choices::Choices;

/// A machine, and a run on it that ends after a number of iterations.
#[derive(Clone, Debug)]
pub struct VirtualWorld {
    /// The method.
    pub config: RunConfig,
    /// The machine.
    pub hardware: Hardware,
    /// Speeds of single cores over time.
    pub traces: Vec<SpeedTrace>,
    /// Number of events after which the run is asked to end.
    pub interrupt_after: Option<u64>,
}

impl VirtualWorld {
    /// Returns the world that bytes stand for; all bytes stand for one, missing ones are zeros.
    ///
    /// Small, with short periods and with costs that are often zero, so that much happens at once
    /// and moves and transfers are in flight at most times.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut choices = Choices(bytes);
        let nodes = choices.between(1, 4);
        let mut config = choices.method(nodes);
        config.grid = choices.grid(&config);
        let hardware = choices.hardware(nodes, config.workers_per_node());
        let cores = nodes * hardware.node_cores();
        config.noise =
            (0..choices.between(0, 2)).map(|_| choices.noise(nodes, &hardware)).collect();
        let traces = (0..choices.between(0, 1)).map(|_| choices.trace(cores)).collect();
        let interrupt_after =
            (choices.between(0, 7) == 7).then(|| choices.between(0, 2_000).into());
        Self { config, hardware, traces, interrupt_after }
    }

    /// Returns the world that bytes stand for in which workers help each other: a sweep takes a
    /// moment, and each core stands still for many sweeps at a time.
    pub fn with_stops(bytes: &[u8]) -> Self {
        let mut choices = Choices(bytes);
        let mode = choices.one_of(&[Mode::Exact, Mode::Async, Mode::SemiSync(2)]);
        let lag = u64::from(choices.between(0, 2));
        let nodes = choices.between(1, 2);
        let mut config = choices.method(nodes);
        config.mode = mode;
        config.balance = Balance::Pull(lag);
        config.help = true;
        config.nodes = Nodes { number: nodes, ..Nodes::ONE };
        config.workers = nodes * choices.between(2, 4);
        // A worker must be seen to be stuck once before others can help it.
        config.stop.iterations = Some(choices.between(50, 200).into());
        config.grid = choices.grid(&config);
        let mut hardware = choices.hardware(nodes, config.workers_per_node());
        hardware.costs.sweep = choices.time(&[50_000, 20_000, 100_000]);
        let cores = nodes * hardware.node_cores();
        let traces = (0..cores).map(|core| choices.stops(core)).collect();
        Self { config, hardware, traces, interrupt_after: None }
    }

    /// Returns the world that bytes stand for in which borrowing is not enough: sweeps are short,
    /// and each core stands still for hundreds of them at a time.
    pub fn that_turns(bytes: &[u8]) -> Self {
        let mut world = Self::with_stops(bytes);
        world.config.mode = Mode::Async;
        world.config.balance = Balance::Auto;
        world.config.split = world.config.split.max(2);
        world.config.stop.iterations = Some(2_000);
        world.config.grid = Choices(bytes).grid(&world.config);
        world.hardware.costs.sweep = Duration(2_000);
        world
    }

    /// Returns a run on a machine on which everything costs something, beside noise of every kind.
    pub fn busy(mut config: RunConfig) -> Self {
        let noise = [
            (NoisePlace::Core(0), Parasite::Duty { millionths: 400_000 }),
            (NoisePlace::Core(1), Parasite::Loop { sleep: Duration(3_000), work: 500 }),
            (
                NoisePlace::Socket(SocketId(0)),
                Parasite::Bursts { burst: Duration(900), gap: Duration(2_000) },
            ),
        ];
        let noise = noise.map(|(place, parasite)| Noise { place, parasite }).into_iter().collect();
        let nodes = config.nodes.number;
        let path = |latency, cell| Path { latency: Duration(latency), cell };
        let paths = Paths {
            core: path(10, 100),
            socket: path(100, 400),
            node: path(300, 800),
            network: path(2_000, 1_000),
        };
        let hardware = Hardware {
            nodes,
            sockets: 2,
            cores: config.workers_per_node().div_ceil(2),
            costs: Costs {
                cell: 1_000,
                sweep: Duration(100),
                halo: paths,
                hand_over: paths,
                barrier: Duration(500),
                round: Duration(1_000),
                round_subdomain: 5_000,
                parasite_iteration: 4_600,
                ..Costs::default()
            },
            paces: PaceRanges { core: 10_000, ..PaceRanges::NONE },
            background: iter::empty().collect(),
        };
        config.noise = noise;
        Self { config, hardware, traces: Vec::new(), interrupt_after: None }
    }
}

impl Choices<'_> {
    pub(crate) fn time(&mut self, all: &[u64]) -> Duration {
        Duration(self.one_of(all))
    }

    fn method(&mut self, nodes: u32) -> RunConfig {
        let modes = [
            Mode::Async,
            Mode::SemiSync(0),
            Mode::Async,
            Mode::SemiSync(1),
            Mode::SemiSync(30),
            Mode::Sync,
            Mode::Exact,
        ];
        let mode = self.one_of(&modes);
        let low = self.between(1, 3);
        let plb = PlbParams {
            pairs: self.between(1, 8) as usize,
            low,
            high: low + self.between(1, 8),
            dead_band: self.one_of(&[0, 0, 3]),
        };
        let is_balanced = !mode.is_synchronous();
        let mut config = RunConfig {
            grid: GridSize { rows: 0, columns: 0 },
            workers: nodes * self.between(1, 4),
            split: self.between(1, 6),
            mode,
            balance: match mode {
                Mode::Sync => Balance::None,
                Mode::Exact => self.one_of(&[Balance::None, Balance::Pull(0)]),
                _ => self.balance(),
            },
            help: self.one_of(&[true, false]),
            always_help: self.one_of(&[true, false]),
            plb,
            nodes: if is_balanced {
                self.nodes(nodes)
            } else {
                Nodes { number: nodes, ..Nodes::ONE }
            },
            imbalance: Imbalance { millionths: self.one_of(&[0, 0, 300_000]) },
            stop: Stop { iterations: Some(self.between(1, 40).into()), ..Stop::NEVER },
            precision: Precision::F64,
            seed: self.between(0, 65_535).into(),
            noise: iter::empty().collect(),
        };
        // Those that are claimed for one sweep at a time stay at home.
        if config.visits() {
            config.nodes.balance = NodeBalance::None;
        }
        config
    }

    fn balance(&mut self) -> Balance {
        let period = self.time(&[1_000, 2_000, 5_000, 20_000]);
        let every = self.between(1, 3);
        self.one_of(&[
            Balance::Split(period),
            Balance::None,
            Balance::Joint(period),
            Balance::Hybrid(period, every),
            Balance::Swap(period),
            Balance::Gradient(period),
            Balance::Grapevine(period),
            Balance::Borrow(period, u64::from(every) - 1),
            Balance::Auto,
            Balance::Pull(u64::from(every) - 1),
        ])
    }

    fn nodes(&mut self, number: u32) -> Nodes {
        let period = self.time(&[500, 5_000, 50_000]);
        let threshold = self.one_of(&[0, 1, 3]);
        let dplb = NodeBalance::Dplb { period, threshold };
        let chaos = NodeBalance::Chaos { seed: threshold };
        Nodes {
            number,
            balance: self.one_of(&[dplb, dplb, chaos, NodeBalance::None]),
            rule: self.one_of(&[NodeRule::Settled, NodeRule::Boundary, NodeRule::Published]),
            cooldown: self.time(&[0, 0, 7_000]),
        }
    }

    /// Large enough for any cut of a worker's part into rows.
    fn grid(&mut self, config: &RunConfig) -> GridSize {
        let (workers, nodes) = (config.workers, config.nodes.number);
        let Arrangement { rows: down, columns: across } =
            Decomposition::worker_arrangement(workers, nodes);
        let rows = down * config.split * 2 + self.between(0, 9);
        let columns = across * self.between(1, 4) + self.between(0, 9);
        GridSize { rows: rows as usize, columns: columns as usize }
    }

    pub(crate) fn hardware(&mut self, nodes: u32, node_workers: u32) -> Hardware {
        let sockets = self.between(1, 2);
        Hardware {
            nodes: nodes + self.between(0, 1),
            sockets,
            cores: node_workers.div_ceil(sockets) + self.between(0, 1),
            costs: Costs {
                cell: self.one_of(&[1_000, 0, 20_000]),
                sweep: self.time(&[100, 0, 1, 1_000]),
                halo: self.paths(1_000),
                hand_over: self.paths(100_000),
                barrier: self.time(&[0, 200]),
                // Rounds that take longer than the time between them can keep swapping what
                // everybody waits for, so that under ssync nobody ever sweeps it: such a run has no
                // end.
                round: self.time(&[0, 50, 300]),
                round_subdomain: self.one_of(&[0, 10_000]),
                parasite_iteration: 4_600,
                ..Costs::default()
            },
            paces: PaceRanges {
                core: self.one_of(&[0, 10_000, 500_000, 999_999]),
                socket: self.one_of(&[0, 0, 100_000]),
                node: self.one_of(&[0, 0, 300_000]),
            },
            background: (0..self.one_of(&[0, 0, 1])).map(|_| self.parasite()).collect(),
        }
    }

    fn paths(&mut self, longest: u64) -> Paths {
        let mut path = || Path {
            latency: self.time(&[0, 10, 500, longest]),
            cell: self.one_of(&[0, 300, 3_000]),
        };
        Paths { core: path(), socket: path(), node: path(), network: path() }
    }

    fn parasite(&mut self) -> Parasite {
        // Several of them multiply: none takes more than about two thirds of the time.
        let (long, short) = (self.between(1_000, 5_000).into(), self.between(1, 500).into());
        let millionths = self.between(1, 5) * 100_000;
        self.one_of(&[
            Parasite::Loop { sleep: Duration(long), work: short },
            Parasite::Duty { millionths },
            Parasite::Bursts { burst: Duration(short), gap: Duration(long) },
        ])
    }

    pub(crate) fn noise(&mut self, nodes: u32, hardware: &Hardware) -> Noise {
        let (cores, sockets) = (nodes * hardware.node_cores(), nodes * hardware.sockets);
        let place = match self.between(0, 2) {
            0 => NoisePlace::Core(self.between(0, cores - 1)),
            1 => NoisePlace::Socket(SocketId(self.between(0, sockets - 1))),
            _ => NoisePlace::Node(NodeId(self.between(0, nodes - 1))),
        };
        Noise { place, parasite: self.parasite() }
    }

    /// Works and stands still in turns, each time for up to forty sweeps.
    fn stops(&mut self, core: u32) -> SpeedTrace {
        let mut pieces = vec![Piece::new(Instant::ZERO, 1_000_000)];
        let mut from = Instant::ZERO;
        for _ in 0..8 {
            for speed in [0, 1_000_000] {
                from = from.after(Duration::from_micros(self.between(1, 2_000).into()));
                pieces.push(Piece::new(from, speed));
            }
        }
        SpeedTrace { core, pieces: pieces.into() }
    }

    /// Stands still in between, but not for ever.
    pub(crate) fn trace(&mut self, cores: u32) -> SpeedTrace {
        let core = self.between(0, cores - 1);
        let mut pieces = Vec::new();
        let mut from = Instant::ZERO;
        for _ in 0..self.between(0, 3) {
            pieces.push(Piece::new(from, self.one_of(&[0, 1_000, 300_000, 1_000_000])));
            from = from.after(Duration(self.between(1, 20_000).into()));
        }
        pieces.push(Piece::new(from, self.one_of(&[1_000_000, 300_000])));
        SpeedTrace { core, pieces: pieces.into() }
    }
}
