//! From parameters to a tree, a machine, and two methods. The keys are flags of `tresse uts` where it has them.

use tresse_core::grammar::count32;
use tresse_core::machine::{Hardware, Path, Paths};
use tresse_core::sharing::{Method, SharingConfig};
use tresse_core::time::Duration;
use tresse_core::uts::{Kind, Shape, Tree};
use tresse_files::machine_files::VirtualMachine;

use crate::parameters::Parameters;
use crate::views::solve::sentence;

/// The keys of the methods, one for each lane.
pub const LANES: [&str; 2] = ["lane-1", "lane-2"];
/// The machine, a node of which is used.
const MACHINE: &str = "icc";
/// Workers and their manager have a core each.
const MOST_WORKERS: u32 = 64;
/// The tree where nothing else is said: a few thousand nodes, most of them in few subtrees.
const TREE: Tree = Tree {
    kind: Kind::Binomial,
    branching: 100.0,
    probability: 0.243,
    children: 4,
    seed: 3,
    ..Tree::DEFAULT
};

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The tree.
    pub tree: Tree,
    /// Workers.
    pub workers: u32,
    /// Their machine.
    pub hardware: Hardware,
    /// The lanes.
    pub configs: [SharingConfig; 2],
}

/// What the parameters ask for. An error is a sentence.
pub fn read(parameters: &Parameters) -> Result<Setting, String> {
    let workers = parameters.read("workers", count32)?.unwrap_or(11);
    if !(1..=MOST_WORKERS).contains(&workers) {
        return Err(format!("{workers} workers cannot be: choose 1 to {MOST_WORKERS}."));
    }
    let latency = parameters.read("latency", Duration::parse)?.unwrap_or(Duration::from_micros(2));
    let machine = VirtualMachine::shipped(MACHINE).map_err(|error| sentence(&error))?;
    let [first, second] = LANES.map(|key| method(parameters, key));
    Ok(Setting {
        tree: tree(parameters)?,
        workers,
        hardware: apart(machine.hardware, workers, latency),
        configs: [first?, second?],
    })
}

/// A node of the machine with as many cores as are needed, all as far from each other.
fn apart(hardware: Hardware, workers: u32, latency: Duration) -> Hardware {
    let path = Path { latency, cell: hardware.costs.halo.socket.cell };
    let halo = Paths { core: path, socket: path, node: path, network: path };
    let mut costs = hardware.costs;
    costs.halo = halo;
    Hardware { nodes: 1, sockets: 1, cores: workers + 1, costs, ..hardware }
}

fn method(parameters: &Parameters, key: &str) -> Result<SharingConfig, String> {
    let default = if key == "lane-1" { Method::Sharing } else { Method::Speculative };
    let method = parameters.read(key, Method::parse)?.unwrap_or(default);
    let base = SharingConfig::new(method);
    let read = |key| parameters.read(key, count32);
    let config = SharingConfig {
        // What adapts by itself is left to.
        chunk: if method == Method::Adaptive {
            base.chunk
        } else {
            read("chunk")?.unwrap_or(base.chunk)
        },
        interval: read("interval")?.unwrap_or(base.interval),
        ..base
    };
    config.validate().map_err(|error| sentence(&error))?;
    Ok(config)
}

fn tree(parameters: &Parameters) -> Result<Tree, String> {
    let real = |key| parameters.read(key, |text: &str| text.parse::<f64>());
    let whole = |key| parameters.read(key, count32);
    let kind = match parameters.get("kind") {
        None | Some("binomial") => Kind::Binomial,
        Some("geometric") => Kind::Geometric,
        Some(other) => {
            return Err(format!("There is no tree “{other}”; there are binomial and geometric."));
        }
    };
    let tree = Tree {
        kind,
        branching: real("branching")?.unwrap_or(if kind == Kind::Binomial {
            TREE.branching
        } else {
            3.0
        }),
        seed: whole("root")?.unwrap_or(TREE.seed),
        probability: real("probability")?.unwrap_or(TREE.probability),
        children: whole("children")?.unwrap_or(TREE.children),
        shape: Shape::Linear,
        depth: whole("depth")?.unwrap_or(12),
        ..TREE
    };
    tree.validate().map_err(|error| sentence(&error))?;
    Ok(tree)
}
