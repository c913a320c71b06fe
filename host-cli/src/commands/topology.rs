//! `tresse topology`: workers, cores and sockets as seen, and as they will be pinned.

use std::io::{self, Write};

use serde::Serialize;
use tresse_core::run::MachineReport;

use crate::machine::{Core, Machine, Placement, Seat, TopologyOverride};

/// The JSON object.
#[derive(Serialize)]
struct View<'a> {
    machine: MachineReport<'a>,
    available_memory: u64,
    cores: &'a [Core],
    topology: Option<TopologyOverride>,
    oversubscribed: bool,
    workers: &'a [Seat],
}

/// Prints the machine and `placement`, as a table or as one JSON object.
pub fn run(
    machine: &Machine,
    placement: &Placement,
    json: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    if json {
        let view = View {
            machine: machine.report(),
            available_memory: machine.available_memory,
            cores: &machine.cores,
            topology: placement.topology,
            oversubscribed: placement.oversubscribed,
            workers: &placement.seats,
        };
        return writeln!(out, "{}", serde_json::to_string(&view)?);
    }
    print_machine(machine, out)?;
    print_seats(placement, out)
}

fn print_machine(machine: &Machine, out: &mut dyn Write) -> io::Result<()> {
    let memory = bytesize::ByteSize(machine.available_memory);
    writeln!(out, "processor      {}", machine.cpu)?;
    writeln!(out, "memory         {memory} available")?;
    writeln!(out, "allowed cores  {}", machine.allowed())?;
    let sockets = machine.cores.iter().map(|core| core.socket.0 + 1).max().unwrap_or(0);
    writeln!(out, "sockets        {sockets}")
}

fn print_seats(placement: &Placement, out: &mut dyn Write) -> io::Result<()> {
    let counted = match placement.topology {
        Some(topology) => format!("  (counted by --topology {topology}, not the machine's own)"),
        None => String::new(),
    };
    writeln!(out, "\nworker  core  socket{counted}")?;
    for Seat { worker, core, socket } in &placement.seats {
        // The ids are formatted first: padding does not reach through their own formatting.
        writeln!(out, "{:>6}  {core:>4}  {:>6}", worker.0, socket.0)?;
    }
    if let Some(warning) = placement.warning() {
        writeln!(out, "\nwarning: {warning}")?;
    }
    Ok(())
}
