//! The problem that the arguments name: the standard one, or that of a file.

use std::path::{Path, PathBuf};

use tresse_core::field::problem::CellSize;
use tresse_core::field::stencil::Terms;
use tresse_core::run::{GridSize, Precision, RunConfigError};

use super::error::FrontError;
use super::run_table::read_run_table;
use super::solve::SolveArgs;
use crate::files::problem::{self, Built, Problem, ProblemError, ProblemFile, open_array};
use crate::report::field::{About, FieldName};
use crate::report::output::Inputs;
use crate::solvers::Solver;

/// The source of the problem.
pub(super) enum Source<'a> {
    Paper(CellSize),
    File { path: &'a Path, folder: &'a Path, file: Box<ProblemFile>, run: Box<SolveArgs> },
}

impl<'a> Source<'a> {
    /// Opens the problem file, if there is one; arrays are read when the problem is built.
    pub(super) fn open(path: Option<&'a Path>) -> Result<Self, ProblemError> {
        let Some(path) = path else { return Ok(Self::Paper(CellSize::ONE)) };
        let folder = path.parent().unwrap_or(Path::new(""));
        let file = problem::load(path)?;
        let run = read_run_table(file.run.as_ref());
        let run = run.map_err(|error| ProblemError::from(error).within(path))?;
        Ok(Self::File { path, folder, file: Box::new(file), run: Box::new(run) })
    }

    /// Sets the size of a cell, in place of the file's.
    pub(super) const fn set_cell_size(&mut self, size: CellSize) {
        match self {
            Self::Paper(cells) => *cells = size,
            Self::File { file, .. } => file.spacing = size,
        }
    }

    /// Returns the choices of the file's `[run]` table, none without a file.
    pub(super) fn run(&self) -> SolveArgs {
        match self {
            Self::Paper(_) => SolveArgs::default(),
            Self::File { run, .. } => (**run).clone(),
        }
    }

    /// Returns the grid of the file, or of its arrays; `None` where any grid will do.
    pub(super) fn grid(&self) -> Result<Option<GridSize>, ProblemError> {
        match self {
            Self::Paper(_) => Ok(None),
            Self::File { folder, file, .. } => {
                file.grid(folder, &mut open_array).map_err(|error| self.name(error))
            }
        }
    }

    /// Builds the problem on a grid, which reads its arrays.
    pub(super) fn build(&self, grid: GridSize) -> Result<Built, ProblemError> {
        match self {
            Self::Paper(cells) => {
                let problem = Problem { cell_ratio: cells.ratio(), ..Problem::paper(grid) };
                Ok(Built { problem, losses: vec![], enclosed: 0 })
            }
            Self::File { folder, file, .. } => {
                file.build(folder, grid, &mut open_array).map_err(|error| self.name(error))
            }
        }
    }

    /// Returns the name of the field and the size of a cell, for results.
    pub(super) fn about(&self) -> About {
        let name = match self {
            Self::Paper(_) => FieldName::default(),
            Self::File { file, .. } => file.field.clone(),
        };
        About { name, cell: self.cell_size() }
    }

    /// Returns all files of the problem, which results must not overwrite.
    pub(super) fn inputs(&self) -> Inputs {
        match self {
            Self::Paper(_) => Inputs::default(),
            Self::File { path, folder, file, .. } => {
                let arrays = file.files(folder).into_iter();
                arrays.fold(Inputs::default().with("--problem", path), |inputs, (key, path)| {
                    inputs.with(format!("`{key}` in --problem"), &path)
                })
            }
        }
    }

    /// Adds the path of the problem file to an error.
    pub(super) fn name(&self, error: ProblemError) -> ProblemError {
        match self {
            Self::Paper(_) => error,
            Self::File { path, .. } => error.within(path),
        }
    }

    /// Returns which terms the equation has, before any array is read.
    pub(super) fn terms(&self) -> Terms<()> {
        match self {
            Self::Paper(cells) => Terms::of(false, false, cells.ratio()),
            Self::File { file, .. } => file.terms(),
        }
    }

    /// Returns the terms as multigrid holds them: one row of a source that is the same everywhere.
    pub(super) fn terms_of_multigrid(&self) -> Terms<()> {
        match self {
            Self::File { file, .. } if !file.has_constant_source() => file.terms(),
            _ => Terms { source: None, ..self.terms() },
        }
    }

    /// Returns the size of a cell.
    pub(super) const fn cell_size(&self) -> CellSize {
        match self {
            Self::Paper(cells) => *cells,
            Self::File { file, .. } => file.spacing,
        }
    }

    /// Returns the array file of the coefficient.
    pub(super) fn coefficient(&self) -> Option<PathBuf> {
        match self {
            Self::Paper(_) => None,
            Self::File { folder, file, .. } => file.coefficient_file(folder),
        }
    }

    /// Returns the array file of the mask.
    pub(super) fn mask(&self) -> Option<PathBuf> {
        match self {
            Self::Paper(_) => None,
            Self::File { folder, file, .. } => file.mask_file(folder),
        }
    }

    /// Returns how many bytes the arrays of the problem take while they are read.
    pub(super) fn array_bytes(&self, grid: GridSize) -> u64 {
        match self {
            Self::Paper(_) => 0,
            Self::File { file, .. } => {
                grid.cells().saturating_mul(file.arrays() * Precision::F64.bytes())
            }
        }
    }

    /// Names the problem file in an error where its `[run]` table may be what is wrong.
    pub(super) fn blame(&self, error: RunConfigError, solver: Solver) -> FrontError {
        match self {
            Self::File { path, run, .. } if **run != SolveArgs::default() => {
                FrontError::ConfigWithFile { file: path.to_path_buf(), error, solver }
            }
            _ => FrontError::Config { error, solver },
        }
    }
}
