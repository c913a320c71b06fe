//! Resolves the flags of a sparse system, reads its files and cuts it.

use std::fs::File;
use std::hash::Hasher as _;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use tresse_core::base::id::SocketId;
use tresse_core::run::{NodeBalance, RunConfig};
use tresse_matrix::block::Block;
use tresse_matrix::dominance::is_known_to_converge;
use tresse_matrix::market;
use tresse_matrix::rows::{SparseRows, norm};
use tresse_matrix::system::{Processes, System};
use tresse_matrix::vector::VectorForm;
use twox_hash::XxHash3_64;

use super::column;
use super::error::MatrixFailure;
use super::report::MatrixFigures;
use crate::commands::CommandError;
use crate::commands::args::resolve::warnings;
use crate::commands::args::{FrontError, MatrixArgs, RelativeToChoice, RunFlags, SolveArgs};
use crate::report::output::Inputs;
use crate::solvers::Solver;
use crate::wording;

/// Least norm of a vector that is not zero: squares of small parts of it are to be numbers.
const SMALLEST: f64 = 1e-120;

/// Default of `--tolerance`.
const TOLERANCE: f64 = 1e-8;

/// What was asked for, before any file is read.
pub struct Asked {
    /// The effective configuration; its grid and its reference follow from the files.
    pub config: RunConfig,
    pub(super) solver: Solver,
    pub(super) overlap: u32,
    pub(super) out: Option<PathBuf>,
    pub(super) json: bool,
    pub(super) quiet: bool,
    pub(super) warnings: Vec<String>,
    /// Where the run is, in lines for a person, if that is not a few threads here.
    pub places: Vec<(&'static str, String)>,
    choices: RunFlags,
    /// File of the matrix.
    path: PathBuf,
    rhs: PathBuf,
    start: Option<PathBuf>,
}

/// A system A x = b, as it was read.
pub(super) struct Linear {
    pub matrix: SparseRows,
    pub rhs: Vec<f64>,
    pub start: Vec<f64>,
}

impl Linear {
    /// Returns a hash (XXH3, 64 bits) of all values.
    pub fn hash(&self) -> u64 {
        let mut hasher = XxHash3_64::new();
        for (row, column, value) in self.matrix.iter() {
            hasher.write(
                &[u64::from(row) << 32 | u64::from(column), value.to_bits()]
                    .map(u64::to_le_bytes)
                    .concat(),
            );
        }
        for value in self.rhs.iter().chain(&self.start) {
            hasher.write(&value.to_le_bytes());
        }
        hasher.finish()
    }
}

/// A system that is cut and factorised.
pub(super) struct SetUp {
    pub linear: Linear,
    pub system: System,
    pub is_known_to_converge: bool,
    /// The matrix in a few words.
    pub about: String,
}

impl Asked {
    /// Merges flags and defaults; `path` is the file of the matrix.
    pub fn new(
        args: &SolveArgs,
        matrix: &MatrixArgs,
        path: &Path,
        workers: u32,
    ) -> Result<Self, MatrixFailure> {
        let mut choices = args.choices.clone();
        if choices.iterations.is_none() && choices.absolute_tolerance.is_none() {
            choices.tolerance.get_or_insert(TOLERANCE);
        }
        // The unknowns are not known yet.
        let config = choices.choices().resolve(workers, column(1));
        let solver = choices.mode.unwrap_or(config.mode.into());
        Ok(Self {
            config,
            solver,
            overlap: matrix.overlap(),
            out: args.out.clone(),
            json: args.json,
            quiet: args.quiet,
            warnings: vec![],
            places: vec![],
            choices,
            path: path.to_owned(),
            rhs: matrix.rhs.clone().ok_or(MatrixFailure::NoRhs)?,
            start: matrix.start.clone(),
        })
    }

    /// Refuses what cannot run, and adds the warnings about what has no effect.
    pub fn check(
        &mut self,
        node_flag: Option<&'static str>,
        sockets: &[SocketId],
    ) -> Result<(), CommandError> {
        if self.solver == Solver::Rayon {
            return Err(MatrixFailure::Rayon.into());
        }
        if self.config.nodes.balance == NodeBalance::Rows {
            return Err(FrontError::OnlyMultigrid { flag: "--node-balance rows" }.into());
        }
        let (config, solver) = (&self.config, self.solver);
        config.validate().map_err(|error| FrontError::Config { error, solver })?;
        self.warnings = warnings(config, &self.choices, (solver, node_flag));
        let of_sockets = config.warnings_on(sockets.iter().copied());
        let new: Vec<_> = of_sockets.map(|warning| wording::warning(&warning)).collect();
        self.warnings.extend(new);
        self.warnings.dedup();
        Ok(())
    }

