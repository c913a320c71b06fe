//! `tresse topology`: shows workers, cores and sockets as seen, and as they will be pinned.

use std::io::{self, Write};

use serde::Serialize;
use tresse_core::run::MachineReport;

use crate::report::summary::write_json;
use tresse_platform::{Bound, Core, Placement, Platform, Seat, TopologyOverride};

/// The JSON object.
#[derive(Serialize)]
struct View<'a> {
    machine: MachineReport<'a>,
    available_memory: u64,
    cores: &'a [Core],
    physical_cores: u32,
    default_workers: u32,
    bounded_by: Bound,
    topology: Option<TopologyOverride>,
    oversubscribed: bool,
    placement: &'a [Seat],
}

/// Prints the machine and `placement`, as a table or as one JSON object.
pub fn run(
    machine: &Platform,
    placement: &Placement,
    json: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    if json {
        let default = machine.default_workers();
        let view = View {
            machine: machine.report(),
            available_memory: machine.available_memory,
            cores: &machine.cores,
            physical_cores: machine.allowed_physical_cores(),
            default_workers: default.workers,
            bounded_by: default.bound,
            topology: placement.topology,
            oversubscribed: placement.oversubscribed,
            placement: &placement.seats,
        };
        return write_json(&view, out);
    }
    print_machine(machine, out)?;
    print_seats(placement, out)
}

/// Writes what is known of the machine.
fn print_machine(machine: &Platform, out: &mut dyn Write) -> io::Result<()> {
    let memory = bytesize::ByteSize(machine.available_memory);
    writeln!(out, "processor        {}", machine.cpu)?;
    writeln!(out, "memory           {memory} available")?;
    writeln!(out, "allowed cores    {}", machine.allowed())?;
    writeln!(out, "physical cores   {}", machine.allowed_physical_cores())?;
    let sockets =
        machine.cores.iter().map(|core| core.socket.0.saturating_add(1)).max().unwrap_or(0);
    writeln!(out, "sockets          {sockets}")?;
    writeln!(out, "default workers  {}", machine.default_workers())
}

/// Writes the core and the socket of each worker.
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

#[cfg(test)]
mod tests {
    use tresse_core::base::id::SocketId;

    use super::*;

    fn printed(json: bool) -> String {
        let cores = [4, 7].map(|id| Core { id, socket: SocketId(0), physical: id }).to_vec();
        let machine = Platform {
            cores,
            physical_cores: 8,
            quota: None,
            cpu: "A processor".into(),
            available_memory: 3 << 30,
        };
        let topology = TopologyOverride::parse("3x1").unwrap();
        let placement = Placement::plan(&machine, None, Some(topology)).unwrap();
        let mut out = Vec::new();
        run(&machine, &placement, json, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_table_marks_what_is_not_the_machines_own() {
        let expected = "\
processor        A processor
memory           3.0 GiB available
allowed cores    4,7
physical cores   2
sockets          1
default workers  2 (bounded by the affinity mask; the machine has 8 physical cores)

worker  core  socket  (counted by --topology 3x1, not the machine's own)
     0     4       0
     1     4       1
     2     7       2

warning: more workers (3) than allowed cores (4,7): they share cores, so rates are not those of \
3 cores; lower --workers or --topology to have a core for each
";
        assert_eq!(printed(false), expected);
    }

    #[test]
    fn json_says_the_same() {
        let view: serde_json::Value = serde_json::from_str(&printed(true)).unwrap();
        assert_eq!(view["topology"], "3x1");
        assert_eq!(view["oversubscribed"], true);
        assert_eq!(view["machine"]["cores"], 2);
        assert_eq!(view["default_workers"], 2);
        assert_eq!(view["bounded_by"], "affinity-mask");
        assert_eq!(view["placement"][2], serde_json::json!({"worker": 2, "core": 7, "socket": 2}));
    }
}
