//! Canaries: rows beside a band, and a correction, that are not those of the cycle before.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use tresse_core::multigrid::{
    Band, Correction, Finest, Fixed, Hierarchy, Level, Portable, Rows, Smoothing, overlap,
    smooth_finest, workspace_len,
};

const ROWS: usize = 40;
const COLUMNS: usize = 24;
const BAND: Band = Band { first: 12, end: 26 };

/// Smooths the band, with rows beside it and a correction that a fault has gone over.
fn smoothed(fault: impl Fn(&mut [f64], &mut [f64], &mut [f64])) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let hierarchy = Hierarchy::new(ROWS, COLUMNS, 1).unwrap();
    let [level, coarser]: [Level; 2] = *hierarchy.levels().first_chunk().unwrap();
    let smoothing = Smoothing::chebyshev(3).unwrap();
    let beside = (overlap(3) + 1) * COLUMNS;
    let value = |index: usize| ((index * index) as f64).sin();
    let all: Vec<f64> = (0..ROWS * COLUMNS).map(value).collect();
    let (first, end) = (BAND.first * COLUMNS, BAND.end * COLUMNS);
    let mut above = all[first - beside..first].to_vec();
    let mut below = all[end..end + beside].to_vec();
    let mut correction: Vec<f64> = (0..coarser.correction_len()).map(value).collect();
    fault(&mut above, &mut below, &mut correction);
    let mut cells = all[first..end].to_vec();
    let mut restricted = vec![0.0; BAND.coarse_rows(coarser) * coarser.columns.cells()];
    let mut squares = vec![0.0; BAND.rows()];
    let zeros = vec![0.0; ROWS];
    let fixed = Fixed {
        source: Some(&all),
        top_and_bottom: [&zeros[..COLUMNS]; 2],
        left_and_right: [&zeros; 2],
    };
    let mut finest = Finest {
        cells: &mut cells,
        above: &above,
        below: &below,
        restricted: &mut restricted,
        squares: &mut squares,
    };
    let correction = Correction(Rows::all(&correction, coarser.stride()));
    let mut workspace = vec![0.0; workspace_len(level, coarser, &smoothing)];
    let levels = [level, coarser];
    smooth_finest(
        levels,
        BAND,
        &smoothing,
        correction,
        fixed,
        &mut finest,
        &Portable,
        &mut workspace,
    );
    (cells, restricted, squares)
}

#[test]
fn a_stale_cell_in_any_row_of_the_overlap_is_caught_and_beyond_it_none_is_read() {
    let right = smoothed(|_, _, _| {});
    let rows = overlap(3) + 1;
    for row in 0..rows {
        for column in 0..COLUMNS {
            // The nearest row is the last above, and the first below.
            let above = smoothed(|above, _, _| above[(rows - 1 - row) * COLUMNS + column] += 1e-3);
            let below = smoothed(|_, below, _| below[row * COLUMNS + column] += 1e-3);
            let is_read = row < overlap(3);
            assert_eq!((above != right, below != right), (is_read, is_read), "row {row} beside");
        }
    }
}

#[test]
fn a_stale_correction_is_caught_wherever_smoothing_needs_it() {
    let right = smoothed(|_, _, _| {});
    let stride = COLUMNS / 2 + 2;
    // Rows 8 to 29 lie between these of the coarser level, which begin beyond the boundary.
    for row in 4..=16 {
        for column in 0..stride {
            let found = smoothed(|_, _, correction| correction[row * stride + column] += 1e-3);
            assert!(found != right, "correction at {row}, {column}");
        }
    }
    let found = smoothed(|_, _, correction| {
        correction[..4 * stride].fill(f64::NAN);
        correction[17 * stride..].fill(f64::NAN);
    });
    assert!(found == right, "a correction that is far away is read");
}
