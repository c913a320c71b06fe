//! Array files in the shapes that a problem needs.

use std::path::Path;

use ndarray::Ix1;
use tresse_core::problem::CellValues;
use tresse_core::run::GridSize;

use super::error::ProblemError;
use super::npy::{Npy, NpyError};

/// The grid that an array of cells is for, by its header.
pub(super) fn grid_of_cells(key: &str, path: &Path) -> Result<GridSize, ProblemError> {
    open_cells(path).map(|(_, grid)| grid).map_err(named(key, path))
}

/// One value for each cell of the grid.
pub(super) fn cells(key: &str, path: &Path, grid: GridSize) -> Result<CellValues, ProblemError> {
    let (npy, found) = open_cells(path).map_err(named(key, path))?;
    if found != grid {
        return Err(ProblemError::GridOfNpy { key: key.into(), npy: path.into(), found, grid });
    }
    let array = npy.read().map_err(named(key, path))?;
    // Row by row, in whatever order the file has them.
    Ok(CellValues::Values { columns: grid.columns, values: array.iter().copied().collect() })
}

/// One value for each of the `length` cells of a side.
pub(super) fn side(key: &str, path: &Path, length: usize) -> Result<Vec<f64>, ProblemError> {
    read_side(path, length).map_err(named(key, path))
}

fn open_cells(path: &Path) -> Result<(Npy, GridSize), NpyError> {
    let npy = Npy::open(path)?;
    match *npy.shape() {
        [rows, columns] if rows > 0 && columns > 0 => Ok((npy, GridSize { rows, columns })),
        _ => Err(npy.wrong_shape("(rows, columns), both at least 1".into())),
    }
}

fn read_side(path: &Path, length: usize) -> Result<Vec<f64>, NpyError> {
    let npy = Npy::open(path)?;
    if npy.shape() != [length] {
        return Err(npy.wrong_shape(format!("[{length}], one value for each cell of the side")));
    }
    let array = npy.read()?;
    let shape = array.shape().to_vec();
    let values = array
        .into_dimensionality::<Ix1>()
        .map_err(|_| NpyError::Shape { found: shape, expected: format!("[{length}]") })?;
    Ok(values.to_vec())
}

fn named(key: &str, path: &Path) -> impl FnOnce(NpyError) -> ProblemError {
    let (key, npy) = (key.to_owned(), path.to_owned());
    move |error| ProblemError::Npy { key, npy, error }
}
