//! The job scripts of `host-mpi/examples`, with stubs in place of the batch systems: what they
//! start is what the program understands, and they go on when the time is over.

#![expect(clippy::unwrap_used, reason = "without a shell the tests fail")]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use clap::Parser as _;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tresse_mpi::commands::args::{Cli, Command as Subcommand, SolveRanksArgs};
use tresse_tests::skip::skip;

/// Stands for every command of a batch system: writes down its arguments, one a line, and, started
/// as a launcher while there is a file `endless`, waits for signals and writes these down as well.
const STUB: &str = r#"#!/bin/sh
name=${0##*/}
case $name in
sleep)
  # Until the launcher is ready for signals, and long where none are to come.
  [ -e endless ] || exec /bin/sleep 100
  until [ -e ready ]; do /bin/sleep 0.02; done
  exit ;;
esac
printf '%s\n' "$name" "$@" >"$name.said"
case $name in
srun | mpirun)
  [ -e endless ] || exit 0
  trap 'echo usr1 >>signals' USR1
  trap 'echo term >>signals; exit 130' TERM
  : >ready
  while :; do /bin/sleep 0.02; done ;;
esac
"#;

struct Script {
    name: &'static str,
    launcher: &'static str,
    /// What it is handed in with again.
    again: &'static str,
}

const SCRIPTS: [Script; 2] = [
    Script { name: "slurm.sh", launcher: "srun", again: "scontrol" },
    Script { name: "pbs.sh", launcher: "mpirun", again: "qsub" },
];

fn path(script: &Script) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../host-mpi/examples").join(script.name)
}

/// Returns a folder to run a script in, with stubs.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let stub = folder.path().join("stub");
    fs::write(&stub, STUB).unwrap();
    fs::set_permissions(&stub, fs::Permissions::from_mode(0o755)).unwrap();
    for name in ["srun", "scontrol", "mpirun", "qsub", "sleep"] {
        symlink(&stub, folder.path().join(name)).unwrap();
    }
    folder
}

fn start(script: &Script, folder: &Path) -> Child {
    let path = std::env::var("PATH").unwrap_or_default();
    Command::new("bash")
        .arg(self::path(script))
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", folder.display()))
        .env("SLURM_JOB_ID", "5")
        .env_remove("TRESSE_MPI")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn end(child: Child) -> Output {
    child.wait_with_output().unwrap()
}

/// Waits for something that a stub writes.
fn until(path: &Path) {
    let begin = Instant::now();
    while !path.exists() {
        assert!(begin.elapsed() < Duration::from_mins(10), "no {}", path.display());
        sleep(Duration::from_millis(10));
    }
}

/// Returns the flags with which the script has told the launcher to start.
fn started(script: &Script, folder: &Path) -> SolveRanksArgs {
    let said = fs::read_to_string(folder.join(script.launcher).with_extension("said")).unwrap();
    let words: Vec<_> = said.lines().collect();
    let program = words.iter().position(|word| *word == "tresse-mpi");
    let program = program.unwrap_or_else(|| panic!("{}: {words:?}", script.name));
    let cli = Cli::try_parse_from(&words[program..]);
    match cli.unwrap_or_else(|error| panic!("{}: {error}", script.name)).command {
        Subcommand::Solve(args) => *args,
        other => panic!("{}: {other:?}", script.name),
    }
}

#[test]
fn jobs_begin_and_those_that_are_queued_again_go_on() {
    for script in &SCRIPTS {
        let folder = folder();
        let output = end(start(script, folder.path()));
        assert!(output.status.success(), "{}: {output:?}", script.name);
        let args = started(script, folder.path());
        assert_eq!(args.checkpoints.resume, None);
        let checkpoints = args.checkpoints.checkpoint.unwrap();
        assert!(!folder.path().join(script.again).with_extension("said").exists());

        let complete = folder.path().join(&checkpoints).join("checkpoint-7");
        fs::create_dir_all(&complete).unwrap();
        let output = end(start(script, folder.path()));
        assert!(output.status.success(), "{}: {output:?}", script.name);
        let resume = |args: SolveRanksArgs| args.checkpoints.resume;
        assert_eq!(resume(started(script, folder.path())), None, "no checkpoint is complete");
        fs::write(complete.join("manifest.jsonl"), "").unwrap();
        let output = end(start(script, folder.path()));
        assert!(output.status.success(), "{}: {output:?}", script.name);
        assert_eq!(resume(started(script, folder.path())), Some(checkpoints));
    }
}

#[test]
fn when_the_time_is_over_ranks_are_told_and_the_job_is_queued_again() {
    for script in &SCRIPTS {
        let folder = folder();
        fs::write(folder.path().join("endless"), "").unwrap();
        let child = start(script, folder.path());
        until(&folder.path().join("ready"));
        if script.launcher == "srun" {
            kill_process(Pid::from_child(&child), Signal::USR1).unwrap();
        }
        let output = end(child);
        let signals = fs::read_to_string(folder.path().join("signals")).unwrap();
        let expected = if script.launcher == "srun" { "term\n" } else { "usr1\nterm\n" };
        assert_eq!(signals, expected, "{}: {output:?}", script.name);
        let again = folder.path().join(script.again).with_extension("said");
        let again = fs::read_to_string(again).unwrap();
        let expected = if script.launcher == "srun" { "requeue\n5\n" } else { "pbs.sh\n" };
        assert_eq!(again, format!("{}\n{expected}", script.again));
    }
}

#[test]
fn a_shell_has_nothing_to_say_against_them() {
    for script in &SCRIPTS {
        match Command::new("shellcheck").arg(path(script)).output() {
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stdout);
                assert!(output.status.success(), "{}: {said}", script.name);
            }
            Err(error) => skip(&format!("shellcheck: {error}"), "install shellcheck"),
        }
    }
}

/// A rank that is gone takes the others along: they would wait for it until the time is over. Open
/// MPI's mpirun and MPICH's do so by themselves.
#[test]
fn a_rank_that_is_gone_ends_the_job() {
    let folder = folder();
    let output = end(start(&SCRIPTS[0], folder.path()));
    assert!(output.status.success(), "{output:?}");
    let said = fs::read_to_string(folder.path().join("srun.said")).unwrap();
    let flags: Vec<_> = said.lines().take_while(|word| *word != "tresse-mpi").collect();
    assert!(flags.contains(&"--kill-on-bad-exit=1"), "{flags:?}");
}
