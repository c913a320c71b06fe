//! A square sparse matrix in compressed sparse rows.

use std::ops::Range;

/// An entry: row, column and value; rows and columns are counted from 0.
pub type Entry = (u32, u32, f64);

/// A square matrix, row after row. The columns of a row are in ascending order, and none is there
/// twice; those of a block are in the order of the whole matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseRows {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl SparseRows {
    /// Returns the matrix with this number of rows and these entries, in any order. Entries of one
    /// place are summed, and a sum of 0 is no entry. Entries beyond the matrix are left out.
    pub fn new(rows: u32, mut entries: Vec<Entry>) -> Self {
        entries.retain(|&(row, column, _)| row.max(column) < rows);
        // Stable, so that a sum does not depend on how entries are sorted.
        entries.sort_by_key(|&(row, column, _)| (row, column));
        entries.dedup_by(|next, kept| {
            let is_same = (next.0, next.1) == (kept.0, kept.1);
            if is_same {
                kept.2 += next.2;
            }
            is_same
        });
        entries.retain(|&(_, _, value)| value != 0.0);
        let starts = (0..=rows).map(|row| entries.partition_point(|entry| entry.0 < row)).collect();
        let (columns, values) =
            entries.into_iter().map(|(_, column, value)| (column, value)).unzip();
        Self { starts, columns, values }
    }

    /// Returns rows of these columns and values, in the order in which they come.
    pub(crate) fn in_order(rows: impl IntoIterator<Item = Vec<(u32, f64)>>) -> Self {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in rows {
            columns.extend(row.iter().map(|&(column, _)| column));
            values.extend(row.iter().map(|&(_, value)| value));
            starts.push(values.len());
        }
        Self { starts, columns, values }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> u32 {
        u32::try_from(self.starts.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of entries.
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// Returns the columns of a row; none of a row that does not exist.
    pub fn columns(&self, row: u32) -> &[u32] {
        self.columns.get(self.range(row)).unwrap_or_default()
    }

    /// Returns the columns and values of a row.
    pub fn row(&self, row: u32) -> impl Iterator<Item = (u32, f64)> + '_ {
        let values = self.values.get(self.range(row)).unwrap_or_default();
        self.columns(row).iter().copied().zip(values.iter().copied())
    }

    /// Returns all entries, row after row.
    pub fn iter(&self) -> impl Iterator<Item = Entry> + '_ {
        (0..self.len())
            .flat_map(|row| self.row(row).map(move |(column, value)| (row, column, value)))
    }

    /// Returns the product of a row and a vector, summed in the order of the columns.
    pub fn product(&self, row: u32, vector: &[f64]) -> f64 {
        let value = |column: u32| vector.get(column as usize).copied().unwrap_or(0.0);
        self.row(row).map(|(column, weight)| weight * value(column)).sum()
    }

    /// Returns the transposed matrix.
    #[must_use]
    pub fn transposed(&self) -> Self {
        Self::new(
            self.len(),
            self.iter().map(|(row, column, value)| (column, row, value)).collect(),
        )
    }

    /// Returns the entry of a place, or 0.
    pub(crate) fn value(&self, row: usize, column: usize) -> f64 {
        let mut entries = self.row(u32::try_from(row).unwrap_or(u32::MAX));
        entries.find(|(to, _)| *to as usize == column).map_or(0.0, |(_, value)| value)
    }

    /// Returns the matrix with each row multiplied by its scale.
    pub(crate) fn scaled(&self, scales: &[f64]) -> Self {
        let rows = (0..self.len()).zip(scales);
        Self::in_order(
            rows.map(|(row, by)| {
                self.row(row).map(|(column, value)| (column, value * by)).collect()
            }),
        )
    }

    /// Returns the graph of the matrix and its transposed: an entry, whatever its value, where
    /// either of them has one.
    #[must_use]
    pub fn graph(&self) -> Self {
        let both = |(row, column, _)| [(row, column, 1.0), (column, row, 1.0)];
        Self::new(self.len(), self.iter().flat_map(both).collect())
    }

    fn range(&self, row: u32) -> Range<usize> {
        let start = |row: usize| self.starts.get(row).copied().unwrap_or(self.columns.len());
        start(row as usize)..start(row as usize + 1)
    }
}

/// Returns the l2 norm of the residual b − A x.
pub fn residual_norm(matrix: &SparseRows, rhs: &[f64], solution: &[f64]) -> f64 {
    let of_row = |(row, rhs): (u32, &f64)| rhs - matrix.product(row, solution);
    norm((0..).zip(rhs).map(of_row))
}

/// Returns the l2 norm of a vector.
pub fn norm(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().map(|value| value * value).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_one_place_are_summed() {
        let entries =
            [(1, 0, 2.0), (0, 1, 1.0), (1, 0, 3.0), (0, 0, 4.0), (1, 1, 1.0), (1, 1, -1.0)];
        let matrix = SparseRows::new(2, entries.to_vec());
        let rows = [0, 1, 2].map(|row| matrix.row(row).collect::<Vec<_>>());
        assert_eq!(rows, [vec![(0, 4.0), (1, 1.0)], vec![(0, 5.0)], vec![]]);
        assert_eq!(
            matrix.transposed().iter().collect::<Vec<_>>(),
            [(0, 0, 4.0), (0, 1, 5.0), (1, 0, 1.0)]
        );
        assert_eq!(matrix.graph().entries(), 3);
        let norm = residual_norm(&matrix, &[4.0, 5.0], &[1.0, 3.0]);
        assert!((norm - 3.0).abs() < 1e-15, "{norm}");
    }
}
