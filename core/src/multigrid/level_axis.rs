//! One axis of a level: its cells, and where the boundary is.

/// Least distance between the last of an odd number of cells and the boundary at which a cell
/// beyond it completes the last pair; below, the last cell stays without a coarser one.
const PADS: f64 = 0.75;

/// Cells in one direction of a level, and the distances from the first and the last centre to the
/// boundary in the level's mesh width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelAxis {
    cells: usize,
    start: f64,
    end: f64,
    /// Whether the last cell is a pair of which one cell is beyond the boundary.
    is_padded: bool,
}

/// How the ghost value beyond the cell at an end follows from the cells of a correction, which is 0
/// on the boundary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundaryClosure {
    /// Share of the cell at the end.
    pub last: f64,
    /// Share of the cell before it, where that has one.
    pub before: Option<f64>,
}

impl LevelAxis {
    /// Returns the direction on the finest level, where the boundary's values are those of the
    /// cells next to the first and the last one; none without a cell.
    pub const fn finest(cells: usize) -> Option<Self> {
        if cells == 0 { None } else { Some(Self { cells, start: 1.0, end: 1.0, is_padded: false }) }
    }

    /// Returns the number of cells, at least 1.
    pub const fn cells(self) -> usize {
        self.cells
    }

    /// Returns the distances of the boundary from the first and from the last centre, in mesh
    /// widths.
    pub const fn distances(self) -> [f64; 2] {
        [self.start, self.end]
    }

    /// Returns the axis with a linear closure at both ends, so that the matrix of its
    /// equations is symmetric.
    pub const fn linear(self) -> Self {
        Self { is_padded: false, ..self }
    }

    /// Returns the boundary closures of a correction at the start and at the end.
    ///
    /// Linearly: −α times the cell at the end, where α is 1 ÷ distance − 1, so 0 on the finest
    /// level. But where the last cell lies half beyond the boundary, its right-hand side is that of
    /// a single row of finer cells. So what it exchanges with the boundary is what those do: ¾ of
    /// it and ¼ of the cell before it, the value that is interpolated for them, twice (they are
    /// half as wide), over their distance from the boundary.
    pub const fn closures(self) -> [BoundaryClosure; 2] {
        let start = BoundaryClosure { last: 1.0 - 1.0 / self.start, before: None };
        let end = if self.is_padded && self.cells > 1 {
            let distance_of_finer = 2.0 * self.end + 0.5;
            BoundaryClosure {
                last: 1.0 - 1.5 / distance_of_finer,
                before: Some(-0.5 / distance_of_finer),
            }
        } else {
            BoundaryClosure { last: 1.0 - 1.0 / self.end, before: None }
        };
        [start, end]
    }

    /// Returns how much the diagonal of a cell's equation exceeds 4 because of the boundaries of
    /// this direction: a ghost value that is minus a share of the cell adds that share.
    pub const fn excess(self, cell: usize) -> f64 {
        let [start, end] = self.closures();
        let at_start = if cell == 0 { -start.last } else { 0.0 };
        let at_end = if cell + 1 == self.cells { -end.last } else { 0.0 };
        at_start + at_end
    }

    /// Returns the direction on the next coarser level, whose cells are pairs of this level's. The
    /// last of an odd number is paired with a cell beyond the boundary, or dropped where the
    /// boundary is too near.
    pub const fn coarser(self) -> Self {
        let (pairs, odd) = (self.cells / 2, !self.cells.is_multiple_of(2));
        let is_padded = odd && self.end >= PADS;
        let (cells, end) = match odd {
            false => (pairs, self.end + 0.5),
            true if is_padded => (pairs + 1, self.end - 0.5),
            true => (pairs, self.end + 1.5),
        };
        Self { cells, start: f64::midpoint(self.start, 0.5), end: end / 2.0, is_padded }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundaries_stay_where_they_are() {
        for cells in 2..200 {
            let mut axis = LevelAxis::finest(cells).unwrap();
            let (mut width, all) = (1.0, cells as f64 + 1.0);
            while axis.cells() > 1 {
                axis = axis.coarser();
                width *= 2.0;
                let [start, end] = axis.distances();
                let between = (axis.cells() - 1) as f64;
                assert!(((start + between + end) * width - all).abs() < 1e-9, "{cells}: {axis:?}");
                assert!(start > 0.5 && end >= 0.125, "{cells}: {axis:?}");
            }
        }
        assert_eq!(LevelAxis::finest(0), None);
    }

    /// A correction that is linear up to the boundary goes on so beyond it, padded or not.
    #[test]
    fn linear_corrections_go_on() {
        for cells in 2..200 {
            let mut axis = LevelAxis::finest(cells).unwrap();
            while axis.cells() > 1 {
                let from_boundary = axis.distances();
                for (distance, beyond) in from_boundary.into_iter().zip(axis.closures()) {
                    let before = beyond.before.map_or(0.0, |share| share * (distance + 1.0));
                    let value = beyond.last * distance + before;
                    assert!((value - (distance - 1.0)).abs() < 1e-12, "{cells}: {axis:?}");
                }
                axis = axis.coarser();
            }
        }
    }

    #[test]
    fn one_cell_is_at_both_ends() {
        let coarse = LevelAxis::finest(1).unwrap().coarser();
        assert_eq!(coarse.cells(), 1);
        assert!(
            coarse
                .distances()
                .into_iter()
                .zip([0.75, 0.25])
                .all(|(one, other)| (one - other).abs() < 1e-15)
        );
        assert!((coarse.excess(0) - (1.0 / 3.0 + 3.0)).abs() < 1e-12);
    }
}
