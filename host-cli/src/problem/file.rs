//! The problem file: TOML in, a [`Problem`] out.

use std::path::{Path, PathBuf};

use tresse_core::grid::Side;
use tresse_core::run::GridSize;
use tresse_files::document::Limit;

use super::error::ProblemError;
use super::{Boundary, CellValues, Problem, Profile, arrays, parse, side_length};
use crate::args::SolveArgs;
use crate::document::{self, DocumentError};
use crate::report::field::FieldName;

/// The longest problem file that is read: data belong in `.npy` files.
const LONGEST: Limit = Limit { bytes: 1 << 20, mend: "over 1 MiB; put data into .npy files" };

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
    /// `[field]`: `name` and `unit` of what is solved for.
    pub field: FieldName,
    /// `[run]`: values for the flags of `solve`.
    pub run: SolveArgs,
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
    fn build(&self, key: &str, folder: &Path, grid: GridSize) -> Result<CellValues, ProblemError> {
        match self {
            Self::Constant(value) => Ok(CellValues::Constant(*value)),
            Self::Npy(path) => arrays::cells(key, &folder.join(path), grid),
        }
    }
}

/// The sides with their keys in `[boundary]`, by [`Side::index`].
pub(super) const SIDES: [(Side, &str); 4] =
    [(Side::Top, "top"), (Side::Bottom, "bottom"), (Side::Left, "left"), (Side::Right, "right")];

impl ProblemFile {
    /// Reads the text of a problem file; touches no other file.
    pub fn parse(text: &str) -> Result<Self, ProblemError> {
        Ok(parse::problem(text)?)
    }

