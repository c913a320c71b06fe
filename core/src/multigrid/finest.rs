//! Smoothing of a band on the finest level.

use super::band::Band;
use super::hierarchy::{Correction, Level};
use super::kernel::Kernel;
use super::pipeline::{Part, Pass};
use super::smoothing::Smoothing;
use crate::base::bug::OrBug;
use crate::base::real::Real;
use crate::base::table::At;
use crate::field::grid::Side;

/// What no cycle changes: the source term and the boundary, shared by all bands.
#[derive(Clone, Copy, Debug)]
pub struct Fixed<'a, F> {
    /// h²·f of every cell, row by row, or of one row where all are the same; none where it is 0.
    pub source: Option<&'a [F]>,
    /// Values beyond the top and the bottom, one for each column.
    pub top_and_bottom: [&'a [F]; 2],
    /// Values beyond the left and the right, one for each row.
    pub left_and_right: [&'a [F]; 2],
}

impl<'a, F: Copy> Fixed<'a, F> {
    /// Returns the values beyond both ends of a row.
    pub(super) fn ends(&self, row: usize) -> [F; 2] {
        self.left_and_right.map(|side| *side.at(row))
    }

    /// Returns h²·f of a row.
    pub(super) fn source_row(&self, row: usize, columns: usize) -> Option<&'a [F]> {
        let source = self.source?;
        let row = if source.len() == columns { 0 } else { row };
        Some(source.stretch(row * columns..(row + 1) * columns))
    }
}

/// What a band has of the finest level.
#[derive(Debug)]
pub struct Finest<'a, F> {
    /// The band's cells, row by row.
    pub cells: &'a mut [F],
    /// The rows before the band as they were before smoothing, the nearest last;
    /// [`overlap`](super::overlap) of them unless the grid begins.
    pub above: &'a [F],
    /// The rows behind the band as they were before smoothing, the nearest first.
    pub below: &'a [F],
    /// The sums of the residual for the band's rows of the next coarser level, written here:
    /// [`Band::coarse_rows`] of them.
    pub restricted: &'a mut [F],
    /// The sum of squares of the residual of each row of the band, written here.
    pub squares: &'a mut [f64],
}

/// Smooths a band of the finest level: adds the interpolated correction, makes the smoothing steps,
/// and takes the residual of what has come out, whose sums and squares it writes.
///
/// `levels` are the finest one and the next coarser one; `workspace` has
/// [`workspace_len`](super::workspace_len) numbers.
#[expect(clippy::too_many_arguments, reason = "memory of different owners")]
pub fn smooth_finest<F: Real>(
    levels: [Level; 2],
    band: Band,
    smoothing: &Smoothing,
    correction: Correction<'_, F>,
    fixed: Fixed<'_, F>,
    finest: &mut Finest<'_, F>,
    kernel: &impl Kernel<F>,
    workspace: &mut [F],
) {
    let [level, coarser] = levels;
    let (blended, rows) = workspace.cut_mut(coarser.stride());
    let added = Some(Added { correction, blended });
    let pass = Pass { level, weights: smoothing.weights(), with_residual: true, kernel };
    run_pass(
        &pass,
        coarser,
        band,
        FinestPass { level, coarser, band, fixed, finest, added, kernel },
        rows,
    );
}

/// Computes the residual of a band of the finest level without smoothing, restricts it onto the
/// next coarser level, and stores the sum of squares of each row. The first cycle starts from it.
///
/// As [`smooth_finest`], but with one ghost row on each side of the band.
pub fn restrict_residual<F: Real>(
    levels: [Level; 2],
    band: Band,
    fixed: Fixed<'_, F>,
    finest: &mut Finest<'_, F>,
    kernel: &impl Kernel<F>,
    workspace: &mut [F],
) {
    let [level, coarser] = levels;
    let pass = Pass { level, weights: &[], with_residual: true, kernel };
    let part = FinestPass { level, coarser, band, fixed, finest, added: None, kernel };
    run_pass(&pass, coarser, band, part, workspace);
}

