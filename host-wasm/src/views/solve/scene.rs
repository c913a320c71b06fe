//! The unchanging state of a run, and the sentence about its end.

use tresse_core::base::id::SubdomainId;
use tresse_core::run::{Balance, End, NodeBalance};
use tresse_core::sim::machine::SimulationOutcome;

use super::frame::{CorePlace, Scene};
use super::run::Run;

/// Greatest number of subdomains that have a line in the braid.
const MOST_LINES: usize = 144;

/// Returns the scene of a run on a machine of this name; `command` is the command line that makes
/// the same run.
pub fn scene(run: &Run, machine: String, command: String) -> Scene {
    let (config, hardware, decomposition) = (run.config(), run.hardware(), run.decomposition());
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let grid = decomposition.grid();
    let across = decomposition.columns();
    let rectangle = |id| decomposition.rectangle(SubdomainId(id));
    let all = decomposition.subdomains();
    let rows = (0..all).step_by(across as usize).map(|id| rectangle(id).first_row);
    let columns = (0..across).map(|id| rectangle(id).first_column);
    let node_workers = config.workers_per_node().max(1);
    let place = |worker: u32| {
        let (node, local) = (worker / node_workers, worker % node_workers);
        let socket = node * hardware.sockets + local / hardware.cores;
        CorePlace { node, socket, core: node * hardware.node_cores() + local }
    };
    let is_balanced = config.balance != Balance::None || config.nodes.balance.moves_subdomains();
    let mode = format!("{}({})", config.mode, config.split);
    let workers = (config.balance != Balance::None).then(|| config.balance.to_string());
    let nodes = config.nodes.balance;
    let nodes = (nodes != NodeBalance::None).then(|| nodes.to_string());
    let method: Vec<_> = [Some(mode), workers, nodes].into_iter().flatten().collect();
    let method = method.join(" + ");
    Scene {
        grid: (number(grid.rows), number(grid.columns)),
        rows: rows.chain([grid.rows]).map(number).collect(),
        columns: columns.chain([grid.columns]).map(number).collect(),
        places: (0..config.workers).map(place).collect(),
        first_owners: decomposition.ids().map(|id| decomposition.first_owner(id).0).collect(),
        lines: (0..all).step_by((all as usize).div_ceil(MOST_LINES).max(1)).collect(),
        split: config.split,
        low: config.plb.low,
        high: config.plb.high,
        method,
        is_balanced,
        machine,
        tolerance: config.stop.tolerance,
        command,
    }
}

/// Returns a sentence about the end of a run.
pub fn ended(outcome: &SimulationOutcome) -> String {
    let SimulationOutcome { end, at, verified, initial, .. } = *outcome;
    let residual = (verified / initial).sqrt();
    let how = match end {
        End::Converged => "Converged",
        End::Iterations => "All iterations were made",
        End::Interrupted => "Interrupted",
        End::Stagnated => "The residual stopped falling",
        End::Stalled => "Every worker waits for ever",
        End::Livelock => "Workers go on without progress: a defect of this program",
        End::NotFinite => "The residual is not a finite number",
    };
    format!(
        "{how} after {:.6} s; the residual is {residual:.3e} of the initial one, verified.",
        at.seconds()
    )
}
