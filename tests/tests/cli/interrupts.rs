//! Signals: what was computed so far is reported and stored, exit code 130.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::tempdir;
use tresse::matrix::vector::VectorForm;
use tresse_tests::output_files::assert_whole;
use tresse_tests::program::TRESSE;
use tresse_tests::systems::{self, market};

use crate::files::NAMES;
use crate::program::{ENDLESS, WATCHDOG, names, object, tresse};

/// A run that is under way.
struct Running(Child);

impl Running {
    /// Starts a program, and waits until it handles signals and has worked for a moment.
    fn start(line: &str, out: Option<&Path>) -> Self {
        let mut command = Command::new(TRESSE.as_path());
        command.args(line.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(out) = out {
            command.arg("--out").arg(out);
        }
        let mut running = Self(command.spawn().unwrap());
        running.until("handles signals", |child| handles_interrupts(child.id()));
        sleep(Duration::from_millis(300));
        running
    }

    fn signal(&self, signal: Signal) {
        let id = Pid::from_child(&self.0);
        kill_process(id, signal).unwrap();
    }

    /// Waits for its end; its output fits a pipe.
    fn end(mut self) -> Output {
        self.until("ended", |child| child.try_wait().unwrap().is_some());
        self.0.wait_with_output().unwrap()
    }

    fn until(&mut self, what: &str, reached: impl Fn(&mut Child) -> bool) {
        let start = Instant::now();
        while !reached(&mut self.0) {
            if start.elapsed() > WATCHDOG {
                self.0.kill().unwrap();
                panic!("the program has not {what}");
            }
            sleep(Duration::from_millis(5));
        }
    }
}

/// Reports whether a process has a handler for SIGINT, as Linux tells; it is installed before the
/// run.
fn handles_interrupts(process: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let mask = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask & 0b10 != 0
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn an_interrupt_ends_in_order() {
    for signal in [Signal::INT, Signal::TERM] {
        let out = tempdir().unwrap();
        let running = Running::start(ENDLESS, Some(out.path()));
        running.signal(signal);
        let output = running.end();
        assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
        let said = text(&output.stdout);
        for part in ["interrupted: residual", "verified", "iterations", "spread", "written"] {
            assert!(said.contains(part), "no {part} in {said}");
        }
        assert!(!text(&output.stderr).contains("panicked"));
        assert_eq!(names(out.path()), NAMES);
        assert_whole(out.path());
    }
}

#[test]
fn an_interrupted_sparse_system_says_what_goes_on() {
    let folder = tempdir().unwrap();
    let [matrix, rhs, out] = ["A.mtx", "b.npy", "x.npy"].map(|name| folder.path().join(name));
    let linear = systems::all().swap_remove(0);
    fs::write(&matrix, market(&linear.matrix)).unwrap();
    VectorForm::Npy.write(&linear.rhs, fs::File::create(&rhs).unwrap()).unwrap();
    let files = format!("--matrix {} --rhs {}", matrix.display(), rhs.display());
    let endless = format!("solve --workers 2 {files} --iterations 1000000000");
    let running = Running::start(&endless, Some(&out));
    running.signal(Signal::INT);
    let output = running.end();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("--start x.npy goes on from"));
    let again = format!("solve --workers 2 {files} --quiet --start {}", out.display());
    let ended = tresse(&again).output().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{}", text(&ended.stderr));
}

#[test]
fn an_interrupted_recording_replays() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("run.tresse");
    let line = format!("{ENDLESS} --quiet --record {}", path.display());
    let running = Running::start(&line, None);
    running.signal(Signal::INT);
    assert_eq!(running.end().status.code(), Some(130));
    assert_eq!(names(folder.path()), ["run.tresse"]);
    assert_eq!(object(tresse("replay").arg(&path), 0)["equal"], true);
}

#[test]
fn an_interrupted_object_is_whole() {
    for mode in ["sync", "ssync:1", "async", "rayon"] {
        let running = Running::start(&format!("{ENDLESS} --json --mode {mode}"), None);
        running.signal(Signal::INT);
        let output = running.end();
        assert_eq!(output.status.code(), Some(130), "{mode}: {}", text(&output.stderr));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["converged"], false, "{mode}");
        assert_eq!(report["mode"], mode);
        assert!(report["residual"]["relative"].as_f64().unwrap() > 1e-12, "{mode}");
    }
}

#[test]
fn an_interrupted_run_that_is_quiet_says_nothing() {
    let running = Running::start(&format!("{ENDLESS} --quiet"), None);
    running.signal(Signal::INT);
    let output = running.end();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!((text(&output.stdout), text(&output.stderr)), ("", ""));
}

#[test]
fn an_interrupted_kernel_has_its_rate_so_far() {
    let running = Running::start("bench kernel --size 64x64 --seconds 9999 --json", None);
    running.signal(Signal::TERM);
    let output = running.end();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    let rate: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(rate["cell_updates_per_second"].as_f64().unwrap() > 0.0, "{rate}");
}

#[test]
fn a_pool_that_is_interrupted_says_what_is_incomplete() {
    for (place, says) in [
        ("--workers 2", " tasks: what was counted is incomplete\n"),
        ("--machine laptop", ": nothing was counted to its end\n"),
    ] {
        let running = Running::start(&format!("uts --tree T3XXL --json {place}"), None);
        running.signal(Signal::INT);
        let output = running.end();
        let said = text(&output.stderr);
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(130), ""), "{said}");
        assert!(said.starts_with("error: interrupted") && said.ends_with(says), "{place}: {said}");
    }
}

#[test]
fn what_has_nothing_to_write_out_ends_at_once() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let mut command = Command::new(TRESSE.as_path());
        command.args(["decide", "plb"]).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut running = Running(command.spawn().unwrap());
        // It waits for the rest of its input.
        let input = running.0.stdin.take();
        running.until("handles signals", |child| handles_interrupts(child.id()));
        running.signal(signal);
        let output = running.end();
        assert_eq!(output.status.code(), Some(130));
        assert_eq!((text(&output.stdout), text(&output.stderr)), ("", ""));
        drop(input);
    }
}

#[test]
fn load_traces_that_are_interrupted_have_whole_files_only() {
    let out = tempdir().unwrap();
    let mut command = Command::new(TRESSE.as_path());
    let line = "traces generate --processors 200000 --objects 10 --quiet --out";
    command.args(line.split_whitespace()).arg(out.path()).env("RAYON_NUM_THREADS", "1");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = Running(command.spawn().unwrap());
    let is_written = |_: &mut Child| names(out.path()).iter().any(|name| name.starts_with("data."));
    running.until("written a file", is_written);
    running.signal(Signal::TERM);
    let output = running.end();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.starts_with("error: interrupted: --out") && said.lines().count() == 1, "{said}");
    let names = names(out.path());
    assert!(names.iter().all(|name| name.starts_with("data.")), "{names:?}");
    assert!(names.len() < 200_000);
}
