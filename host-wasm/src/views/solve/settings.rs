//! Reads the parameters of a run: they are flags of `tresse simulate`, and mean the same.

use tresse_core::base::grammar::{ParseError, count, count32};
use tresse_core::base::time::Duration;
use tresse_core::field::choices::RunChoices;
use tresse_core::field::grid::Decomposition;
use tresse_core::field::stencil::Terms;
use tresse_core::node::owned::bytes_needed;
use tresse_core::run::noise::NoiseChoice;
use tresse_core::run::{
    Balance, GridSize, Imbalance, Mode, NodeBalance, NodeRule, Nodes, Precision, RunConfig,
};
use tresse_core::sim::machine::{Intervention, SimulationNeeds};
use tresse_core::sim::owned::OwnedSimulationMemory;
use tresse_files::choices::{VirtualChoices, VirtualRun};
use tresse_files::machine_files::{NAMES, VirtualMachine};

use crate::parameters::Parameters;

/// Name of the machine where the parameters name none.
const MACHINE: &str = "laptop";
/// Keys that are flags, in the order of a command line; the last ones may be repeated.
const FLAGS: [&str; 23] = [
    "machine",
    "topology",
    "nodes",
    "workers",
    "grid",
    "cells-per-worker",
    "timed-as",
    "imbalance",
    "mode",
    "split",
    "balance",
    "pairs",
    "low",
    "high",
    "dead-band",
    "node-balance",
    "node-rule",
    "precision",
    "seed",
    "tolerance",
    "absolute-tolerance",
    "iterations",
    "node-cooldown",
];
const REPEATED: [&str; 2] = ["noise", "intervene"];

/// Greatest number of bytes of a run, of the four gibibytes that a page has at most: moments to
/// come back to, and frames, take as much again.
const MOST_BYTES: u64 = 1 << 30;

/// Returns the run that the parameters ask for, one of `runs` that share the memory. An error is a
/// sentence.
pub fn run_of(parameters: &Parameters, runs: usize) -> Result<VirtualRun, String> {
    let choices = choices_of(parameters)?;
    let run = choices.resolve().map_err(|error| sentence(&error))?;
    check_memory(&run, MOST_BYTES / runs.max(1) as u64)?;
    Ok(run)
}

/// Returns the command line of the run that the parameters ask for.
pub fn command_line(parameters: &Parameters) -> String {
    let mut line = String::from("tresse simulate");
    for key in FLAGS {
        if let Some(value) = parameters.get(key) {
            line.extend([" --", key, " ", value]);
        }
    }
    for key in REPEATED {
        for value in parameters.all(key) {
            line.extend([" --", key, " ", value]);
        }
    }
    line
}

/// Reads the choices of a run; what is not given stays open.
fn choices_of(parameters: &Parameters) -> Result<VirtualChoices, String> {
    let name = parameters.get("machine").unwrap_or(MACHINE);
    let machine = VirtualMachine::shipped(name)
        .map_err(|_| format!("There is no machine “{name}”; there are {}.", NAMES.join(", ")))?;
    let read32 = |key| parameters.read(key, count32);
    Ok(VirtualChoices {
        run: RunChoices {
            imbalance: parameters.read("imbalance", Imbalance::parse)?,
            mode: parameters.read("mode", Mode::parse)?,
            split: read32("split")?,
            balance: parameters.read("balance", Balance::parse)?,
            no_help: false,
            always_help: false,
            pairs: read32("pairs")?.map(|pairs| pairs as usize),
            low: read32("low")?,
            high: read32("high")?,
            dead_band: parameters.read("dead-band", count)?,
            precision: parameters.read("precision", Precision::parse)?,
            seed: parameters.read("seed", count)?,
            tolerance: parameters.read("tolerance", real)?,
            absolute_tolerance: parameters.read("absolute-tolerance", real)?,
            iterations: parameters.read("iterations", count)?,
        },
        topology: parameters.read("topology", GridSize::parse)?.map(sockets_and_cores),
        nodes: parameters.read("nodes", positive)?,
        between: Nodes {
            balance: parameters.read("node-balance", of_subdomains)?.unwrap_or_default(),
            rule: parameters.read("node-rule", NodeRule::parse)?.unwrap_or_default(),
            cooldown: parameters.read("node-cooldown", Duration::parse)?.unwrap_or_default(),
            ..Nodes::ONE
        },
        workers: parameters.read("workers", positive)?,
        grid: parameters.read("grid", GridSize::parse)?,
        cells_per_worker: parameters.read("cells-per-worker", GridSize::parse)?,
        timed_as: parameters.read("timed-as", GridSize::parse)?,
        noise: parameters.read_all("noise", NoiseChoice::parse)?,
        interventions: parameters.read_all("intervene", Intervention::parse)?,
        ..VirtualChoices::on(machine)
    })
}

/// Reads a balancer between nodes; the page shows no multigrid, whose rows could move.
fn of_subdomains(text: &str) -> Result<NodeBalance, ParseError> {
    NodeBalance::parse(text).and_then(|balance| match balance {
        NodeBalance::Rows => Err(NodeBalance::EXPECTED),
        balance => Ok(balance),
    })
}

/// Reads a size such as `2x18` as sockets of a node and cores of a socket.
fn sockets_and_cores(size: GridSize) -> (u32, u32) {
    let number = |side| u32::try_from(side).unwrap_or(u32::MAX);
    (number(size.rows), number(size.columns))
}

/// Parses a whole number above 0.
fn positive(text: &str) -> Result<u32, &'static str> {
    count32(text).ok().filter(|&number| number > 0).ok_or("expected a whole number above 0")
}

/// Parses a number.
fn real(text: &str) -> Result<f64, &'static str> {
    text.parse().map_err(|_| "expected a number such as 1e-4")
}

/// Returns an error as a sentence.
pub fn sentence(error: &dyn std::error::Error) -> String {
    let text = error.to_string();
    // The name of a file stays as it is.
    if !text.split(' ').next().is_some_and(|word| word.chars().all(char::is_alphabetic)) {
        return format!("{text}.");
    }
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

/// Returns the number of bytes of a run: its cells, and the machine.
pub(super) fn bytes_of(VirtualRun { config, machine, .. }: &VirtualRun) -> Result<u64, String> {
    let decomposition = Decomposition::new(config).map_err(|error| sentence(&error))?;
    let needs = SimulationNeeds::of(config, &machine.hardware, &[]).with_interventions();
    let cells = bytes_needed(config, &decomposition, Terms::NONE);
    Ok(cells.saturating_add(OwnedSimulationMemory::bytes(&needs)))
}

/// Refuses a run that would not fit into the memory of a page.
fn check_memory(run: &VirtualRun, most: u64) -> Result<(), String> {
    let all = bytes_of(run)?;
    if all <= most {
        return Ok(());
    }
    let RunConfig { grid, .. } = run.config;
    let [all, most] = [all, most].map(|bytes| bytes >> 20);
    Err(format!(
        "A grid of {grid} cells would take {all} MiB, and a page has {most}: choose fewer cells for each \
         worker, or fewer nodes."
    ))
}
