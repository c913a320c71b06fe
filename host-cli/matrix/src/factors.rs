//! Direct factors of a sparse block.
//!
//! They are those of `rsparse`, which is Davis's `CSparse` in Rust: approximate minimum degree,
//! then Cholesky where the block is symmetric and positive definite, otherwise LU with threshold
//! pivoting. On a 3D Laplacian of 20³ rows Cholesky takes a third of the time of LU and half of its
//! memory. `faer` would be quicker on large blocks, and compiles for a minute and a half;
//! `sprs-ldl` knows symmetric blocks only.

use rsparse::data::{Nmrc, Sprs, Symb};

use crate::rows::SparseRows;

/// Threshold of pivoting: the diagonal is taken where it is at least this share of the column's
/// largest candidate, which keeps the order that was chosen for few entries.
const PIVOTING: f64 = 0.1;

/// Order of elimination: as given, or approximate minimum degree of A + Aᵀ.
const NATURAL: i8 = -1;
const MINIMUM_DEGREE: i8 = 0;

/// Rows up to which the order does not matter, and `rsparse` does not look for one.
const FEW: usize = 3;

/// The block is singular to working precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Singular;

/// The factors of a block. Those of LU are of rows that are scaled by powers of two to entries of
/// about 1: a system is the same however its equations are scaled.
#[derive(Debug)]
pub struct Factors {
    /// The scale of each row; none where there are none.
    scales: Option<Vec<f64>>,
    lower: Sprs<f64>,
    /// None where it is the transposed of the lower one.
    upper: Option<Sprs<f64>>,
    /// Where each number of a right-hand side goes before the triangular solves.
    before: Vec<usize>,
    /// Where each number of the solution is after them.
    after: Vec<usize>,
}

impl Factors {
    /// Factorises a block.
    pub fn new(block: &SparseRows) -> Result<Self, Singular> {
        let transposed = block.transposed();
        if transposed == *block {
            let columns = compressed_columns(&transposed);
            if let Some(factors) = Self::cholesky(&columns) {
                let diagonal = |column: usize| block.value(column, column).abs();
                return factors.unless_singular(&columns, diagonal);
            }
        }
        let scales: Vec<f64> = (0..block.len()).map(|row| scale(block, row)).collect();
        let even = block.scaled(&scales);
        let columns = compressed_columns(&even.transposed());
        let factors = Self { scales: Some(scales), ..Self::lu(&columns)? };
        factors.unless_singular(&columns, |column| largest(column_of(&columns, column)))
    }

    /// Returns Cholesky's factor; none where the block is not positive definite.
    fn cholesky(block: &Sprs<f64>) -> Option<Self> {
        let mut symbolic = rsparse::schol(block, order(block));
        let Nmrc { l: lower, .. } = rsparse::chol(block, &mut symbolic).ok()?;
        let places = places(symbolic.pinv.as_deref(), block.n);
        Some(Self { scales: None, lower, upper: None, before: places.clone(), after: places })
    }

    fn lu(block: &Sprs<f64>) -> Result<Self, Singular> {
        let mut symbolic: Symb = rsparse::sqr(block, order(block), false);
        let numeric = rsparse::lu(block, &mut symbolic, PIVOTING).map_err(|_| Singular)?;
        let before = places(numeric.pinv.as_deref(), block.n);
        let mut after = vec![0; block.n];
        for (place, column) in places(symbolic.q.as_deref(), block.n).into_iter().enumerate() {
            after.get_mut(column).into_iter().for_each(|after| *after = place);
        }
        Ok(Self { scales: None, lower: numeric.l, upper: Some(numeric.u), before, after })
    }

    /// Refuses a block of which a pivot is rounding beside the `size` of its column, or no number.
    fn unless_singular(
        self,
        block: &Sprs<f64>,
        size: impl Fn(usize) -> f64,
    ) -> Result<Self, Singular> {
        let rounding = f64::EPSILON * block.n as f64;
        let is_singular = (0..block.n).any(|column| {
            let place = self.after.get(column).copied().unwrap_or(0);
            let pivot = match &self.upper {
                Some(upper) => column_of(upper, place).next_back().unwrap_or(0.0).abs(),
                None => column_of(&self.lower, place).next().unwrap_or(0.0).powi(2),
            };
            !pivot.is_finite() || pivot <= rounding * size(column)
        });
        if is_singular { Err(Singular) } else { Ok(self) }
    }

    /// Returns the number of entries of the factors.
    pub fn entries(&self) -> usize {
        self.lower.x.len() + self.upper.as_ref().unwrap_or(&self.lower).x.len()
    }

    /// Solves in place; `scratch` has as many numbers as the block has rows.
    pub fn solve(&self, vector: &mut [f64], scratch: &mut [f64]) {
        for (value, scale) in vector.iter_mut().zip(self.scales.iter().flatten()) {
            *value *= scale;
        }
        for (&place, &value) in self.before.iter().zip(&*vector) {
            scratch.get_mut(place).into_iter().for_each(|to| *to = value);
        }
        rsparse::lsolve(&self.lower, scratch);
        match &self.upper {
            Some(upper) => rsparse::usolve(upper, scratch),
            None => rsparse::ltsolve(&self.lower, scratch),
        }
        for (value, &place) in vector.iter_mut().zip(&self.after) {
            *value = scratch.get(place).copied().unwrap_or(0.0);
        }
    }
}

/// Returns the power of two that brings the largest entry of a row to about 1.
fn scale(block: &SparseRows, row: u32) -> f64 {
    let largest = largest(block.row(row).map(|(_, value)| value));
    // A power of two beyond the normal ones would lose bits.
    let exponent = if largest > 0.0 { -largest.log2().floor() } else { 0.0 };
    exponent.clamp(-1_000.0, 1_000.0).exp2()
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |most: f64, value| most.max(value.abs()))
}

