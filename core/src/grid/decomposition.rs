//! Cutting the grid into a regular arrangement of subdomains.

use super::Side;
use crate::id::{SubdomainId, WorkerId};
use crate::run::{ConfigError, GridSize, RunConfig};

/// Rows and columns of an arrangement of exactly `parts` parts, as near to square as possible,
/// never more columns than rows, whose edges are dear: 2 → 2 × 1, 4 → 2 × 2, 36 → 6 × 6;
/// 0 → 0 × 0.
///
/// Workers stand on the grid so.
pub fn arrangement(parts: u32) -> (u32, u32) {
    (1..=parts.isqrt())
        .rev()
        .find(|&columns| parts.checked_rem(columns) == Some(0))
        .map_or((0, 0), |columns| (parts.checked_div(columns).unwrap_or(0), columns))
}

/// The cells of one subdomain within the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its first row.
    pub first_row: usize,
    /// Its first column.
    pub first_column: usize,
    /// Its rows and columns.
    pub size: GridSize,
}

/// What it costs to exchange a cell of a column, compared with one of a row: the cells of a row
/// lie side by side in memory, those of a column each on a cache line of its own.
const COLUMN_COST: u64 = 4;

/// Rows and columns of the cheapest cut of a part of `size` cells into `parts`; none where there
/// are not enough cells. Ties go to more rows.
fn cheapest_cut(parts: u32, size: GridSize) -> Option<(u32, u32)> {
    let fits = |&(rows, columns): &(u32, u32)| {
        rows as usize <= size.rows && columns as usize <= size.columns
    };
    let cost = |&(rows, columns): &(u32, u32)| {
        let across = u64::from(rows).saturating_mul(size.columns as u64);
        let down = u64::from(columns).saturating_mul(size.rows as u64);
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
/// Each worker starts with a block of neighbouring subdomains. The workers' blocks lie in the
/// [`arrangement`] of their number; a block is cut so that exchanging its edges costs least, which
/// is mostly into strips of whole rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decomposition {
    grid: GridSize,
    rows: u32,
    columns: u32,
    block_rows: u32,
    block_columns: u32,
}

impl Decomposition {
    /// Cuts `config.grid` for its workers and split; every subdomain has at least one cell.
    pub fn new(config: &RunConfig) -> Result<Self, ConfigError> {
        let (worker_rows, worker_columns) = arrangement(config.workers);
        let too_many =
            ConfigError::TooManySubdomains { subdomains: config.subdomains(), grid: config.grid };
        let part = |cells: usize, workers: u32| cells.checked_div(workers as usize).unwrap_or(0);
        let block = GridSize {
            rows: part(config.grid.rows, worker_rows),
            columns: part(config.grid.columns, worker_columns),
        };
        let (block_rows, block_columns) = cheapest_cut(config.split, block).ok_or(too_many)?;
        let rows = worker_rows.checked_mul(block_rows).ok_or(too_many)?;
        let columns = worker_columns.checked_mul(block_columns).ok_or(too_many)?;
        rows.checked_mul(columns).ok_or(too_many)?;
        Ok(Self { grid: config.grid, rows, columns, block_rows, block_columns })
    }

    /// The grid that is cut.
    pub const fn grid(&self) -> GridSize {
        self.grid
    }

    /// Subdomains in all.
    pub const fn subdomains(&self) -> u32 {
        self.rows * self.columns
    }

    /// Every subdomain in ascending order.
    pub fn ids(&self) -> impl Iterator<Item = SubdomainId> + use<> {
        (0..self.subdomains()).map(SubdomainId)
    }

    /// The cells of a subdomain; empty for one that does not exist.
    pub fn part(&self, id: SubdomainId) -> Part {
        let (row, column) = self.place(id);
        let (first_row, rows) = cut(self.grid.rows, row, self.rows);
        let (first_column, columns) = cut(self.grid.columns, column, self.columns);
        Part { first_row, first_column, size: GridSize { rows, columns } }
    }

    /// The subdomain beyond a side; none at the boundary of the grid.
    pub fn neighbour(&self, id: SubdomainId, side: Side) -> Option<SubdomainId> {
        let (row, column) = self.place(id);
        let (row, column) = match side {
            Side::Top => (row.checked_sub(1)?, column),
            Side::Bottom => (row + 1, column),
            Side::Left => (row, column.checked_sub(1)?),
            Side::Right => (row, column + 1),
        };
        (row < self.rows && column < self.columns).then(|| SubdomainId(row * self.columns + column))
    }

    /// The worker that a subdomain starts with.
    pub fn first_owner(&self, id: SubdomainId) -> WorkerId {
        let (row, column) = self.place(id);
        let across = self.columns.checked_div(self.block_columns).unwrap_or(1);
        let worker_row = row.checked_div(self.block_rows).unwrap_or(0);
        let worker_column = column.checked_div(self.block_columns).unwrap_or(0);
        WorkerId(worker_row * across + worker_column)
    }

    fn place(&self, id: SubdomainId) -> (u32, u32) {
        let row = id.0.checked_div(self.columns).unwrap_or(0);
        let column = id.0.checked_rem(self.columns).unwrap_or(0);
        (row, column)
    }
}

/// Start and length of part `index` of `parts` nearly equal ones.
fn cut(length: usize, index: u32, parts: u32) -> (usize, usize) {
    let at = |index: u32| {
        let product = length as u128 * u128::from(index.min(parts));
        product.checked_div(u128::from(parts)).and_then(|at| usize::try_from(at).ok()).unwrap_or(0)
    };
    let start = at(index);
    (start, at(index.saturating_add(1)).saturating_sub(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrangements_are_exact_and_nearest_to_square() {
        for (parts, expected) in
            [(0, (0, 0)), (1, (1, 1)), (2, (2, 1)), (6, (3, 2)), (7, (7, 1)), (36, (6, 6))]
        {
            assert_eq!(arrangement(parts), expected, "{parts}");
        }
        for parts in 1..500 {
            let (rows, columns) = arrangement(parts);
            assert!(columns <= rows && rows * columns == parts, "{parts}");
            assert!((columns + 1..rows).all(|r| parts % r != 0 || r * r > parts), "{parts}");
        }
        assert_eq!(arrangement(u32::MAX), (65_537, 65_535));
    }

    #[test]
    fn blocks_are_cut_into_rows_while_that_is_cheaper() {
        let cut = |parts, rows, columns| cheapest_cut(parts, GridSize { rows, columns });
        assert_eq!(cut(4, 300, 300), Some((4, 1)));
        assert_eq!(cut(16, 300, 300), Some((8, 2)));
        assert_eq!(cut(4, 100, 2_000), Some((1, 4)));
        assert_eq!(cut(4, 2, 2), Some((2, 2)));
        assert_eq!(cut(9, 2, 50), Some((1, 9)));
        assert_eq!(cut(7, 6, 6), None);
    }

    #[test]
    fn parts_cover_a_length_without_gap_or_overlap() {
        for (length, parts) in [(10, 3), (7, 7), (600, 8), (5, 1)] {
            let mut next = 0;
            for index in 0..parts {
                let (start, size) = cut(length, index, parts);
                assert_eq!(start, next);
                assert!(size > 0);
                next = start + size;
            }
            assert_eq!(next, length);
        }
    }
}
