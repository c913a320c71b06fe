//! `tresse simulate`.

use std::path::PathBuf;

use clap::Args;
use tresse_console::args::values::positive;
use tresse_core::field::paper::CELLS_PER_WORKER;
use tresse_core::run::{GridSize, NodeBalance, Nodes};

use tresse_files::choices::{self, VIRTUAL_CELLS};

use super::error::FrontError;
use super::matrix::MatrixArgs;
use super::nodes::NodeChoices;
use super::resolve::{Resolved, Stage, resolve_for, topology};
use super::solve::SolveArgs;
use crate::files::machine_files::{self, NAMES, VirtualMachine};
use crate::solvers::Method;
use crate::{simulation, virtual_multigrid};
use tresse_platform::TopologyOverride;

/// Name of the default machine.
const MACHINE: &str = "laptop";

const CELLS_HELP: &str = "Cells of each worker's part of the grid [default: 16x16, timed as 300x300, or 300x300 with --method multigrid]";

const WORKERS: &str = "Workers, each on a core of its own, as many on every node [default: one for \
                       each core of the nodes that are used]";

const TOPOLOGY: &str = "Sockets x cores of each on a node, in place of the machine's, such as 2x18";

const AFTER_HELP: &str = "\
Every flag of `solve` means the same here, but --mode rayon and --record, which need real threads.
Times and rates are virtual; the cells are real.

Example: the noisy core of the paper on a node of ARCHER
  tresse simulate --machine archer --mode async --split 4 \\
                  --balance split:0.001 --noise core=2,duty=0.19";

/// The flags of `simulate`.
#[derive(Args, Clone, Debug, PartialEq)]
#[command(after_help = AFTER_HELP)]
#[command(mut_arg("workers", |workers| workers.help(WORKERS)))]
#[command(mut_arg("cells_per_worker", |cells| cells.help(CELLS_HELP)))]
#[command(mut_arg("topology", |topology| topology.help(TOPOLOGY).help_heading("Machine")))]
#[command(mut_arg("record", |record| record.hide(true)))]
#[command(mut_arg("matrix", |matrix| matrix.conflicts_with("timed_as")))]
pub struct SimulateArgs {
    /// Flags of `solve`.
    #[command(flatten)]
    pub solve: SolveArgs,

    /// A sparse system in place of a grid.
    #[command(flatten)]
    pub matrix: MatrixArgs,

    /// A shipped machine, or the path of a machine file.
    #[arg(long, value_name = "NAME|FILE.toml", help_heading = "Machine", help = machine_help())]
    #[arg(default_value = MACHINE, hide_default_value = true)]
    pub machine: PathBuf,

    /// Nodes that are used, from the first on; where N exceeds the machine's nodes, they are
    /// repeated [default: all of the machine]
    #[arg(long, value_name = "N", help_heading = "Machine", value_parser = positive)]
    #[arg(allow_negative_numbers = true)]
    pub nodes: Option<u32>,

    /// Time every sweep, halo and hand-over as if each worker had this number of cells [default: as
    /// many as it has, or 300x300 where no size is asked for and the method is Jacobi]
    #[arg(long, value_name = "RxC", help_heading = "Machine", value_parser = GridSize::parse)]
    pub timed_as: Option<GridSize>,

    /// Movement of work between nodes.
    #[command(flatten)]
    pub node_choices: NodeChoices,
}

/// Returns the help of `--machine`, with the names of all shipped machines.
fn machine_help() -> String {
    format!(
        "The machine: {}, or a machine file (TOML), whose path ends in .toml [default: {MACHINE}]",
        NAMES.join(", ")
    )
}

/// The resolved choices of `simulate`.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedSimulation {
    /// Choices that `simulate` has in common with `solve`.
    pub run: Resolved,
    /// Machine with the costs for `--timed-as`, and without speed traces of nodes that are not
    /// used.
    pub machine: VirtualMachine,
    /// The machine in a few words.
    pub description: String,
}

