//! Jobs of several ranks, and how they end.

use std::ffi::OsString;
use std::fs::{self, File};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;
use tresse_mpi_tests::{mpirun, settings};
use tresse_tests::json_schema::faults_of_output;
use tresse_tests::program::TRESSE_MPI;

use crate::processes;

/// Far longer than any job here takes, also on a busy machine.
pub const LIMIT: Duration = Duration::from_mins(15);

/// Ranks of two jobs would wait for each other's cores.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// What each process of a job runs: the program, with its output and its exit code in files that
/// are named by the rank, so that nothing that the launcher says or does is mistaken for the
/// program's; each in a folder of its own. The shell waits for the program also when the launcher
/// ends all.
const RECORDED: &str = r#"trap : TERM INT
at="$0/${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
cd "$at"
"$@" >out 2>err
code=$?
echo $code >code
exit $code"#;

/// Command of a process without a shell around it: the launcher sees how it ends, also by a signal.
const ALONE: &str = r#"cd "$0/${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
exec "$@" >out 2>err"#;

/// Tells Open MPI 4 and 5 not to end a job because a rank has exited with a code.
const EACH_TO_ITS_END: [(&str, &str); 2] = [
    ("OMPI_MCA_orte_abort_on_non_zero_status", "0"),
    ("PRTE_MCA_state_base_error_non_zero_exit", "0"),
];

/// A launcher of ranks.
#[derive(Clone, Debug)]
pub struct Mpi {
    command: Vec<OsString>,
}

impl Mpi {
    /// Returns the one of this machine, see [`mpirun`]; none, which is said, where there is none.
    pub fn find() -> Option<Self> {
        mpirun().map(|mpirun| Self::by([mpirun.into()]))
    }

    /// Another program that takes the same arguments.
    pub fn by(command: impl IntoIterator<Item = OsString>) -> Self {
        Self { command: command.into_iter().collect() }
    }

    /// Returns the program and its first arguments.
    pub fn into_command(self) -> Vec<OsString> {
        self.command
    }

    /// A number of ranks of the program with the words of `line`.
    pub fn job(&self, ranks: u32, line: &str) -> Job {
        let words = line.split_whitespace().map(OsString::from).collect();
        Job { mpi: self.clone(), groups: vec![(ranks, words)], files: Vec::new(), alone: false }
    }
}

/// A job to be run.
#[derive(Clone, Debug)]
pub struct Job {
    mpi: Mpi,
    groups: Vec<(u32, Vec<OsString>)>,
    /// Files by rank, with their names.
    files: Vec<(u32, String, Vec<u8>)>,
    alone: bool,
}

impl Job {
    /// Another argument of the ranks that were named last.
    pub fn arg(mut self, argument: impl Into<OsString>) -> Self {
        if let Some((_, words)) = self.groups.last_mut() {
            words.push(argument.into());
        }
        self
    }

    /// More ranks, with the words of `line`.
    pub fn and(mut self, ranks: u32, line: &str) -> Self {
        let words = line.split_whitespace().map(OsString::from).collect();
        self.groups.push((ranks, words));
        self
    }

    /// Returns a file in the folder that a rank works in.
    pub fn file(mut self, rank: u32, name: &str, bytes: &[u8]) -> Self {
        self.files.push((rank, name.to_owned(), bytes.to_owned()));
        self
    }

    /// Lets the launcher see for itself how the program ends; without exit codes of each rank.
    pub fn alone(mut self) -> Self {
        self.alone = true;
        self
    }

    /// Runs it to its end.
    pub fn run(self) -> Ended {
        self.start().end()
    }

    /// Runs it with `--json`: every rank exits with `code`, and rank 0 alone prints, one object,
    /// which is as the schema in the guide says.
    pub fn object(self, code: i32) -> Value {
        let words = self.groups.first().map_or(&[][..], |(_, words)| words);
        let what = if words.iter().any(|word| word == "--matrix") { "-matrix" } else { "" };
        let command = words.first().map(|word| format!("mpi-{}{what}", word.to_string_lossy()));
        let command = command.unwrap();
        let ended = self.arg("--json").run();
        ended.codes(code);
        for rank in &ended.ranks[1..] {
            assert_eq!((rank.out.as_str(), rank.err.as_str()), ("", ""), "{ended:?}");
        }
        let value: Value = serde_json::from_str(&ended.ranks[0].out).unwrap();
        assert_eq!(faults_of_output(&command, &value), [""; 0], "{value:#}");
        value
    }

    /// Starts it.
    pub fn start(self) -> Running {
        let turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::tempdir().unwrap();
        let (first, rest) = self.mpi.command.split_first().unwrap();
        let mut command = Command::new(first);
        command.args(rest).envs(settings()).stdin(Stdio::null());
        if !self.alone {
            // Every rank ends as it does, also after another one.
            command.envs(EACH_TO_ITS_END);
        }
        for (place, (ranks, words)) in self.groups.iter().enumerate() {
            command.args((place > 0).then_some(":")).args(["-n", &ranks.to_string()]);
            command.args(["sh", "-c", if self.alone { ALONE } else { RECORDED }]);
            command.arg(folder.path()).arg(TRESSE_MPI.as_path()).args(words);
        }
        let ranks = self.groups.iter().map(|(ranks, _)| ranks).sum();
        for rank in 0..ranks {
            fs::create_dir(folder.path().join(rank.to_string())).unwrap();
        }
        for (rank, name, bytes) in &self.files {
            fs::write(folder.path().join(rank.to_string()).join(name), bytes).unwrap();
        }
        let said = |name| File::create(folder.path().join(name)).unwrap();
        command.stdout(said("launcher.out")).stderr(said("launcher.err"));
        let child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let command = format!("{command:?}");
        Running { child, folder, ranks, command, started: Instant::now(), _turn: turn }
    }
}

