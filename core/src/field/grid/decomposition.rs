//! Cutting the grid into a regular arrangement of subdomains.

use super::{Axis, Side};
use crate::base::id::{SubdomainId, WorkerId};
use crate::parts::Graph;
use crate::run::{GridSize, Imbalance, RunConfig, RunConfigError};

/// An arrangement of parts in rows and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrangement {
    /// Number of rows of parts.
    pub rows: u32,
    /// Number of columns of parts.
    pub columns: u32,
}

/// Returns the most nearly square arrangement of exactly `parts` parts, with no more columns than
/// rows, as the edges of columns are expensive: 2 → 2 × 1, 4 → 2 × 2, 36 → 6 × 6; 0 → 0 × 0.
///
/// The workers of a node are arranged so on the grid.
pub fn arrangement(parts: u32) -> Arrangement {
    let columns = (1..=parts.isqrt())
        .rev()
        .find(|&columns| parts.checked_rem(columns) == Some(0))
        .unwrap_or(0);
    Arrangement { rows: parts.checked_div(columns).unwrap_or(0), columns }
}

/// The cells of one subdomain within the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rectangle {
    /// Its first row.
    pub first_row: usize,
    /// Its first column.
    pub first_column: usize,
    /// Its rows and columns.
    pub size: GridSize,
}

/// Cost of exchanging a cell of a column, relative to one of a row: the cells of a row are adjacent
/// in memory, those of a column each lie on a cache line of their own.
const COLUMN_COST: u64 = 4;

/// Returns how many rows and columns of subdomains a block is cut into: `parts` in all, at the
/// least cost of exchange for a block of `mean` cells, and such that the `smallest` block has
/// enough cells. None where no cut fits; ties go to more rows.
fn cheapest_cut(parts: u32, mean: GridSize, smallest: GridSize) -> Option<(u32, u32)> {
    let fits = |&(rows, columns): &(u32, u32)| {
        rows as usize <= smallest.rows && columns as usize <= smallest.columns
    };
    let cost = |&(rows, columns): &(u32, u32)| {
        let across = u64::from(rows).saturating_mul(mean.columns as u64);
        let down = u64::from(columns).saturating_mul(mean.rows as u64);
        across.saturating_add(down.saturating_mul(COLUMN_COST))
    };
    (1..=parts.isqrt())
        .filter_map(|one| {
            Some((one, parts.checked_div(one)?)).filter(|&(_, other)| one * other == parts)
        })
        .flat_map(|(one, other)| [(other, one), (one, other)])
        .filter(fits)
        .min_by_key(cost)
}

/// The grid cut into `rows × columns` subdomains, numbered row by row.
///
/// Each worker starts with a block of neighbouring subdomains. The blocks of a node's workers lie
/// in the [`arrangement`] of their number, nodes below each other; a block is cut so that
/// exchanging its edges costs least, which is mostly into strips of whole rows. Where the work is
/// to be uneven, the rows of blocks are lower by it at the top and higher by it at the bottom;
/// there are never more columns of blocks than rows, so that only a single worker has nothing to be
/// uneven with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decomposition {
    rows: Axis,
    columns: Axis,
}

impl Decomposition {
    /// Cuts the grid of a configuration into the subdomains of its workers; every subdomain has at
    /// least one cell.
    pub fn new(config: &RunConfig) -> Result<Self, RunConfigError> {
        let (workers, nodes) = (config.workers, config.nodes.number);
        let Arrangement { rows: down, columns: across } = Self::worker_arrangement(workers, nodes);
        if down.checked_mul(across) != Some(workers) {
            return Err(RunConfigError::UnevenNodes { workers, nodes });
        }
        let GridSize { rows, columns } = config.grid;
        let (uneven, even) = (config.imbalance, Imbalance::default());
        let cut = || {
            let part = |cells: usize, workers: u32| cells.checked_div(workers as usize);
            let mean = GridSize { rows: part(rows, down)?, columns: part(columns, across)? };
            let smallest = GridSize { rows: Axis::smallest(rows, down, uneven)?, ..mean };
            let (block_rows, block_columns) = cheapest_cut(config.split, mean, smallest)?;
            let rows = Axis::new(rows, down, block_rows, uneven)?;
            let columns = Axis::new(columns, across, block_columns, even)?;
            rows.parts().checked_mul(columns.parts()).map(|_| Self { rows, columns })
        };
        let subdomains = config.subdomains();
        cut().ok_or(RunConfigError::TooManySubdomains { subdomains, grid: config.grid })
    }

    /// Returns the arrangement of the blocks of all workers, which are spread evenly over the
    /// nodes; 0 × 0 without workers or nodes.
    pub fn worker_arrangement(workers: u32, nodes: u32) -> Arrangement {
        let of_node = arrangement(workers.checked_div(nodes).unwrap_or(0));
        Arrangement { rows: of_node.rows.saturating_mul(nodes), ..of_node }
    }

    /// Returns the grid that is cut.
    pub const fn grid(&self) -> GridSize {
        GridSize { rows: self.rows.length(), columns: self.columns.length() }
    }

    /// Returns the number of subdomains.
    pub const fn subdomains(&self) -> u32 {
        self.rows.parts() * self.columns.parts()
    }

    /// Returns the number of columns of subdomains.
    pub const fn columns(&self) -> u32 {
        self.columns.parts()
    }

    /// Returns the mean size of a subdomain, rounded up.
    pub fn mean_part(&self) -> GridSize {
        let mean = |axis: &Axis| axis.length().div_ceil(axis.parts().max(1) as usize);
        GridSize { rows: mean(&self.rows), columns: mean(&self.columns) }
    }

