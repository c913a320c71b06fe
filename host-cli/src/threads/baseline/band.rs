//! A band of rows with two copies of its cells.

use ndarray::{Array2, s};
use tresse_core::grid::Side;
use tresse_core::shared::SharedReal;
use tresse_core::stencil::Layout;

use crate::kernel::Kernel;
use crate::problem::Problem;

/// Rows `first..first + layout.rows()` of the grid, in whole width.
pub(super) struct Band<F> {
    first: usize,
    layout: Layout,
    current: Vec<F>,
    next: Vec<F>,
    source: Option<Vec<F>>,
}

/// Cuts the problem into at most `parts` bands of at least one row.
pub(super) fn cut<F: SharedReal>(problem: &Problem, parts: u32) -> Vec<Band<F>> {
    let rows = problem.grid.rows;
    let height = rows.div_ceil(parts.max(1) as usize).max(1);
    (0..rows).step_by(height).filter_map(|first| Band::new(problem, first, height)).collect()
}

/// Copies the edges of neighbouring bands into each other's halos.
pub(super) fn exchange<F: SharedReal>(bands: &mut [Band<F>]) {
    let mut rest = bands;
    while let [upper, below @ ..] = rest {
        if let Some(lower) = below.first_mut() {
            let last = upper.layout.rows() - 1;
            copy(upper.layout.row(&upper.current, last), lower.layout.top_mut(&mut lower.current));
            copy(lower.layout.row(&lower.current, 0), upper.layout.bottom_mut(&mut upper.current));
        }
        rest = below;
    }
}

/// The cells of all bands as one field.
pub(super) fn field<F: SharedReal>(problem: &Problem, bands: &[Band<F>]) -> Array2<F> {
    let mut field = Array2::from_elem((problem.grid.rows, problem.grid.columns), F::ZERO);
    for band in bands {
        for row in 0..band.layout.rows() {
            let cells = band.layout.row(&band.current, row).unwrap_or_default();
            let mut place = field.slice_mut(s![band.first + row, ..]);
            place.iter_mut().zip(cells).for_each(|(place, cell)| *place = *cell);
        }
    }
    field
}

fn copy<F: Copy>(from: Option<&[F]>, to: &mut [F]) {
    to.iter_mut().zip(from.unwrap_or_default()).for_each(|(to, from)| *to = *from);
}

impl<F: SharedReal> Band<F> {
    fn new(problem: &Problem, first: usize, height: usize) -> Option<Self> {
        let grid = problem.grid;
        let rows = height.min(grid.rows - first);
        let layout = Layout::new(rows, grid.columns)?;
        let mut current = vec![F::ZERO; layout.len()];
        let cells = current.as_mut_slice();
        for row in 0..rows {
            let initial = |column| F::from_f64(problem.initial.at(first + row, column));
            set(layout.row_mut(cells, row)?, initial);
        }
        let beside = |side, index, length| F::from_f64(problem.boundary.value(side, index, length));
        set(layout.top_mut(cells), |column| beside(Side::Top, column, grid.columns));
        set(layout.bottom_mut(cells), |column| beside(Side::Bottom, column, grid.columns));
        set(layout.left_mut(cells), |row| beside(Side::Left, first + row, grid.rows));
        set(layout.right_mut(cells), |row| beside(Side::Right, first + row, grid.rows));
        let source = (!problem.source.is_zero()).then(|| {
            let mut source = vec![F::ZERO; layout.len()];
            for row in 0..rows {
                let value = |column| F::from_f64(problem.source.at(first + row, column));
                set(layout.row_mut(&mut source, row).unwrap_or_default(), value);
            }
            source
        });
        Some(Self { first, layout, next: current.clone(), current, source })
    }

    pub(super) fn sweep(&mut self, kernel: &Kernel<F>) {
        kernel.sweep(&self.layout, self.source.as_deref(), &self.current, &mut self.next);
        std::mem::swap(&mut self.current, &mut self.next);
    }

    pub(super) fn sweep_with_residual(&mut self, kernel: &Kernel<F>) -> f64 {
        let source = self.source.as_deref();
        let sum = kernel.sweep_with_residual(&self.layout, source, &self.current, &mut self.next);
        std::mem::swap(&mut self.current, &mut self.next);
        sum
    }

    pub(super) fn residual(&self, kernel: &Kernel<F>) -> f64 {
        kernel.residual(&self.layout, self.source.as_deref(), &self.current)
    }
}

fn set<'a, F: 'a>(cells: impl IntoIterator<Item = &'a mut F>, value: impl Fn(usize) -> F) {
    for (index, cell) in cells.into_iter().enumerate() {
        *cell = value(index);
    }
}
