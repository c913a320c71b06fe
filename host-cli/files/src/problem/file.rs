//! The problem file: TOML in, a [`Problem`] out.

use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use toml::Table;
use tresse_core::field::grid::Side;
use tresse_core::field::problem::{Boundary, CellSize, CellValues, Problem, Profile, side_length};
use tresse_core::field::stencil::Terms;
use tresse_core::run::GridSize;

use super::arrays::{self, Loss};
use super::error::ProblemError;
use super::mask;
use super::npy::Open;
use crate::document::{DocumentError, Limit};
use crate::field_name::FieldName;

/// A problem file as it is written; array files are named, not yet read.
#[derive(Clone, Debug, PartialEq)]
pub struct ProblemFile {
    /// `grid = [rows, columns]`.
    pub grid: Option<GridSize>,
    /// `[boundary]`, by [`Side::index`].
    pub(super) boundary: [GivenSide; 4],
    /// `initial`, 1 where it is not given.
    pub(super) initial: CellSource,
    /// `source`, f in −∇·(k∇u) = f.
    pub(super) source: CellSource,
    /// `coefficient`, k in −∇·(k∇u) = f, 1 where it is not given; above 0.
    pub(super) coefficient: CellSource,
    /// `mask`, the array of which cells are left out: those where it is not 0.
    pub(super) mask: Option<PathBuf>,
    /// `spacing`: h, the distance of two cells, or those of two rows and of two columns; above 0.
    pub spacing: CellSize,
    /// `[field]`: `name` and `unit` of the quantity that is solved for.
    pub field: FieldName,
    /// `[run]`: unparsed values for the flags of `solve`.
    pub run: Option<Table>,
}

/// A problem, and what was lost when its arrays were read.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The problem.
    pub problem: Problem,
    /// One for each array that has numbers which a 64-bit float cannot hold.
    pub losses: Vec<Loss>,
    /// Number of cells that are left out besides those of the mask, which enclose them.
    pub enclosed: usize,
}

/// A side as it is given.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct GivenSide {
    /// Where its numbers are from.
    pub(super) source: SideSource,
    /// Whether these are a flux into the grid, k ∂u/∂n with n outward, in place of values.
    pub(super) is_flux: bool,
}

impl GivenSide {
    /// Whether nothing flows through the side.
    fn is_insulated(&self) -> bool {
        self.is_flux && self.source == SideSource::default()
    }
}

/// Source of the numbers along a side.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SideSource {
    Given(Profile),
    Npy(PathBuf),
}

impl Default for SideSource {
    fn default() -> Self {
        Self::Given(Profile::default())
    }
}

/// Source of the numbers of the cells.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum CellSource {
    Constant(f64),
    Npy(PathBuf),
}

impl CellSource {
    /// The source term of a file that has none.
    pub(super) const NO_SOURCE: Self = Self::Constant(0.0);
    /// The coefficient of a file that has none.
    pub(super) const NO_COEFFICIENT: Self = Self::Constant(1.0);
}

impl CellSource {
    /// Reads the values of all cells `on` a grid with a mask; `losses` gets what is lost where
    /// an array's numbers are rounded.
    fn build<R: Read + Seek>(
        &self,
        key: &str,
        folder: &Path,
        on: (GridSize, Option<&CellValues>),
        (open, losses): (&mut Open<'_, R>, &mut Vec<Loss>),
    ) -> Result<CellValues, ProblemError> {
        match self {
            Self::Constant(value) => Ok(CellValues::Constant(*value)),
            Self::Npy(path) => {
                let (cells, loss) = arrays::cells(key, &folder.join(path), on, open)?;
                losses.extend(loss);
                Ok(cells)
            }
        }
    }

    /// Returns the path of the array, if the cells are not all alike.
    fn array(&self) -> Option<&PathBuf> {
        match self {
            Self::Npy(path) => Some(path),
            Self::Constant(_) => None,
        }
    }
}

/// The key of the coefficient.
pub(super) const COEFFICIENT: &str = "coefficient";
/// The key of the mask.
pub(super) const MASK: &str = "mask";

/// The sides with their keys in `[boundary]`, by [`Side::index`].
pub(super) const SIDES: [(Side, &str); 4] =
    [(Side::Top, "top"), (Side::Bottom, "bottom"), (Side::Left, "left"), (Side::Right, "right")];

impl ProblemFile {
    /// The longest problem file that is read: data belong in `.npy` files.
    pub const LIMIT: Limit = Limit { bytes: 1 << 20, mend: "over 1 MiB; put data into .npy files" };

