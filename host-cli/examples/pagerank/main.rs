//! An iteration of one's own: `PageRank` of a graph that is read from a file, on two threads and in
//! virtual time. `cargo run --release -p tresse --example pagerank -- FILE`
//!
//! What a page without links has is lost. Divided by their sum, the ranks are those of a surfer who
//! goes anywhere from there.
#![allow(clippy::print_stdout, reason = "a program that says what it found")]

mod range;
mod web;

use std::error::Error;
use std::{env, path::PathBuf};

use range::Range;
use tresse::Run;
use tresse::files::machine_files::VirtualMachine;
use tresse_core::run::{RunConfig, Stop};
use web::Web;

fn main() -> Result<(), Box<dyn Error>> {
    let small = || concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pagerank/web.txt").into();
    let web = Web::open(&env::args_os().nth(1).map_or_else(small, PathBuf::from))?;
    let graph = web.graph()?;
    let graph = graph.lend::<7>()?;
    let stop = Stop { tolerance: Some(1e-10), ..Stop::NEVER };
    let config = RunConfig { stop, ..RunConfig::paper(2) };
    let run = Run::new(config, &graph, |id| Range::new(id, &web));
    let laptop = VirtualMachine::shipped("laptop")?;
    for (place, run) in [("threads", run.on_threads()?), ("time", run.in_virtual_time(&laptop)?)] {
        let ranks: Vec<_> = run.parts.iter().flat_map(Range::own).collect();
        let sum: f64 = ranks.iter().copied().sum();
        let most = ranks.iter().zip(1..).max_by(|one, other| one.0.total_cmp(other.0));
        let Some((rank, page)) = most else { continue };
        println!(
            "{place}: {}; page {page} has the highest rank, {:.6}",
            run.record.end,
            *rank / sum
        );
    }
    Ok(())
}
