//! Checks that parts make up a grid: every cell is in exactly one part.

use std::collections::BTreeMap;

use tresse_core::field::grid::Rectangle;
use tresse_core::run::GridSize;

use super::error::Fault;
use super::reader::{columns_of, rows_of};

/// Refuses parts, none of them empty or beyond the grid, that overlap or leave cells out.
///
/// Goes through the rows with the columns that the parts have there: n log n for n parts.
pub(super) fn check(grid: GridSize, mut parts: Vec<Rectangle>) -> Result<(), Fault> {
    parts.sort_unstable_by_key(|part| part.first_row);
    let mut ends = parts.clone();
    ends.sort_unstable_by_key(|part| rows_of(part).end);
    let mut ends = ends.iter().peekable();
    // By first column, the end of the columns.
    let mut open: BTreeMap<usize, usize> = BTreeMap::new();
    let mut cells = 0_u128;
    for part in &parts {
        while let Some(ended) = ends.next_if(|ended| rows_of(ended).end <= part.first_row) {
            open.remove(&ended.first_column);
        }
        let columns = columns_of(part);
        let left = open.range(..=columns.start).next_back().map_or(0, |(_, &end)| end);
        let right = open.range(columns.clone()).next().map(|(&first, _)| first);
        let column = if left > columns.start { Some(columns.start) } else { right };
        if let Some(column) = column {
            return Err(Fault::Doubled { row: part.first_row, column });
        }
        open.insert(columns.start, columns.end);
        cells += part.size.rows as u128 * part.size.columns as u128;
    }
    // Without overlaps there are never more.
    let missing = (grid.rows as u128 * grid.columns as u128).saturating_sub(cells);
    if missing == 0 { Ok(()) } else { Err(Fault::Missing { cells: missing }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_all(parts: &[[usize; 4]]) -> Result<(), String> {
        let part = |&[first_row, first_column, rows, columns]: &[usize; 4]| {
            let size = GridSize { rows, columns };
            Rectangle { first_row, first_column, size }
        };
        let grid = GridSize { rows: 4, columns: 6 };
        check(grid, parts.iter().map(part).collect()).map_err(|fault| fault.to_string())
    }

    #[test]
    fn every_cell_is_to_be_there_once() {
        assert_eq!(check_all(&[[0, 0, 4, 6]]), Ok(()));
        assert_eq!(check_all(&[[2, 2, 2, 4], [0, 0, 2, 6], [2, 0, 2, 2]]), Ok(()));
        assert_eq!(check_all(&[[0, 0, 4, 3], [0, 3, 1, 3], [1, 3, 3, 2], [1, 5, 3, 1]]), Ok(()));
        for (parts, word) in [
            (&[][..], "lacks 24 cells"),
            (&[[0, 0, 4, 5]], "lacks 4 cells"),
            (&[[0, 0, 4, 6], [1, 5, 1, 1]], "row 1, column 5 twice"),
            (&[[0, 0, 3, 6], [2, 0, 2, 6]], "row 2, column 0 twice"),
            (&[[0, 0, 4, 4], [1, 2, 1, 4]], "row 1, column 2 twice"),
            (&[[0, 2, 4, 4], [1, 0, 1, 4]], "row 1, column 2 twice"),
            (&[[0, 0, 4, 6], [0, 0, 4, 6]], "row 0, column 0 twice"),
        ] {
            let refusal = check_all(parts).unwrap_err();
            assert!(refusal.contains(word), "{parts:?}: {refusal}");
        }
    }
}
