//! The grid of the merged choices.

use tresse_core::run::GridSize;

use tresse_files::choices::grid_of_all;

use super::super::error::FrontError;
use super::super::solve::SolveArgs;
use super::super::source::Source;
use crate::files::problem::ProblemError;

/// Returns the grid, and the name of the flag that decided it. Without a grid that is asked for,
/// each of the `workers` gets a part of size `each`.
pub(super) fn grid(
    asked: Option<(&'static str, GridSize)>,
    source: &Source,
    (workers, each): (u32, GridSize),
    nodes: u32,
) -> Result<(GridSize, String), FrontError> {
    match (asked, source.grid()?) {
        // A flag goes over the file; arrays of another shape are refused when they are read.
        (Some((flag, asked)), Some(file)) if asked != file && !is_flag(flag) => {
            Err(source.name(ProblemError::GridOfFlags { file, flag, asked }).into())
        }
        (Some((flag, asked)), _) => Ok((asked, flag.into())),
        (None, Some(file)) => Ok((file, "--problem".into())),
        (None, None) => {
            let flag = format!("--workers {workers} with {each} cells each");
            Ok((grid_of_all(each, workers, nodes), flag))
        }
    }
}

/// Reports whether the grid was decided by a flag, and not by a file.
fn is_flag(name: &str) -> bool {
    name.starts_with("--")
}

/// Returns the grid that a flag asks for; one on the command line goes over one in the file.
pub(super) fn asked(
    args: &SolveArgs,
    source: &Source,
    workers: u32,
    nodes: u32,
) -> Option<(&'static str, GridSize)> {
    let of = |args: &SolveArgs, grid, cells_per_worker| {
        let cells = args.choices.cells_per_worker;
        let by_worker = cells.map(|cells| (cells_per_worker, grid_of_all(cells, workers, nodes)));
        args.grid.map(|size| (grid, size)).or(by_worker)
    };
    of(args, "--grid", "--cells-per-worker")
        .or_else(|| of(&source.run(), "`grid` in [run]", "`cells-per-worker` in [run]"))
}
