//! The problem in memory: grid, boundary, initial field, coefficient and source term.
//!
//! The equation is −∇·(k∇u) = f on a uniform grid of cells of one size ([`CellSize`]), discretised
//! with the 5-point stencil: finite volumes. The residual of a cell is, everywhere in the program,
//!
//! ```text
//! residual = a·up + b·down + l·left + r·right + hwf − (a + b + l + r)·u
//! ```
//!
//! in the unit of k·u, with a weight for each face (above, below, left and right): the harmonic
//! average 2ab / (a + b) of k on both sides ([`face_weight`]), and at the boundary of the grid,
//! whose values lie one spacing outside the first and last cells, k of the cell itself; times the
//! width over the height of a cell, w / h, for the faces above and below, and times h / w for the
//! others. A cell whose k is 0 is left out: all of its faces have weight 0, and so nothing flows
//! between it and others. Where a side has a flux in place of fixed values the weight is 0, and
//! what the flux brings into the cells beside it is in their source. With k = 1, square cells and
//! fixed values, which is where nobody asks for others, it is
//! `r = up + down + left + right + h²f − 4u`.

mod cell_size;
mod standard;

pub use cell_size::CellSize;
pub use standard::{AMPLITUDE, worker_beside_source};

use alloc::vec::Vec;

use crate::base::id::SubdomainId;
use crate::field::grid::{Decomposition, Rectangle, Side, gaussian};
use crate::field::stencil::{Real, Terms, face_weight};
use crate::field::subdomain::Subdomain;
use crate::run::GridSize;

/// The problem that a run solves.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Interior cells.
    pub grid: GridSize,
    /// The fixed values around them.
    pub boundary: Boundary,
    /// u before the first sweep.
    pub initial: CellValues,
    /// h·w·f: the source term, already multiplied by the area of a cell.
    pub source: CellValues,
    /// k: finite and above 0 everywhere.
    pub coefficient: CellValues,
    /// h / w: the height of a cell over its width ([`CellSize::ratio`]), finite and above 0.
    pub cell_ratio: f64,
}

impl Problem {
    /// Returns which terms of the equation a solver needs memory for.
    pub fn terms(&self) -> Terms<()> {
        let has_weights = !self.coefficient.is_one() || self.boundary.has_flux();
        Terms::of(!self.source.is_zero(), has_weights, self.cell_ratio)
    }

    /// Returns the sum of squares of the residual of a field of zeros, which comes from the source
    /// and the boundary alone.
    pub fn norm_squared(&self) -> f64 {
        let GridSize { rows, columns } = self.grid;
        let mut sum = 0.0;
        for row in 0..rows {
            for column in 0..columns {
                let mut residual = self.source.at(row, column);
                if row == 0 || row + 1 == rows || column == 0 || column + 1 == columns {
                    residual += self.over_the_boundary(row, column);
                }
                sum += residual * residual;
            }
        }
        sum
    }

    /// Returns the boundary's contribution to the residual of a cell beside it, where all cells are
    /// zero: the sum of face weight times boundary value.
    fn over_the_boundary(&self, row: usize, column: usize) -> f64 {
        let GridSize { rows, columns } = self.grid;
        let [above, below, left, right] = self.faces(row, column);
        let sides = [
            (row == 0, above, Side::Top, column),
            (row + 1 == rows, below, Side::Bottom, column),
            (column == 0, left, Side::Left, row),
            (column + 1 == columns, right, Side::Right, row),
        ];
        let over = sides.into_iter().filter(|(is_beside, ..)| *is_beside);
        over.map(|(_, face, side, place)| {
            face * self.boundary.value(side, place, side_length(side, self.grid))
        })
        .sum()
    }

    /// Whether a cell is left out: its coefficient is 0.
    pub fn leaves_out(&self, row: usize, column: usize) -> bool {
        self.coefficient.at(row, column) <= 0.0
    }

    /// Whether some cell is left out.
    pub fn has_holes(&self) -> bool {
        self.coefficient.range().least <= 0.0
    }

    /// Puts no number (NaN) into the cells that are left out; `cells` are whole rows, from
    /// `first_row` on.
    pub fn clear_holes<F: Real>(&self, first_row: usize, cells: &mut [F]) {
        if !self.has_holes() {
            return;
        }
        for (row, cells) in (first_row..).zip(cells.chunks_mut(self.grid.columns)) {
            for (column, cell) in cells.iter_mut().enumerate() {
                if self.leaves_out(row, column) {
                    *cell = F::from_f64(f64::NAN);
                }
            }
        }
    }

