//! What is known of the convergence before a run.
//!
//! A matrix that is *weakly chained diagonally dominant* is a nonsingular H-matrix
//! (P. N. Shivakumar and K. H. Chew, *A sufficient condition for nonvanishing of determinants*,
//! Proc. AMS 43, 1974), for which restricted additive Schwarz converges in every order of its
//! updates. It has no row whose diagonal is less than the sum of the others, by magnitude, and a
//! chain of entries leads from every row to one whose diagonal is more. Laplacians with a boundary
//! are such matrices, and so is what an upwind scheme makes of convection. The transposed of an
//! H-matrix is one as well. The condition is sufficient, not necessary: a matrix without it may
//! converge or not.

use crate::rows::SparseRows;

/// Share of the diagonal up to which a difference is rounding.
const ROUNDING: f64 = 1e-12;

/// Whether the iteration is known to converge: the matrix, or its transposed, is weakly chained
/// diagonally dominant.
pub fn is_known_to_converge(matrix: &SparseRows) -> bool {
    let transposed = matrix.transposed();
    is_chained(matrix, &transposed) || is_chained(&transposed, matrix)
}

/// Whether the matrix is weakly chained diagonally dominant.
fn is_chained(matrix: &SparseRows, transposed: &SparseRows) -> bool {
    let mut is_reached = vec![false; matrix.len() as usize];
    let mut reached = Vec::new();
    for row in 0..matrix.len() {
        let (diagonal, others) = sides(matrix, row);
        if others > diagonal * (1.0 + ROUNDING) {
            return false;
        }
        if others < diagonal * (1.0 - ROUNDING) {
            reached.push(row);
        }
    }
    for &row in &reached {
        reach(&mut is_reached, row);
    }
    let mut number = reached.len();
    // Back along the chains.
    while let Some(row) = reached.pop() {
        for &before in transposed.columns(row) {
            if is_reached.get(before as usize) == Some(&false) {
                reach(&mut is_reached, before);
                reached.push(before);
                number += 1;
            }
        }
    }
    number == is_reached.len()
}

fn reach(is_reached: &mut [bool], row: u32) {
    is_reached.get_mut(row as usize).into_iter().for_each(|it| *it = true);
}

/// Returns the magnitude of a row's diagonal, and the sum of those of its other entries.
fn sides(matrix: &SparseRows, row: u32) -> (f64, f64) {
    matrix.row(row).fold((0.0, 0.0), |(diagonal, others), (column, value)| {
        let value = value.abs();
        if column == row { (value, others) } else { (diagonal, others + value) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of masses between springs; the first one is also bound to a wall by `wall`.
    fn springs(wall: f64, weight: f64) -> SparseRows {
        let entries = (0..9_u32).flat_map(|row| {
            let ends = u8::from(row == 0) + u8::from(row == 8);
            let diagonal = 2.0 - f64::from(ends) + if row == 0 { wall } else { 0.0 };
            let beside = [row.checked_sub(1), Some(row + 1).filter(|&to| to < 9)];
            let beside = beside.into_iter().flatten().map(move |to| (row, to, weight));
            beside.chain([(row, row, diagonal)])
        });
        SparseRows::new(9, entries.collect())
    }

    #[test]
    fn one_dominant_row_is_enough_where_chains_lead_to_it() {
        assert!(is_known_to_converge(&springs(0.1, -1.0)));
        assert!(is_known_to_converge(&springs(0.1, 1.0)), "the signs do not count");
        assert!(!is_known_to_converge(&springs(0.0, -1.0)), "singular");
        assert!(!is_known_to_converge(&springs(0.1, -1.001)));
        let apart = SparseRows::new(
            3,
            vec![(0, 0, 2.0), (1, 1, 1.0), (1, 2, 1.0), (2, 1, 1.0), (2, 2, 1.0)],
        );
        assert!(!is_known_to_converge(&apart), "no chain leads to row 0");
    }

    #[test]
    fn columns_may_be_dominant_in_place_of_rows() {
        let matrix = SparseRows::new(2, vec![(0, 0, 5.0), (0, 1, 9.0), (1, 0, 1.0), (1, 1, 10.0)]);
        assert!(is_known_to_converge(&matrix));
    }
}
