//! One direction of a level: its cells, and where the boundary is.

/// Least distance between the last of an odd number of cells and the boundary at which a cell beyond it
/// completes the last pair; below, the last cell stays without a coarser one.
const PADS: f64 = 0.75;

/// Cells in one direction of a level, and the distances from the first and the last centre to the boundary
/// in the level's mesh width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    cells: usize,
    start: f64,
    end: f64,
}

impl Extent {
    /// Returns the direction on the finest level, where the boundary's values are those of the cells next
    /// to the first and the last one; none without a cell.
    pub const fn finest(cells: usize) -> Option<Self> {
        if cells == 0 { None } else { Some(Self { cells, start: 1.0, end: 1.0 }) }
    }

    /// Returns the number of cells, at least 1.
    pub const fn cells(self) -> usize {
        self.cells
    }

    /// Returns the distances of the boundary from the first and from the last centre, in mesh widths.
    pub const fn distances(self) -> [f64; 2] {
        [self.start, self.end]
    }

    /// Returns α at the start and at the end: a correction, which is 0 on the boundary, is continued linearly
    /// beyond it, as −α times the cell at the end; α is 1 ÷ distance − 1, so 0 on the finest level.
    pub const fn alphas(self) -> [f64; 2] {
        [1.0 / self.start - 1.0, 1.0 / self.end - 1.0]
    }

    /// Returns what a cell's equation has in its diagonal beyond 4, on account of this direction: the α of each
    /// end that it is at.
    pub const fn excess(self, cell: usize) -> f64 {
        let [start, end] = self.alphas();
        let at_start = if cell == 0 { start } else { 0.0 };
        let at_end = if cell + 1 == self.cells { end } else { 0.0 };
        at_start + at_end
    }

    /// Returns the direction on the next coarser level, whose cells are pairs of this level's. The last of an
    /// odd number is paired with a cell beyond the boundary, or dropped where the boundary is too near.
    pub const fn coarser(self) -> Self {
        let (pairs, odd) = (self.cells / 2, !self.cells.is_multiple_of(2));
        let (cells, end) = match odd {
            false => (pairs, self.end + 0.5),
            true if self.end >= PADS => (pairs + 1, self.end - 0.5),
            true => (pairs, self.end + 1.5),
        };
        Self { cells, start: f64::midpoint(self.start, 0.5), end: end / 2.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundaries_stay_where_they_are() {
        for cells in 2..200 {
            let mut extent = Extent::finest(cells).unwrap();
            let (mut width, all) = (1.0, cells as f64 + 1.0);
            while extent.cells() > 1 {
                extent = extent.coarser();
                width *= 2.0;
                let [start, end] = extent.distances();
                let between = (extent.cells() - 1) as f64;
                assert!(
                    ((start + between + end) * width - all).abs() < 1e-9,
                    "{cells}: {extent:?}"
                );
                assert!(start > 0.5 && end >= 0.125, "{cells}: {extent:?}");
            }
        }
        assert_eq!(Extent::finest(0), None);
    }

    #[test]
    fn one_cell_is_at_both_ends() {
        let coarse = Extent::finest(1).unwrap().coarser();
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
