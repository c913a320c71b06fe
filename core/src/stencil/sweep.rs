//! One Jacobi sweep, alone or with the residual of what it read.

use super::layout::Layout;
use super::real::Real;
use super::residual::{BLOCK, SumOfSquares};
use super::rows::Rows;

/// Sets every interior cell of `next` to a quarter of (up + down + left + right + source) of
/// `current`; the ring of `next` stays as it is.
///
/// All slices have the same `layout`. `source` is the right-hand side f of −Δu = f, already
/// multiplied by the squared mesh width; none is zero. Each cell is evaluated as
/// `((up + down) + (left + right) + source) * 0.25`.
#[inline(always)]
pub fn sweep<F: Real>(layout: &Layout, source: Option<&[F]>, current: &[F], next: &mut [F]) {
    for (row, next) in StencilRows::new(layout, source, current).zip(layout.rows_of_mut(next)) {
        row.relax(next);
    }
}

/// [`sweep`], and the sum of squares of the residual of `current` on the interior:
/// up + down + left + right + source − 4 · centre.
///
/// Squares are summed in `F` over at most 64 cells of a lane, then in double precision: the
/// relative error of the sum is below 1e-5 for single precision however large the grid is.
#[inline(always)]
pub fn sweep_with_residual<F: Real>(
    layout: &Layout,
    source: Option<&[F]>,
    current: &[F],
    next: &mut [F],
) -> f64 {
    let mut residual = SumOfSquares::default();
    for (row, next) in StencilRows::new(layout, source, current).zip(layout.rows_of_mut(next)) {
        for (block, next) in row.blocks::<BLOCK>().zip(next.chunks_mut(BLOCK)) {
            block.relax(next);
            // A quarter is exact, so next − centre is a quarter of the residual to the bit (above
            // the smallest numbers), and both are still in the nearest cache.
            residual.add_differences(next, block.centre);
        }
    }
    16.0 * residual.total()
}

/// One interior row and the cells around it, each slice one cell per interior column.
#[derive(Clone, Copy)]
pub(super) struct StencilRow<'a, F> {
    up: &'a [F],
    down: &'a [F],
    left: &'a [F],
    right: &'a [F],
    pub(super) centre: &'a [F],
    pub(super) source: Option<&'a [F]>,
}

impl<F: Real> StencilRow<'_, F> {
    /// The four neighbours of each cell, without the source.
    #[inline(always)]
    pub(super) fn neighbours(self) -> impl Iterator<Item = (F, F, F, F)> {
        let vertical = self.up.iter().zip(self.down);
        let horizontal = self.left.iter().zip(self.right);
        vertical.zip(horizontal).map(|((up, down), (left, right))| (*up, *down, *left, *right))
    }

    #[inline(always)]
    fn relax(self, next: &mut [F]) {
        let sums = self.neighbours().map(|(up, down, left, right)| (up + down) + (left + right));
        match self.source {
            None => {
                for (next, sum) in next.iter_mut().zip(sums) {
                    *next = sum * F::QUARTER;
                }
            }
            Some(source) => {
                for ((next, sum), source) in next.iter_mut().zip(sums).zip(source) {
                    *next = (sum + *source) * F::QUARTER;
                }
            }
        }
    }

    /// r of each cell, in double precision.
    #[inline(always)]
    pub(super) fn residual(self, residual: &mut [f64]) {
        let cells = self.neighbours().zip(self.centre);
        let without_source = cells.map(|((up, down, left, right), centre)| {
            (up.to_f64() + down.to_f64()) + (left.to_f64() + right.to_f64()) - 4.0 * centre.to_f64()
        });
        for (residual, value) in residual.iter_mut().zip(without_source) {
            *residual = value;
        }
        for (residual, source) in residual.iter_mut().zip(self.source.unwrap_or_default()) {
            *residual += source.to_f64();
        }
    }

    /// The row in parts of at most `columns` cells.
    #[inline(always)]
    pub(super) fn blocks<const COLUMNS: usize>(self) -> impl Iterator<Item = Self> {
        let mut source = self.source.map(|source| source.chunks(COLUMNS));
        let vertical = self.up.chunks(COLUMNS).zip(self.down.chunks(COLUMNS));
        let horizontal = self.left.chunks(COLUMNS).zip(self.right.chunks(COLUMNS));
        let centre = self.centre.chunks(COLUMNS);
        vertical.zip(horizontal).zip(centre).map(move |(((up, down), (left, right)), centre)| {
            let source = source.as_mut().and_then(Iterator::next);
            Self { up, down, left, right, centre, source }
        })
    }
}

/// The interior rows from the top.
pub(super) struct StencilRows<'a, F> {
    up: Rows<'a, F>,
    centre: Rows<'a, F>,
    down: Rows<'a, F>,
    source: Option<Rows<'a, F>>,
}

impl<'a, F: Real> StencilRows<'a, F> {
    #[inline(always)]
    pub(super) fn new(layout: &Layout, source: Option<&'a [F]>, current: &'a [F]) -> Self {
        Self {
            up: layout.rows_of(current, 0, 0),
            centre: layout.rows_of(current, 1, 1),
            down: layout.rows_of(current, 2, 0),
            source: source.map(|source| layout.rows_of(source, 1, 0)),
        }
    }
}

impl<'a, F: Real> Iterator for StencilRows<'a, F> {
    type Item = StencilRow<'a, F>;

    #[inline(always)]
    fn next(&mut self) -> Option<StencilRow<'a, F>> {
        let centre = self.centre.next()?;
        Some(StencilRow {
            up: self.up.next()?,
            down: self.down.next()?,
            left: centre,
            right: centre.get(2..)?,
            centre: centre.get(1..centre.len() - 1)?,
            source: match &mut self.source {
                Some(source) => Some(source.next()?),
                None => None,
            },
        })
    }
}
