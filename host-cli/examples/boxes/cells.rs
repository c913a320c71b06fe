//! Heat in a cube that is cut into eight boxes: which are neighbours, and what each does.

use ndarray::{Array3, Axis, s};
use tresse::{Graph, Part};
use tresse_core::base::id::SubdomainId;
use tresse_core::parts::halo::{EdgeReader, EdgeWriter};

/// Two boxes along each axis; link 2a of each leads down along axis a, and link 2a + 1 up.
pub struct Boxes;

fn place(id: SubdomainId) -> [usize; 3] {
    [id.index() / 4, id.index() / 2 % 2, id.index() % 2]
}

impl Graph<6> for Boxes {
    fn parts(&self) -> u32 {
        8
    }
    fn neighbours(&self, part: SubdomainId) -> [Option<SubdomainId>; 6] {
        std::array::from_fn(|link| {
            (place(part)[link / 2] != link % 2).then_some(SubdomainId(part.0 ^ (4 >> (link / 2))))
        })
    }
    fn size(&self, _: SubdomainId) -> [u32; 2] {
        [216, 64]
    }
}

/// Six cells along each axis, and the halo around them.
pub struct Cells(Array3<f64>);

impl Cells {
    /// All cells are cold, but for the sides of the cube: they are as warm as they are high.
    pub fn new(id: SubdomainId) -> Self {
        let mut cells = Array3::from_shape_fn([8, 8, 8], |(_, _, z)| height(id, z));
        cells.slice_mut(s![1..7, 1..7, 1..7]).fill(0.0);
        Self(cells)
    }
    /// Returns how far the box is from the solution.
    pub fn error(&self, id: SubdomainId) -> f64 {
        let exact = Array3::from_shape_fn([6, 6, 6], |(_, _, z)| height(id, z + 1));
        (exact - self.0.slice(s![1..7, 1..7, 1..7])).fold(0.0, |most, error| most.max(error.abs()))
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
        edge.write(self.0.index_axis(Axis(link / 2), 1 + 5 * (link % 2)).iter().copied());
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
        (self.means() - self.0.slice(s![1..7, 1..7, 1..7])).mapv(|change| change * change).sum()
    }
    fn pack(&self) -> impl Iterator<Item = f64> {
        self.0.iter().copied()
    }
    fn unpack(&mut self, _: SubdomainId, units: impl Iterator<Item = f64>) -> bool {
        self.0.iter_mut().zip(units).map(|(cell, unit)| *cell = unit).count() == 512
    }
}
