//! The commands that README.md shows: each is one that the program understands, and those in blocks
//! marked quick (`sh quick` after the opening fence) do what they say. Those that need `mpirun` are
//! left out where there is none.

#![expect(clippy::unwrap_used, reason = "without a readable README the test fails")]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{Error, Parser};
use tresse_tests::mpi;
use tresse_tests::program::{TRESSE, TRESSE_MPI};

/// A line of a shell block, continuation lines joined.
struct Shown {
    line: String,
    quick: bool,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every line of the README's shell blocks, without the prompt; in blocks with a prompt the other
/// lines are output.
fn shown(text: &str) -> Vec<Shown> {
    let mut shown = Vec::new();
    let fences = text.split("\n```").enumerate().filter(|(place, _)| place % 2 == 1);
    for (info, block) in fences.filter_map(|(_, block)| block.split_once('\n')) {
        let mut words = info.split_whitespace();
        if !matches!(words.next(), Some("sh" | "console")) {
            continue;
        }
        let quick = words.any(|word| word == "quick");
        let joined = block.replace("\\\n", " ");
        let prompted = joined.lines().any(|line| line.starts_with("$ "));
        let lines = joined.lines().filter_map(|line| match line.strip_prefix("$ ") {
            None => (!prompted).then_some(line),
            command => command,
        });
        let lines = lines.filter(|line| !line.trim().is_empty());
        shown.extend(lines.map(|line| Shown { line: line.to_owned(), quick }));
    }
    shown
}

/// One of the programs, with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Invocation {
    program: &'static str,
    arguments: Vec<String>,
}

impl Invocation {
    /// Of a command of a shell: `tresse …`, `cargo run --release -- …`, or, on its own or after a
    /// launcher with a number of ranks, `tresse-mpi …`, in whatever folder.
    fn of(command: &[String]) -> Option<Self> {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let (program, arguments) = match words.as_slice() {
            ["cargo", "run", "--release", "--", rest @ ..] | ["tresse", rest @ ..] => {
                ("tresse", rest)
            }
            ["mpirun", "-n", _, program, rest @ ..] | [program, rest @ ..]
                if Path::new(program).ends_with("tresse-mpi") =>
            {
                ("tresse-mpi", rest)
            }
            _ => return None,
        };
        let arguments = arguments.iter().map(|&word| word.to_owned()).collect();
        Some(Self { program, arguments })
    }

    /// What is wrong with it.
    fn parse(&self) -> Result<(), Error> {
        let arguments = self.arguments.iter().map(String::as_str);
        let words = std::iter::once(self.program).chain(arguments);
        match self.program {
            "tresse" => tresse::args::Cli::try_parse_from(words).map(drop),
            _ => tresse_mpi::args::Cli::try_parse_from(words).map(drop),
        }
    }
}

/// The programs' invocations in a line of a shell.
fn invocations(line: &str) -> Vec<Invocation> {
    let words = shlex::split(line).unwrap_or_else(|| panic!("not closed: {line}"));
    let ends = ["|", "&&", ";", ">", "2>", "<", "&"];
    let commands = words.split(|word| ends.contains(&word.as_str()));
    commands.filter_map(Invocation::of).collect()
}

fn readme() -> Vec<Shown> {
    shown(&fs::read_to_string(root().join("README.md")).unwrap())
}

#[test]
fn every_command_is_understood() {
    let lines = readme();
    let commands: Vec<_> = lines.iter().flat_map(|shown| invocations(&shown.line)).collect();
    for program in ["tresse", "tresse-mpi"] {
        let number = commands.iter().filter(|command| command.program == program).count();
        assert!(number >= 2, "the README shows only {number} commands of {program}");
    }
    for command in commands {
        if let Err(error) = command.parse() {
            assert_eq!(error.exit_code(), 0, "{command:?}: {error}");
        }
    }
}

#[test]
fn quick_commands_do_what_they_say() {
    let folder = tempfile::tempdir().unwrap();
    // Example files are named from the root of the repository; what is written stays here.
    std::os::unix::fs::symlink(root().join("host-cli"), folder.path().join("host-cli")).unwrap();
    let (of_mpi, others): (Vec<_>, Vec<_>) =
        readme().into_iter().filter(|shown| shown.quick).partition(|it| it.line.contains("mpirun"));
    for Shown { line, .. } in others {
        let line = line.replace("cargo run --release -- ", "tresse ");
        succeeds(&line, folder.path(), &[&TRESSE]);
    }
    let Some(mpirun) = mpi::mpirun() else { return };
    for Shown { line, .. } in of_mpi {
        let line = line.replace("mpirun", &mpirun.display().to_string());
        succeeds(&line, folder.path(), &[&TRESSE_MPI]);
    }
}

/// Runs a line in a shell that finds these programs.
fn succeeds(line: &str, folder: &Path, programs: &[&PathBuf]) {
    let path = env::var_os("PATH").unwrap_or_default();
    let programs = programs.iter().filter_map(|program| program.parent().map(Path::to_path_buf));
    let path = env::join_paths(programs.chain(env::split_paths(&path))).unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-e", "-c", line]).current_dir(folder).env("PATH", &path).envs(mpi::ALLOWED);
    let output = shell.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}: {}\n{errors}", output.status);
}

#[test]
fn shell_blocks_are_read_as_a_shell_would() {
    let text = "# T\n```sh\ncargo run --release -- solve \\\n  --quiet # so\n./tests/run.sh\n```\n\
                ```toml\ntresse = 1\n```\n\
                ```console quick\n$ echo '{\"a|b\": 1}' | tresse decide plb > out\ntresse says\n```\n";
    let lines = shown(text);
    assert_eq!(lines.iter().map(|shown| shown.quick).collect::<Vec<_>>(), [false, false, true]);
    let found: Vec<_> = lines.iter().flat_map(|shown| invocations(&shown.line)).collect();
    let of = |program, line: &str| Invocation {
        program,
        arguments: line.split(' ').map(str::to_owned).collect(),
    };
    assert_eq!(found, [of("tresse", "solve --quiet"), of("tresse", "decide plb")]);
    let ranks = invocations("mpirun -n 4 target/release/tresse-mpi solve && tresse-mpi compare");
    assert_eq!(ranks, [of("tresse-mpi", "solve"), of("tresse-mpi", "compare")]);
}
