//! Processes that descend from one of ours.

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// Variables by which a launcher tells the place of a process.
const RANKS: [&str; 2] = ["OMPI_COMM_WORLD_RANK=", "PMI_RANK="];

/// Returns all that descend from a process, itself included, parents first.
pub fn family(process: Pid) -> Vec<Pid> {
    let mut found = vec![process];
    let parents: Vec<_> = all().filter_map(|id| Some((id, parent(id)?))).collect();
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        found.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(id, _)| *id));
        next += 1;
    }
    found
}

/// Returns the process of a rank in a family that runs `program`.
pub fn of_rank(family: &[Pid], program: &Path, rank: u32) -> Option<Pid> {
    let program = program.canonicalize().ok()?;
    let runs = |id: &&Pid| fs::read_link(file(**id, "exe")).is_ok_and(|exe| exe == program);
    family.iter().filter(runs).find(|id| rank_of(**id) == Some(rank)).copied()
}

/// Ends all of a family: asked first, so that launchers can take their own along; then at once.
pub fn end(process: Pid) {
    let family = family(process);
    let _ = kill_process(process, Signal::TERM);
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(5) && family.iter().any(|id| is_alive(*id)) {
        sleep(Duration::from_millis(20));
    }
    for id in family.into_iter().filter(|id| is_alive(*id)) {
        let _ = kill_process(id, Signal::KILL);
    }
}

/// Reports whether a process has a handler for SIGINT, as Linux tells: from then on it ends in
/// order.
pub fn handles_interrupts(process: Pid) -> bool {
    let mask = status(process, "SigCgt:").and_then(|mask| u64::from_str_radix(&mask, 16).ok());
    mask.is_some_and(|mask| mask & 0b10 != 0)
}

/// Reports whether a process is there, and is not only waiting for its parent to take note of its
/// end.
pub fn is_alive(process: Pid) -> bool {
    status(process, "State:").is_some_and(|state| !state.starts_with('Z'))
}

fn all() -> impl Iterator<Item = Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
}

fn parent(process: Pid) -> Option<Pid> {
    Pid::from_raw(status(process, "PPid:")?.parse().ok()?)
}

fn rank_of(process: Pid) -> Option<u32> {
    let environment = fs::read(file(process, "environ")).ok()?;
    let mut variables = environment.split(|byte| *byte == 0);
    variables.find_map(|variable| {
        let text = std::str::from_utf8(variable).ok()?;
        RANKS.iter().find_map(|name| text.strip_prefix(name)?.parse().ok())
    })
}

/// Returns a line of what Linux tells of a process.
fn status(process: Pid, key: &str) -> Option<String> {
    let text = fs::read_to_string(file(process, "status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    Some(line.trim().to_owned())
}

fn file(process: Pid, name: &str) -> String {
    format!("/proc/{}/{name}", process.as_raw_nonzero())
}