    /// Whether nothing is printed for a person.
    pub(super) const fn is_hidden(&self) -> bool {
        self.json || self.quiet
    }

    /// Returns the files that the run reads.
    pub(super) fn inputs(&self) -> Inputs {
        let inputs = Inputs::default().with("--matrix", &self.path).with("--rhs", &self.rhs);
        inputs.with_all("--start", self.start.iter())
    }

    /// Reads the files.
    pub(super) fn read(&self) -> Result<Linear, MatrixFailure> {
        let wrong = |error| MatrixFailure::Matrix { path: self.path.clone(), error };
        let file = opened("--matrix", &self.path, |error| wrong(error.into()))?;
        let matrix = market::read_system(file).map_err(wrong)?;
        let rhs = vector("--rhs", &self.rhs, matrix.len())?;
        let start = match &self.start {
            Some(path) => vector("--start", path, matrix.len())?,
            None => vec![0.0; rhs.len()],
        };
        Ok(Linear { matrix, rhs, start })
    }

    /// Cuts the system and factorises its blocks. Collective.
    pub(super) fn set_up(
        &mut self,
        linear: Linear,
        processes: &mut impl Processes,
    ) -> Result<SetUp, CommandError> {
        let Linear { matrix, rhs, start } = &linear;
        self.config.grid = column(matrix.len());
        self.config.stop.reference = match self.choices.relative_to {
            Some(RelativeToChoice::Start) => None,
            None | Some(RelativeToChoice::Problem) => {
                Some(norm(rhs.iter().copied())).filter(|&norm| norm > 0.0)
            }
        };
        let (config, solver) = (&self.config, self.solver);
        config.validate().map_err(|error| FrontError::Config { error, solver })?;
        let (path, workers, split) = (&self.path, config.workers, config.split);
        let parts = u32::try_from(config.subdomains()).unwrap_or(u32::MAX);
        let failed = |error| MatrixFailure::System { path: path.clone(), error, workers, split };
        let system = System::across(processes, (matrix, rhs, start), parts, self.overlap);
        let system = system.map_err(failed)?;
        let (rows, entries) = (matrix.len(), matrix.entries());
        Ok(SetUp {
            is_known_to_converge: is_known_to_converge(matrix),
            about: format!("{}: {rows} rows, {entries} nonzeros", path.display()),
            system,
            linear,
        })
    }
}

impl SetUp {
    /// Returns the figures of the cut; `seconds` is the time that it took.
    pub fn figures(&self, asked: &Asked, seconds: f64) -> MatrixFigures {
        let blocks = self.system.blocks();
        MatrixFigures {
            rows: self.linear.matrix.len(),
            nonzeros: self.linear.matrix.entries(),
            overlap: asked.overlap,
            extended_rows: blocks.iter().map(Block::extended).sum(),
            factor_nonzeros: blocks.iter().map(Block::factor_entries).sum(),
            neighbours: self.system.degree(),
            known_to_converge: self.is_known_to_converge,
            setup_seconds: seconds,
        }
    }
}

/// Opens a regular file; `unreadable` makes the error where the system refuses it.
fn opened(
    flag: &'static str,
    path: &Path,
    unreadable: impl Fn(std::io::Error) -> MatrixFailure,
) -> Result<BufReader<File>, MatrixFailure> {
    // Looked at before it is opened: opening a pipe would wait for its other end.
    if !std::fs::metadata(path).map_err(&unreadable)?.is_file() {
        return Err(MatrixFailure::NotAFile { flag, path: path.to_owned() });
    }
    Ok(BufReader::new(File::open(path).map_err(unreadable)?))
}

/// Reads a vector with a value for each of the `rows`.
fn vector(flag: &'static str, path: &Path, rows: u32) -> Result<Vec<f64>, MatrixFailure> {
    let owned = || path.to_owned();
    let form = VectorForm::of(path).ok_or_else(|| MatrixFailure::Ending { flag, path: owned() })?;
    let wrong = |error| MatrixFailure::Vector { flag, path: owned(), error };
    let unreadable = |error| wrong(market::MarketError::Unreadable(error).into());
    let values = form.read(opened(flag, path, unreadable)?, rows).map_err(wrong)?;
    let norm = norm(values.iter().copied());
    let is_small = norm < SMALLEST && values.iter().any(|&value| value != 0.0);
    let (size, to) = match norm.is_finite() {
        false => ("large", "down"),
        true if is_small => ("small", "up"),
        true => return Ok(values),
    };
    Err(MatrixFailure::Magnitude { flag, path: owned(), size, to })
}
