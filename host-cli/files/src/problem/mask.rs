//! Cells that are left out of a problem: rock between pores, land in the sea.

use std::path::Path;

use tresse_core::field::grid::Side;
use tresse_core::field::problem::{CellValues, Problem};
use tresse_core::run::GridSize;

use super::error::{MaskError, ProblemError};

/// Leaves out the cells where `mask`, which was read from `path`, is not 0, and those that no path
/// joins to a side with values: their equations have no solution, or one for every constant.
/// Returns the number of the latter.
pub(super) fn leave_out(
    problem: &mut Problem,
    mask: &CellValues,
    path: &Path,
) -> Result<usize, ProblemError> {
    let wrong = |error| Err(ProblemError::Mask { npy: path.into(), error });
    let GridSize { columns, .. } = problem.grid;
    let place_of = |place: usize| (place / columns, place % columns);
    let mut is_out: Vec<bool> = (0..cells(problem.grid))
        .map(|place| {
            let (row, column) = place_of(place);
            mask.at(row, column) != 0.0
        })
        .collect();
    let is_joined = joined(problem, &is_out);
    let mut enclosed = 0;
    for (place, is_out) in is_out.iter_mut().enumerate() {
        if *is_out || is_joined[place] {
            continue;
        }
        let (row, column) = place_of(place);
        if problem.source.at(row, column) != 0.0 {
            return wrong(MaskError::Enclosed { row, column });
        }
        (*is_out, enclosed) = (true, enclosed + 1);
    }
    if is_out.iter().all(|is_out| *is_out) {
        return wrong(MaskError::Nothing);
    }
    // What they start with changes nothing.
    for values in [&mut problem.coefficient, &mut problem.source] {
        clear(values, problem.grid, &is_out);
    }
    Ok(enclosed)
}

/// Returns for each cell, row by row, whether a path of cells leads from it to a side with values.
fn joined(problem: &Problem, is_out: &[bool]) -> Vec<bool> {
    let GridSize { rows, columns } = problem.grid;
    let [top, bottom, left, right] = [Side::Top, Side::Bottom, Side::Left, Side::Right]
        .map(|side| problem.boundary.is_fixed(side));
    let mut is_joined = vec![false; is_out.len()];
    let mut open = Vec::new();
    for place in 0..is_out.len() {
        let (row, column) = (place / columns, place % columns);
        let is_beside = (row == 0 && top)
            || (row + 1 == rows && bottom)
            || (column == 0 && left)
            || (column + 1 == columns && right);
        if is_beside && !is_out[place] {
            is_joined[place] = true;
            open.push(place);
        }
    }
    while let Some(place) = open.pop() {
        let (row, column) = (place / columns, place % columns);
        let beside = [
            (row > 0).then(|| place - columns),
            (row + 1 < rows).then(|| place + columns),
            (column > 0).then(|| place - 1),
            (column + 1 < columns).then(|| place + 1),
        ];
        for next in beside.into_iter().flatten() {
            if !is_out[next] && !is_joined[next] {
                is_joined[next] = true;
                open.push(next);
            }
        }
    }
    is_joined
}

/// Sets the cells that are left out to 0.
fn clear(values: &mut CellValues, grid: GridSize, is_out: &[bool]) {
    if let CellValues::Constant(value) = *values {
        if value == 0.0 {
            return;
        }
        *values = CellValues::Values { columns: grid.columns, values: vec![value; cells(grid)] };
    }
    if let CellValues::Values { values, .. } = values {
        let out = values.iter_mut().zip(is_out).filter(|(_, is_out)| **is_out);
        out.for_each(|(value, _)| *value = 0.0);
    }
}

const fn cells(grid: GridSize) -> usize {
    grid.rows * grid.columns
}
