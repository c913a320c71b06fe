//! The program under test, and what it answers.

use std::time::Duration;

use assert_cmd::Command;
use serde_json::Value;
use tresse_tests::json_schema::faults_of_output;
pub use tresse_tests::output_files::{field, names};
use tresse_tests::program::TRESSE;

/// Far longer than anything here takes, also on a busy machine.
pub const WATCHDOG: Duration = Duration::from_mins(10);

/// A problem that is solved at once.
pub const SMALL: &str = "solve --workers 2 --grid 24x32 --tolerance 1e-2";

/// Command line of a run that is not finished within the watchdog's time.
pub const ENDLESS: &str = "solve --workers 2 --grid 1000x1000 --tolerance 1e-12";

/// Returns the program with the words of `line`.
pub fn tresse(line: &str) -> Command {
    let mut command = Command::new(TRESSE.as_path());
    command.args(line.split_whitespace()).timeout(WATCHDOG);
    command
}

/// The end of the program.
pub struct Ended {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// Runs the program to its end, which is neither a panic nor a hang.
pub fn run(command: &mut Command) -> Ended {
    let output = command.output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    let code = output.status.code().unwrap_or_else(|| panic!("killed: {command:?}\n{err}"));
    assert!(code != 101 && !err.contains("panicked"), "{command:?}\n{err}");
    Ended { code, out: String::from_utf8(output.stdout).unwrap(), err }
}

/// Runs the program with `--json`; its whole output is one object, which is as the schema in the
/// guide says.
pub fn object(command: &mut Command, code: i32) -> Value {
    let ended = run(command.arg("--json"));
    assert_eq!(ended.code, code, "{command:?}\n{}", ended.err);
    let value: Value = serde_json::from_str(&ended.out).unwrap();
    let faults = faults_of_output(&defined_as(command), &value);
    assert_eq!(faults, [""; 0], "{command:?}\n{value:#}");
    value
}

/// Returns the name of a command in the schema.
fn defined_as(command: &Command) -> String {
    let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
    match words.iter().map(AsRef::as_ref).collect::<Vec<&str>>().as_slice() {
        [group @ ("traces" | "bench"), name, ..] => format!("{group}-{name}"),
        ["balance", rest @ ..] if rest.contains(&"--compare") => "balance-compare".into(),
        [name @ ("solve" | "simulate"), rest @ ..] if rest.contains(&"--matrix") => {
            format!("{name}-matrix")
        }
        [name, ..] => (*name).to_owned(),
        [] => String::new(),
    }
}

/// Runs the program, which refuses its input before it prints anything, in one line that contains
/// all of `parts`.
pub fn refused(command: &mut Command, parts: &[&str]) {
    let ended = run(command);
    let said = format!("{command:?}\n{}{}", ended.out, ended.err);
    assert_eq!(ended.code, 2, "{said}");
    assert!(ended.out.is_empty(), "{said}");
    let (error, rest) = ended.err.split_once('\n').unwrap_or((&ended.err, ""));
    assert!(error.starts_with("error: "), "{said}");
    for part in parts {
        assert!(error.contains(part), "no {part} in {said}");
    }
    // What the parser of the command line adds after an empty line: usage and hints.
    assert!(
        rest.is_empty() || rest.starts_with("  [possible values: ") || rest.starts_with('\n'),
        "{said}"
    );
}

/// Returns a number in an object.
pub fn number(object: &Value, pointer: &str) -> f64 {
    let value = object.pointer(pointer).and_then(Value::as_f64);
    value.unwrap_or_else(|| panic!("{pointer} in {object:#}"))
}
