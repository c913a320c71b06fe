//! An iteration of one's own: heat along a rod, hot at its left end, on two threads and in virtual
//! time, both times balanced by PLB. `cargo run --release -p tresse --example heat`
#![allow(clippy::print_stdout, reason = "a program that says what it found")]

use std::{error::Error, sync::atomic::AtomicBool};

use tresse::engine::simulation::{self, VirtualIteration};
use tresse::engine::threads::{self, Iteration};
use tresse::{files::machine_files::VirtualMachine, platform::Placement};
use tresse_core::base::id::SubdomainId;
use tresse_core::parts::halo::{EdgeReader, EdgeWriter};
use tresse_core::parts::{Graph, Part, SharedPart};
use tresse_core::run::{RunConfig, Stop};

/// The cells of each piece, beside those that it has of its neighbours (or at the rod's ends).
const CELLS: usize = 8;
/// Places of the neighbour's cell on each link, left and right.
const HALO: [usize; 2] = [0, CELLS + 1];
const EDGE: [usize; 2] = [1, CELLS];

struct Rod(u32);

impl Graph<2> for Rod {
    fn parts(&self) -> u32 {
        self.0
    }
    fn neighbours(&self, part: SubdomainId) -> [Option<SubdomainId>; 2] {
        let right = SubdomainId(part.0 + 1);
        [part.0.checked_sub(1).map(SubdomainId), Some(right).filter(|right| right.0 < self.0)]
    }
    fn size(&self, _: SubdomainId) -> [u32; 2] {
        [8, 1]
    }
}

#[derive(Clone, Default)]
struct Piece([f64; CELLS + 2]);

impl Part for Piece {
    fn copy(&mut self, link: usize, neighbour: &Self, back: usize) {
        self.0[HALO[link]] = neighbour.0[EDGE[back]];
    }
    fn update(&mut self, with_residual: bool) -> Option<f64> {
        let residual = with_residual.then(|| self.residual());
        let old = self.0;
        (1..=CELLS).for_each(|cell| self.0[cell] = f64::midpoint(old[cell - 1], old[cell + 1]));
        residual
    }
    fn residual(&mut self) -> f64 {
        self.0.windows(3).map(|at| (f64::midpoint(at[0], at[2]) - at[1]).powi(2)).sum()
    }
}

impl SharedPart for Piece {
    type Real = f64;
    fn publish(&self, link: usize, edge: EdgeWriter<'_, f64>) {
        edge.write([self.0[EDGE[link]]]);
    }
    fn read(&mut self, link: usize, edge: EdgeReader<'_, f64>) {
        edge.copy_to(&mut self.0[HALO[link]..=HALO[link]]);
    }
}

/// Solves for the heat of a rod on threads and in virtual time.
fn main() -> Result<(), Box<dyn Error>> {
    let stop = Stop { tolerance: Some(1e-8), ..Stop::NEVER };
    let (config, graph) = (&RunConfig { stop, ..RunConfig::paper(2) }, &Rod(8));
    let mut cold = vec![Piece::default(); 8];
    cold[0].0[0] = 1.0;
    let (mut real, mut virtually, interrupt) = (cold.clone(), cold, &AtomicBool::new(false));
    let placement = &Placement::here(config.workers)?;
    let iteration = Iteration { config, graph, placement, interrupt };
    let on_threads = threads::iterate(&iteration, &mut real, &mut |_| {})?;
    let hardware = &VirtualMachine::shipped("laptop")?.hardware;
    let iteration = VirtualIteration { config, graph, hardware, traces: &[], interrupt };
    let in_time = simulation::iterate(&iteration, &mut virtually, &mut |_| {}, &mut ())?;
    for (place, run, rod) in [("threads", on_threads, real), ("time", in_time, virtually)] {
        println!("{place}: {} after {} moves, {:.4} left", run.end, run.moves, rod[7].0[CELLS]);
    }
    Ok(())
}
