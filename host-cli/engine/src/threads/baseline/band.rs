//! A band of rows.

use std::ops::Range;
use tresse_core::base::real::Real;

use ndarray::{Array2, s};
use tresse_core::base::id::NodeId;
use tresse_core::field::grid::{Axis, Rectangle, Side};
use tresse_core::field::stencil::{ALIGNMENT, Kernel as _, Layout, Terms};
use tresse_core::field::subdomain::{Subdomain, boundary_len};
use tresse_core::run::{GridSize, RunConfig};

use super::band_exchange::{BandExchange, Rows};
use crate::files::problem::Problem;
use crate::kernel::Kernel;

/// The memory of a band.
pub(super) struct BandMemory<F> {
    first: usize,
    layout: Layout,
    cells: Vec<F>,
    terms: Terms<Vec<F>>,
    boundary: Vec<F>,
    is_outer: [bool; 4],
}

/// Rows from `first` on, in whole width.
pub(super) struct RowBand<'m, F> {
    first: usize,
    subdomain: Subdomain<'m, F>,
    is_outer: [bool; 4],
}

/// Allocates the bands of a node's workers.
///
/// The grid has a band for each worker of all nodes, in their order, but fewer where the smallest
/// would have no row: then the last workers have none.
pub(super) fn cut<F: Real>(
    problem: &Problem,
    config: &RunConfig,
    node: NodeId,
) -> Vec<BandMemory<F>> {
    let grid = problem.grid;
    let cut = (1..=config.workers)
        .rev()
        .find_map(|parts| Axis::new(grid.rows, parts, 1, config.imbalance));
    let first = node.0.saturating_mul(config.workers_per_node());
    let own = first..first.saturating_add(config.workers_per_node());
    let band = |rows: Range<usize>| {
        let (first, height) = (rows.start, rows.len());
        let layout = Layout::new(height, grid.columns)?;
        let cells = || vec![F::ZERO; layout.len() + ALIGNMENT];
        let is_inner = |side| match side {
            Side::Top => first > 0,
            Side::Bottom => first + height < grid.rows,
            Side::Left | Side::Right => false,
        };
        let is_outer = Side::ALL.map(|side| !is_inner(side));
        Some(BandMemory {
            first,
            layout,
            cells: cells(),
            terms: problem.terms().map(|()| cells()),
            boundary: vec![F::ZERO; boundary_len(&layout, is_outer)],
            is_outer,
        })
    };
    cut.iter()
        .flat_map(|cut| {
            own.clone().take_while(|&band| band < cut.parts()).map(|band| cut.part(band))
        })
        .filter_map(band)
        .collect()
}

/// Copies the edges of neighbouring bands into each other's halos, and those of the outermost ones
/// from and to the neighbouring processes.
pub(super) fn exchange<F: Real>(
    bands: &mut [RowBand<'_, F>],
    neighbours: &mut impl BandExchange<F>,
) {
    let theirs = neighbours.exchange(Rows {
        above: bands.first().and_then(|band| band.edge(Side::Top)),
        below: bands.last().and_then(|band| band.edge(Side::Bottom)),
    });
    if let (Some(band), Some(row)) = (bands.first_mut(), theirs.above) {
        band.subdomain.set_halo(Side::Top, row);
    }
    if let (Some(band), Some(row)) = (bands.last_mut(), theirs.below) {
        band.subdomain.set_halo(Side::Bottom, row);
    }
    let mut rest = bands;
    while let [upper, below @ ..] = rest {
        if let Some(lower) = below.first_mut() {
            lower.subdomain.copy_halo(Side::Top, &upper.subdomain);
            upper.subdomain.copy_halo(Side::Bottom, &lower.subdomain);
        }
        rest = below;
    }
}

/// Returns the cells of bands that follow each other, and the first of their rows.
pub(super) fn field<F: Real>(problem: &Problem, bands: &[RowBand<'_, F>]) -> (usize, Array2<F>) {
    let first_row = bands.first().map_or(0, |band| band.first);
    let rows = bands.iter().map(|band| band.subdomain.layout().rows()).sum();
    let mut field = Array2::from_elem((rows, problem.grid.columns), F::ZERO);
    for RowBand { first, subdomain, .. } in bands {
        for row in 0..subdomain.layout().rows() {
            let cells = subdomain.layout().row(subdomain.cells(), row);
            let mut place = field.slice_mut(s![first - first_row + row, ..]);
            place.iter_mut().zip(cells).for_each(|(place, cell)| *place = *cell);
        }
    }
    (first_row, field)
}

impl<'m, F: Real> RowBand<'m, F> {
    /// Returns the band on its memory, filled with the problem's values.
    pub(super) fn new(problem: &Problem, memory: &'m mut BandMemory<F>) -> Self {
        let BandMemory { first, layout, cells, terms, boundary, is_outer } = memory;
        let first = *first;
        let terms = terms.as_mut().map(|cells| layout.aligned(cells));
        let cells = layout.aligned(cells);
        let mut subdomain = Subdomain::new(*layout, cells, terms, boundary, *is_outer);
        let size = GridSize { rows: layout.rows(), columns: layout.columns() };
        let part = Rectangle { first_row: first, first_column: 0, size };
        problem.fill_rectangle(&part, &mut subdomain, |row, column| {
            F::from_f64(problem.initial.at(first + row, column))
        });
        Self { first, subdomain, is_outer: *is_outer }
    }

    /// Returns the outermost row along a side, if another band lies beyond it.
    fn edge(&self, side: Side) -> Option<&[F]> {
        let layout = self.subdomain.layout();
        let row = if side == Side::Top { 0 } else { layout.rows().checked_sub(1)? };
        let is_outer = self.is_outer.get(side.index()) == Some(&true);
        (!is_outer).then(|| layout.row(self.subdomain.cells(), row))
    }

    /// Sweeps the band without the residual.
    pub(super) fn sweep(&mut self, kernel: &Kernel<F>) {
        self.subdomain.sweep(|layout, terms, cells| kernel.sweep(layout, terms, cells));
    }

    /// Sweeps the band; returns the sum of squares of the residual before the sweep.
    pub(super) fn sweep_with_residual(&mut self, kernel: &Kernel<F>) -> f64 {
        self.subdomain
            .sweep(|layout, terms, cells| kernel.sweep_with_residual(layout, terms, cells))
    }

    /// Returns the sum of squares of the residual.
    pub(super) fn residual(&self, kernel: &Kernel<F>) -> f64 {
        self.subdomain.residual(|layout, terms, cells| kernel.residual(layout, terms, cells))
    }
}
