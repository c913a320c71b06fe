//! Interpolation by the operator (J. E. Dendy, *Black box multigrid*, 1982), and the operator of
//! the next coarser level that follows from it.

use super::operator::{Around, Operator, Size, row_of};
use crate::base::real::Real;

/// The 3 × 3 stencil of the interpolation Pᵀ at a cell of the coarser level: the share of its value
/// that the cell itself (in the middle, 1) and the eight around it have.
///
/// In single precision, as any weights near the best ones will do: the coarser operator follows
/// from these to the last digit.
pub type Weights = [[f32; 3]; 3];

/// Returns the weights of a cell of the coarser level, in row and column counted with the ring;
/// zero across directions that are not coarsened.
///
/// A finer cell between two coarse ones takes such shares of them that its own equation is solved,
/// with its neighbours across taken to have its value. A cell between four of them takes such
/// shares that its equation is solved with all that is around it.
pub fn weights<T: Real>(
    fine: &Operator<&[T]>,
    sizes: [Size; 2],
    row: usize,
    column: usize,
) -> Weights {
    best_weights(fine, sizes, row, column).map(|row| row.map(f32::from_f64))
}

/// Returns the weights of a cell of the coarser level in double precision. `sizes` are those of
/// both levels, rows and columns those of the coarser one, the ring counted.
fn best_weights<T: Real>(
    fine: &Operator<&[T]>,
    sizes: [Size; 2],
    row: usize,
    column: usize,
) -> Around {
    let [size, coarser] = sizes;
    let [by_rows, by_columns] = size.steps(coarser);
    let (middle, centre) = (by_rows * row, by_columns * column);
    let [top, bottom] = [middle - 1, middle + 1];
    let [left, right] = [centre - 1, centre + 1];
    let around = |row, column| fine.around(size, row, column);
    let [above, below] = [(top, 2), (bottom, 0)].map(|(row, towards)| {
        let [up, here, down] = around(row, centre);
        let sum: f64 = if towards == 2 { down } else { up }.iter().sum();
        let [before, own, after] = here;
        share(sum, own - before - after)
    });
    let [before, after] = [(left, 2), (right, 0)].map(|(column, towards)| {
        let here = around(middle, column);
        let sum: f64 =
            here.iter().map(|[before, _, after]| if towards == 2 { after } else { before }).sum();
        let [[_, up, _], [_, own, _], [_, down, _]] = here;
        share(sum, own - up - down)
    });
    // Of a corner: its coupling with the cell itself, with its neighbour in the row and with that
    // in the column.
    let corner = |around: Around, [down, right]: [bool; 2]| {
        let [up_row, [of_left, own, of_right], down_row] = around;
        let facing = if down { up_row } else { down_row };
        let [facing_left, facing_middle, facing_right] = facing;
        let (diagonal, beside) =
            if right { (facing_left, of_left) } else { (facing_right, of_right) };
        let (in_column, in_row) =
            (if right { after } else { before }, if down { below } else { above });
        share(diagonal + facing_middle * in_column + beside * in_row, own)
    };
    if by_columns == 1 {
        return [[0.0, above, 0.0], [0.0, 1.0, 0.0], [0.0, below, 0.0]];
    }
    if by_rows == 1 {
        return [[0.0; 3], [before, 1.0, after], [0.0; 3]];
    }
    [
        [
            corner(around(top, left), [false, false]),
            above,
            corner(around(top, right), [false, true]),
        ],
        [before, 1.0, after],
        [
            corner(around(bottom, left), [true, false]),
            below,
            corner(around(bottom, right), [true, true]),
        ],
    ]
}

