//! The examples that README, CONTRIBUTING and the guide pages of the crates show: each command is
//! one that the program understands, and those in blocks marked quick (`sh quick` after the opening
//! fence) do what they say. Those that need `mpirun` are left out where there is none. Links lead
//! to files.

#![expect(clippy::unwrap_used, reason = "without readable pages the tests fail")]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{Error, Parser};
use serde_json::Value;
use tresse_tests::program::{TRESSE, TRESSE_MPI};

/// A page of documentation.
struct Page {
    path: PathBuf,
    text: String,
}

impl Page {
    fn read(path: PathBuf) -> Self {
        let text =
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { path, text }
    }

    /// Returns the file of Rust that makes it a page of `cargo doc`, of a guide page.
    fn module(&self) -> Option<PathBuf> {
        let guide = self.path.parent().filter(|folder| folder.ends_with("guide"))?;
        Some(guide.with_file_name("src").join("guide.rs"))
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the contents of a folder, by name.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut entries: Vec<_> = entries.collect();
    entries.sort();
    entries
}

/// Returns the two pages at the top, and those of every crate's guide.
fn pages() -> Vec<Page> {
    let top = ["README.md", "CONTRIBUTING.md"].map(|name| root().join(name));
    let guides = entries(&root()).into_iter().map(|folder| folder.join("guide"));
    let guides = guides.filter(|guide| guide.is_dir()).flat_map(|guide| entries(&guide));
    top.into_iter().chain(guides).map(Page::read).collect()
}

/// A line of a shell block, continuation lines joined.
struct Shown {
    line: String,
    quick: bool,
}

/// Returns every line of a page's shell blocks, without the prompt; in blocks with a prompt the
/// other lines are output.
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

/// An invocation of one of the programs, with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Invocation {
    program: &'static str,
    arguments: Vec<String>,
}

impl Invocation {
    /// Of a command of a shell: `tresse …`, `cargo run --release -- …`, or, on its own or after a
    /// launcher (`mpirun`, or that of a certain MPI) with a number of ranks, `tresse-mpi …`, in
    /// whatever folder.
    fn of(command: &[String]) -> Option<Self> {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let (program, arguments) = match words.as_slice() {
            ["cargo", "run", "--release", "--", rest @ ..] | ["tresse", rest @ ..] => {
                ("tresse", rest)
            }
            [launcher, "-n", _, program, rest @ ..]
                if launcher.starts_with("mpirun") && is_tresse_mpi(program) =>
            {
                ("tresse-mpi", rest)
            }
            [program, rest @ ..] if is_tresse_mpi(program) => ("tresse-mpi", rest),
            _ => return None,
        };
        let arguments = arguments.iter().map(|&word| word.to_owned()).collect();
        Some(Self { program, arguments })
    }

    /// Checks that the programs accept the arguments.
    fn parse(&self) -> Result<(), Error> {
        let arguments = self.arguments.iter().map(String::as_str);
        let words = std::iter::once(self.program).chain(arguments);
        match self.program {
            "tresse" => tresse::commands::args::Cli::try_parse_from(words).map(drop),
            _ => tresse_mpi::commands::args::Cli::try_parse_from(words).map(drop),
        }
    }
}

fn is_tresse_mpi(program: &str) -> bool {
    Path::new(program).ends_with("tresse-mpi")
}

/// Returns the commands in a line of a shell, each without the variables that are set for it.
fn commands(line: &str) -> Vec<Vec<String>> {
    let words = shlex::split(line).unwrap_or_else(|| panic!("not closed: {line}"));
    let ends = ["|", "&&", ";", ">", "2>", "<", "&"];
    let commands = words.split(|word| ends.contains(&word.as_str()));
    let is_variable = |word: &&String| word.split_once('=').is_some_and(|(name, _)| is_name(name));
    commands.map(|command| command.iter().skip_while(is_variable).cloned().collect()).collect()
}

fn is_name(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

/// Returns the programs' invocations in a line of a shell.
fn invocations(line: &str) -> Vec<Invocation> {
    commands(line).iter().filter_map(|command| Invocation::of(command)).collect()
}

#[test]
fn every_command_is_understood() {
    let lines = pages().into_iter().flat_map(|page| shown(&page.text));
    let commands: Vec<_> = lines.flat_map(|shown| invocations(&shown.line)).collect();
    for program in ["tresse", "tresse-mpi"] {
        let number = commands.iter().filter(|command| command.program == program).count();
        assert!(number >= 10, "the pages show only {number} commands of {program}");
    }
    for command in commands {
        if let Err(error) = command.parse() {
            assert_eq!(error.exit_code(), 0, "{command:?}: {error}");
        }
    }
}

#[test]
fn quick_commands_do_what_they_say() {
    for page in pages() {
        let folder = tempfile::tempdir().unwrap();
        // Example files are named from the root of the repository; what is written stays here.
        std::os::unix::fs::symlink(root().join("host-cli"), folder.path().join("host-cli"))
            .unwrap();
        let quick = shown(&page.text).into_iter().filter(|shown| shown.quick);
        let (of_mpi, others): (Vec<_>, Vec<_>) = quick.partition(|it| it.line.contains("mpirun"));
        for Shown { line, .. } in others {
            let line = line.replace("cargo run --release -- ", "tresse ");
            succeeds(&line, folder.path(), &[&TRESSE]);
        }
        if of_mpi.is_empty() {
            continue;
        }
        let Some(mpirun) = tresse_mpi_tests::mpirun() else { continue };
        for Shown { line, .. } in of_mpi {
            let line = line.replace("mpirun", &mpirun.display().to_string());
            succeeds(&line, folder.path(), &[&TRESSE_MPI]);
        }
    }
}

/// Runs a line in a shell that finds these programs.
fn succeeds(line: &str, folder: &Path, programs: &[&PathBuf]) {
    let path = env::var_os("PATH").unwrap_or_default();
    let programs = programs.iter().filter_map(|program| program.parent().map(Path::to_path_buf));
    let path = env::join_paths(programs.chain(env::split_paths(&path))).unwrap();
    let mut shell = Command::new("sh");
    shell
        .args(["-e", "-c", line])
        .current_dir(folder)
        .env("PATH", &path)
        .envs(tresse_mpi_tests::settings());
    let output = shell.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}: {}\n{errors}", output.status);
}

