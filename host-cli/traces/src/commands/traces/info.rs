//! `tresse traces info`.

use std::io::{self, Write};

use bytesize::ByteSize;
use serde::Serialize;
use tresse_console::command::{CommandError, printed};
use tresse_console::exit::Exit;
use tresse_console::summary::write_json;

use crate::commands::args::InfoArgs;
use crate::load_statistics::{self, LoadStatistics};
use crate::load_traces::{LoadTrace, Phase};

/// The JSON object.
#[derive(Serialize)]
struct Info<'a> {
    stem: &'a str,
    processors: usize,
    phases: Vec<PhaseInfo>,
}

#[derive(Serialize)]
struct PhaseInfo {
    phase: u64,
    objects: usize,
    /// The number of objects that must stay where they are.
    fixed: usize,
    communications: usize,
    /// Bytes of all communications.
    bytes: f64,
    /// Whether the trace has the memory that objects need.
    memory: bool,
    imbalance: f64,
    /// Statistics of the objects' loads, in seconds.
    object_loads: Option<LoadStatistics>,
    /// Statistics of the processors' loads, in seconds.
    processor_loads: Option<LoadStatistics>,
}

/// Shows what is in a load trace.
pub(super) fn run(args: &InfoArgs) -> Result<Exit, CommandError> {
    let (trace, _) = super::read(&args.trace, args.json || args.quiet)?;
    let info = Info::of(&trace);
    if args.json { printed(|to| write_json(&info, to)) } else { printed(|to| print(&info, to)) }
}

impl<'a> Info<'a> {
    fn of(trace: &'a LoadTrace) -> Self {
        let phases = trace.phases().iter().map(PhaseInfo::of).collect();
        Self { stem: trace.stem(), processors: trace.ranks(), phases }
    }
}

impl PhaseInfo {
    /// Summarises one phase.
    fn of(phase: &Phase) -> Self {
        let processor_loads = LoadStatistics::of(&phase.rank_seconds());
        Self {
            phase: phase.id,
            objects: phase.tasks().count(),
            fixed: phase.tasks().filter(|task| !task.migratable).count(),
            communications: phase.communications().count(),
            bytes: phase.communicated_bytes(),
            memory: phase.tasks().any(|task| task.memory.is_some()),
            imbalance: processor_loads.map_or(0.0, |loads| loads.imbalance),
            object_loads: LoadStatistics::of(&phase.seconds()),
            processor_loads,
        }
    }
}

/// Writes the phases of a trace, and then the statistics of their loads.
fn print(info: &Info<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Info { stem, processors, phases } = info;
    writeln!(out, "{stem}: {processors} ranks, {} phases\n", phases.len())?;
    writeln!(
        out,
        "{:>8}{:>9}{:>8}{:>16}{:>12}{:>8}{:>12}",
        "phase", "objects", "fixed", "communications", "bytes", "memory", "imbalance"
    )?;
    for info in phases {
        // Sizes are whole bytes; one beyond 64 bits is shown as the largest.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let bytes = ByteSize(info.bytes as u64).to_string();
        let memory = if info.memory { "yes" } else { "-" };
        writeln!(
            out,
            "{:>8}{:>9}{:>8}{:>16}{bytes:>12}{memory:>8}{:>12.6}",
            info.phase, info.objects, info.fixed, info.communications, info.imbalance
        )?;
    }
    writeln!(out, "\nseconds; {}\n", load_statistics::REMARK)?;
    load_statistics::write_head(&format!("{:>8}  {:<8}", "phase", "of"), out)?;
    for info in phases {
        for (of, loads) in [("objects", info.object_loads), ("ranks", info.processor_loads)] {
            if let Some(loads) = loads {
                let lead = format!("{:>8}  {of:<8}", info.phase);
                load_statistics::write_row(&lead, &loads, out)?;
            }
        }
    }
    Ok(())
}
