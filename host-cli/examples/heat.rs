//! An iteration of one's own: heat along a rod, hot at its left end, on two threads and in virtual
//! time, both times balanced. `cargo run --release -p tresse --example heat`
#![allow(clippy::print_stdout, reason = "a program that says what it found")]

use std::error::Error;

use tresse::files::machine_files::VirtualMachine;
use tresse::{Graph, Part, Run};
use tresse_core::base::id::SubdomainId;
use tresse_core::parts::halo::{EdgeReader, EdgeWriter};
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

struct Piece([f64; CELLS + 2]);

impl Part for Piece {
    type Unit = f64;
    fn publish(&self, link: usize, edge: EdgeWriter<'_, f64>) {
        edge.write([self.0[EDGE[link]]]);
    }
    fn read(&mut self, link: usize, edge: EdgeReader<'_, f64>) {
        edge.copy_to(&mut self.0[HALO[link]..=HALO[link]]);
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
    fn pack(&self) -> impl Iterator<Item = f64> {
        self.0.into_iter()
    }
    fn unpack(&mut self, _: SubdomainId, units: impl Iterator<Item = f64>) -> bool {
        self.0.iter_mut().zip(units).map(|(cell, unit)| *cell = unit).count() == CELLS + 2
    }
}

/// Returns a piece at the start: all is cold but the rod's left end.
fn piece(id: SubdomainId) -> Piece {
    let mut piece = Piece([0.0; CELLS + 2]);
    piece.0[0] = f64::from(u8::from(id.0 == 0));
    piece
}

/// Solves for the heat of a rod on threads and in virtual time.
fn main() -> Result<(), Box<dyn Error>> {
    let stop = Stop { tolerance: Some(1e-8), ..Stop::NEVER };
    let run = Run::new(RunConfig { stop, ..RunConfig::paper(2) }, &Rod(8), piece);
    let (real, virtually) =
        (run.on_threads()?, run.in_virtual_time(&VirtualMachine::shipped("laptop")?)?);
    for (place, run) in [("threads", real), ("time", virtually)] {
        let (end, moves) = (run.record.end, run.record.moves);
        println!("{place}: {end} after {moves} moves, {:.4} left", run.parts[7].0[CELLS]);
    }
    Ok(())
}