/// Merges flags, problem file and defaults, and checks them on the machine; `available` is the free
/// memory in bytes.
pub fn resolve_simulation(
    args: &SimulateArgs,
    available: u64,
) -> Result<ResolvedSimulation, FrontError> {
    let (mut machine, nodes) = machine(args, topology(&args.solve)?)?;
    let stage = Stage {
        workers: nodes.number.saturating_mul(machine.hardware.node_cores()),
        process_count: 1,
        nodes,
        node_balance: args.node_choices.node_balance,
        node_flag: args.node_choices.flag(),
        cells_per_worker: VIRTUAL_CELLS,
        available,
        noise: &|asked, seed| {
            Ok(choices::place_noise(asked, seed, &machine.hardware, nodes.number)?)
        },
        is_real: false,
        check: &|config, method| {
            let (hardware, traces) = (&machine.hardware, &machine.traces);
            Ok(match method {
                Method::Jacobi => simulation::check(config, hardware, traces)?,
                Method::Multigrid(choices) => {
                    virtual_multigrid::check(config, hardware, traces, choices)?;
                    // No bytes besides cells.
                    0
                }
            })
        },
    };
    let mut run = resolve_for(&args.solve, &stage)?;
    run.inputs = run.inputs.with_all("--machine", &machine.files);
    let workers = run.config.workers_per_node();
    run.warn_of(&machine.hardware.sockets_of(workers).collect::<Vec<_>>());
    if nodes.number == 1 && nodes.balance != NodeBalance::None {
        run.warnings.push("--node-balance has nobody to send to: there is one node only".into());
    }
    let is_small = run.has_default_grid && run.method == Method::Jacobi;
    let timed_as = args.timed_as.or(is_small.then_some(CELLS_PER_WORKER));
    let timed = timed_as.map(|size| format!(", timed as {size} cells for each worker"));
    let description = format!("virtual machine {machine}{}", timed.unwrap_or_default());
    if let Some(size) = timed_as {
        machine.hardware.costs = choices::costs_timed_as(&machine.hardware, &run.config, size)
            .map_err(|error| FrontError::TimedAs { size, error })?;
    }
    Ok(ResolvedSimulation { run, machine, description })
}

/// Returns the machine, with the sockets that are asked for, and the nodes that are used.
pub(in crate::commands) fn machine(
    args: &SimulateArgs,
    topology: Option<TopologyOverride>,
) -> Result<(VirtualMachine, Nodes), FrontError> {
    let machine = machine_files::load(&args.machine)?;
    let machine = match topology {
        Some(TopologyOverride { sockets, cores_per_socket }) => {
            machine.of_sockets(sockets, cores_per_socket).map_err(FrontError::Topology)?
        }
        None => machine,
    };
    let nodes = nodes(args, machine.hardware.nodes);
    let machine = machine.on_nodes(nodes.number);
    Ok((machine.map_err(|error| FrontError::Nodes { nodes: nodes.number, error })?, nodes))
}