/// A job that is under way. Dropped, it is ended.
pub struct Running {
    child: Child,
    folder: TempDir,
    ranks: u32,
    command: String,
    started: Instant,
    _turn: MutexGuard<'static, ()>,
}

impl Running {
    /// Waits until every rank ends in order when it is asked to, and has worked for a moment.
    pub fn until_it_works(&mut self) {
        for rank in 0..self.ranks {
            self.until("handled signals", |job| {
                job.process(rank).is_some_and(processes::handles_interrupts)
            });
        }
        sleep(Duration::from_millis(300));
    }

    /// Sends a signal to a rank.
    pub fn signal(&self, rank: u32, signal: Signal) {
        let process = self.process(rank).unwrap_or_else(|| panic!("no rank {rank}: {self:?}"));
        kill_process(process, signal).unwrap();
    }

    /// Waits for its end.
    pub fn end(mut self) -> Ended {
        self.until("ends", Self::has_ended);
        let code = self.child.wait().unwrap().code();
        let ranks = (0..self.ranks).map(|rank| self.rank(rank)).collect();
        let (command, said) = (self.command.clone(), self.said());
        let ended = Ended { command, code, ranks, launcher: said, launcher_id: self.child.id() };
        assert!(!ended.ranks.iter().any(|rank| rank.err.contains("panicked")), "{ended:?}");
        ended
    }

    /// Waits for something, no longer than the limit from the start or than the job.
    pub fn until(&mut self, what: &str, mut reached: impl FnMut(&mut Self) -> bool) {
        loop {
            let has_ended = self.has_ended();
            if reached(self) {
                return;
            }
            // Dropped, the job is ended.
            assert!(!has_ended, "the job has ended before it {what}: {self:?}");
            assert!(self.started.elapsed() < LIMIT, "too late for what {what}: {self:?}");
            sleep(Duration::from_millis(5));
        }
    }

    /// Returns what a rank has printed so far.
    pub fn printed_by(&self, rank: u32) -> String {
        self.rank(rank).out
    }

    /// Returns what a rank has written to standard error so far.
    pub fn said_by(&self, rank: u32) -> String {
        self.rank(rank).err
    }

    /// Reports whether the launcher has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Returns the processes of the ranks that are there.
    pub fn processes(&self) -> Vec<Pid> {
        (0..self.ranks).filter_map(|rank| self.process(rank)).collect()
    }

    fn process(&self, rank: u32) -> Option<Pid> {
        processes::of_rank(&processes::family(Pid::from_child(&self.child)), &TRESSE_MPI, rank)
    }

    fn rank(&self, rank: u32) -> Rank {
        let read = |name: &str| self.read(&format!("{rank}/{name}"));
        Rank { code: read("code").trim().parse().ok(), out: read("out"), err: read("err") }
    }

    fn said(&self) -> String {
        self.read("launcher.out") + &self.read("launcher.err")
    }

    fn read(&self, name: &str) -> String {
        let bytes = fs::read(self.folder.path().join(name)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ranks: Vec<_> = (0..self.ranks).map(|rank| self.rank(rank)).collect();
        write!(f, "{}\n{ranks:#?}\n{}", self.command, self.said())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            processes::end(Pid::from_child(&self.child));
            let _ = self.child.wait();
        }
    }
}

/// The output of one rank, and its exit code, which is absent where a signal ended it.
#[derive(Clone, Debug)]
pub struct Rank {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// The end of a job.
#[derive(Clone, Debug)]
pub struct Ended {
    #[expect(dead_code, reason = "shown when a test fails")]
    pub command: String,
    /// The launcher's own.
    pub code: Option<i32>,
    pub ranks: Vec<Rank>,
    /// Output of the launcher.
    pub launcher: String,
    /// The number of its process.
    pub launcher_id: u32,
}

impl Ended {
    /// Every rank has exited with this code.
    pub fn codes(&self, code: i32) {
        for rank in &self.ranks {
            assert_eq!(rank.code, Some(code), "{self:#?}");
        }
    }

    /// All ranks have exited with this code, and nothing was said but one line of rank 0, which
    /// contains all of `parts`.
    pub fn refused(&self, code: i32, parts: &[&str]) {
        self.codes(code);
        let said = self.ranks.iter().map(|rank| rank.out.clone() + &rank.err);
        let mut said = said.collect::<Vec<_>>();
        let first = said.remove(0);
        assert!(said.iter().all(String::is_empty), "{self:#?}");
        assert!(first.starts_with("error: ") && self.ranks[0].out.is_empty(), "{self:#?}");
        let (error, rest) = first.split_once('\n').unwrap();
        for part in parts {
            assert!(error.contains(part), "no {part} in {self:#?}");
        }
        // What the parser of the command line adds after an empty line: usage and hints.
        assert!(
            rest.is_empty() || rest.starts_with("  [possible values: ") || rest.starts_with('\n'),
            "{self:#?}"
        );
    }
}

/// Returns a number in an object.
pub fn number(object: &Value, pointer: &str) -> f64 {
    let value = object.pointer(pointer).and_then(Value::as_f64);
    value.unwrap_or_else(|| panic!("{pointer} in {object:#}"))
}