    /// Returns the grid that the file asks for, by `grid` or by the shape of an array of cells, or
    /// `None` where the file leaves the grid open. Reads only the headers of array files, which
    /// `open` opens; their paths are relative to `folder`.
    pub fn grid<R: Read + Seek>(
        &self,
        folder: &Path,
        open: &mut Open<'_, R>,
    ) -> Result<Option<GridSize>, ProblemError> {
        let mut grid = self.grid;
        for (key, path) in self.cell_arrays() {
            let found = arrays::grid_of_cells(key, &folder.join(path), open)?;
            let wanted = *grid.get_or_insert(found);
            if wanted != found {
                let (key, npy) = (key.into(), folder.join(path));
                return Err(ProblemError::GridOfNpy { key, npy, found, grid: wanted });
            }
        }
        Ok(grid)
    }

    /// Returns the number of arrays of the grid's size that are read or made: a mask makes one of a
    /// constant, and so do fluxes of a source.
    pub fn arrays(&self) -> u64 {
        let is_made =
            |cells: &&CellSource| cells.array().is_none() && **cells != CellSource::NO_SOURCE;
        let constants = [&self.source, &self.coefficient].into_iter().filter(is_made).count();
        let made = match (&self.mask, &self.source) {
            (Some(_), _) => constants,
            (None, CellSource::Constant(_)) if self.brings_flux() => 1,
            (None, _) => 0,
        };
        (self.cell_arrays().count() + made) as u64
    }

    /// Returns the terms of the equation that a solver may need memory for: those that the file
    /// has.
    pub fn terms(&self) -> Terms<()> {
        let has_flux = self.boundary.iter().any(|side| side.is_flux);
        let has_weights =
            has_flux || self.mask.is_some() || self.coefficient != CellSource::NO_COEFFICIENT;
        let has_source = self.brings_flux() || self.source != CellSource::NO_SOURCE;
        Terms::of(has_source, has_weights, self.spacing.ratio())
    }

    /// Whether the source is the same everywhere.
    pub fn has_constant_source(&self) -> bool {
        matches!(self.source, CellSource::Constant(_)) && !self.brings_flux() && self.mask.is_none()
    }

    /// Whether something flows through a side, which is then in the source of the cells beside it.
    fn brings_flux(&self) -> bool {
        self.boundary.iter().any(|side| side.is_flux && !side.is_insulated())
    }

    /// Returns the array file that has the coefficient; its path is relative to `folder`.
    pub fn coefficient_file(&self, folder: &Path) -> Option<PathBuf> {
        self.coefficient.array().map(|path| folder.join(path))
    }

    /// Returns the array file that has the mask; its path is relative to `folder`.
    pub fn mask_file(&self, folder: &Path) -> Option<PathBuf> {
        self.mask.as_ref().map(|path| folder.join(path))
    }

