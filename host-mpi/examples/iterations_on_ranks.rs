//! The iterations of `host-cli/examples` across ranks, between which their parts move: `mpirun -n 2
//! target/release/examples/iterations_on_ranks pagerank FILE`, or `value_iteration`, `regression`.
//! The first rank prints how the run ended, and what all parts have come to.
#![allow(clippy::print_stdout, reason = "a program that says what it found")]

#[path = "../../host-cli/examples/regression/data.rs"]
#[allow(dead_code, reason = "the ranks do not ask for the loss")]
mod data;
#[path = "../../host-cli/examples/pagerank/range.rs"]
mod range;
#[path = "../../host-cli/examples/regression/shards.rs"]
mod shards;
#[path = "../../host-cli/examples/pagerank/web.rs"]
mod web;
#[path = "../../host-cli/examples/value_iteration/world.rs"]
mod world;

use std::{env, error::Error, path::Path};

use mpi::traits::Communicator;
use shards::{Shard, Shards};
use tresse::{Graph, Part, Run};
use tresse_core::base::{id::SubdomainId, time::Duration};
use tresse_core::run::{NodeBalance, Nodes, RunConfig, Stop};
use world::{Block, World};

/// Iterates to a tolerance; `units` says what a part has come to.
fn iterate<T: Part<Unit = f64>, const N: usize>(
    graph: &(impl Graph<N> + Sync),
    tolerance: f64,
    make: impl Fn(SubdomainId) -> T,
    units: impl Fn(&T) -> Vec<f64>,
) -> Result<(), Box<dyn Error>> {
    let universe = tresse_mpi::initialize()?;
    let world = universe.world();
    let ranks = world.size().unsigned_abs();
    let balance = NodeBalance::Dplb { period: Duration::from_millis(1), threshold: 2 };
    let config = RunConfig {
        workers: ranks,
        split: graph.parts() / ranks,
        stop: Stop { tolerance: Some(tolerance), ..Stop::NEVER },
        nodes: Nodes { balance, ..Nodes::ONE },
        ..RunConfig::paper(ranks)
    };
    let run = Run::new(config, graph, make);
    let iterated = tresse_mpi::run(&world, &run)?;
    let Some(all) = tresse_mpi::gather(&world, &run, &iterated)? else { return Ok(()) };
    println!("{}", iterated.record.end);
    for (id, part) in all.iter().enumerate() {
        let units: Vec<_> = units(part).iter().map(|unit| format!("{unit:.12}")).collect();
        println!("part {id}: {}", units.join(" "));
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    match &*arguments.iter().map(String::as_str).collect::<Vec<_>>() {
        ["value_iteration"] => iterate(&World, 1e-9, Block::new, Block::values),
        ["regression"] => {
            let make = |id| Shard::new(id, data::FALLS);
            iterate(&Shards, 0.05, make, |shard| shard.model.to_vec())
        }
        ["pagerank", file] => {
            let web = web::Web::open(Path::new(file))?;
            let graph = web.graph()?;
            let graph = graph.lend::<7>()?;
            iterate(&graph, 1e-10, |id| range::Range::new(id, &web), |range| range.own().to_vec())
        }
        _ => Err("value_iteration, regression, or pagerank FILE".into()),
    }
}
