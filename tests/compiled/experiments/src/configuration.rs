//! The configurations of the experiments, with their machines.

use std::iter;

use tresse_core::base::id::{NodeId, SocketId};
use tresse_core::base::time::{Duration, Instant};
use tresse_core::run::noise::{Noise, NoisePlace, Parasite};
use tresse_core::run::{
    Balance, GridSize, Imbalance, Mode, NodeBalance, NodeRule, Nodes, PlbParams, Precision,
    RunConfig, Stop,
};
use tresse_core::sim::machine::{Costs, Hardware, PaceRanges, Path, Paths, Piece};

/// An experiment, which is one line of a table.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// The table that it is in.
    pub table: &'static str,
    /// Name of the experiment's special feature.
    pub name: String,
    /// The method.
    pub config: RunConfig,
    /// The machine.
    pub hardware: Hardware,
    /// The speed of core 1 over time.
    pub trace: Vec<Piece>,
}

/// Returns all of them.
pub fn experiments() -> Vec<Experiment> {
    modes().chain(balancers()).chain(nodes()).chain(ends()).chain(visits()).collect()
}

/// Two sockets of two cores: every mode, on quiet cores and beside the paper's parasite.
fn modes() -> impl Iterator<Item = Experiment> {
    let all = [Mode::Sync, Mode::SemiSync(0), Mode::SemiSync(2), Mode::Async];
    all.into_iter().flat_map(|mode| {
        [false, true].map(|is_noisy| {
            let mut experiment = experiment("modes", mode.to_string(), 1);
            experiment.config.mode = mode;
            if is_noisy {
                experiment.name.push_str(" noisy");
                add_noise(&mut experiment.config);
            }
            experiment
        })
    })
}

/// Returns every balancer against the same noise, in single precision.
fn balancers() -> impl Iterator<Item = Experiment> {
    let period = Duration::from_micros(20);
    let all = [
        Balance::Joint(period),
        Balance::Split(period),
        Balance::Hybrid(period, 3),
        Balance::Swap(period),
        Balance::Gradient(period),
        Balance::Grapevine(period),
        Balance::Borrow(period, 2),
        Balance::Auto,
    ];
    all.into_iter().map(|balance| {
        let mut experiment = experiment("balancers", balance.to_string(), 1);
        experiment.config.balance = balance;
        experiment.config.precision = Precision::F32;
        experiment.config.stop.iterations = Some(150);
        add_noise(&mut experiment.config);
        experiment
    })
}

/// What is claimed for one sweep at a time, against the same noise: exactly, and pulled.
fn visits() -> impl Iterator<Item = Experiment> {
    let all = [
        (Mode::Exact, Balance::None),
        (Mode::Exact, Balance::Pull(0)),
        (Mode::SemiSync(2), Balance::Pull(1)),
        (Mode::Async, Balance::Pull(2)),
    ];
    all.into_iter().map(|(mode, balance)| {
        let mut experiment = experiment("visits", format!("{mode} {balance}"), 1);
        (experiment.config.mode, experiment.config.balance) = (mode, balance);
        add_noise(&mut experiment.config);
        experiment
    })
}

/// Three nodes, the last one slow: with both rules of DPLB, and without it.
fn nodes() -> impl Iterator<Item = Experiment> {
    let dplb = NodeBalance::Dplb { period: Duration::from_micros(50), threshold: 3 };
    let all = [
        (NodeBalance::None, NodeRule::Settled),
        (dplb, NodeRule::Settled),
        (dplb, NodeRule::Boundary),
        (dplb, NodeRule::Published),
    ];
    all.into_iter().map(|(balance, rule)| {
        let mut experiment = experiment("nodes", format!("{balance} {rule}"), 3);
        let config = &mut experiment.config;
        config.nodes = Nodes { number: 3, balance, rule, cooldown: Duration::from_micros(80) };
        config.balance = Balance::Split(Duration::from_micros(30));
        let slow = NoisePlace::Node(NodeId(2));
        let parasite = Parasite::Duty { millionths: 500_000 };
        config.noise = iter::once(Noise { place: slow, parasite }).collect();
        config.stop.iterations = Some(2_000);
        config.imbalance = Imbalance { millionths: 200_000 };
        experiment
    })
}

/// Runs that end at a residual, and a core that stands still for a while.
fn ends() -> impl Iterator<Item = Experiment> {
    [Mode::Sync, Mode::Async].into_iter().map(|mode| {
        let mut experiment = experiment("ends", format!("{mode} to 1e-3, a trace"), 2);
        experiment.config.mode = mode;
        experiment.config.nodes = Nodes { number: 2, ..Nodes::ONE };
        experiment.config.stop = Stop { tolerance: Some(1e-3), ..Stop::NEVER };
        experiment.hardware.paces = PaceRanges::NONE;
        experiment.trace = [(0, 700_000), (100_000, 0), (400_000, 1_000_000)]
            .map(|(from, share)| Piece::new(Instant(from), share))
            .to_vec();
        experiment
    })
}

fn add_noise(config: &mut RunConfig) {
    let sleep = Duration::from_micros(20);
    let noise = [
        (NoisePlace::Core(2), Parasite::Loop { sleep, work: 3_000 }),
        (NoisePlace::Socket(SocketId(1)), Parasite::Bursts { burst: Duration(4_000), gap: sleep }),
    ];
    config.noise = noise.map(|(place, parasite)| Noise { place, parasite }).into_iter().collect();
}

/// Four asynchronous workers with four subdomains each on each of some nodes.
pub fn experiment(table: &'static str, name: String, nodes: u32) -> Experiment {
    let config = RunConfig {
        grid: GridSize { rows: 48, columns: 30 },
        workers: 4 * nodes,
        split: 4,
        mode: Mode::Async,
        balance: Balance::None,
        help: true,
        always_help: false,
        plb: PlbParams { pairs: 6, low: 2, high: 7, dead_band: 0 },
        nodes: Nodes { number: nodes, ..Nodes::ONE },
        imbalance: Imbalance::default(),
        stop: Stop { iterations: Some(100), ..Stop::NEVER },
        precision: Precision::F64,
        seed: 2_017,
        noise: iter::empty().collect(),
    };
    Experiment { table, name, config, hardware: hardware(nodes), trace: Vec::new() }
}

fn hardware(nodes: u32) -> Hardware {
    let path = |latency, cell| Path { latency: Duration(latency), cell };
    let paths = Paths {
        core: path(10, 100),
        socket: path(90, 400),
        node: path(250, 800),
        network: path(2_000, 1_500),
    };
    Hardware {
        nodes,
        sockets: 2,
        cores: 2,
        costs: Costs {
            cell: 1_500,
            sweep: Duration(120),
            halo: paths,
            hand_over: paths,
            barrier: Duration(400),
            round: Duration(900),
            round_subdomain: 6_000,
            parasite_iteration: 4_600,
            ..Costs::default()
        },
        paces: PaceRanges { core: 30_000, socket: 10_000, node: 20_000 },
        background: iter::empty().collect(),
    }
}
