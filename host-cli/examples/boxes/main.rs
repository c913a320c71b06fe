//! An iteration of one's own in three dimensions: heat in a cube that is cut into boxes with six
//! links each, on two threads and in virtual time. `cargo run --release -p tresse --example boxes`
//! The same boxes run across ranks in `host-mpi/examples/boxes_on_ranks.rs`.
#![allow(clippy::print_stdout, reason = "a program that says what it found")]

mod cells;

use std::error::Error;

use cells::{Boxes, Cells};
use tresse::Run;
use tresse::files::machine_files::VirtualMachine;
use tresse_core::base::id::SubdomainId;
use tresse_core::run::{RunConfig, Stop};

fn main() -> Result<(), Box<dyn Error>> {
    let stop = Stop { tolerance: Some(1e-9), ..Stop::NEVER };
    let run = Run::new(RunConfig { stop, ..RunConfig::paper(2) }, &Boxes, Cells::new);
    let laptop = VirtualMachine::shipped("laptop")?;
    for (place, run) in [("threads", run.on_threads()?), ("time", run.in_virtual_time(&laptop)?)] {
        let errors = (0..).map(SubdomainId).zip(&run.parts).map(|(id, cells)| cells.error(id));
        println!("{place}: {}, error {:.0e}", run.record.end, errors.fold(0.0, f64::max));
    }
    Ok(())
}
