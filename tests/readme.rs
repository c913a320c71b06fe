//! The commands that README.md shows: each is one that the program understands, and those in blocks
//! marked quick (`sh quick` after the opening fence) do what they say.

#![expect(clippy::unwrap_used, reason = "without a readable README the test fails")]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Parser;
use tresse::args::Cli;
use tresse_tests::program::TRESSE;

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

/// The arguments of each `tresse …` or `cargo run --release -- …` in a line of a shell.
fn invocations(line: &str) -> Vec<Vec<String>> {
    let words = shlex::split(line).unwrap_or_else(|| panic!("not closed: {line}"));
    let ends = ["|", "&&", ";", ">", "2>", "<", "&"];
    let commands = words.split(|word| ends.contains(&word.as_str()));
    commands
        .filter_map(|command| {
            let command: Vec<&str> = command.iter().map(String::as_str).collect();
            match command.as_slice() {
                ["cargo", "run", "--release", "--", rest @ ..] | ["tresse", rest @ ..] => {
                    Some(rest.iter().map(|&word| word.to_owned()).collect())
                }
                _ => None,
            }
        })
        .collect()
}

fn readme() -> Vec<Shown> {
    shown(&fs::read_to_string(root().join("README.md")).unwrap())
}

#[test]
fn every_command_is_understood() {
    let lines = readme();
    let commands: Vec<_> = lines.iter().flat_map(|shown| invocations(&shown.line)).collect();
    assert!(commands.len() >= 2, "the README shows only {} commands", commands.len());
    for command in commands {
        let words = std::iter::once("tresse").chain(command.iter().map(String::as_str));
        if let Err(error) = Cli::try_parse_from(words) {
            assert_eq!(error.exit_code(), 0, "{command:?}: {error}");
        }
    }
}

#[test]
fn quick_commands_do_what_they_say() {
    let folder = tempfile::tempdir().unwrap();
    // Example files are named from the root of the repository; what is written stays here.
    std::os::unix::fs::symlink(root().join("host-cli"), folder.path().join("host-cli")).unwrap();
    let programs = TRESSE.parent().unwrap().to_path_buf();
    let path = env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(programs).chain(env::split_paths(&path));
    let path = env::join_paths(path).unwrap();
    for Shown { line, .. } in readme().iter().filter(|shown| shown.quick) {
        let line = line.replace("cargo run --release -- ", "tresse ");
        let output = Command::new("sh")
            .args(["-e", "-c", &line])
            .current_dir(folder.path())
            .env("PATH", &path)
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}: {}\n{errors}", output.status);
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
    assert_eq!(found, [vec!["solve", "--quiet"], vec!["decide", "plb"]]);
}