/// Returns the columns of a matrix as `rsparse` has them; they are the rows of the transposed one.
fn compressed_columns(transposed: &SparseRows) -> Sprs<f64> {
    let (size, entries) = (transposed.len() as usize, transposed.entries());
    let (mut p, mut i, mut x) = (vec![0], Vec::with_capacity(entries), Vec::with_capacity(entries));
    for column in 0..transposed.len() {
        for (row, value) in transposed.row(column) {
            i.push(row as usize);
            x.push(value);
        }
        p.push(x.len().cast_signed());
    }
    Sprs { nzmax: entries, m: size, n: size, p, i, x }
}

const fn order(block: &Sprs<f64>) -> i8 {
    if block.n <= FEW { NATURAL } else { MINIMUM_DEGREE }
}

/// Returns the places that a permutation of `rsparse` has; without one all stay where they are.
fn places(permutation: Option<&[isize]>, size: usize) -> Vec<usize> {
    match permutation {
        None => (0..size).collect(),
        Some(places) => places.iter().take(size).map(|&place| place.unsigned_abs()).collect(),
    }
}

/// Returns the values of a column.
fn column_of(matrix: &Sprs<f64>, column: usize) -> impl DoubleEndedIterator<Item = f64> + '_ {
    let start = |column: usize| matrix.p.get(column).map_or(0, |place| place.unsigned_abs());
    matrix.x.get(start(column)..start(column + 1)).unwrap_or_default().iter().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factors(dense: &[Vec<f64>]) -> Result<Factors, Singular> {
        let of_row = |(row, values): (u32, &Vec<f64>)| {
            let entries: Vec<_> =
                (0..).zip(values).map(|(column, value)| (row, column, *value)).collect();
            entries
        };
        let entries = (0..).zip(dense).flat_map(of_row).collect();
        Factors::new(&SparseRows::new(u32::try_from(dense.len()).unwrap(), entries))
    }

    #[test]
    fn blocks_of_every_size_and_kind_are_solved() {
        for size in 1..20_usize {
            for (kind, above, below) in [(0, -1.0, -1.0), (1, -2.0, -0.5), (2, 3.0, 3.0)] {
                let dense: Vec<Vec<f64>> = (0..size)
                    .map(|row| {
                        (0..size)
                            .map(|column| match column.abs_diff(row) {
                                0 => 2.5,
                                1 | 3 if column > row => above,
                                1 | 3 => below,
                                _ => 0.0,
                            })
                            .collect()
                    })
                    .collect();
                let known: Vec<f64> = (0..size).map(|row| 1.0 + row as f64).collect();
                let product = |row: &Vec<f64>| row.iter().zip(&known).map(|(a, x)| a * x).sum();
                let mut vector: Vec<f64> = dense.iter().map(product).collect();
                let factors = factors(&dense).unwrap_or_else(|_| panic!("{kind} {size}"));
                factors.solve(&mut vector, &mut vec![0.0; size]);
                let far = vector.iter().zip(&known).map(|(found, known)| (found - known).abs());
                assert!(far.fold(0.0, f64::max) < 1e-9 * size as f64, "{kind} {size}: {vector:?}");
            }
        }
    }

    #[test]
    fn singular_blocks_are_refused() {
        for dense in [
            vec![vec![0.0]],
            vec![vec![1.0, 2.0], vec![2.0, 4.0]],
            vec![vec![1.0, 3.0], vec![2.0, 6.0]],
            vec![vec![1.0, -1.0, 0.0], vec![-1.0, 2.0, -1.0], vec![0.0, -1.0, 1.0]],
            vec![
                vec![0.1, 0.3, 0.0, 0.2],
                vec![0.3, 0.9, 0.0, 0.6],
                vec![0.0, 0.0, 1.0, 0.0],
                vec![0.2, 0.6, 0.0, 5.0],
            ],
        ] {
            assert_eq!(factors(&dense).err(), Some(Singular), "{dense:?}");
        }
    }

    /// Only its scales are far apart.
    #[test]
    fn a_block_is_not_singular_because_its_equations_are_scaled() {
        assert!(factors(&[vec![1e-30, 0.0], vec![0.0, 1e30]]).is_ok());
        let chain = |one: f64, other: f64, size: usize| -> Vec<Vec<f64>> {
            let value = |row: usize, column: usize| match row.abs_diff(column) {
                0 => 2.0,
                1 if column > row => -1.0,
                1 => -0.9,
                _ => 0.0,
            };
            let scale = |row| if row % 2 == 0 { one } else { other };
            let row = |row| (0..size).map(|column| scale(row) * value(row, column)).collect();
            (0..size).map(row).collect()
        };
        let mut expected = vec![1.0; 8];
        factors(&chain(1.0, 1.0, 8)).unwrap().solve(&mut expected, &mut [0.0; 8]);
        let (one, other) = (2.0_f64.powi(90), 2.0_f64.powi(-80));
        let mut found: Vec<_> = (0..8).map(|row| if row % 2 == 0 { one } else { other }).collect();
        factors(&chain(one, other, 8)).unwrap().solve(&mut found, &mut [0.0; 8]);
        assert_eq!(found, expected);
        // Symmetric and positive definite: rows and columns.
        let scale = |row: usize| 2.0_f64.powi([0, 60, -70][row % 3]);
        let dense: Vec<Vec<f64>> = (0..6_usize)
            .map(|row| {
                let value = |column: usize| [2.0, -1.0].get(row.abs_diff(column)).unwrap_or(&0.0);
                (0..6).map(|column| scale(row) * value(column) * scale(column)).collect()
            })
            .collect();
        assert!(factors(&dense).is_ok_and(|factors| factors.upper.is_none()));
    }
}
