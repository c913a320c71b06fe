//! Makes all figures and pictures of README and the guides that virtual time makes, to be
//! committed: some minutes. Then says which figures of the pages are others.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a program")]

use std::process::ExitCode;

use tresse_tests::figures::evaluations;
use tresse_tests::figures::pictures::PICTURES;
use tresse_tests::figures::{Committed, Failure, faults_of_pages, simulations};

fn main() -> ExitCode {
    match make() {
        Ok(faults) if faults.is_empty() => ExitCode::SUCCESS,
        Ok(faults) => {
            println!("to be changed in the pages:\n{}", faults.join("\n"));
            ExitCode::FAILURE
        }
        Err(failure) => {
            eprintln!("virtual-figures: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// Makes all, and returns what is wrong in the pages.
fn make() -> Result<Vec<String>, Failure> {
    println!("tests/figures/simulate.csv");
    simulations::make()?;
    for name in evaluations::SHOWN {
        println!("tests/figures/{name}.csv");
        evaluations::make(name)?;
    }
    for picture in &PICTURES {
        println!("{}: tresse {}", picture.file, picture.command.join(" "));
        picture.make()?;
    }
    Ok(faults_of_pages(&Committed::read()?)?)
}
