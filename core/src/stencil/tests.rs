//! Against loops over indices, written down from the formula.

extern crate std;

use self::std::vec;
use self::std::vec::Vec;

use super::{
    Layout, Real, relax_row, relax_row_and_square, residual_sum_of_squares, sweep,
    sweep_with_residual,
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
            for (column, cell) in layout.row_mut(&mut cells, row).unwrap().iter_mut().enumerate() {
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
        Self { layout, dense, cells, source: values(layout.len(), 2) }
    }

    fn source(&self, with_source: bool) -> Option<&[F]> {
        with_source.then_some(&self.source)
    }

    /// Returns the new value and the residual in double precision of every interior cell.
    fn naive(&self, with_source: bool) -> Vec<(F, f64)> {
        let width = self.layout.columns() + 2;
        let mut result = Vec::new();
        for row in 0..self.layout.rows() {
            for column in 0..self.layout.columns() {
                let centre = (row + 1) * width + column + 1;
                let [up, down, left, right] =
                    [centre - width, centre + width, centre - 1, centre + 1].map(|i| self.dense[i]);
                let mut sum = (up + down) + (left + right);
                let mut exact = (up.to_f64() + down.to_f64()) + (left.to_f64() + right.to_f64());
                if with_source {
                    let source = self.layout.at_start().row(&self.source, row).unwrap()[column];
                    sum += source;
                    exact += source.to_f64();
                }
                let residual = exact - 4.0 * self.dense[centre].to_f64();
                result.push((sum * F::QUARTER, residual));
            }
        }
        result
    }
}

/// Returns sixteen times the sum of squares of the changes of `rows`, in the order that holds for all kernels: in
/// lanes of a block of 1024 cells, these in double precision, and in the end all lanes.
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

fn agrees_with_naive_loops<F: Real>(tolerance: f64) {
    for &size in SIZES {
        for with_source in [false, true] {
            let case = Case::<F>::new(size);
            let (layout, source) = (case.layout, case.source(with_source));
            let expected = case.naive(with_source);
            let sum_of_squares: f64 =
                expected.iter().map(|(_, residual)| residual * residual).sum();
            let (mut at, mut next) = (layout, case.cells.clone());
            sweep(&mut at, source, &mut next, relax_row);
            let (mut fused_at, mut fused) = (layout, case.cells.clone());
            let residual =
                sweep_with_residual(&mut fused_at, source, &mut fused, relax_row_and_square);
            let old = (0..layout.rows()).flat_map(|row| layout.row(&case.cells, row).unwrap());
            let changes: Vec<_> = expected.iter().map(|(new, _)| *new).zip(old.copied()).collect();
            let in_lanes = naive_sum(layout.columns(), &changes);
            assert_eq!(residual.to_bits(), in_lanes.to_bits(), "{size:?}");
            assert_eq!((at, fused_at), (layout.swept(), layout.swept()));
            for (at, cells) in [(at, &next), (at, &fused)] {
                let interior = (0..at.rows()).flat_map(|row| at.row(cells, row).unwrap());
                assert!(interior.eq(expected.iter().map(|(value, _)| value)), "{size:?}");
            }
            assert!((residual - sum_of_squares).abs() <= tolerance * sum_of_squares, "{size:?}");
            let verified = residual_sum_of_squares(&layout, source, &case.cells);
            assert!((verified - sum_of_squares).abs() <= 1e-13 * sum_of_squares, "{size:?}");
            // Back to where it was, against the same cells at the upper place.
            let high = case.at_the_upper_place();
            let (mut at, mut next) = (high.layout, high.cells.clone());
            sweep(&mut at, high.source(with_source), &mut next, relax_row);
            let interior = (0..at.rows()).flat_map(|row| at.row(&next, row).unwrap());
            assert!(interior.eq(expected.iter().map(|(value, _)| value)), "{size:?}");
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

#[test]
fn rows_are_aligned_and_apart() {
    for &(rows, columns) in SIZES {
        let layout = Layout::new(rows, columns).unwrap();
        let mut buffer = vec![0_f32; layout.len() + super::ALIGNMENT - 1];
        let cells = layout.aligned(&mut buffer).unwrap();
        assert_eq!(cells.len(), layout.len());
        for row in 0..rows {
            let begins = layout.row(cells, row).unwrap().as_ptr();
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
        assert_eq!(layout.row(cells, rows), None);
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
fn short_slices_leave_cells_out() {
    let mut layout = Layout::new(4, 4).unwrap();
    let mut cells = [1.0; 12];
    let residual = sweep_with_residual(&mut layout, None, &mut cells, relax_row_and_square);
    assert!(residual.abs() < 1e-9);
    assert_eq!(layout.bottom(&cells), &[0.0; 0]);
    assert_eq!(layout.right(&cells).count(), 0);
}