/// Runs a pass over a band, after a check that its memory is as long as its rows.
fn run_pass<F: Real, K: Kernel<F>>(
    pass: &Pass<'_, K>,
    coarser: Level,
    band: Band,
    mut part: FinestPass<'_, '_, F, K>,
    workspace: &mut [F],
) {
    let cells = band.rows() * pass.level.columns.cells();
    let restricted = band.coarse_rows(coarser) * coarser.columns.cells();
    let fits = part.finest.cells.len() == cells
        && part.finest.restricted.len() == restricted
        && part.finest.squares.len() == band.rows();
    fits.or_bug("a band has other memory than its rows");
    part.finest.restricted.fill(F::ZERO);
    pass.over(band, &mut part, workspace);
}

/// A correction, and memory for two rows of it blended.
struct Added<'a, F> {
    correction: Correction<'a, F>,
    blended: &'a mut [F],
}

/// Where the rows of a pass over a band of the finest level come from and go to.
struct FinestPass<'a, 'f, F, K> {
    level: Level,
    coarser: Level,
    band: Band,
    fixed: Fixed<'a, F>,
    finest: &'a mut Finest<'f, F>,
    added: Option<Added<'a, F>>,
    kernel: &'a K,
}

impl<F, K> FinestPass<'_, '_, F, K> {
    const fn columns(&self) -> usize {
        self.level.columns.cells()
    }

    /// Returns the cells of a row of the band or of its ghost rows, as they were before the pass.
    fn stored(&self, row: usize) -> &[F] {
        let (columns, Band { first, end }) = (self.columns(), self.band);
        let Finest { cells, above, below, .. } = &*self.finest;
        let (rows, start) = if row < first {
            (*above, above.len() - (first - row) * columns)
        } else if row < end {
            (&**cells, (row - first) * columns)
        } else {
            (*below, (row - end) * columns)
        };
        rows.stretch(start..start + columns)
    }

    /// Returns the row counted from the band's first one; none for a ghost row.
    fn place(&self, row: usize) -> Option<usize> {
        row.checked_sub(self.band.first).filter(|_| row < self.band.end)
    }
}

impl<F: Real, K: Kernel<F>> Part<F> for FinestPass<'_, '_, F, K> {
    fn load(&mut self, row: usize, into: &mut [F]) {
        let mut added = self.added.take();
        let stored = self.stored(row);
        match &mut added {
            None => into.iter_mut().zip(stored).for_each(|(into, stored)| *into = *stored),
            Some(Added { correction, blended }) => {
                let [near, far] = correction.around(row);
                self.kernel.blend_rows(blended, near, far);
                self.kernel.interpolate_row(into, Some(stored), blended);
            }
        }
        self.added = added;
    }

    fn rhs(&self, row: usize) -> Option<&[F]> {
        self.fixed.source_row(row, self.columns())
    }

    fn ghost_ends(&self, row: usize) -> Option<[F; 2]> {
        Some(self.fixed.ends(row))
    }

    fn ghost_row(&self, side: Side) -> Option<&[F]> {
        let [top, bottom] = self.fixed.top_and_bottom;
        Some(if side == Side::Top { top } else { bottom })
    }

    fn store(&mut self, row: usize, values: &[F]) {
        let (columns, place) = (self.columns(), self.place(row));
        let cells = place.and_then(|place| row_of_mut(self.finest.cells, place, columns));
        if let (Some(cells), [_, values @ .., _]) = (cells, values) {
            cells.iter_mut().zip(values).for_each(|(cell, value)| *cell = *value);
        }
    }

    fn residual(&mut self, row: usize, residual: &[F]) {
        let Some(place) = self.place(row) else { return };
        if let Some(sum) = self.finest.squares.get_mut(place) {
            *sum = self.kernel.squares(residual);
        }
        // The first row of a band is even.
        let columns = self.coarser.columns.cells();
        if let Some(coarse) = row_of_mut(self.finest.restricted, place / 2, columns) {
            self.kernel.add_pairs(coarse, residual);
        }
    }
}

/// Returns row `index` of rows of `columns` cells.
pub(super) fn row_of<F>(cells: &[F], index: usize, columns: usize) -> Option<&[F]> {
    let start = index.checked_mul(columns)?;
    cells.get(start..start.checked_add(columns)?)
}

/// Returns row `index` of rows of `columns` cells, to write to.
pub(super) fn row_of_mut<F>(cells: &mut [F], index: usize, columns: usize) -> Option<&mut [F]> {
    let start = index.checked_mul(columns)?;
    cells.get_mut(start..start.checked_add(columns)?)
}
