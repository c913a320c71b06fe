//! Tests that cannot run here: said where it is seen, and listed by `tests/run.sh`.

use std::env;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::thread;

/// Says that the test that calls it cannot run for want of a program, which `tests/run.sh`
/// installs.
///
/// # Panics
/// In CI, where no program may be missing: where `CI` is set.
pub fn skip(missing: &str, mend: &str) {
    let line = note(missing, mend);
    assert!(!is_ci(), "{line} (CI is set, where every test has to run)");
}

/// Says that the test that calls it cannot run for want of what nobody can install: cores, rights,
/// files of others.
///
/// It says so on standard error, past what keeps the words of tests that pass, and in the file that
/// `TRESSE_SKIPPED` names; returns the line.
pub fn note(missing: &str, mend: &str) -> String {
    let thread = thread::current();
    let line = format!("skipped: {}: {missing}: {mend}", thread.name().unwrap_or("a test"));
    // Not by a macro: its words would be kept until the test fails.
    let _ = writeln!(io::stderr(), "{line}");
    if let Some(path) = env::var_os("TRESSE_SKIPPED")
        && let Ok(mut file) = OpenOptions::new().create(true).append(true).open(path)
    {
        let _ = writeln!(file, "{line}");
    }
    line
}

/// Reports whether `CI` says so, as the services do that run tests for others.
fn is_ci() -> bool {
    env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false" && value != "0")
}
