//! Problems as files: what a problem in memory looks like to a program.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use ndarray::{Array1, ArrayView2};
use tresse::files::problem::{CellValues, Problem, Profile};
use tresse_core::field::grid::Side;

use crate::problems::Failure;

/// Writes `problem.toml` and its arrays into a folder, and answers where it is; the same problem to
/// the bit is read from it.
///
/// # Errors
/// Where a file cannot be written.
pub fn write(problem: &Problem, folder: &Path) -> Result<PathBuf, Failure> {
    let mut text = format!("grid = [{}, {}]\n", problem.grid.rows, problem.grid.columns);
    for (key, cells) in [
        ("initial", &problem.initial),
        ("source", &problem.source),
        ("coefficient", &problem.coefficient),
    ] {
        match cells {
            CellValues::Constant(value) => writeln!(text, "{key} = {value:?}")?,
            CellValues::Values { columns, values } => {
                let shape = (values.len() / columns, *columns);
                let array = ArrayView2::from_shape(shape, values)?;
                ndarray_npy::write_npy(folder.join(format!("{key}.npy")), &array)?;
                writeln!(text, "{key} = {{ npy = \"{key}.npy\" }}")?;
            }
        }
    }
    // Of area 1, since the source is that of whole cells.
    let height = problem.cell_ratio.sqrt();
    writeln!(text, "spacing = [{height:?}, {:?}]", 1.0 / height)?;
    text += "[boundary]\n";
    for (side, key) in
        [(Side::Top, "top"), (Side::Bottom, "bottom"), (Side::Left, "left"), (Side::Right, "right")]
    {
        match problem.boundary.profile(side) {
            // What it brings is in the source.
            _ if !problem.boundary.is_fixed(side) => writeln!(text, "{key} = {{ flux = 0 }}")?,
            Profile::Constant(value) => writeln!(text, "{key} = {value:?}")?,
            Profile::Gaussian { amplitude, centre, width } => writeln!(
                text,
                "{key} = {{ gaussian = {{ amplitude = {amplitude:?}, centre = {centre:?}, width = \
                 {width:?} }} }}"
            )?,
            Profile::Values(values) => {
                ndarray_npy::write_npy(
                    folder.join(format!("{key}.npy")),
                    &Array1::from(values.clone()),
                )?;
                writeln!(text, "{key} = {{ npy = \"{key}.npy\" }}")?;
            }
        }
    }
    let path = folder.join("problem.toml");
    fs::write(&path, text)?;
    Ok(path)
}