    /// Returns every subdomain in ascending order.
    pub fn ids(&self) -> impl Iterator<Item = SubdomainId> + use<> {
        (0..self.subdomains()).map(SubdomainId)
    }

    /// Returns the rectangle of the grid that a subdomain covers; empty for one that does not
    /// exist.
    pub fn rectangle(&self, id: SubdomainId) -> Rectangle {
        let (row, column) = self.place(id);
        let (rows, columns) = (self.rows.part(row), self.columns.part(column));
        let size = GridSize { rows: rows.len(), columns: columns.len() };
        Rectangle { first_row: rows.start, first_column: columns.start, size }
    }

    /// Returns the subdomain beyond each side, by [`Side::index`]; none at the boundary of the
    /// grid.
    #[inline]
    pub fn neighbours(&self, id: SubdomainId) -> [Option<SubdomainId>; 4] {
        let (row, column) = self.place(id);
        let (rows, columns) = (self.rows.parts(), self.columns.parts());
        let exists = row < rows;
        [
            (exists && row > 0).then(|| SubdomainId(id.0 - columns)),
            (exists && row + 1 < rows).then(|| SubdomainId(id.0 + columns)),
            (exists && column > 0).then(|| SubdomainId(id.0 - 1)),
            (exists && column + 1 < columns).then(|| SubdomainId(id.0 + 1)),
        ]
    }

    /// Returns the subdomain beyond a side; none at the boundary of the grid.
    #[inline]
    pub fn neighbour(&self, id: SubdomainId, side: Side) -> Option<SubdomainId> {
        self.neighbours(id).get(side.index()).copied().flatten()
    }

    /// Returns the worker that a subdomain starts with.
    pub fn first_owner(&self, id: SubdomainId) -> WorkerId {
        let (row, column) = self.place(id);
        let (worker_row, worker_column) = (self.rows.block_of(row), self.columns.block_of(column));
        WorkerId(worker_row * self.columns.blocks() + worker_column)
    }

    /// Returns the row and the column of a subdomain among the subdomains.
    fn place(&self, id: SubdomainId) -> (u32, u32) {
        self.columns.divide(id.0)
    }
}

/// A subdomain's links are its sides, by [`Side::index`]; its size is its rows and columns.
impl Graph for Decomposition {
    fn parts(&self) -> u32 {
        self.subdomains()
    }

    #[inline(always)]
    fn neighbours(&self, part: SubdomainId) -> [Option<SubdomainId>; 4] {
        Self::neighbours(self, part)
    }

    #[inline(always)]
    fn back(&self, _: SubdomainId, link: usize) -> usize {
        Side::ALL.get(link).map_or(link, |side| side.opposite().index())
    }

    fn size(&self, part: SubdomainId) -> [u32; 2] {
        let GridSize { rows, columns } = self.rectangle(part).size;
        [rows, columns].map(|cells| u32::try_from(cells).unwrap_or(u32::MAX))
    }

    #[inline(always)]
    fn cells(&self, [rows, columns]: [u32; 2]) -> u64 {
        u64::from(rows) * u64::from(columns)
    }

    #[inline(always)]
    fn edge(&self, [rows, columns]: [u32; 2], link: usize) -> u32 {
        match Side::ALL.get(link) {
            Some(Side::Left | Side::Right) => rows,
            Some(Side::Top | Side::Bottom) | None => columns,
        }
    }

    fn diameter(&self) -> u64 {
        (u64::from(self.rows.parts()) + u64::from(self.columns.parts())).saturating_sub(2)
    }

    fn first_owner(&self, part: SubdomainId, _: &RunConfig) -> WorkerId {
        Self::first_owner(self, part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrangements_are_exact_and_nearest_to_square() {
        for (parts, expected) in
            [(0, (0, 0)), (1, (1, 1)), (2, (2, 1)), (6, (3, 2)), (7, (7, 1)), (36, (6, 6))]
        {
            let Arrangement { rows, columns } = arrangement(parts);
            assert_eq!((rows, columns), expected, "{parts}");
        }
        for parts in 1..500 {
            let Arrangement { rows, columns } = arrangement(parts);
            assert!(columns <= rows && rows * columns == parts, "{parts}");
            assert!((columns + 1..rows).all(|r| parts % r != 0 || r * r > parts), "{parts}");
        }
        assert_eq!(arrangement(u32::MAX), Arrangement { rows: 65_537, columns: 65_535 });
    }

    #[test]
    fn blocks_are_cut_into_rows_while_that_is_cheaper() {
        let cut = |parts, rows, columns| {
            let size = GridSize { rows, columns };
            cheapest_cut(parts, size, size)
        };
        assert_eq!(cut(4, 300, 300), Some((4, 1)));
        assert_eq!(cut(16, 300, 300), Some((8, 2)));
        assert_eq!(cut(4, 100, 2_000), Some((1, 4)));
        assert_eq!(cut(4, 2, 2), Some((2, 2)));
        assert_eq!(cut(9, 2, 50), Some((1, 9)));
        assert_eq!(cut(7, 6, 6), None);
        let (mean, low) = (GridSize { rows: 9, columns: 9 }, GridSize { rows: 3, columns: 9 });
        assert_eq!(cheapest_cut(4, mean, mean), Some((4, 1)));
        assert_eq!(cheapest_cut(4, mean, low), Some((2, 2)));
    }
}
