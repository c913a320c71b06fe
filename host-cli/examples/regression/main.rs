//! An iteration of one's own: logistic regression by asynchronous stochastic gradient descent, on
//! two threads and in virtual time. `cargo run --release -p tresse --example regression`
//!
//! Does balancing help it? Only where one worker is slow and learning rates fall: its shards make
//! fewer updates, so that their rates fall later. Their samples weigh more than others', and the
//! model is that of another problem. With a rate that stays it gains nothing: see the guide.
#![allow(clippy::print_stdout, reason = "a program that says what it found")]

mod data;
mod shards;

use std::error::Error;

use shards::{Shard, Shards};
use tresse::files::machine_files::VirtualMachine;
use tresse::{Iterated, Run};
use tresse_core::run::noise::Noise;
use tresse_core::run::{Balance, RunConfig, Stop};

/// Prints the loss of the mean of all models.
fn show(what: &str, Iterated { record, parts, .. }: &Iterated<Shard>) {
    let sum = parts.iter().fold(0.0 * &parts[0].model, |sum, shard| sum + &shard.model);
    let loss = data::loss(&(sum / f64::from(data::SHARDS)));
    println!(
        "{what}: {} after {:.2} ms, loss {loss:.5}",
        record.end,
        1e3 * record.elapsed.seconds()
    );
}

fn main() -> Result<(), Box<dyn Error>> {
    let laptop = VirtualMachine::shipped("laptop")?;
    let stop = Stop { tolerance: Some(0.05), ..Stop::NEVER };
    let config = RunConfig { stop, split: 8, ..RunConfig::paper(2) };
    let run = Run::new(config, &Shards, |id| Shard::new(id, data::FALLS));
    show("threads", &run.on_threads()?);
    show("time", &run.in_virtual_time(&laptop)?);
    for (rule, rates) in [("falls", data::FALLS), ("stays", data::STAYS)] {
        for balance in ["none", "auto"] {
            let stop = Stop { iterations: Some(4_000), ..Stop::NEVER };
            let balance = Balance::parse(balance)?;
            let mut config = RunConfig { stop, balance, ..RunConfig::paper(4) };
            config.noise.extend([Noise::parse("core=0,duty=0.4")?]);
            let run = Run::new(config, &Shards, |id| Shard::new(id, rates));
            show(&format!("rate {rule}, balancer {balance}"), &run.in_virtual_time(&laptop)?);
        }
    }
    Ok(())
}
