//! Plants the faults of `faults.toml` in a copy of the repository, one at a time, runs the tests
//! that ought to notice, and lists the survivors. It is run by hand, since it compiles the core
//! once for each fault:
//!
//! ```text
//! cargo run -p tresse-faults
//! cargo run -p tresse-faults -- turn STUCK    # those whose name, file or text has one of these words
//! ```

mod fault;
mod gate;
mod tree;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use crate::fault::{Fault, Faults};
use crate::gate::Verdict;
use crate::tree::{Tree, TreeError};

/// Plants faults, one at a time, and says which tests notice.
#[derive(Debug, Parser)]
struct Args {
    /// Only faults whose name, file or replaced text contains one of these words
    words: Vec<String>,
}

fn main() -> ExitCode {
    let told = run(&Args::parse(), &mut io::stdout().lock());
    match told {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            // Nobody can be told where there is no standard error.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Returns the number of faults that nobody notices.
fn run(args: &Args, out: &mut impl Write) -> Result<usize, TreeError> {
    let faults = Faults::read(include_str!("../faults.toml"))?;
    let tree = Tree::of_head()?;
    let is_chosen = |fault: &&Fault| {
        args.words.is_empty() || args.words.iter().any(|word| fault.mentions(word))
    };
    if !faults.fault.iter().any(|fault| is_chosen(&fault)) {
        return Err(TreeError::NoFault(args.words.clone()));
    }
    let (mut planted, mut survivors, mut pinned, mut endless) = (0, Vec::new(), 0, 0);
    for fault in faults.fault.iter().filter(is_chosen) {
        let verdict = tree.with(fault, || gate::run(&tree, &fault.gates))?;
        planted += 1;
        writeln!(out, "{:<64} {verdict}", fault.name)?;
        match verdict {
            Verdict::Survives | Verdict::DoesNotCompile => survivors.push(&fault.name),
            Verdict::PinnedOnly { .. } => pinned += 1,
            Verdict::Endless => endless += 1,
            Verdict::Caught { .. } => {}
        }
    }
    let number = survivors.len();
    writeln!(
        out,
        "{planted} faults: {number} survive, {pinned} move only a pinned figure, {endless} let no test end"
    )?;
    for name in survivors {
        writeln!(out, "  survives: {name}")?;
    }
    Ok(number)
}