/// Returns `part / whole`; 0 outside the grid, where nothing is coupled.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// Writes row `row` of the coarser level's operator: Pᵀ A P. P has `weights`, those of all cells of
/// the coarser level, row by row without a ring. `sizes` are those of the finer and the coarser
/// level, and `target` has one row of each array.
pub fn coarse_row<T: Real>(
    fine: &Operator<&[T]>,
    sizes: [Size; 2],
    weights: &[Weights],
    row: usize,
    target: &mut Operator<&mut [f32]>,
) {
    let [size, coarser] = sizes;
    let of = |row: usize, column: usize| {
        let is_inside =
            (1..=coarser.rows).contains(&row) && (1..=coarser.columns).contains(&column);
        weights
            .get(
                (row.wrapping_sub(1))
                    .wrapping_mul(coarser.columns)
                    .wrapping_add(column)
                    .wrapping_sub(1),
            )
            .filter(|_| is_inside)
    };
    let [by_rows, by_columns] = size.steps(coarser);
    for column in 1..=coarser.columns {
        let Some(own) = of(row, column) else { return };
        let product = product(fine, size, own, [by_rows * row, by_columns * column]);
        let with = |[down, right]: [usize; 2]| {
            let other = of((row + down).wrapping_sub(1), (column + right).wrapping_sub(1));
            let place = [by_rows * down + 2 - by_rows, by_columns * right + 2 - by_columns];
            other.map_or(0.0, |other| overlap(&product, other, place))
        };
        // What the operator has for this cell and all around it: zero away from the boundary, but
        // for the rounding of weights.
        let all = (0..3).flat_map(|down| (0..3).map(move |right| [down, right]));
        let beyond = all.map(with).sum();
        for (array, value) in [
            (&mut target.beyond, beyond),
            (&mut target.right, -with([1, 2])),
            (&mut target.below_left, -with([2, 0])),
            (&mut target.below, -with([2, 1])),
            (&mut target.below_right, -with([2, 2])),
        ] {
            if let Some(entry) = array.get_mut(column) {
                *entry = f32::from_f64(value);
            }
        }
    }
}

/// Returns one column of A·P, that of a cell of the coarser level, on the 5 × 5 finer cells around
/// it. Row and column are its place on the finer level. Off the diagonal, A has the negatives of
/// the couplings that the operator stores.
fn product<T: Real>(
    fine: &Operator<&[T]>,
    size: Size,
    weights: &Weights,
    [row, column]: [usize; 2],
) -> [[f64; 5]; 5] {
    let mut sums = [[0.0; 5]; 5];
    for (down, weights) in weights.iter().enumerate() {
        for (right, weight) in weights.iter().enumerate() {
            let around = fine.around(size, row + down - 1, column + right - 1);
            let rows = sums.iter_mut().skip(down).zip(around).enumerate();
            for (place_down, (sums, around)) in rows {
                for (place_right, (sum, entry)) in
                    sums.iter_mut().skip(right).zip(around).enumerate()
                {
                    let is_diagonal = (place_down, place_right) == (1, 1);
                    *sum += if is_diagonal { entry } else { -entry } * f64::from(*weight);
                }
            }
        }
    }
    sums
}

/// Returns one entry of Pᵀ A P: the dot product of `product`, a column of A·P, with the weights of
/// another coarser cell, which lies `down` rows and `right` columns from the first of the 5 × 5
/// cells.
fn overlap(product: &[[f64; 5]; 5], weights: &Weights, [down, right]: [usize; 2]) -> f64 {
    let mut sum = 0.0;
    for (place_down, weights) in weights.iter().enumerate() {
        let product = (down + place_down).checked_sub(1).and_then(|place| product.get(place));
        let Some(product) = product else { continue };
        for (place, weight) in weights.iter().enumerate() {
            let at = (right + place).checked_sub(1).and_then(|place| product.get(place));
            sum += at.copied().unwrap_or_default() * f64::from(*weight);
        }
    }
    sum
}

/// Restricts the residual to row `row` of the coarser level's right-hand side: Pᵀ r. `sizes` are
/// those of the finer and the coarser level. Rows include one ghost cell at each end; `weights` are
/// those of the row's cells.
pub fn restrict_row(
    residual: &[f64],
    sizes: [Size; 2],
    weights: &[Weights],
    row: usize,
    target: &mut [f64],
) {
    let [size, coarser] = sizes;
    let [by_rows, by_columns] = size.steps(coarser);
    let middle = by_rows * row;
    let rows = [middle - 1, middle, middle + 1].map(|row| row_of(residual, size, row));
    let targets = target.iter_mut().skip(1);
    for ((column, target), weights) in (1..).zip(targets).zip(weights) {
        let mut sum = 0.0;
        for (row, weights) in rows.iter().zip(weights) {
            let three = row.get(by_columns * column - 1..).and_then(|row| row.first_chunk::<3>());
            let Some(three) = three else { break };
            let products = three.iter().zip(weights);
            sum += products.map(|(value, weight)| value * f64::from(*weight)).sum::<f64>();
        }
        *target = sum;
    }
}

