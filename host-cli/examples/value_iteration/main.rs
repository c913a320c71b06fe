//! An iteration of one's own: asynchronous value iteration in a grid world, on two threads and in
//! virtual time. `cargo run --release -p tresse --example value_iteration`
//!
//! A state that is `d` steps from the goal is worth −(1 − bᵈ) / (1 − γ), where γ is the discount, p
//! the probability of a step, and b = γp / (1 − γ(1 − p)).
#![allow(clippy::print_stdout, reason = "a program that says what it found")]

mod world;

use std::error::Error;

use tresse::Run;
use tresse::files::machine_files::VirtualMachine;
use tresse_core::run::{RunConfig, Stop};
use world::{Block, World};

fn main() -> Result<(), Box<dyn Error>> {
    let stop = Stop { tolerance: Some(1e-9), ..Stop::NEVER };
    let run = Run::new(RunConfig { stop, ..RunConfig::paper(2) }, &World, Block::new);
    let laptop = VirtualMachine::shipped("laptop")?;
    for (place, run) in [("threads", run.on_threads()?), ("time", run.in_virtual_time(&laptop)?)] {
        println!("{place}: {}; the values of every third row:", run.record.end);
        for block in run.parts {
            let row = block.values().into_iter().step_by(3).take(8);
            let row: Vec<_> = row.map(|value| format!("{value:8.3}")).collect();
            println!("{}", row.join(""));
        }
    }
    Ok(())
}