/// Returns the nodes that are asked for, by default all that are `available`.
fn nodes(args: &SimulateArgs, available: u32) -> Nodes {
    args.node_choices.nodes(args.nodes.unwrap_or(available))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use tresse_core::base::time::Duration;
    use tresse_core::run::{Mode, NodeRule};
    use tresse_core::sim::machine::Hardware;

    use super::*;
    use crate::commands::args::{Cli, Command};

    const GIB: u64 = 1 << 30;

    fn resolved(line: &str) -> Result<ResolvedSimulation, FrontError> {
        let words = ["tresse", "simulate"].into_iter().chain(line.split_whitespace());
        match Cli::try_parse_from(words).unwrap_or_else(|error| panic!("{line}: {error}")).command {
            Command::Simulate(args) => resolve_simulation(&args, GIB),
            other @ Command::Solve(_) => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn workers_are_the_cores_of_the_nodes_that_are_used() {
        let laptop = resolved("").unwrap().run.config;
        assert_eq!((laptop.workers, laptop.nodes, laptop.mode), (4, Nodes::ONE, Mode::Async));
        assert_eq!(laptop.grid, GridSize { rows: 32, columns: 32 });
        let small = "--cells-per-worker 4x4";
        let all = resolved(&format!("--machine cirrus-100 {small}")).unwrap().run.config;
        assert_eq!((all.workers, all.nodes.number), (3_600, 100));
        let line = "--node-balance dplb:0.5,10 --node-rule published --node-cooldown 2ms";
        let line = format!("--machine cirrus-15 --nodes 3 {line} {small}");
        let some = resolved(&line).unwrap().run.config;
        assert_eq!(some.workers, 108);
        let balance = NodeBalance::Dplb { period: Duration::from_millis(500), threshold: 10 };
        let (rule, cooldown) = (NodeRule::Published, Duration::from_millis(2));
        assert_eq!(some.nodes, Nodes { number: 3, balance, rule, cooldown });
        let few = resolved(&format!("--machine cirrus-15 --nodes 3 --workers 6 {small}")).unwrap();
        assert_eq!(few.run.config.workers_per_node(), 2);
    }

    #[test]
    fn more_nodes_than_the_machine_has_are_these_again() {
        let small = "--cells-per-worker 4x4";
        let one = resolved(small).unwrap();
        let three = resolved(&format!("--nodes 3 {small} --noise node=2,duty=0.1")).unwrap();
        let config = &three.run.config;
        assert_eq!((config.workers, config.nodes.number), (12, 3));
        assert_eq!(three.machine.hardware, Hardware { nodes: 3, ..one.machine.hardware });
        assert!(three.description.contains("3 nodes"), "{}", three.description);
    }

    #[test]
    fn small_workers_stand_for_large_ones() {
        let plain = resolved("--cells-per-worker 16x16").unwrap();
        let timed = resolved("--cells-per-worker 16x16 --timed-as 300x300").unwrap();
        assert_eq!(plain.run.config, timed.run.config);
        let actual = GridSize { rows: 16, columns: 16 };
        let as_if = GridSize { rows: 300, columns: 300 };
        let expected = plain.machine.hardware.costs.timed_as(actual, as_if);
        assert_ne!(expected, plain.machine.hardware.costs);
        assert_eq!(timed.machine.hardware.costs, expected);
        assert!(timed.description.contains("timed as 300x300"), "{}", timed.description);
        let same = resolved("--cells-per-worker 16x16 --timed-as 16x16").unwrap();
        assert_eq!(same.machine, plain.machine);
    }

    #[test]
    fn what_cannot_run_names_the_flag() {
        for (line, parts) in [
            ("--machine nec", &["--machine nec", "cirrus", "archer", "laptop", ".toml"][..]),
            ("--machine /gone.toml", &["--machine /gone.toml", "cannot be read"]),
            ("--mode rayon", &["--mode rayon", "--mode sync"]),
            (
                "--machine cirrus-15 --method multigrid --cells-per-worker 9x9 --node-balance dplb:0.5,10",
                &["--node-balance", "--method multigrid"],
            ),
            ("--node-balance rows", &["--node-balance rows", "--method multigrid"]),
            ("--method multigrid --balance none", &["--balance", "--method multigrid"]),
            ("--topology 65536x65536", &["--topology", "cores"]),
            ("--record run.tresse", &["--record", "nothing to record", "solve --record"]),
            ("--nodes 5000000", &["--nodes 5000000", "cores"]),
            ("--nodes 4294967295 --noise core=0,duty=0.1", &["--nodes 4294967295", "cores"]),
            ("--workers 0", &["--workers"]),
            ("--workers 5", &["--workers", "4 cores"]),
            ("--machine cirrus-15 --workers 16", &["--workers 16", "--nodes 15"]),
            ("--noise core=4,duty=0.1", &["--noise core=4,duty=0.1", "no such core"]),
            ("--noise socket=1,duty=0.1", &["--noise socket=1"]),
            ("--noise node=1,duty=0.1", &["--noise node=1"]),
            ("--noise core=0,sleep=0,work=9", &["--noise", "some sleep"]),
            ("--mode sync --node-balance dplb:1,1", &["--node-balance", "--mode sync"]),
            ("--cells-per-worker 9000x9000", &["--cells-per-worker", "memory", "GiB"]),
            ("--split 9000000 --grid 6000x6000", &["--grid", "memory"]),
            (
                "--cells-per-worker 4x4 --timed-as 4294967295x4294967295",
                &["--timed-as 4294967295x4294967295", "more than a day"],
            ),
        ] {
            let error = resolved(line).expect_err(line).to_string();
            assert!(parts.iter().all(|part| error.contains(part)), "{line}: {error}");
            assert!(!error.contains('\n'), "{line}: {error}");
        }
        let idle = resolved("--node-rule boundary").unwrap().run.warnings;
        assert!(idle.iter().any(|warning| warning.contains("--node-rule has no")), "{idle:?}");
        let alone = resolved("--node-balance dplb:1,1").unwrap().run.warnings;
        assert!(alone.iter().any(|warning| warning.contains("--node-balance")), "{alone:?}");
    }

    #[test]
    fn a_problem_file_gives_what_flags_leave_open() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.toml");
        let simulate = |flags: &str| resolved(&format!("--problem {} {flags}", path.display()));
        std::fs::write(&path, "grid = [40, 30]\n[run]\nworkers = 2\nsplit = 3").unwrap();
        let config = simulate("--split 5").unwrap().run.config;
        assert_eq!((config.workers, config.split), (2, 5));
        assert_eq!(config.grid, GridSize { rows: 40, columns: 30 });
        std::fs::write(&path, "[run]\ntopology = \"3x5\"").unwrap();
        let shaped = |flags: &str| {
            let resolved = simulate(flags).unwrap();
            let Hardware { nodes, sockets, cores, .. } = resolved.machine.hardware;
            ((nodes, sockets, cores), resolved.run.config.workers)
        };
        assert_eq!(shaped(""), ((1, 3, 5), 15));
        assert_eq!(shaped("--topology 2x4 --machine cirrus-15 --nodes 3"), ((15, 2, 4), 24));
    }
}
