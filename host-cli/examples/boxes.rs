//! An iteration of one's own in three dimensions: heat in a cube that is cut into boxes with six
//! links each, on two threads and in virtual time. `cargo run --release -p tresse --example boxes`
#![allow(clippy::print_stdout, reason = "a program that says what it found")]

use std::error::Error;

use ndarray::{Array3, ArrayView2, ArrayView3, Axis, s};
use tresse::files::machine_files::VirtualMachine;
use tresse::{Graph, Part, Run};
use tresse_core::base::id::SubdomainId;
use tresse_core::parts::halo::{EdgeReader, EdgeWriter};
use tresse_core::run::{RunConfig, Stop};

/// Two boxes along each axis; link 2a of each leads down along axis a, and link 2a + 1 up.
struct Boxes;

fn place(id: SubdomainId) -> [usize; 3] {
    [id.index() / 4, id.index() / 2 % 2, id.index() % 2]
}

impl Graph<6> for Boxes {
    fn parts(&self) -> u32 {
        8
    }
    fn neighbours(&self, part: SubdomainId) -> [Option<SubdomainId>; 6] {
        std::array::from_fn(|link| {
            let is_other = place(part)[link / 2] != link % 2;
            is_other.then_some(SubdomainId(part.0 ^ (4 >> (link / 2))))
        })
    }
    fn size(&self, _: SubdomainId) -> [u32; 2] {
        [216, 64]
    }
}

/// Six cells along each axis, and the halo around them.
struct Cells(Array3<f64>);

impl Cells {
    /// All cells are cold, but for the sides of the cube: they are as warm as they are high.
    fn new(id: SubdomainId) -> Self {
        let mut cells = Array3::from_shape_fn([8, 8, 8], |(_, _, z)| height(id, z));
        cells.slice_mut(s![1..7, 1..7, 1..7]).fill(0.0);
        Self(cells)
    }
    fn face(&self, link: usize) -> ArrayView2<'_, f64> {
        self.0.index_axis(Axis(link / 2), if link.is_multiple_of(2) { 1 } else { 6 })
    }
    fn inner(&self) -> ArrayView3<'_, f64> {
        self.0.slice(s![1..7, 1..7, 1..7])
    }
    fn means(&self) -> Array3<f64> {
        let from = |x, y, z| self.0.slice(s![x..x + 6, y..y + 6, z..z + 6]);
        let beside = &from(0, 1, 1) + &from(2, 1, 1) + from(1, 0, 1) + from(1, 2, 1);
        (beside + from(1, 1, 0) + from(1, 1, 2)) / 6.0
    }
}

/// Returns how warm a cell at this height of a box is in the end: as on the sides.
fn height(id: SubdomainId, z: usize) -> f64 {
    (6 * place(id)[2] + z) as f64
}

impl Part for Cells {
    type Unit = f64;
    fn publish(&self, link: usize, edge: EdgeWriter<'_, f64>) {
        edge.write(self.face(link).iter().copied());
    }
    fn read(&mut self, link: usize, edge: EdgeReader<'_, f64>) {
        let mut halo = self.0.index_axis_mut(Axis(link / 2), 7 * (link % 2));
        halo.iter_mut().zip(edge.cells()).for_each(|(cell, unit)| *cell = unit);
    }
    fn update(&mut self, with_residual: bool) -> Option<f64> {
        let residual = with_residual.then(|| self.residual());
        let means = self.means();
        self.0.slice_mut(s![1..7, 1..7, 1..7]).assign(&means);
        residual
    }
    fn residual(&mut self) -> f64 {
        (self.means() - self.inner()).mapv(|change| change * change).sum()
    }
    fn pack(&self) -> impl Iterator<Item = f64> {
        self.0.iter().copied()
    }
    fn unpack(&mut self, _: SubdomainId, units: impl Iterator<Item = f64>) -> bool {
        self.0.iter_mut().zip(units).map(|(cell, unit)| *cell = unit).count() == 512
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let stop = Stop { tolerance: Some(1e-9), ..Stop::NEVER };
    let run = Run::new(RunConfig { stop, ..RunConfig::paper(2) }, &Boxes, Cells::new);
    let laptop = VirtualMachine::shipped("laptop")?;
    for (place, run) in [("threads", run.on_threads()?), ("time", run.in_virtual_time(&laptop)?)] {
        let errors = (0..).map(SubdomainId).zip(&run.parts).map(|(id, cells)| {
            let exact = Array3::from_shape_fn([6, 6, 6], |(_, _, z)| height(id, z + 1));
            (&cells.inner() - exact).fold(0.0_f64, |most, error| most.max(error.abs()))
        });
        println!("{place}: {}, error {:.0e}", run.record.end, errors.fold(0.0, f64::max));
    }
    Ok(())
}
