//! `tresse simulate`.

use std::path::PathBuf;

use clap::Args;
use tresse_core::machine::Costs;
use tresse_core::run::{GridSize, NodeBalance, NodeRule, Nodes};
use tresse_core::time::Duration;

use super::error::FrontError;
use super::resolve::{Resolved, Stage, all_workers, resolve_for};
use super::solve::SolveArgs;
use super::values::positive;
use crate::hardware::{NAMES, VirtualMachine};
use crate::simulation;

/// The machine where none is named.
const MACHINE: &str = "laptop";

const AFTER_HELP: &str = "\
Every flag of `solve` means the same here, but --topology, which --machine replaces, and --mode
rayon, which needs real threads. Times and rates are virtual; the cells are real.

Example: the noisy core of the paper on a node of ARCHER
  tresse simulate --machine archer --mode async --split 4 --balance split:0.001 \\
                  --noise core=2,duty=0.19 --cells-per-worker 16x16 --timed-as 300x300";

/// The flags of `simulate`.
#[derive(Args, Clone, Debug, PartialEq)]
#[command(after_help = AFTER_HELP)]
pub struct SimulateArgs {
    /// Those of `solve`.
    #[command(flatten)]
    pub solve: SolveArgs,

    /// A shipped machine, or the path of a machine file.
    #[arg(long, value_name = "NAME|FILE.toml", help_heading = "Machine", help = machine_help())]
    #[arg(default_value = MACHINE, hide_default_value = true)]
    pub machine: PathBuf,

    /// Nodes that are used, from the first on [default: all of the machine]
    #[arg(long, value_name = "N", help_heading = "Machine", value_parser = positive)]
    #[arg(allow_negative_numbers = true)]
    pub nodes: Option<u32>,

    /// Time every sweep, halo and hand-over as if each worker had so many cells [default: as many
    /// as it has]
    #[arg(long, value_name = "RxC", help_heading = "Machine", value_parser = GridSize::parse)]
    pub timed_as: Option<GridSize>,

    /// Balancer between nodes: none, or dplb:F,THRESHOLD (F seconds between looks; nothing moves
    /// below a difference of THRESHOLD updates) [default: none]
    #[arg(long, value_name = "POLICY", help_heading = "Method", value_parser = NodeBalance::parse)]
    pub node_balance: Option<NodeBalance>,

    /// What that balancer goes by: settled (also what is in flight) or published (only what the
    /// paper says) [default: settled]
    #[arg(long, value_name = "RULE", help_heading = "Method", value_parser = NodeRule::parse)]
    pub node_rule: Option<NodeRule>,

    /// Time for which a node sends nothing after it has sent a subdomain [default: 0]
    #[arg(long, value_name = "TIME", help_heading = "Method", value_parser = Duration::parse)]
    #[arg(allow_negative_numbers = true)]
    pub node_cooldown: Option<Duration>,
}

fn machine_help() -> String {
    format!(
        "The machine: {}, or a machine file (TOML), whose path ends in .toml [default: {MACHINE}]",
        NAMES.join(", ")
    )
}

/// What `simulate` runs.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedSimulation {
    /// What it has in common with `solve`.
    pub run: Resolved,
    /// With the costs that `--timed-as` makes of it, and no traces of nodes that are not used.
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
    let machine = VirtualMachine::load(&args.machine)?;
    let nodes = nodes(args, machine.hardware.nodes);
    let mut machine = machine.on_nodes(nodes.number);
    let stage = Stage {
        cores: nodes.number.saturating_mul(machine.hardware.node_cores()),
        nodes,
        available,
        is_real: false,
        check: &|config| Ok(simulation::check(config, &machine.hardware, &machine.traces)?),
    };
    let mut run = resolve_for(&args.solve, &stage)?;
    if nodes.number == 1 && nodes.balance != NodeBalance::None {
        run.warnings.push("--node-balance has nobody to send to: there is one node only".into());
    }
    let mut description = format!("virtual machine {machine}");
    if let Some(size) = args.timed_as {
        machine.hardware.costs = timed_as(&machine, &run, size)?;
        description.push_str(&format!(", timed as {size} cells for each worker"));
    }
    Ok(ResolvedSimulation { run, machine, description })
}

fn nodes(args: &SimulateArgs, available: u32) -> Nodes {
    Nodes {
        number: args.nodes.unwrap_or(available),
        balance: args.node_balance.unwrap_or_default(),
        rule: args.node_rule.unwrap_or_default(),
        cooldown: args.node_cooldown.unwrap_or_default(),
    }
}

fn timed_as(machine: &VirtualMachine, run: &Resolved, size: GridSize) -> Result<Costs, FrontError> {
    let mut hardware = machine.hardware.clone();
    let as_if = all_workers(size, run.config.workers);
    hardware.costs = hardware.costs.timed_as(run.config.grid, as_if);
    hardware.validate().map_err(|error| FrontError::TimedAs { size, error })?;
    Ok(hardware.costs)
}