    /// Returns the problem on a grid, after reading the array files, which `open` opens; their
    /// paths are relative to `folder`.
    pub fn build<R: Read + Seek>(
        &self,
        folder: &Path,
        grid: GridSize,
        open: &mut Open<'_, R>,
    ) -> Result<Built, ProblemError> {
        let mut losses = Vec::new();
        let mut boundary = Boundary::default();
        for ((side, name), given) in SIDES.into_iter().zip(&self.boundary) {
            let key = format!("boundary.{name}");
            let profile = match &given.source {
                SideSource::Given(profile) => profile.clone(),
                SideSource::Npy(path) => {
                    let (path, length) = (folder.join(path), side_length(side, grid));
                    let (values, loss) = arrays::side(&key, &path, length, open)?;
                    losses.extend(loss);
                    Profile::Values(values)
                }
            };
            boundary = boundary.with(side, profile);
        }
        let (boundary, fluxes) = self.parted(&boundary);
        let mask = self.mask_file(folder).map(|path| {
            let (mask, _) = arrays::cells(MASK, &path, (grid, None), open)?;
            Ok::<_, ProblemError>((mask, path))
        });
        let mask = mask.transpose()?;
        let on = (grid, mask.as_ref().map(|(mask, _)| mask));
        let initial = self.initial.build("initial", folder, on, (open, &mut losses))?;
        let mut source = self.source.build("source", folder, on, (open, &mut losses))?;
        let area = self.spacing.area();
        match &mut source {
            CellValues::Constant(value) => *value *= area,
            CellValues::Values { values, .. } => values.iter_mut().for_each(|value| *value *= area),
        }
        if self.brings_flux() {
            add_fluxes(&mut source, grid, &fluxes, self.spacing);
        }
        if !source.magnitude().is_finite() {
            return Err(ProblemError::Document(DocumentError::Value {
                key: "spacing".into(),
                found: self.spacing.to_string(),
                expected: "`source` times the area of a cell, or a flux times its side, overflows: lower one of them"
                    .into(),
            }));
        }
        let coefficient = self.coefficient.build(COEFFICIENT, folder, on, (open, &mut losses))?;
        if let CellSource::Npy(path) = &self.coefficient {
            arrays::check_positive(COEFFICIENT, &folder.join(path), &coefficient, on.1)?;
        }
        let cell_ratio = self.spacing.ratio();
        let mut problem = Problem { grid, boundary, initial, source, coefficient, cell_ratio };
        let enclosed =
            mask.map_or(Ok(0), |(mask, path)| mask::leave_out(&mut problem, &mask, &path))?;
        Ok(Built { problem, losses, enclosed })
    }

    /// Returns the boundary as a run has it, with no numbers along sides with a flux; and all of
    /// the numbers of those sides.
    fn parted(&self, numbers: &Boundary) -> (Boundary, Boundary) {
        let (mut boundary, mut fluxes) = (numbers.clone(), Boundary::default());
        for ((side, _), _) in
            SIDES.into_iter().zip(&self.boundary).filter(|(_, given)| given.is_flux)
        {
            fluxes = fluxes.with(side, numbers.profile(side).clone());
            boundary = boundary.with_flux(side);
        }
        (boundary, fluxes)
    }

    /// Returns the array files, each with its key; their paths are relative to `folder`.
    pub fn files(&self, folder: &Path) -> Vec<(String, PathBuf)> {
        let cells = self.cell_arrays().map(|(key, path)| (key.to_owned(), folder.join(path)));
        let sides = SIDES.into_iter().zip(&self.boundary).filter_map(|((_, name), given)| {
            match &given.source {
                SideSource::Npy(path) => Some((format!("boundary.{name}"), folder.join(path))),
                SideSource::Given(_) => None,
            }
        });
        cells.chain(sides).collect()
    }

    /// Returns the key and the path of each array of cells.
    fn cell_arrays(&self) -> impl Iterator<Item = (&'static str, &PathBuf)> {
        let cells = [
            ("initial", &self.initial),
            ("source", &self.source),
            (COEFFICIENT, &self.coefficient),
        ];
        let mask = self.mask.as_ref().map(|path| (MASK, path));
        cells.into_iter().filter_map(|(key, source)| Some((key, source.array()?))).chain(mask)
    }
}

/// Adds what flows through the sides of a grid to the source of the cells beside them.
fn add_fluxes(source: &mut CellValues, grid: GridSize, fluxes: &Boundary, spacing: CellSize) {
    let GridSize { rows, columns } = grid;
    if let CellValues::Constant(value) = *source {
        *source = CellValues::Values { columns, values: vec![value; rows * columns] };
    }
    let CellValues::Values { values, .. } = source else { return };
    for side in Side::ALL {
        let length = side_length(side, grid);
        for index in 0..length {
            let (row, column, face) = match side {
                Side::Top => (0, index, spacing.width),
                Side::Bottom => (rows - 1, index, spacing.width),
                Side::Left => (index, 0, spacing.height),
                Side::Right => (index, columns - 1, spacing.height),
            };
            if let Some(value) = values.get_mut(row * columns + column) {
                *value += face * fluxes.value(side, index, length);
            }
        }
    }
}
