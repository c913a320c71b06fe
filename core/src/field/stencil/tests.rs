//! Against loops over indices, written down from the formula.

extern crate std;

use self::std::vec;
use self::std::vec::Vec;

use super::{
    Faces, Kernel as _, Layout, Portable, Real, RowWeights, SumOfSquares, Terms,
    relax_row_and_square, relax_weighted_row, relax_weighted_row_and_square,
    residual_sum_of_squares, sweep_with_residual,
};

/// Miri is some hundred times slower; it sees every path in the first of them.
const SIZES: &[(usize, usize)] =
    if cfg!(miri) { SIZES_ALL.first_chunk::<6>().unwrap() } else { &SIZES_ALL };
const SIZES_ALL: [(usize, usize); 14] = [
    (1, 1),
    (1, 17),
    (17, 1),
    // A whole number of lanes.
    (4, 16),
    // Together with a halo cell a whole number of lanes.
    (3, 15),
    (7, 13),
    (2, 31),
    // A block, and one with less than a number a lane behind it.
    (2, 1024),
    (2, 1030),
    (3, 1100),
    (31, 33),
    (3, 254),
    (40, 5000),
    (150, 150),
];

/// Returns a value for every cell, different everywhere, from a small generator.
fn values<F: Real>(count: usize, mut state: u64) -> Vec<F> {
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        F::from_f64((state >> 40) as f64 / 16_777_216.0 - 0.25)
    };
    (0..count).map(|_| draw()).collect()
}

/// A dense grid, ring included, and the same in a buffer whose padding is NaN.
struct Case<F> {
    layout: Layout,
    dense: Vec<F>,
    cells: Vec<F>,
    source: Vec<F>,
    /// Weights of the faces above the cells, row by row, those below the last row as one more.
    above: Vec<Vec<F>>,
    /// Weights of the faces to the left of the cells, row by row, with one more at the end of each.
    left: Vec<Vec<F>>,
    /// The same in a layout, and NaN elsewhere.
    faces: Faces<Vec<F>>,
}

/// The new value of a cell, its residual before in its own type, and in double precision.
struct Naive<F> {
    new: F,
    residual: F,
    exact: f64,
}

impl<F: Real> Case<F> {
    fn new((rows, columns): (usize, usize)) -> Self {
        Self::in_layout(Layout::new(rows, columns).unwrap())
    }

    fn at_the_upper_place(&self) -> Self {
        Self::in_layout(self.layout.swept())
    }

    fn in_layout(layout: Layout) -> Self {
        let (rows, columns) = (layout.rows(), layout.columns());
        let dense = values((rows + 2) * (columns + 2), 1);
        let mut cells = vec![F::from_f64(f64::NAN); layout.len()];
        let at = |row: usize, column: usize| dense[row * (columns + 2) + column];
        for row in 0..rows {
            for (column, cell) in layout.row_mut(&mut cells, row).iter_mut().enumerate() {
                *cell = at(row + 1, column + 1);
            }
        }
        for (column, cell) in layout.top_mut(&mut cells).iter_mut().enumerate() {
            *cell = at(0, column + 1);
        }
        for (column, cell) in layout.bottom_mut(&mut cells).iter_mut().enumerate() {
            *cell = at(rows + 1, column + 1);
        }
        layout.left_mut(&mut cells).enumerate().for_each(|(row, cell)| *cell = at(row + 1, 0));
        let right = layout.right_mut(&mut cells).enumerate();
        right.for_each(|(row, cell)| *cell = at(row + 1, columns + 1));
        let (source, weights) = (values(layout.len(), 2), Weights::new(rows, columns));
        let faces = weights.in_layout(&layout.at_start());
        let Weights { above, left } = weights;
        Self { layout, dense, cells, source, above, left, faces }
    }

    fn terms(&self, with_source: bool, with_faces: bool) -> Terms<&[F]> {
        let Faces { vertical, horizontal } = &self.faces;
        Terms {
            source: with_source.then_some(&self.source),
            faces: with_faces.then_some(Faces { vertical, horizontal }),
        }
    }

