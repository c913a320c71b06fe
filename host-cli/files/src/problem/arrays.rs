//! Reads array files in the shapes that a problem needs.

use std::fmt;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use ndarray::Ix1;
use tresse_core::field::problem::CellValues;
use tresse_core::run::GridSize;

use super::error::ProblemError;
use super::npy::{Npy, NpyError, Open, check_finite};

/// Whole numbers of an array that are too large for a float to hold all of their digits; prints as
/// one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    key: String,
    npy: PathBuf,
    /// Number of elements that were rounded.
    pub rounded: usize,
    /// Number of elements of the array.
    pub elements: usize,
}

impl Loss {
    /// Returns the loss of an array, if any of its elements were rounded.
    fn of(key: &str, npy: &Path, rounded: usize, elements: usize) -> Option<Self> {
        (rounded > 0).then(|| Self { key: key.into(), npy: npy.into(), rounded, elements })
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, npy, rounded, elements } = self;
        write!(
            f,
            "`{key}`: {}: {rounded} of {elements} numbers are above 2^53 and were rounded to the nearest \
             64-bit floats",
            npy.display()
        )
    }
}

/// Returns the grid that an array of cells is for, by its header.
pub(super) fn grid_of_cells<R: Read + Seek>(
    key: &str,
    path: &Path,
    open: &mut Open<'_, R>,
) -> Result<GridSize, ProblemError> {
    open_cells(path, open).map(|(_, grid)| grid).map_err(named(key, path))
}

/// Reads one value for each cell of the grid: 0 where a mask leaves it out, whatever the file has.
pub(super) fn cells<R: Read + Seek>(
    key: &str,
    path: &Path,
    (grid, mask): (GridSize, Option<&CellValues>),
    open: &mut Open<'_, R>,
) -> Result<(CellValues, Option<Loss>), ProblemError> {
    let (npy, found) = open_cells(path, open).map_err(named(key, path))?;
    if found != grid {
        return Err(ProblemError::GridOfNpy { key: key.into(), npy: path.into(), found, grid });
    }
    let (mut array, rounded) = npy.read_any().map_err(named(key, path))?;
    for (index, value) in array.indexed_iter_mut() {
        if mask.is_some_and(|mask| mask.at(index[0], index[1]) != 0.0) {
            *value = 0.0;
        }
    }
    check_finite(&array).map_err(named(key, path))?;
    // Row by row, in whatever order the file has them.
    let values = array.iter().copied().collect();
    let loss = Loss::of(key, path, rounded, array.len());
    Ok((CellValues::Values { columns: grid.columns, values }, loss))
}

/// Refuses an array of cells that is not above 0 everywhere but in the cells of a mask.
pub(super) fn check_positive(
    key: &str,
    path: &Path,
    cells: &CellValues,
    mask: Option<&CellValues>,
) -> Result<(), ProblemError> {
    let CellValues::Values { columns, values } = cells else { return Ok(()) };
    let is_out =
        |place: usize| mask.is_some_and(|mask| mask.at(place / columns, place % columns) != 0.0);
    let mut wrong = (0..).zip(values).filter(|(_, value)| **value <= 0.0);
    match wrong.find(|(place, _)| !is_out(*place)) {
        Some((place, _)) => {
            let index = vec![place / columns, place % columns];
            Err(named(key, path)(NpyError::NotPositive { value: values[place], index }))
        }
        None => Ok(()),
    }
}

/// Reads one value for each of the `length` cells of a side.
pub(super) fn side<R: Read + Seek>(
    key: &str,
    path: &Path,
    length: usize,
    open: &mut Open<'_, R>,
) -> Result<(Vec<f64>, Option<Loss>), ProblemError> {
    let read = open(path).and_then(|file| read_side(file, length));
    let (values, rounded) = read.map_err(named(key, path))?;
    Ok((values, Loss::of(key, path, rounded, length)))
}

/// Reads a vector: an array of one dimension, or a matrix of one column or row.
pub fn vector(file: impl Read + Seek) -> Result<Vec<f64>, NpyError> {
    let npy = Npy::open(file)?;
    match *npy.shape() {
        [_] | [_, 1] | [1, _] => Ok(npy.read()?.0.iter().copied().collect()),
        _ => Err(npy.wrong_shape("one dimension".into())),
    }
}

/// Opens an array of two dimensions, and returns it with its size.
fn open_cells<R: Read + Seek>(
    path: &Path,
    open: &mut Open<'_, R>,
) -> Result<(Npy<R>, GridSize), NpyError> {
    let npy = Npy::open(open(path)?)?;
    match *npy.shape() {
        [rows, columns] if rows > 0 && columns > 0 => Ok((npy, GridSize { rows, columns })),
        _ => Err(npy.wrong_shape("(rows, columns), both at least 1".into())),
    }
}

/// Reads the `length` values of one side, and returns how many of them were rounded.
fn read_side(file: impl Read + Seek, length: usize) -> Result<(Vec<f64>, usize), NpyError> {
    let npy = Npy::open(file)?;
    if npy.shape() != [length] {
        return Err(npy.wrong_shape(format!("[{length}], one value for each cell of the side")));
    }
    let (array, rounded) = npy.read()?;
    let shape = array.shape().to_vec();
    let values = array
        .into_dimensionality::<Ix1>()
        .map_err(|_| NpyError::Shape { found: shape, expected: format!("[{length}]") })?;
    Ok((values.to_vec(), rounded))
}

/// Returns a function that adds the key and the path to an error.
fn named(key: &str, path: &Path) -> impl FnOnce(NpyError) -> ProblemError {
    let (key, npy) = (key.to_owned(), path.to_owned());
    move |error| ProblemError::Npy { key, npy, error }
}
