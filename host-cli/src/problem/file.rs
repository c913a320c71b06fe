//! The problem file: TOML in, a [`Problem`] out.

use std::path::{Path, PathBuf};

use tresse_core::grid::Side;
use tresse_core::run::GridSize;

use super::error::ProblemError;
use super::{Boundary, Cells, Problem, Profile, arrays, parse, side_length};
use crate::args::RunChoices;

/// The longest problem file that is read, in bytes: data belong in `.npy` files.
const LONGEST_FILE: u64 = 1 << 20;

/// A problem file as it is written; array files are named, not yet read.
#[derive(Clone, Debug, PartialEq)]
pub struct ProblemFile {
    /// `grid = [rows, columns]`.
    pub grid: Option<GridSize>,
    /// `[boundary]`, by [`Side::index`].
    pub(super) boundary: [SideSource; 4],
    /// `initial`, 1 where it is not given.
    pub(super) initial: CellSource,
    /// `source`, f in −∇²u = f.
    pub(super) source: CellSource,
    /// `spacing`: h, the distance of two cells; above 0.
    pub(super) spacing: f64,
    /// `[run]`: values for the flags of `solve`.
    pub run: RunChoices,
}

/// Where the values along a side come from.
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

/// Where the numbers of the cells come from.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum CellSource {
    Constant(f64),
    Npy(PathBuf),
}

impl Default for CellSource {
    fn default() -> Self {
        Self::Constant(0.0)
    }
}

impl CellSource {
    fn build(&self, key: &str, folder: &Path, grid: GridSize) -> Result<Cells, ProblemError> {
        match self {
            Self::Constant(value) => Ok(Cells::Constant(*value)),
            Self::Npy(path) => arrays::cells(key, &folder.join(path), grid).map(Cells::Values),
        }
    }
}

/// The sides with their keys in `[boundary]`, by [`Side::index`].
pub(super) const SIDES: [(Side, &str); 4] =
    [(Side::Top, "top"), (Side::Bottom, "bottom"), (Side::Left, "left"), (Side::Right, "right")];

impl ProblemFile {
    /// Reads the text of a problem file; touches no other file.
    pub fn parse(text: &str) -> Result<Self, ProblemError> {
        parse::problem(text)
    }

    /// Reads a problem file from the disk.
    pub fn load(path: &Path) -> Result<Self, ProblemError> {
        read(path).and_then(|text| Self::parse(&text)).map_err(|error| error.within(path))
    }

    /// The grid that the file asks for, by `grid` or by the shape of an array of cells; none where
    /// it leaves that open. Reads headers of array files only.
    pub fn grid(&self, folder: &Path) -> Result<Option<GridSize>, ProblemError> {
        let mut grid = self.grid;
        for (key, path) in self.cell_arrays() {
            let found = arrays::grid_of_cells(key, &folder.join(path))?;
            let wanted = *grid.get_or_insert(found);
            if wanted != found {
                let (key, npy) = (key.into(), folder.join(path));
                return Err(ProblemError::GridOfNpy { key, npy, found, grid: wanted });
            }
        }
        Ok(grid)
    }

    /// How many fields of the grid's size are read from array files.
    pub fn arrays(&self) -> u64 {
        self.cell_arrays().count() as u64
    }

    /// Whether there is a source term.
    pub fn has_source(&self) -> bool {
        self.source != CellSource::default()
    }

    /// The problem on a grid, with the array files read; their paths are relative to `folder`.
    pub fn build(&self, folder: &Path, grid: GridSize) -> Result<Problem, ProblemError> {
        let mut boundary = Boundary::default();
        for ((side, name), source) in SIDES.into_iter().zip(&self.boundary) {
            let key = format!("boundary.{name}");
            let profile = match source {
                SideSource::Given(profile) => profile.clone(),
                SideSource::Npy(path) => {
                    let path = folder.join(path);
                    Profile::Values(arrays::side(&key, &path, side_length(side, grid))?)
                }
            };
            boundary = boundary.with(side, profile);
        }
        let initial = self.initial.build("initial", folder, grid)?;
        let mut source = self.source.build("source", folder, grid)?;
        let area = self.spacing * self.spacing;
        match &mut source {
            Cells::Constant(value) => *value *= area,
            Cells::Values(values) => values.mapv_inplace(|value| value * area),
        }
        if !source.magnitude().is_finite() {
            return Err(ProblemError::Value {
                key: "spacing".into(),
                found: self.spacing.to_string(),
                expected: "`source` times its square overflows: lower one of them".into(),
            });
        }
        Ok(Problem { grid, boundary, initial, source })
    }

    fn cell_arrays(&self) -> impl Iterator<Item = (&'static str, &PathBuf)> {
        [("initial", &self.initial), ("source", &self.source)].into_iter().filter_map(
            |(key, source)| match source {
                CellSource::Npy(path) => Some((key, path)),
                CellSource::Constant(_) => None,
            },
        )
    }
}

fn read(path: &Path) -> Result<String, ProblemError> {
    // Looked at before it is opened: opening a pipe would wait for its other end.
    let metadata = std::fs::metadata(path).map_err(ProblemError::Unreadable)?;
    if !metadata.is_file() {
        return Err(ProblemError::NotAProblem("name a TOML file, not a folder or a device"));
    }
    if metadata.len() > LONGEST_FILE {
        return Err(ProblemError::NotAProblem("over 1 MiB; put data into .npy files"));
    }
    std::fs::read_to_string(path).map_err(ProblemError::Unreadable)
}
