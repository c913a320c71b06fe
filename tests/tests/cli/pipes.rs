//! Standard output that nobody reads, or that is full.

use std::fs::OpenOptions;
use std::io;
use std::process::{Command, Output, Stdio};

use tempfile::tempdir;
use tresse_tests::program::TRESSE;
use tresse_tests::skip::note;

use crate::files::NAMES;
use crate::program::{SMALL, names};

fn with_stdout(line: &str, out: impl Into<Stdio>) -> Output {
    let mut command = Command::new(TRESSE.as_path());
    command.args(line.split_whitespace()).stdin(Stdio::null());
    command.stdout(out).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap()
}

#[test]
fn a_reader_that_went_away_is_no_failure() {
    let json = format!("{SMALL} --json");
    for line in [SMALL, &json, "topology", "topology --json", "man", "completions bash", "--help"] {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let output = with_stdout(line, writer);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), said.as_str()), (Some(0), ""), "{line}");
    }
}

#[test]
fn a_full_standard_output_is_one_line_and_loses_no_files() {
    let Ok(full) = OpenOptions::new().write(true).open("/dev/full") else {
        note("this system has no /dev/full", "run the tests on Linux");
        return;
    };
    let help = with_stdout("--help", full.try_clone().unwrap());
    assert_eq!(help.status.code(), Some(1), "the help is lost in silence");
    let out = tempdir().unwrap();
    let output = with_stdout(&format!("{SMALL} --json --out {}", out.path().display()), full);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with("error: standard output: ") && said.lines().count() == 1, "{said}");
    assert_eq!(names(out.path()), NAMES);
}
