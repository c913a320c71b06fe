//! The boxes of `host-cli/examples/boxes` across ranks, between which boxes move: `mpirun -n 2
//! target/release/examples/boxes_on_ranks`, after `cargo build --release -p tresse-mpi --example boxes_on_ranks`.
#![allow(clippy::print_stdout, reason = "a program that says what it found")]

#[path = "../../host-cli/examples/boxes/cells.rs"]
mod cells;

use std::error::Error;

use cells::{Boxes, Cells};
use mpi::traits::Communicator as _;
use tresse::Run;
use tresse_core::base::time::Duration;
use tresse_core::run::{NodeBalance, Nodes, RunConfig, Stop};

fn main() -> Result<(), Box<dyn Error>> {
    let universe = tresse_mpi::initialize()?;
    let world = universe.world();
    let ranks = world.size().unsigned_abs();
    let balance = NodeBalance::Dplb { period: Duration::from_millis(1), threshold: 2 };
    let config = RunConfig {
        workers: ranks,
        split: 8 / ranks,
        stop: Stop { tolerance: Some(1e-9), ..Stop::NEVER },
        nodes: Nodes { balance, ..Nodes::ONE },
        ..RunConfig::paper(ranks)
    };
    let run = tresse_mpi::run(&world, &Run::new(config, &Boxes, Cells::new))?;
    let error = run.parts.iter().map(|(id, cells)| cells.error(*id)).fold(0.0, f64::max);
    println!("rank {}: {}, error {error:.0e}", world.rank(), run.record.end);
    Ok(())
}
