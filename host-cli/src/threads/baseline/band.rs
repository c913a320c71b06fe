//! A band of rows.

use ndarray::{Array2, s};
use tresse_core::grid::{Axis, Side};
use tresse_core::run::Imbalance;
use tresse_core::shared::SharedReal;
use tresse_core::stencil::Kernel as _;
use tresse_core::stencil::{ALIGNMENT, Layout};
use tresse_core::subdomain::{Subdomain, boundary_len};

use crate::kernel::Kernel;
use crate::problem::{Problem, side_length};

/// The memory of a band.
pub(super) struct Memory<F> {
    first: usize,
    layout: Layout,
    cells: Vec<F>,
    source: Vec<F>,
    boundary: Vec<F>,
    is_outer: [bool; 4],
}

/// Rows from `first` on, in whole width.
pub(super) struct Band<'m, F> {
    first: usize,
    subdomain: Subdomain<'m, F>,
}

/// Memory for at most `parts` bands, fewer where the smallest would have no row.
pub(super) fn cut<F: SharedReal>(
    problem: &Problem,
    parts: u32,
    imbalance: Imbalance,
) -> Vec<Memory<F>> {
    let grid = problem.grid;
    let cut = (1..=parts).rev().find_map(|parts| Axis::new(grid.rows, parts, 1, imbalance));
    let band = |(first, height): (usize, usize)| {
        let layout = Layout::new(height, grid.columns)?;
        let cells = || vec![F::ZERO; layout.len() + ALIGNMENT];
        let is_inner = |side| match side {
            Side::Top => first > 0,
            Side::Bottom => first + height < grid.rows,
            Side::Left | Side::Right => false,
        };
        let is_outer = Side::ALL.map(|side| !is_inner(side));
        Some(Memory {
            first,
            layout,
            cells: cells(),
            source: if problem.source.is_zero() { Vec::new() } else { cells() },
            boundary: vec![F::ZERO; boundary_len(&layout, is_outer)],
            is_outer,
        })
    };
    cut.iter()
        .flat_map(|cut| (0..cut.parts()).map(|index| cut.part(index)))
        .filter_map(band)
        .collect()
}

/// Copies the edges of neighbouring bands into each other's halos.
pub(super) fn exchange<F: SharedReal>(bands: &mut [Band<'_, F>]) {
    let mut rest = bands;
    while let [upper, below @ ..] = rest {
        if let Some(lower) = below.first_mut() {
            lower.subdomain.copy_halo(Side::Top, &upper.subdomain);
            upper.subdomain.copy_halo(Side::Bottom, &lower.subdomain);
        }
        rest = below;
    }
}

/// The cells of all bands as one field.
pub(super) fn field<F: SharedReal>(problem: &Problem, bands: &[Band<'_, F>]) -> Array2<F> {
    let mut field = Array2::from_elem((problem.grid.rows, problem.grid.columns), F::ZERO);
    for Band { first, subdomain } in bands {
        for row in 0..subdomain.layout().rows() {
            let cells = subdomain.layout().row(subdomain.cells(), row).unwrap_or_default();
            let mut place = field.slice_mut(s![first + row, ..]);
            place.iter_mut().zip(cells).for_each(|(place, cell)| *place = *cell);
        }
    }
    field
}

impl<'m, F: SharedReal> Band<'m, F> {
    /// The band on its memory, filled with the problem's values.
    pub(super) fn new(problem: &Problem, memory: &'m mut Memory<F>) -> Option<Self> {
        let Memory { first, layout, cells, source, boundary, is_outer } = memory;
        let first = *first;
        let source = layout.aligned(source);
        let cells = layout.aligned(cells)?;
        let mut subdomain = Subdomain::new(*layout, cells, source, boundary, *is_outer);
        let beside = |side, index| {
            let index =
                if matches!(side, Side::Left | Side::Right) { first + index } else { index };
            problem.boundary.value(side, index, side_length(side, problem.grid))
        };
        subdomain.fill(
            |row, column| F::from_f64(problem.initial.at(first + row, column)),
            |row, column| F::from_f64(problem.source.at(first + row, column)),
            |side, index| F::from_f64(beside(side, index)),
        );
        Some(Self { first, subdomain })
    }

    pub(super) fn sweep(&mut self, kernel: &Kernel<F>) {
        self.subdomain.sweep(|layout, source, cells| kernel.sweep(layout, source, cells));
    }

    pub(super) fn sweep_with_residual(&mut self, kernel: &Kernel<F>) -> f64 {
        self.subdomain
            .sweep(|layout, source, cells| kernel.sweep_with_residual(layout, source, cells))
    }

    pub(super) fn residual(&self, kernel: &Kernel<F>) -> f64 {
        self.subdomain.residual(|layout, source, cells| kernel.residual(layout, source, cells))
    }
}
