//! The tests that ought to notice a fault, and whether they do.

use std::fmt;
use std::process::{Command, Output};

use serde::Deserialize;

use crate::tree::{Tree, TreeError};

/// Words of a test about a figure that was written down, not derived.
const PINNED: &str = "the pinned number of states";

/// Time after which tests are stopped, and the exit status that says so.
const MOST_SECONDS: &str = "900";
const STOPPED: i32 = 124;

/// A set of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gate {
    /// Tests beside the code.
    Core,
    /// Tests of balancers.
    Balance,
    /// Tests of parts, packets and the grammar of words.
    Parts,
    /// Tests of the virtual machine.
    Machine,
    /// Tests of task sharing.
    Sharing,
    /// Tests of multigrid.
    Multigrid,
    /// Tests of small systems under every order of events.
    Stateright,
    /// Tests of threads under every interleaving.
    Loom,
    /// Tests of runs on threads that go on from given counts.
    GoesOn,
    /// Tests of runs on threads whose workers are stopped.
    Helping,
    /// Tests of checkpoints, beside the code.
    Checkpoints,
    /// Tests of sparse systems, beside the code.
    Matrix,
}

impl Gate {
    fn command(self) -> Command {
        // A fault may keep a test from ever coming to its end.
        let mut command = Command::new("timeout");
        command.args([MOST_SECONDS, "cargo"]);
        let (package, target) = match self {
            Self::Core => ("tresse-core", "--lib"),
            Self::Balance => ("tresse-core-tests", "--test=balance"),
            Self::Parts => ("tresse-core-tests", "--test=parts"),
            Self::Machine => ("tresse-core-tests", "--test=machine"),
            Self::Sharing => ("tresse-core-tests", "--test=sharing"),
            Self::Multigrid => ("tresse-core-tests", "--test=multigrid"),
            Self::Stateright => ("tresse-core-tests", "--test=stateright"),
            Self::Loom => ("tresse-core-tests", "--test=loom"),
            Self::GoesOn | Self::Helping => ("tresse-tests", "--test=library"),
            Self::Checkpoints => ("tresse-engine", "--lib"),
            Self::Matrix => ("tresse-matrix", "--lib"),
        };
        command.args(["test", "--quiet", "--package", package, target]);
        match self {
            Self::Core => _ = command.arg("--features=alloc"),
            Self::GoesOn => _ = command.arg("goes_on::"),
            Self::Helping => _ = command.arg("helping::"),
            Self::Checkpoints => _ = command.arg("checkpoints::"),
            Self::Loom => {
                let flags = [
                    ("RUSTFLAGS", "--cfg loom"),
                    ("CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS", "true"),
                ];
                command.arg("--release").envs(flags);
            }
            _ => {}
        }
        command
    }

    /// Programs of each kind are compiled in a folder of their own.
    const fn target_dir(self) -> &'static str {
        match self {
            Self::Loom => "../loom",
            _ => "../build",
        }
    }
}

/// Whether a fault is noticed.
#[derive(Debug)]
pub enum Verdict {
    /// A test notices the fault, and says what broke.
    Caught {
        /// The first of them.
        by: String,
    },
    /// Only a figure that was written down is another.
    PinnedOnly {
        /// The first of them.
        by: String,
    },
    /// Tests do not come to an end, and nobody says what broke.
    Endless,
    /// All tests pass.
    Survives,
    /// The table is wrong.
    DoesNotCompile,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Caught { by } => write!(f, "caught by {by}"),
            Self::PinnedOnly { by } => write!(f, "PINNED ONLY, by {by}"),
            Self::Endless => f.write_str("ENDLESS"),
            Self::Survives => f.write_str("SURVIVES"),
            Self::DoesNotCompile => f.write_str("DOES NOT COMPILE"),
        }
    }
}

/// Runs one set after the other until one says what broke.
pub fn run(tree: &Tree, gates: &[Gate]) -> Result<Verdict, TreeError> {
    let mut verdict = Verdict::Survives;
    for gate in gates {
        let mut command = gate.command();
        command
            .current_dir(tree.root())
            .env("CARGO_TARGET_DIR", tree.root().join(gate.target_dir()));
        let said = |error: std::io::Error| TreeError::Command {
            what: "cargo".into(),
            said: error.to_string(),
        };
        let output = command.output().map_err(said)?;
        match of_output(&output) {
            Verdict::Survives => {}
            last @ (Verdict::Caught { .. } | Verdict::DoesNotCompile) => return Ok(last),
            weak @ (Verdict::PinnedOnly { .. } | Verdict::Endless) => verdict = weak,
        }
    }
    Ok(verdict)
}

fn of_output(output: &Output) -> Verdict {
    if output.status.success() {
        return Verdict::Survives;
    }
    let said = String::from_utf8_lossy(&output.stdout);
    let failures: Vec<_> = said.split("\n---- ").skip(1).collect();
    let name = |failure: &&str| failure.split(' ').next().unwrap_or_default().to_owned();
    let Some(first) = failures.first() else {
        // A fault that does not compile is none; one that kills a test is noticed.
        let errors = String::from_utf8_lossy(&output.stderr);
        if errors.contains("could not compile") {
            return Verdict::DoesNotCompile;
        }
        if output.status.code() == Some(STOPPED) {
            return Verdict::Endless;
        }
        return Verdict::Caught { by: "a test program that is killed".into() };
    };
    let named = failures.iter().find(|failure| !failure.contains(PINNED));
    match named {
        Some(failure) => Verdict::Caught { by: name(failure) },
        None => Verdict::PinnedOnly { by: name(first) },
    }
}
