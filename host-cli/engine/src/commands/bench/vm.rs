//! `tresse bench vm`.

use tresse_core::field::paper::CELLS_PER_WORKER;
use tresse_core::run::noise::{Noise, NoisePlace, Parasite};
use tresse_core::run::{Balance, GridSize, Mode};

use super::show;
use crate::commands::args::{
    BenchVmArgs, MatrixArgs, NodeChoices, NoiseChoices, ResolvedSimulation, RunFlags, SimulateArgs,
    SolveArgs, resolve_simulation,
};
use crate::commands::{CommandError, warn};
use crate::experiments::bench::vm::{RUNS, Size, UpdateCost, UpdateCosts, methods, nanoseconds};
use crate::simulation::VirtualJob;
use tresse_console::exit::Exit;
use tresse_console::interrupt;
use tresse_platform::{Platform, TopologyOverride};

/// The machine whose costs the workers have.
const MACHINE: &str = "cirrus";
/// Subdomains of a worker.
const SPLIT: u32 = 4;
/// Cells of a worker, as many as it has subdomains: there are none in memory.
const CELLS: GridSize = GridSize { rows: 2, columns: 2 };
/// The noise beside the first worker, in millionths.
const NOISE: u32 = 400_000;

/// Measures each method on each size of machine.
pub fn run(args: &BenchVmArgs) -> Result<Exit, CommandError> {
    let (available, interrupt) = (Platform::detect()?.available_memory, interrupt::flag());
    let updates = args.updates;
    let mut costs: Vec<UpdateCost> = Vec::new();
    for (mode, balance) in methods() {
        for size in Size::ALL {
            let simulated =
                resolve_simulation(&simulation(args, (mode, balance), size), available)?;
            let ResolvedSimulation { run, machine, .. } = &simulated;
            let job = VirtualJob {
                config: &run.config,
                problem: &run.problem,
                hardware: &machine.hardware,
                traces: &machine.traces,
                interrupt,
            };
            let Some(nanoseconds) = nanoseconds(job)? else {
                warn("interrupted: what was measured so far follows");
                print(&UpdateCosts { updates, costs }, args)?;
                return Ok(Exit::Interrupted);
            };
            let none = costs
                .iter()
                .find(|cost| (cost.mode, cost.balance, cost.size) == (mode, Balance::None, size));
            let over_none = none.map_or(1.0, |none| nanoseconds / none.nanoseconds);
            costs.push(UpdateCost { mode, balance, size, nanoseconds, over_none });
        }
    }
    print(&UpdateCosts { updates, costs }, args)
}

/// Returns the flags of a run by a method on a machine of this size.
fn simulation(args: &BenchVmArgs, (mode, balance): (Mode, Balance), size: Size) -> SimulateArgs {
    let subdomains = u64::from(size.workers() * SPLIT);
    let topology = TopologyOverride { sockets: size.sockets, cores_per_socket: size.cores };
    let parasite = Parasite::Duty { millionths: NOISE };
    let noise = Noise { place: NoisePlace::Core(0), parasite };
    let choices = RunFlags {
        cells_per_worker: Some(CELLS),
        mode: Some(mode.into()),
        split: Some(SPLIT),
        balance: Some(balance),
        iterations: Some((args.updates / subdomains).max(1)),
        topology: Some(topology),
        noise: NoiseChoices { sources: vec![noise.into()] },
        ..RunFlags::default()
    };
    SimulateArgs {
        solve: SolveArgs { choices, ..SolveArgs::default() },
        machine: MACHINE.into(),
        nodes: Some(size.nodes),
        timed_as: Some(CELLS_PER_WORKER),
        node_choices: NodeChoices::default(),
        matrix: MatrixArgs::default(),
    }
}

/// Shows the cost of an update: a row for each method, a column for each size.
fn print(measured: &UpdateCosts, args: &BenchVmArgs) -> Result<Exit, CommandError> {
    show(measured, args.json, || {
        let sizes = Size::ALL.map(|size| match size.nodes {
            1 => format!("{} workers", size.workers()),
            nodes => format!("{} on {nodes} nodes", size.workers()),
        });
        let sizes = sizes.map(|size| format!("{size:>22}")).concat();
        let rows = measured.costs.chunks(Size::ALL.len()).filter_map(|row| {
            let first = row.first()?;
            let method = format!("{} {}", first.mode, first.balance);
            let cells = row.iter().map(|UpdateCost { nanoseconds, over_none, .. }| {
                let cost = format!("{nanoseconds:.0} ns, x {over_none:.2}");
                format!("{cost:>22}")
            });
            Some(format!("{method:22}{}", cells.collect::<Vec<_>>().concat()))
        });
        let title = format!(
            "nanoseconds of an update on one thread, the quickest of {RUNS} runs, machine {MACHINE}, {} % noise on core 0, x: over none",
            NOISE / 10_000
        );
        [title, format!("{:22}{sizes}", "method")].into_iter().chain(rows).collect()
    })
}
