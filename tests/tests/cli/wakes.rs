//! Threads beside the workers: one that wakes every few milliseconds lets the system starve the
//! workers of another program on the same cores.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tresse_tests::program::TRESSE;

/// Wakes a second of a thread that is no worker, at most.
const MOST: f64 = 40.0;

/// Returns how often each thread of a process that is no worker has slept so far, as Linux tells.
fn sleeps(process: u32) -> BTreeMap<String, u64> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).unwrap();
    let statuses = threads.filter_map(|thread| {
        let path = thread.ok()?.path();
        let status = fs::read_to_string(path.join("status")).ok()?;
        let value = |key| Some(status.lines().find_map(|line| line.strip_prefix(key))?.trim());
        let name = value("Name:")?;
        let sleeps = value("voluntary_ctxt_switches:")?.parse().ok()?;
        let is_worker = name.starts_with("worker");
        (!is_worker).then(|| (format!("{name} {}", path.display()), sleeps))
    });
    statuses.collect()
}

#[test]
fn nothing_beside_the_workers_wakes_often() {
    for flags in ["", "--mode sync", "--mode exact", "--method multigrid --grid 700x700"] {
        let line = format!("solve --workers 2 --iterations 1000000000 --quiet {flags}");
        let mut command = Command::new(TRESSE.as_path());
        command.args(line.split_whitespace()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        sleep(Duration::from_secs(1));
        let (before, start) = (sleeps(child.id()), Instant::now());
        sleep(Duration::from_secs(1));
        let (after, time) = (sleeps(child.id()), start.elapsed().as_secs_f64());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!before.is_empty(), "{line}: it has no thread");
        for (thread, before) in before {
            let wakes = (after.get(&thread).copied().unwrap_or(before) - before) as f64 / time;
            assert!(wakes < MOST, "{line}: {thread} wakes {wakes:.0} times a second");
        }
    }
}