    /// Whether cells are as high as wide.
    pub fn has_square_cells(&self) -> bool {
        self.cell_ratio.to_bits() == 1_f64.to_bits()
    }

    /// Returns the weight of the face above cell (row, column). `row` may be the number of rows,
    /// for the face at the grid's lower boundary.
    fn weight_above(&self, row: usize, column: usize) -> f64 {
        let at = |row| self.coefficient.at(row, column);
        let coefficient = match row.checked_sub(1) {
            None => self.of_side(Side::Top, at(row)),
            Some(above) if row >= self.grid.rows => self.of_side(Side::Bottom, at(above)),
            Some(above) => face_weight(at(above), at(row)),
        };
        coefficient / self.cell_ratio
    }

    /// Returns the weight of the face to the left of cell (row, column). `column` may be the number
    /// of columns, for the face at the grid's right boundary.
    fn weight_left(&self, row: usize, column: usize) -> f64 {
        let at = |column| self.coefficient.at(row, column);
        let coefficient = match column.checked_sub(1) {
            None => self.of_side(Side::Left, at(column)),
            Some(left) if column >= self.grid.columns => self.of_side(Side::Right, at(left)),
            Some(left) => face_weight(at(left), at(column)),
        };
        coefficient * self.cell_ratio
    }

    /// Returns the coefficient of a face on a side of the grid, where the cell has this one.
    fn of_side(&self, side: Side, coefficient: f64) -> f64 {
        if self.boundary.is_fixed(side) { coefficient } else { 0.0 }
    }

    /// Returns the weights of the faces above, below, to the left and to the right of cell (row,
    /// column).
    pub fn faces(&self, row: usize, column: usize) -> [f64; 4] {
        let [above, below] = [row, row + 1].map(|row| self.weight_above(row, column));
        let [left, right] = [column, column + 1].map(|column| self.weight_left(row, column));
        [above, below, left, right]
    }

    /// Sets the cells, boundary and terms of a subdomain of `decomposition`, which cuts this
    /// problem's grid.
    pub fn fill<F: Real>(
        &self,
        decomposition: &Decomposition,
        id: SubdomainId,
        subdomain: &mut Subdomain<'_, F>,
    ) {
        let part = decomposition.rectangle(id);
        self.fill_with(decomposition, id, subdomain, |row, column| {
            F::from_f64(self.initial.at(part.first_row + row, part.first_column + column))
        });
    }

    /// Fills a subdomain as [`Problem::fill`] does, but with the initial values `cells(row,
    /// column)`, counted within the subdomain.
    pub fn fill_with<F: Real>(
        &self,
        decomposition: &Decomposition,
        id: SubdomainId,
        subdomain: &mut Subdomain<'_, F>,
        cells: impl Fn(usize, usize) -> F,
    ) {
        self.fill_rectangle(&decomposition.rectangle(id), subdomain, cells);
    }

    /// Fills a subdomain as [`Problem::fill_with`] does, for any rectangle `part` of this problem's
    /// grid.
    pub fn fill_rectangle<F: Real>(
        &self,
        part: &Rectangle,
        subdomain: &mut Subdomain<'_, F>,
        cells: impl Fn(usize, usize) -> F,
    ) {
        let GridSize { rows, columns } = self.grid;
        let source = |row, column| {
            F::from_f64(self.source.at(part.first_row + row, part.first_column + column))
        };
        subdomain.fill(
            cells,
            source,
            // Beside a neighbour it is overwritten by the neighbour's edge.
            |side, index| {
                F::from_f64(match side {
                    Side::Top | Side::Bottom => {
                        self.boundary.value(side, part.first_column + index, columns)
                    }
                    Side::Left | Side::Right => {
                        self.boundary.value(side, part.first_row + index, rows)
                    }
                })
            },
        );
        let here = |row, column| (part.first_row + row, part.first_column + column);
        subdomain.weigh(
            |row, column| {
                let (row, column) = here(row, column);
                F::from_f64(self.weight_above(row, column))
            },
            |row, column| {
                let (row, column) = here(row, column);
                F::from_f64(self.weight_left(row, column))
            },
        );
    }