/// Returns the words after one of these flags of cargo in a page's shell blocks.
fn after<'l>(command: &'l [String], flags: &[&str]) -> Vec<&'l str> {
    let own = command.iter().map(String::as_str).take_while(|word| *word != "--");
    let own: Vec<_> = own.collect();
    own.windows(2).filter(|pair| flags.contains(&pair[0])).map(|pair| pair[1]).collect()
}

#[test]
fn packages_and_tests_that_are_named_are_there() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--no-deps", "--offline", "--format-version=1"]).current_dir(root());
    let workspace: Value = serde_json::from_slice(&cargo.output().unwrap().stdout).unwrap();
    let packages = workspace["packages"].as_array().unwrap();
    let targets = packages.iter().flat_map(|package| package["targets"].as_array().unwrap());
    let tests: Vec<_> = targets.filter(|target| target["kind"][0] == "test").collect();
    let mut named = 0;
    for page in pages() {
        let lines = shown(&page.text);
        let commands = lines.iter().flat_map(|shown| commands(&shown.line));
        for command in commands.filter(|command| command.first().is_some_and(|it| it == "cargo")) {
            for name in after(&command, &["-p", "--package"]) {
                assert!(packages.iter().any(|one| one["name"] == name), "{command:?}");
                named += 1;
            }
            for name in after(&command, &["--test"]) {
                assert!(tests.iter().any(|one| one["name"] == name), "{command:?}");
                named += 1;
            }
        }
    }
    assert!(named >= 10, "the pages name only {named} packages and tests");
}

#[test]
fn scripts_know_their_flags() {
    let lines = pages().into_iter().flat_map(|page| shown(&page.text));
    let scripts = ["./tests/run.sh", ".ci/run"];
    let ours = lines.filter(|shown| scripts.iter().any(|script| shown.line.starts_with(script)));
    let mut number = 0;
    for Shown { line, .. } in ours {
        succeeds(&format!("{line} --help"), &root(), &[]);
        number += 1;
    }
    assert!(number > scripts.len(), "the pages show only {number} calls of scripts");
}

/// Returns the targets of a page's links, without those to other sites.
fn links(text: &str) -> Vec<&str> {
    let inline = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let inline = inline.map(|(target, _)| target);
    let defined = definitions(text).into_iter().map(|(_, target)| target);
    inline.chain(defined).filter(|target| !target.starts_with("http")).collect()
}

/// Returns the links that are defined on lines of their own: `[name]: target`.
fn definitions(text: &str) -> Vec<(&str, &str)> {
    let lines = text.lines().filter(|line| line.starts_with('['));
    lines.filter_map(|line| line.split_once("]: ")).collect()
}

#[test]
fn links_lead_to_files() {
    for Page { path, text } in pages() {
        for target in links(&text) {
            let file = path.with_file_name(target);
            assert!(file.exists(), "{}: {target} is not there", path.display());
        }
    }
}

/// A page that is left out, or a link between pages that has no other target there, is nothing that
/// rustdoc would warn of.
#[test]
fn guide_pages_are_in_cargo_doc() {
    for page in pages() {
        let Some(module) = page.module() else { continue };
        let module = fs::read_to_string(module).unwrap();
        let name = page.path.file_name().unwrap().to_str().unwrap();
        let (before, _) = module.split_once(&format!("guide/{name}\")")).unwrap_or_else(|| {
            panic!("no module has {name}");
        });
        let own = before.rsplit_once("pub mod").map_or(before, |(_, own)| own);
        for (link, _) in definitions(&page.text) {
            assert!(own.contains(&format!("\"{link}]: ")), "{name}: no {link}] in cargo doc");
        }
    }
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
    let other = invocations("A_B=c mpirun.mpich -n 4 a/tresse-mpi solve");
    assert_eq!(other, [of("tresse-mpi", "solve")]);
}

#[test]
fn links_are_found() {
    let text = "See [a](b.md), ![c](d/e.png) and [f].\n\n[f]: ../g.md\n[h]: https://example.org\n";
    assert_eq!(links(text), ["b.md", "d/e.png", "../g.md"]);
    assert_eq!(definitions(text), [("[f", "../g.md"), ("[h", "https://example.org")]);
}