    /// Returns what becomes of every interior cell.
    fn naive(&self, with_source: bool, with_faces: bool) -> Vec<Naive<F>> {
        let width = self.layout.columns() + 2;
        let mut result = Vec::new();
        for row in 0..self.layout.rows() {
            for column in 0..self.layout.columns() {
                let centre = (row + 1) * width + column + 1;
                let around =
                    [centre - width, centre + width, centre - 1, centre + 1].map(|i| self.dense[i]);
                let weights = if with_faces {
                    let (above, left) = (&self.above, &self.left[row]);
                    [above[row][column], above[row + 1][column], left[column], left[column + 1]]
                } else {
                    [F::from_f64(1.0); 4]
                };
                let source = self.layout.at_start().row(&self.source, row)[column];
                let source = with_source.then_some(source);
                result.push(naive(around, weights, source, self.dense[centre]));
            }
        }
        result
    }
}

/// Returns what becomes of a cell, in the order of up, down, left and right.
fn naive<F: Real>(around: [F; 4], weights: [F; 4], source: Option<F>, old: F) -> Naive<F> {
    let pairs = |values: [F; 4]| (values[0] + values[1]) + (values[2] + values[3]);
    let products = [0, 1, 2, 3].map(|side| weights[side] * around[side]);
    let in_double = |value: F| value.to_f64();
    let exact = [0, 1, 2, 3].map(|side| weights[side].to_f64() * around[side].to_f64());
    let weight = pairs(weights);
    let (mut sum, mut exact) = (pairs(products), (exact[0] + exact[1]) + (exact[2] + exact[3]));
    if let Some(source) = source {
        sum += source;
        exact += source.to_f64();
    }
    let of_faces = weights.map(in_double);
    let of_faces = (of_faces[0] + of_faces[1]) + (of_faces[2] + of_faces[3]);
    Naive {
        new: sum / weight,
        residual: sum - weight * old,
        exact: exact - of_faces * old.to_f64(),
    }
}

/// Weights of the faces of a grid: different everywhere, over four orders of magnitude.
struct Weights<F> {
    above: Vec<Vec<F>>,
    left: Vec<Vec<F>>,
}

impl<F: Real> Weights<F> {
    fn new(rows: usize, columns: usize) -> Self {
        let drawn = |count, columns, seed| {
            let numbers = values::<f64>(count * columns, seed);
            let weights = numbers
                .chunks(columns)
                .map(|row| row.iter().map(|number| F::from_f64(libm::exp(8.0 * number))).collect());
            weights.collect()
        };
        Self { above: drawn(rows + 1, columns, 3), left: drawn(rows, columns + 1, 4) }
    }

    fn in_layout(&self, layout: &Layout) -> Faces<Vec<F>> {
        let nowhere = || vec![F::from_f64(f64::NAN); layout.len()];
        let mut faces = Faces { vertical: nowhere(), horizontal: nowhere() };
        for row in 0..layout.rows() {
            let above = layout.row_mut(&mut faces.vertical, row);
            above.copy_from_slice(&self.above[row]);
            let left = layout.row_mut(&mut faces.horizontal, row);
            left.copy_from_slice(&self.left[row][..layout.columns()]);
        }
        layout.bottom_mut(&mut faces.vertical).copy_from_slice(&self.above[layout.rows()]);
        let right = layout.right_mut(&mut faces.horizontal).enumerate();
        right.for_each(|(row, weight)| *weight = self.left[row][layout.columns()]);
        faces
    }
}

/// Returns sixteen times the sum of squares of the changes of `rows`, in the order that holds for
/// all kernels: in lanes of a block of 1024 cells, these in double precision, and in the end all
/// lanes.
fn naive_sum<F: Real>(columns: usize, rows: &[(F, F)]) -> f64 {
    let mut lanes = [0.0; 16];
    for block in rows.chunks(columns).flat_map(|row| row.chunks(1024)) {
        let mut squares = [F::ZERO; 16];
        for (cell, (new, old)) in block.iter().enumerate() {
            let change = *new - *old;
            squares[cell % 16] += change * change;
        }
        (0..16).for_each(|lane| lanes[lane] += squares[lane].to_f64());
    }
    16.0 * lanes.iter().sum::<f64>()
}

/// Returns the sum of squares of the residuals of `rows`, in the same order, but all in double
/// precision.
fn naive_sum_of_residuals<F: Real>(columns: usize, rows: &[Naive<F>]) -> f64 {
    let mut lanes = [0.0; 16];
    for block in rows.chunks(columns).flat_map(|row| row.chunks(1024)) {
        for (cell, Naive { residual, .. }) in block.iter().enumerate() {
            lanes[cell % 16] += residual.to_f64() * residual.to_f64();
        }
    }
    lanes.iter().sum()
}