    /// Reads a problem file from the disk.
    pub fn load(path: &Path) -> Result<Self, ProblemError> {
        document::read(path, LONGEST)
            .map_err(ProblemError::from)
            .and_then(|text| Self::parse(&text))
            .map_err(|error| error.within(path))
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
            CellValues::Constant(value) => *value *= area,
            CellValues::Values { values, .. } => values.iter_mut().for_each(|value| *value *= area),
        }
        if !source.magnitude().is_finite() {
            return Err(ProblemError::Document(DocumentError::Value {
                key: "spacing".into(),
                found: self.spacing.to_string(),
                expected: "`source` times its square overflows: lower one of them".into(),
            }));
        }
        Ok(Problem { grid, boundary, initial, source })
    }

    /// The array files, each with its key; their paths are relative to `folder`.
    pub fn files(&self, folder: &Path) -> Vec<(String, PathBuf)> {
        let cells = self.cell_arrays().map(|(key, path)| (key.to_owned(), folder.join(path)));
        let sides =
            SIDES.into_iter().zip(&self.boundary).filter_map(|((_, name), source)| match source {
                SideSource::Npy(path) => Some((format!("boundary.{name}"), folder.join(path))),
                SideSource::Given(_) => None,
            });
        cells.chain(sides).collect()
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

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2, ShapeBuilder as _, array};
    use ndarray_npy::write_npy;

    use super::*;

    const GRID: GridSize = GridSize { rows: 2, columns: 3 };

    fn built(folder: &Path, text: &str) -> Result<Problem, ProblemError> {
        let file = ProblemFile::parse(text)?;
        let grid = file.grid(folder)?.unwrap_or(GRID);
        file.build(folder, grid)
    }

    #[test]
    fn arrays_of_every_kind_and_order_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let numbers = array![[1, 2, 3], [4, 5, 6]];
        let path = folder.path().join("a.npy");
        let text = "initial = { npy = \"a.npy\" }\nsource = { npy = \"a.npy\" }\nspacing = 0.5";
        let check = || {
            let problem = built(folder.path(), text).unwrap();
            assert_eq!(problem.grid, GRID);
            let scaled = |by: f64| CellValues::Values {
                columns: 3,
                values: (1..=6).map(|number| by * f64::from(number)).collect(),
            };
            assert_eq!((problem.initial, problem.source), (scaled(1.0), scaled(0.25)));
        };
        write_npy(&path, &numbers.mapv(f64::from)).unwrap();
        check();
        write_npy(&path, &numbers.mapv(|n| n as f32)).unwrap();
        check();
        write_npy(&path, &numbers.mapv(i64::from)).unwrap();
        check();
        let mut fortran = Array2::<i32>::zeros((2, 3).f());
        fortran.assign(&numbers);
        write_npy(&path, &fortran).unwrap();
        check();
    }

    #[test]
    fn sides_take_arrays_of_their_own_length() {
        let folder = tempfile::tempdir().unwrap();
        write_npy(folder.path().join("three.npy"), &Array1::from_vec(vec![7.0, 8.0, 9.0])).unwrap();
        let top = built(folder.path(), "[boundary]\ntop = { npy = \"three.npy\" }").unwrap();
        assert!((top.boundary.value(Side::Top, 2, 3) - 9.0).abs() < 1e-15);
        let left = built(folder.path(), "[boundary]\nleft = { npy = \"three.npy\" }").unwrap_err();
        let text = left.to_string();
        assert!(text.contains("boundary.left") && text.contains("[2]"), "{text}");
    }

    #[test]
    fn bad_arrays_are_named_with_their_key_and_what_is_wrong() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        write_npy(at("nan.npy"), &array![[0.0, f64::NAN, 0.0], [0.0, 0.0, 0.0]]).unwrap();
        write_npy(at("byte.npy"), &array![[1_u8, 2, 3], [4, 5, 6]]).unwrap();
        write_npy(at("large.npy"), &Array2::<f32>::zeros((4, 4))).unwrap();
        write_npy(at("flat.npy"), &Array1::<f32>::zeros(6)).unwrap();
        write_npy(at("empty.npy"), &Array2::<f32>::zeros((0, 3))).unwrap();
        write_npy(at("good.npy"), &Array2::<f32>::zeros((2, 3))).unwrap();
        std::fs::write(at("text.npy"), "1 2 3").unwrap();
        let good = std::fs::read(at("good.npy")).unwrap();
        std::fs::write(at("cut.npy"), &good[..good.len() - 1]).unwrap();
        let huge = "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 3), }\n";
        for (name, length, header) in [
            ("header.npy", 65_535, String::new()),
            ("huge.npy", 70, huge.to_owned()),
            ("nested.npy", 901, "[".repeat(900) + "\n"),
        ] {
            let length: u16 = length;
            let start = [&good[..8], &length.to_le_bytes(), header.as_bytes()].concat();
            std::fs::write(at(name), [start, vec![0; 24]].concat()).unwrap();
        }
        for (name, expected) in [
            ("nan.npy", "NaN at [0, 1]"),
            ("byte.npy", "type '|u1'"),
            ("large.npy", "4x4"),
            ("flat.npy", "shape [6]"),
            ("empty.npy", "shape [0, 3]"),
            ("text.npy", "numpy.save"),
            ("cut.npy", "holds 23 bytes"),
            ("header.npy", "a header of 65545 bytes"),
            ("huge.npy", "claims 1199999999988"),
            ("nested.npy", "is not an .npy file"),
            ("missing.npy", "cannot be read"),
            (".", "not a regular file"),
        ] {
            let file = format!("grid = [2, 3]\ninitial = {{ npy = \"{name}\" }}");
            let text = built(folder.path(), &file).unwrap_err().to_string();
            let complete = [expected, name, "`initial`"].iter().all(|part| text.contains(part));
            assert!(complete && !text.contains('\n'), "{name}: {text}");
        }
    }

    #[test]
    fn the_shipped_examples_can_be_solved() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/problems");
        let load = |name: &str| ProblemFile::load(&folder.join(name)).unwrap();
        let paper = load("paper.toml");
        assert_eq!(paper.grid(&folder).unwrap(), None);
        assert_eq!(paper.build(&folder, GRID).unwrap(), Problem::paper(GRID));
        for (name, rows, columns) in [("poisson.toml", 127, 127), ("terrain.toml", 170, 200)] {
            let grid = load(name).grid(&folder).unwrap().unwrap();
            assert_eq!(grid, GridSize { rows, columns });
            load(name).build(&folder, grid).unwrap();
        }
    }
}