    /// Returns bounds on the weights of all faces that have one: the range of the coefficient,
    /// widened by the ratio of a cell's sides.
    pub fn weight_range(&self) -> ValueRange {
        let (least, most) = (self.coefficient.least_above_zero(), self.coefficient.range().most);
        let ratio = self.cell_ratio.max(1.0 / self.cell_ratio);
        ValueRange { least: least / ratio, most: most * ratio }
    }

    /// Returns the largest magnitude of the problem's numbers, and of their products with face
    /// weights in residuals.
    pub fn magnitude(&self) -> f64 {
        let sides = Side::ALL.map(|side| self.boundary.profile(side).magnitude());
        let ValueRange { least, most } = self.weight_range();
        let cells = [self.initial.magnitude(), self.source.magnitude() / least];
        let field = sides.into_iter().chain(cells).fold(0.0, f64::max);
        [field, field * most, self.source.magnitude(), most].into_iter().fold(0.0, f64::max)
    }
}

/// Returns the number of cells along a side of a grid.
pub const fn side_length(side: Side, grid: GridSize) -> usize {
    match side {
        Side::Top | Side::Bottom => grid.columns,
        Side::Left | Side::Right => grid.rows,
    }
}

/// What is around the grid: on each side fixed values (Dirichlet), zero unless said otherwise, or a
/// flux (Neumann).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Boundary {
    profiles: [Profile; 4],
    has_flux: [bool; 4],
}

impl Boundary {
    /// Returns the boundary with `profile` along one side.
    pub fn with(mut self, side: Side, profile: Profile) -> Self {
        if let Some(place) = self.profiles.get_mut(side.index()) {
            *place = profile;
        }
        self
    }

    /// Returns the boundary with a flux through one side in place of values. What it brings into a
    /// cell there, its density times the length of the face, is in that cell's source.
    pub fn with_flux(mut self, side: Side) -> Self {
        if let Some(has_flux) = self.has_flux.get_mut(side.index()) {
            *has_flux = true;
        }
        self.with(side, Profile::default())
    }

    /// Returns the boundary of the same kinds of sides, with no value or flux other than zero.
    pub fn homogeneous(&self) -> Self {
        Self { profiles: Default::default(), ..self.clone() }
    }

    /// Whether a side has fixed values.
    pub fn is_fixed(&self, side: Side) -> bool {
        !self.has_flux.get(side.index()).copied().unwrap_or_default()
    }

    /// Whether some side has a flux.
    pub fn has_flux(&self) -> bool {
        self.fluxes().is_some()
    }

    /// Returns which sides have a flux, by [`Side::index`]; none where all have values.
    pub fn fluxes(&self) -> Option<[bool; 4]> {
        Some(self.has_flux).filter(|has_flux| has_flux.contains(&true))
    }

    /// Returns the values along a side.
    pub fn profile(&self, side: Side) -> &Profile {
        const ZERO: Profile = Profile::Constant(0.0);
        self.profiles.get(side.index()).unwrap_or(&ZERO)
    }

    /// Returns the boundary value beside cell `index` of a side of `length` cells. A Gaussian is
    /// evaluated at the cell's middle, `(index + 0.5) / length`. Beyond the end of given values it
    /// is 0.
    pub fn value(&self, side: Side, index: usize, length: usize) -> f64 {
        match self.profile(side) {
            Profile::Constant(value) => *value,
            Profile::Gaussian { amplitude, centre, width } => {
                let position = (index as f64 + 0.5) / length as f64;
                gaussian(position, *amplitude, *centre, *width)
            }
            Profile::Values(values) => values.get(index).copied().unwrap_or(0.0),
        }
    }
}

/// The values along one side.
#[derive(Clone, Debug, PartialEq)]
pub enum Profile {
    /// One value everywhere.
    Constant(f64),
    /// A bell, see [`gaussian`].
    Gaussian {
        /// Its height.
        amplitude: f64,
        /// Position of its peak, as a share of the side.
        centre: f64,
        /// Its standard deviation, as a share of the side; above 0.
        width: f64,
    },
    /// A value for each cell of the side, from the top or from the left.
    Values(Vec<f64>),
}

impl Profile {
    const CENTRE: f64 = 0.5;
    const WIDTH: f64 = 0.1;

    /// Returns a Gaussian of this height in the middle of a side; the papers have one and do not
    /// say how wide it is.
    pub const fn bell(amplitude: f64) -> Self {
        Self::Gaussian { amplitude, centre: Self::CENTRE, width: Self::WIDTH }
    }

