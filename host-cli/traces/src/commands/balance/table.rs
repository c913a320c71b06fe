//! Writes the tables for a person.

use std::io::{self, Write};

use bytesize::ByteSize;

use super::phase::{ENTRY_BYTES, HEADER_BYTES, IterationReport, PhaseReport, Taken};
use crate::load_statistics;

/// What is said where a processor uses more memory than it may.
pub(super) const EXCEEDS: &str = "more memory than allowed";

/// Writes the tables of every phase, one after another.
pub(super) fn write(phases: &[PhaseReport], out: &mut dyn Write) -> io::Result<()> {
    phases.iter().try_for_each(|phase| write_phase(phase, out))
}

/// Writes one line about the objects and processors of a phase.
pub(super) fn write_head(phase: &PhaseReport, out: &mut dyn Write) -> io::Result<()> {
    let PhaseReport { phase, processors, objects, fixed, .. } = phase;
    writeln!(
        out,
        "\nphase {phase}: {processors} processors, {objects} objects, {fixed} of which must stay\n"
    )
}

/// Writes the iterations, the result and the loads of one phase.
fn write_phase(phase: &PhaseReport, out: &mut dyn Write) -> io::Result<()> {
    write_head(phase, out)?;
    if !phase.iterations.is_empty() {
        write_iterations(phase, out)?;
        writeln!(out)?;
    }
    write_result(phase, out)?;
    writeln!(out)?;
    load_statistics::write_head("", out)?;
    let rows = [
        ("objects", phase.object_loads),
        ("before", phase.initial_loads),
        ("after", phase.final_loads),
    ];
    for (of, loads) in rows {
        if let Some(loads) = loads {
            load_statistics::write_row(&format!("  {of:<8}"), &loads, out)?;
        }
    }
    writeln!(out, "  seconds of objects, and of processors; {}", load_statistics::REMARK)
}

/// Writes the table of iterations, as on the slides, for the trial whose placement was taken.
fn write_iterations(phase: &PhaseReport, out: &mut dyn Write) -> io::Result<()> {
    let trials = phase.iterations.iter().map(|made| made.trial).max().unwrap_or(1);
    let Taken { trial, .. } = phase.taken;
    if trials > 1 {
        writeln!(out, "trial {trial} of {trials}")?;
    }
    let shown = || phase.iterations.iter().filter(|made| made.trial == trial);
    // Where nobody may refuse, and nothing is exchanged, the table is the slides'.
    let offers = shown().any(|made| made.refused > 0 || made.exchanges > 0);
    write!(out, "{:>10}{:>12}{:>12}{:>12}", "iteration", "transfers", "rejected", "% rejected")?;
    if offers {
        write!(out, "{:>12}{:>12}", "refused", "exchanges")?;
    }
    writeln!(out, "{:>14}", "imbalance")?;
    write!(out, "{:>10}{:36}{:width$}", 0, "", "", width = if offers { 24 } else { 0 })?;
    writeln!(out, "{:>14.6}", phase.initial_imbalance)?;
    shown().try_for_each(|made| write_iteration(made, offers, out))
}

/// Writes the row of an iteration; with `offers` it has the columns of refusals and exchanges.
fn write_iteration(made: &IterationReport, offers: bool, out: &mut dyn Write) -> io::Result<()> {
    let rate = made.rejection_rate.map_or("-".into(), |rate| format!("{:.2}", rate * 100.0));
    let IterationReport { iteration, transfers, rejected, refused, exchanges, .. } = made;
    write!(out, "{iteration:>10}{transfers:>12}{rejected:>12}{rate:>12}")?;
    if offers {
        write!(out, "{refused:>12}{exchanges:>12}")?;
    }
    writeln!(out, "{:>14.6}", made.imbalance)
}

/// Writes the result of a phase: imbalance, migrations, gossip, memory and time.
fn write_result(phase: &PhaseReport, out: &mut dyn Write) -> io::Result<()> {
    let PhaseReport { initial_imbalance, final_imbalance, least_imbalance, .. } = phase;
    let optimal = if phase.is_optimal() { ": optimal" } else { "" };
    writeln!(
        out,
        "imbalance    {initial_imbalance:.6} before, {final_imbalance:.6} after; no placement has \
         less than {least_imbalance:.6}{optimal}"
    )?;
    if !phase.iterations.is_empty() {
        let at = match phase.taken.iteration {
            0 => "the start: nothing better was found".into(),
            iteration => format!("iteration {iteration}"),
        };
        writeln!(out, "taken        {at}")?;
    }
    let bytes = phase
        .bytes_moved
        .map_or("an unknown number of bytes".into(), |bytes| ByteSize(bytes).to_string());
    writeln!(out, "migrations   {} objects, {bytes}", phase.migrations)?;
    if !phase.iterations.is_empty() {
        writeln!(
            out,
            "gossip       {} messages, {} ({HEADER_BYTES} bytes each, and {ENTRY_BYTES} for each \
             processor in it)",
            phase.messages,
            ByteSize(phase.gossip_bytes)
        )?;
    }
    if let Some([before, after]) = phase.most_memory {
        let [before, after] = [before, after].map(ByteSize);
        let exceeds = phase.exceeds_memory == Some(true);
        let exceeds = if exceeds { format!(": {EXCEEDS}") } else { String::new() };
        writeln!(
            out,
            "memory       {before} before, {after} after, where it is the most{exceeds}"
        )?;
    }
    let ended = if phase.interrupted { ", interrupted" } else { "" };
    writeln!(out, "time         {:.6} s{ended}", phase.seconds)
}
