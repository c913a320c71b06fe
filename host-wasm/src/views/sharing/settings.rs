//! Reads parameters, and returns a tree, a machine, and two methods. The keys are flags of `tresse
//! uts` where it has them.

use std::fmt::Write as _;
use std::path::Path;

use tresse_core::base::grammar::count32;
use tresse_core::base::time::Duration;
use tresse_core::sim::machine::Hardware;
use tresse_core::tasks::sharing::{Method, SharingConfig};
use tresse_core::tasks::uts::{Kind, Shape, Tree};
use tresse_files::document::DocumentError;
use tresse_files::machine_files::VirtualMachine;

use crate::parameters::Parameters;
use crate::views::solve::sentence;

/// Keys of the methods, one for each lane.
pub const LANES: [&str; 2] = ["lane-1", "lane-2"];
/// Name of the machine, of which a node is used.
const MACHINE: &str = "icc";
/// Seed of the paces of the machine's cores.
pub const SEED: u64 = 1;
/// Greatest number of workers, which have, with their manager, a core each.
const MOST_WORKERS: u32 = 64;
/// Tree where the parameters name none: a few thousand nodes, most of them in few subtrees.
const TREE: Tree = Tree {
    kind: Kind::Binomial,
    branching: 100.0,
    probability: 0.243,
    children: 4,
    seed: 3,
    ..Tree::DEFAULT
};

/// The settings of both pools.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The tree.
    pub tree: Tree,
    /// Number of workers.
    pub workers: u32,
    /// Text of the machine's file.
    pub machine_file: String,
    /// Hardware of the machine.
    pub hardware: Hardware,
    /// Configurations of the lanes.
    pub configs: [SharingConfig; 2],
}

impl Setting {
    /// Returns lines for a shell that make the same runs natively: the machine's file, and then
    /// each run.
    pub fn commands(&self) -> String {
        let Self { tree, workers, machine_file, configs, .. } = self;
        let mut lines = format!("cat > pool.toml <<'END'\n{machine_file}END");
        for config in configs {
            let SharingConfig { method, chunk, interval, .. } = config;
            // Text takes whatever is written.
            let _ = write!(
                lines,
                "\ntresse uts {} --method {method} --chunk {chunk} --interval {interval} --workers {workers} \
                 --machine pool.toml --seed {SEED}",
                tree.flags(),
            );
        }
        lines
    }
}

/// Reads the settings that the parameters ask for. An error is a sentence.
pub fn read(parameters: &Parameters) -> Result<Setting, String> {
    let workers = parameters.read("workers", count32)?.unwrap_or(11);
    if !(1..=MOST_WORKERS).contains(&workers) {
        return Err(format!("{workers} workers cannot be: choose 1 to {MOST_WORKERS}."));
    }
    let latency = parameters.read("latency", Duration::parse)?.unwrap_or(Duration::from_micros(2));
    let machine_file = machine_file(workers, latency);
    let machine = VirtualMachine::parse(&machine_file, Path::new(""), &mut |_, _| {
        Err(DocumentError::Unusable("it needs no other file"))
    });
    let machine = machine.map_err(|error| sentence(&error))?;
    let [first, second] = LANES.map(|key| method(parameters, key));
    Ok(Setting {
        tree: tree(parameters)?,
        workers,
        machine_file,
        hardware: machine.hardware,
        configs: [first?, second?],
    })
}

/// Returns the text of a file, as `tresse uts --machine` takes it, for a node of the machine with
/// as many cores as are needed, all at the same distance from each other.
fn machine_file(workers: u32, latency: Duration) -> String {
    let cores = workers + 1;
    let path = format!("{{ latency = \"{}ns\", cell = 0.8 }}", latency.0);
    format!(
        "base = \"{MACHINE}\"\nnodes = 1\nsockets = 1\ncores = {cores}\n\n[costs.halo]\ncore = {path}\nsocket = {path}\n\
         node = {path}\nnetwork = {path}\n"
    )
}

/// Reads the method of a lane. The adaptive one keeps its own chunk.
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

/// Reads the tree; what is not given is that of `TREE`.
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
