//! Costs of a cell by the number of cells that are swept in turn with it: by the cache that holds
//! them all.

use crate::base::table::At;
use serde::Serialize;

/// The most numbers of cells for which a machine says what one of them costs.
pub const MAX_CELL_COSTS: usize = 8;

/// Cost of a cell where a worker has this number of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CellCost {
    /// Cells of all subdomains in the worker's hands.
    pub cells: u64,
    /// Cost of sweeping one of them, in picoseconds.
    pub cost: u64,
}

/// The cost of a cell by the cells that a worker has: the measured one at some numbers of cells, on
/// a straight line between two of them, and that of the outermost beyond. Empty where it is the
/// same for all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CellCosts {
    points: [CellCost; MAX_CELL_COSTS],
    number: usize,
}

impl CellCosts {
    /// Returns the costs on lines between these points; none unless the numbers of cells ascend,
    /// and there are at most [`MAX_CELL_COSTS`].
    pub fn new(points: &[CellCost]) -> Option<Self> {
        let mut costs = Self { number: points.len(), ..Self::default() };
        costs.points.get_mut(..points.len())?.copy_from_slice(points);
        points.is_sorted_by(|one, next| one.cells < next.cells).then_some(costs)
    }

    /// Returns the points, in ascending order.
    pub fn points(&self) -> &[CellCost] {
        self.points.stretch(..self.number)
    }

    /// Whether the cost is the same however many cells there are.
    pub const fn is_empty(&self) -> bool {
        self.number == 0
    }

    /// Returns the cost of a cell, in picoseconds, where a worker has `cells`; none where there are
    /// no points.
    pub fn at(&self, cells: u64) -> Option<u64> {
        let points = self.points();
        let above = points.partition_point(|point| point.cells < cells);
        let before = above.checked_sub(1).and_then(|before| points.get(before));
        match (before, points.get(above)) {
            (Some(low), Some(high)) => Some(between(*low, *high, cells)),
            (one, other) => one.or(other).map(|point| point.cost),
        }
    }

    /// Returns the costs with every point changed; the order must stay.
    pub(crate) fn map(self, change: impl Fn(CellCost) -> CellCost) -> Self {
        Self { points: self.points.map(change), ..self }
    }
}

/// Returns the cost on the line from one point to the next, `cells` being between them.
fn between(low: CellCost, high: CellCost, cells: u64) -> u64 {
    let (all, gone) = (u128::from(high.cells - low.cells), u128::from(cells - low.cells));
    let weighted = u128::from(low.cost) * (all - gone) + u128::from(high.cost) * gone;
    // A mean of two 64-bit numbers is one.
    weighted.checked_div(all).and_then(|cost| u64::try_from(cost).ok()).unwrap_or(low.cost)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(points: &[(u64, u64)]) -> Option<CellCosts> {
        let mut all = [CellCost::default(); MAX_CELL_COSTS + 1];
        for (place, &(cells, cost)) in all.iter_mut().zip(points) {
            *place = CellCost { cells, cost };
        }
        CellCosts::new(all.get(..points.len())?)
    }

    #[test]
    fn costs_lie_on_lines_between_the_points() {
        let some = costs(&[(100, 10), (200, 30), (u64::MAX, 31)]).unwrap();
        let at = |cells| some.at(cells).unwrap();
        assert_eq!([0, 100, 150, 175, 200].map(at), [10, 10, 20, 25, 30]);
        assert_eq!((at(u64::MAX / 2), at(u64::MAX)), (30, 31));
        assert_eq!(costs(&[]).unwrap().at(5), None);
        assert_eq!(costs(&[(7, 3)]).unwrap().at(5), Some(3));
    }

    #[test]
    fn what_does_not_ascend_is_refused() {
        assert!(costs(&[(5, 1), (5, 2)]).is_none() && costs(&[(6, 1), (5, 2)]).is_none());
        assert!(costs(&[(0, 0); MAX_CELL_COSTS + 1]).is_none());
    }
}