fn agrees_with_naive_loops<F: Real>(tolerance: f64) {
    for &size in SIZES {
        for (with_source, with_faces) in
            [(false, false), (true, false), (false, true), (true, true)]
        {
            let case = Case::<F>::new(size);
            let (layout, terms) = (case.layout, case.terms(with_source, with_faces));
            let expected = case.naive(with_source, with_faces);
            let sum_of_squares: f64 = expected.iter().map(|cell| cell.exact * cell.exact).sum();
            let (mut at, mut next) = (layout, case.cells.clone());
            Portable.sweep(&mut at, terms, &mut next);
            let (mut fused_at, mut fused) = (layout, case.cells.clone());
            let residual = Portable.sweep_with_residual(&mut fused_at, terms, &mut fused);
            let old = (0..layout.rows()).flat_map(|row| layout.row(&case.cells, row));
            let changes: Vec<_> = expected.iter().map(|cell| cell.new).zip(old.copied()).collect();
            let in_lanes = if with_faces {
                naive_sum_of_residuals(layout.columns(), &expected)
            } else {
                naive_sum(layout.columns(), &changes)
            };
            assert_eq!(residual.to_bits(), in_lanes.to_bits(), "{size:?}");
            assert_eq!((at, fused_at), (layout.swept(), layout.swept()));
            for (at, cells) in [(at, &next), (at, &fused)] {
                let interior = (0..at.rows()).flat_map(|row| at.row(cells, row));
                assert!(interior.eq(expected.iter().map(|cell| &cell.new)), "{size:?}");
            }
            assert!((residual - sum_of_squares).abs() <= tolerance * sum_of_squares, "{size:?}");
            let verified = residual_sum_of_squares(&layout, terms, &case.cells);
            assert!((verified - sum_of_squares).abs() <= 1e-13 * sum_of_squares, "{size:?}");
            // Into other cells, from either place.
            for old in [&case, &case.at_the_upper_place()] {
                let terms = old.terms(with_source, with_faces);
                for with_residual in [false, true] {
                    let (mut at, mut in_place) = (old.layout, old.cells.clone());
                    let residual = with_residual
                        .then(|| Portable.sweep_with_residual(&mut at, terms, &mut in_place));
                    let (to, mut into) = (old.layout.swept(), old.cells.clone());
                    let from = (&old.layout, terms, &*old.cells);
                    let sum = Portable.sweep_into((&to, &mut into), from, with_residual);
                    assert_eq!(sum.map(f64::to_bits), residual.map(f64::to_bits), "{size:?}");
                    let interior = (0..to.rows()).flat_map(|row| to.row(&into, row));
                    assert!(interior.eq(expected.iter().map(|cell| &cell.new)), "{size:?}");
                }
            }
            // Back to where it was, against the same cells at the upper place.
            let high = case.at_the_upper_place();
            let (mut at, mut next) = (high.layout, high.cells.clone());
            Portable.sweep(&mut at, high.terms(with_source, with_faces), &mut next);
            let interior = (0..at.rows()).flat_map(|row| at.row(&next, row));
            assert!(interior.eq(expected.iter().map(|cell| &cell.new)), "{size:?}");
            assert_eq!(at, layout);
        }
    }
}

#[test]
fn double_precision_agrees_with_naive_loops() {
    agrees_with_naive_loops::<f64>(1e-13);
}

#[test]
fn single_precision_agrees_with_naive_loops() {
    agrees_with_naive_loops::<f32>(1e-6);
}

/// With weights of 1 the cells and the verified residual are those without weights.
#[test]
fn a_coefficient_of_one_changes_no_bit() {
    for &size in SIZES {
        let case = Case::<f64>::new(size);
        let plain = case.terms(true, false);
        let ones = vec![1.0; case.layout.len()];
        let faces = Some(Faces { vertical: &*ones, horizontal: &*ones });
        let swept = [plain, Terms { faces, ..plain }].map(|terms| {
            let (mut at, mut next) = (case.layout, case.cells.clone());
            let before = Portable.residual(&at, terms, &next);
            Portable.sweep(&mut at, terms, &mut next);
            let interior = (0..at.rows()).flat_map(|row| at.row(&next, row));
            (before.to_bits(), interior.map(|cell| cell.to_bits()).collect::<Vec<_>>())
        });
        assert_eq!(swept[0], swept[1], "{size:?}");
    }
}