    /// Returns the largest magnitude of the values along the side.
    fn magnitude(&self) -> f64 {
        match self {
            Self::Constant(value) | Self::Gaussian { amplitude: value, .. } => value.abs(),
            Self::Values(values) => largest(values),
        }
    }
}

impl Default for Profile {
    fn default() -> Self {
        Self::Constant(0.0)
    }
}

/// The least and the greatest of some numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueRange {
    /// The least.
    pub least: f64,
    /// The greatest.
    pub most: f64,
}

/// A number for each cell of the grid.
#[derive(Clone, Debug, PartialEq)]
pub enum CellValues {
    /// One number everywhere.
    Constant(f64),
    /// A number for each cell, row by row.
    Values {
        /// Cells of a row.
        columns: usize,
        /// The numbers of all cells.
        values: Vec<f64>,
    },
}

impl CellValues {
    /// Returns the value of a cell; 0 outside the given values.
    pub fn at(&self, row: usize, column: usize) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::Values { columns, values } if column < *columns => {
                values.get(row * columns + column).copied().unwrap_or(0.0)
            }
            Self::Values { .. } => 0.0,
        }
    }

    /// Whether every cell is 0.
    pub fn is_zero(&self) -> bool {
        self.magnitude() == 0.0
    }

    /// Whether every cell is 1.
    pub fn is_one(&self) -> bool {
        self.range() == ValueRange { least: 1.0, most: 1.0 }
    }

    /// Returns the lowest and the highest value.
    pub fn range(&self) -> ValueRange {
        match self {
            Self::Constant(value) => ValueRange { least: *value, most: *value },
            Self::Values { values, .. } => {
                let first = values.first().copied().unwrap_or_default();
                let range = ValueRange { least: first, most: first };
                values.iter().fold(range, |ValueRange { least, most }, value| ValueRange {
                    least: value.min(least),
                    most: value.max(most),
                })
            }
        }
    }

    /// Returns the lowest value above 0; infinite where there is none.
    pub fn least_above_zero(&self) -> f64 {
        let values = match self {
            Self::Constant(value) => core::slice::from_ref(value),
            Self::Values { values, .. } => values,
        };
        values.iter().copied().filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min)
    }

    /// Returns the largest magnitude of a value.
    pub fn magnitude(&self) -> f64 {
        match self {
            Self::Constant(value) => value.abs(),
            Self::Values { values, .. } => largest(values),
        }
    }
}

/// Returns the largest magnitude of some numbers; 0 for none.
fn largest<'a>(values: impl IntoIterator<Item = &'a f64>) -> f64 {
    values.into_iter().fold(0.0, |largest, value| value.abs().max(largest))
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn values_outside_the_data_are_zero_and_do_not_panic() {
        let cells = CellValues::Values { columns: 2, values: vec![3.0; 4] };
        assert!((cells.at(1, 1) - 3.0).abs() < 1e-15 && cells.at(2, 0).abs() < 1e-15);
        assert!(cells.at(0, 2).abs() < 1e-15);
        let boundary = Boundary::default().with(Side::Top, Profile::Values(vec![7.0]));
        assert!((boundary.value(Side::Top, 0, 1) - 7.0).abs() < 1e-15);
        assert!(boundary.value(Side::Top, 1, 1).abs() < 1e-15);
    }

    #[test]
    fn nothing_goes_through_a_side_with_a_flux_or_into_a_hole() {
        let problem = Problem {
            boundary: Boundary::default().with_flux(Side::Left),
            coefficient: CellValues::Values { columns: 2, values: vec![1.0, 1.0, 1.0, 0.0] },
            ..Problem::paper(GridSize { rows: 2, columns: 2 })
        };
        // Above, below, to the left and to the right.
        for ((row, column), faces) in [
            ((0, 0), [1.0, 1.0, 0.0, 1.0]),
            ((0, 1), [1.0, 0.0, 1.0, 1.0]),
            ((1, 0), [1.0, 1.0, 0.0, 0.0]),
            ((1, 1), [0.0; 4]),
        ] {
            let found = problem.faces(row, column);
            assert_eq!(found.map(f64::to_bits), faces.map(f64::to_bits), "[{row}, {column}]");
            assert_eq!(problem.leaves_out(row, column), (row, column) == (1, 1));
        }
        let mut last_row = [3.0_f64; 2];
        problem.clear_holes(1, &mut last_row);
        assert!(!last_row[0].is_nan() && last_row[1].is_nan());
    }
}