/// Adds to row `row` of the finer level, the ring counted, its share of the coarser level's
/// correction: P e. `sizes` are those of the finer and the coarser level.
pub fn interpolate_row(
    correction: &[f64],
    sizes: [Size; 2],
    weights: &[Weights],
    row: usize,
    target: &mut [f64],
) {
    let [size, coarser] = sizes;
    let [by_rows, by_columns] = size.steps(coarser);
    let is_between = !row.is_multiple_of(by_rows);
    let near = row / by_rows;
    for (coarse, place) in if is_between { [(near, 2), (near + 1, 0)] } else { [(near, 1), (0, 1)] }
    {
        if coarse == 0 || coarse > coarser.rows {
            continue;
        }
        let start = (coarse - 1) * coarser.columns;
        let weights = weights.get(start..).unwrap_or_default();
        let values = row_of(correction, coarser, coarse).iter().skip(1).take(coarser.columns);
        for ((column, value), weights) in (1..).zip(values).zip(weights) {
            let three = target
                .get_mut(by_columns * column - 1..)
                .and_then(|row| row.first_chunk_mut::<3>());
            let (Some(three), Some(weights)) = (three, weights.get(place)) else { break };
            for (target, weight) in three.iter_mut().zip(weights) {
                *target += f64::from(*weight) * value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec;
    use std::vec::Vec;

    use super::*;

    /// The operator of a coefficient of 1 on a grid of 7 x 7 cells, the coupling below one row
    /// apart from that.
    fn operator(size: Size, below_second_row: f64) -> Operator<Vec<f64>> {
        let array = |value: &dyn Fn(usize, usize) -> f64| {
            let cells = (0..size.rows + 2)
                .flat_map(|row| (0..size.stride()).map(move |column| (row, column)));
            cells.map(|(row, column)| value(row, column)).collect::<Vec<_>>()
        };
        let below = |row: usize| if row == 2 { below_second_row } else { 1.0 };
        let none = Vec::new;
        Operator {
            beyond: none(),
            right: array(&|row, _| if (1..=size.rows).contains(&row) { 1.0 } else { 0.0 }),
            below_left: none(),
            below: array(&|row, column| {
                if (1..=size.columns).contains(&column) { below(row) } else { 0.0 }
            }),
            below_right: none(),
        }
    }

    fn lent(operator: &Operator<Vec<f64>>) -> Operator<&[f64]> {
        let Operator { beyond, right, below_left, below, below_right } = operator;
        Operator { beyond, right, below_left, below, below_right }
    }

    const SIZE: Size = Size { rows: 7, columns: 7 };

    #[test]
    fn without_jumps_the_interpolation_is_bilinear_and_the_levels_are_known() {
        let fine = operator(SIZE, 1.0);
        let coarser = Size { rows: 3, columns: 3 };
        let of_cells: Vec<_> = (0..9)
            .map(|cell| weights(&lent(&fine), [SIZE, coarser], cell / 3 + 1, cell % 3 + 1))
            .collect();
        let bilinear = [[0.25, 0.5, 0.25], [0.5, 1.0, 0.5], [0.25, 0.5, 0.25]];
        let bits = |weights: &Weights| weights.map(|row| row.map(f32::to_bits));
        assert!(of_cells.iter().all(|weights| bits(weights) == bits(&bilinear)), "{of_cells:?}");
        // Of stiffness ½, 1, ½ and mass ¼, 1½, ¼ along each direction.
        let mut rows = [(); 5].map(|()| vec![0.0; coarser.stride()]);
        let [beyond, right, below_left, below, below_right] =
            rows.each_mut().map(|row| &mut row[..]);
        let mut target = Operator { beyond, right, below_left, below, below_right };
        coarse_row(&lent(&fine), [SIZE, coarser], &of_cells, 2, &mut target);
        let entries = rows.each_ref().map(|row| row.get(2).copied().unwrap());
        assert_eq!(entries.map(f32::to_bits), [0.0, 0.5, 0.25, 0.5, 0.25].map(f32::to_bits));
        // On the right boundary are couplings of ½ and twice ¼ with cells that are not there.
        // Minus zero, for who is not there, is zero, too.
        let beyond = rows.each_ref().map(|row| row.get(3).copied().unwrap() + 0.0);
        assert_eq!(beyond.map(f32::to_bits), [1.0, 0.0, 0.25, 0.5, 0.0].map(f32::to_bits));
    }

    #[test]
    fn what_is_between_two_cells_follows_the_one_that_it_conducts_to() {
        // Cell 3 of a column is between 2 and 4; its coupling with the former is 3.
        let fine = operator(SIZE, 3.0);
        let coarser = Size { rows: 3, columns: 3 };
        let [upper, lower] = [1, 2].map(|row| weights(&lent(&fine), [SIZE, coarser], row, 2));
        let below_and_above = [upper[2][1], lower[0][1]];
        assert_eq!(below_and_above.map(f32::to_bits), [0.75, 0.25].map(f32::to_bits));
    }
}
