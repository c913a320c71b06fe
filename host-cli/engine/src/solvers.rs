//! The methods that `--method` names, and the solvers that `--mode` names.

use std::fmt;

use serde::{Serialize, Serializer};
use tresse_core::run::Mode;

/// A method to solve a problem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Jacobi iteration, by one of the solvers.
    #[default]
    Jacobi,
    /// Multigrid.
    Multigrid(MultigridChoices),
}

impl Method {
    /// Returns the name, as `--method` has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Jacobi => "jacobi",
            Self::Multigrid(_) => "multigrid",
        }
    }
}

/// The choices about multigrid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MultigridChoices {
    /// Smoothing steps on each level of a cycle, 1 to
    /// [`MAX_STEPS`](tresse_core::multigrid::MAX_STEPS).
    pub smoothing: usize,
    /// Unknowns of the coarsest level at most, unless it is one row or column; 1 to
    /// [`MAX_COARSEST`](tresse_core::multigrid::MAX_COARSEST).
    pub coarsest: usize,
    /// Cycles on the level below the finest one in each cycle of that, 1 to
    /// [`MAX_CYCLES`](tresse_core::multigrid::MAX_CYCLES).
    pub coarse_cycles: usize,
}

impl Default for MultigridChoices {
    fn default() -> Self {
        Self { smoothing: 3, coarsest: 64, coarse_cycles: 2 }
    }
}

/// A solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solver {
    /// The engine, in one of its modes.
    Engine(Mode),
    /// The synchronous baseline on rayon's thread pool.
    Rayon,
}

impl Solver {
    /// Examples of all solvers, for completions.
    pub const EXAMPLES: [&str; 6] = ["sync", "exact", "ssync:1", "ssync:30", "async", "rayon"];

    /// Reads `rayon`, or a mode as [`Mode::parse`].
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if text == "rayon" {
            return Ok(Self::Rayon);
        }
        Mode::parse(text)
            .map_err(|_| "expected sync, exact, ssync:N, async or rayon")
            .map(Self::Engine)
    }

    /// Returns the mode: which neighbours a sweep waits for.
    pub const fn mode(self) -> Mode {
        match self {
            Self::Engine(mode) => mode,
            Self::Rayon => Mode::Sync,
        }
    }
}

impl From<Mode> for Solver {
    fn from(mode: Mode) -> Self {
        Self::Engine(mode)
    }
}

impl fmt::Display for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Engine(mode) => mode.fmt(f),
            Self::Rayon => f.write_str("rayon"),
        }
    }
}

/// Writes the solver in the form that [`Solver::parse`] reads.
impl Serialize for Solver {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
