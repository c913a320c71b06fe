//! The grid: how it is cut, and what surrounds it.

pub mod boundary;

pub use boundary::{Side, gaussian};

/// Rows and columns of an arrangement of exactly `parts` parts, as near to square as possible,
/// never more rows than columns: 2 → 1 × 2, 4 → 2 × 2, 36 → 6 × 6; 0 → 0 × 0.
///
/// Workers stand on the grid so, and the subdomains of a worker on its part of the grid.
pub fn arrangement(parts: u32) -> (u32, u32) {
    (1..=parts.isqrt())
        .rev()
        .find(|&rows| parts.checked_rem(rows) == Some(0))
        .map_or((0, 0), |rows| (rows, parts.checked_div(rows).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::arrangement;

    #[test]
    fn arrangements_are_exact_and_nearest_to_square() {
        for (parts, expected) in
            [(0, (0, 0)), (1, (1, 1)), (2, (1, 2)), (6, (2, 3)), (7, (1, 7)), (36, (6, 6))]
        {
            assert_eq!(arrangement(parts), expected, "{parts}");
        }
        for parts in 1..500 {
            let (rows, columns) = arrangement(parts);
            assert!(rows <= columns && rows * columns == parts, "{parts}");
            assert!((rows + 1..columns).all(|r| parts % r != 0 || r * r > parts), "{parts}");
        }
        assert_eq!(arrangement(u32::MAX), (65_535, 65_537));
    }
}
