//! A grid world that is cut into blocks of rows, and the Bellman backup of a block.

use ndarray::{Array2, s};
use tresse::{Graph, Part};
use tresse_core::base::id::SubdomainId;
use tresse_core::parts::halo::{EdgeReader, EdgeWriter};

/// The row and the column that an agent is to reach. Each step until then costs 1.
const GOAL: [usize; 2] = [7, 16];
/// The discount of what is to come, and the probability of a step; otherwise the agent stays.
const DISCOUNT: f64 = 0.95;
const STEP: f64 = 0.8;

/// Eight blocks of 3 × 24 states; link 0 of each leads up, and link 1 down.
pub struct World;

impl Graph<2> for World {
    fn parts(&self) -> u32 {
        8
    }
    fn neighbours(&self, part: SubdomainId) -> [Option<SubdomainId>; 2] {
        let below = SubdomainId(part.0 + 1);
        [part.0.checked_sub(1).map(SubdomainId), Some(below).filter(|below| below.0 < 8)]
    }
    fn size(&self, _: SubdomainId) -> [u32; 2] {
        [72, 24]
    }
}

/// The values of a block's states, and a frame around them: walls, or a row of a neighbour.
pub struct Block(SubdomainId, Array2<f64>);

impl Block {
    /// All values are 0, and nobody gains by a step into a wall.
    pub fn new(id: SubdomainId) -> Self {
        let mut values = Array2::from_elem([5, 26], f64::NEG_INFINITY);
        values.slice_mut(s![1..4, 1..25]).fill(0.0);
        Self(id, values)
    }
    /// Returns the values of the states, row by row.
    pub fn values(&self) -> Vec<f64> {
        self.1.slice(s![1..4, 1..25]).iter().copied().collect()
    }
    /// Returns the Bellman backup: what each state is worth with its best action.
    fn backup(&self) -> Array2<f64> {
        Array2::from_shape_fn([3, 24], |(row, column)| {
            let at = |down: usize, right: usize| self.1[[row + down, column + right]];
            let best = at(0, 1).max(at(2, 1)).max(at(1, 0)).max(at(1, 2));
            let is_goal = [3 * self.0.index() + row, column] == GOAL;
            let next = STEP * best + (1.0 - STEP) * at(1, 1);
            if is_goal { 0.0 } else { DISCOUNT * next - 1.0 }
        })
    }
}

impl Part for Block {
    type Unit = f64;
    fn publish(&self, link: usize, edge: EdgeWriter<'_, f64>) {
        edge.write(self.1.slice(s![1 + 2 * link, 1..25]).iter().copied());
    }
    fn read(&mut self, link: usize, edge: EdgeReader<'_, f64>) {
        let mut frame = self.1.slice_mut(s![4 * link, 1..25]);
        frame.iter_mut().zip(edge.cells()).for_each(|(value, unit)| *value = unit);
    }
    fn update(&mut self, with_residual: bool) -> Option<f64> {
        let (residual, backup) = (with_residual.then(|| self.residual()), self.backup());
        self.1.slice_mut(s![1..4, 1..25]).assign(&backup);
        residual
    }
    fn residual(&mut self) -> f64 {
        (self.backup() - self.1.slice(s![1..4, 1..25])).mapv(|change| change * change).sum()
    }
    fn pack(&self) -> impl Iterator<Item = f64> {
        self.1.iter().copied()
    }
    fn unpack(&mut self, id: SubdomainId, units: impl Iterator<Item = f64>) -> bool {
        self.0 = id;
        self.1.iter_mut().zip(units).map(|(value, unit)| *value = unit).count() == 130
    }
}