#[test]
fn rows_are_aligned_and_apart() {
    for &(rows, columns) in SIZES {
        let layout = Layout::new(rows, columns).unwrap();
        let mut buffer = vec![0_f32; layout.len() + super::ALIGNMENT - 1];
        let cells = layout.aligned(&mut buffer);
        assert_eq!(cells.len(), layout.len());
        for row in 0..rows {
            let begins = layout.row(cells, row).as_ptr();
            if columns + 2 > super::ALIGNMENT {
                assert_eq!(begins.align_offset(64), 0);
            } else {
                // The row with its halos is in as few lines as they fit into.
                let halo = begins.wrapping_sub(1);
                assert_eq!(halo.align_offset(if columns > 6 { 64 } else { 32 }), 0);
                assert!(layout.stride() < columns + 2 + 8);
            }
        }
        assert!(layout.stride() >= columns + 2);
        assert_ne!(layout.stride() % 256, 0);
        assert_eq!(layout.column(cells, columns).count(), 0);
    }
}

#[test]
fn edges_are_the_ring_and_columns_of_the_interior() {
    let case = Case::<f64>::new((7, 13));
    let at = |row: usize, column: usize| case.dense[row * 15 + column];
    let column = |column| (1..8).map(move |row| at(row, column)).collect::<Vec<_>>();
    let copied = |cells: &mut dyn Iterator<Item = &f64>| cells.copied().collect::<Vec<_>>();
    assert_eq!(copied(&mut case.layout.left(&case.cells)), column(0));
    assert_eq!(copied(&mut case.layout.column(&case.cells, 0)), column(1));
    assert_eq!(copied(&mut case.layout.column(&case.cells, 12)), column(13));
    assert_eq!(copied(&mut case.layout.right(&case.cells)), column(14));
    assert_eq!(case.layout.top(&case.cells), &case.dense[1..14]);
    assert_eq!(case.layout.bottom(&case.cells), &case.dense[8 * 15 + 1..9 * 15 - 1]);
}

#[test]
fn impossible_sizes_have_no_layout() {
    for (rows, columns) in
        [(0, 1), (1, 0), (usize::MAX, 1), (1, usize::MAX), (1 << 40, 1 << 40), (1 << 58, 1)]
    {
        assert_eq!(Layout::new(rows, columns), None);
    }
}

#[test]
#[should_panic(expected = "a table is shorter than what is looked up in it")]
fn cells_without_a_halo_stop() {
    Layout::new(4, 4).unwrap().bottom(&[1.0; 12]);
}

#[test]
#[should_panic(expected = "a table is shorter than what is looked up in it")]
fn fewer_cells_than_a_layout_has_stop_a_sweep() {
    let mut layout = Layout::new(4, 4).unwrap();
    sweep_with_residual(&mut layout, None, &mut [1.0; 12], relax_row_and_square);
}

#[test]
#[should_panic(expected = "a table is shorter than what is looked up in it")]
fn fewer_weights_than_faces_stop_a_sweep() {
    let mut case = Case::<f64>::new((4, 4));
    let faces = Some(Faces { vertical: &[1.0; 9][..], horizontal: &[1.0; 7] });
    let terms = Terms { faces, ..Terms::NONE };
    Portable.sweep(&mut case.layout, terms, &mut case.cells);
}

#[test]
#[should_panic(expected = "a layout has fewer rows")]
fn a_row_beyond_the_interior_stops() {
    let layout = Layout::new(4, 4).unwrap();
    layout.row(&vec![1.0; layout.len()], 4);
}

#[test]
fn a_cell_without_faces_becomes_zero() {
    let none = [0.0; 2];
    let weights =
        RowWeights { beyond: &none, other: &none, left: &none, right: &none, source: None };
    let (mut row, mut residuals) = ([7.0, 8.0], SumOfSquares::default());
    relax_weighted_row(&mut row, &[1.0; 4], &[5.0; 2], &weights);
    assert_eq!(row.map(f64::to_bits), [0; 2]);
    let mut row = [7.0, 8.0];
    relax_weighted_row_and_square(&mut row, &[1.0; 4], &[5.0; 2], &weights, &mut residuals);
    assert_eq!((row.map(f64::to_bits), residuals.total().to_bits()), ([0; 2], 0));
}
