//! The resolved choices.

use std::path::PathBuf;

use tresse_core::base::id::SocketId;
use tresse_core::run::RunConfig;
use tresse_core::run::noise::NoiseChoice;

use super::super::error::FrontError;
use crate::files::problem::Problem;
use crate::report::field::About;
use crate::report::output::Inputs;
use crate::solvers::{Method, Solver};
use crate::wording;
use tresse_platform::{Placement, TopologyOverride};

/// The resolved choices of `solve`.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// The effective configuration; valid, and without noise until [`Resolved::with_noise`].
    pub config: RunConfig,
    /// Method.
    pub method: Method,
    /// Solver of Jacobi iteration; the configuration has its mode. Multigrid is synchronous.
    pub solver: Solver,
    /// Noise that was asked for.
    pub noise: Vec<NoiseChoice>,
    /// Problem, on the configuration's grid.
    pub problem: Problem,
    /// Array file that the coefficient was read from.
    pub coefficient: Option<PathBuf>,
    /// Array file that says which cells are left out.
    pub mask: Option<PathBuf>,
    /// Name of the quantity that is solved for, and distances of neighbouring cells.
    pub field: About,
    /// Files that the choices and the problem were read from.
    pub inputs: Inputs,
    /// Folder for the results.
    pub out: Option<PathBuf>,
    /// File for the recording of the schedule.
    pub record: Option<PathBuf>,
    /// Whether one JSON object is printed in place of the report.
    pub json: bool,
    /// Whether progress bar and report are left out.
    pub quiet: bool,
    /// Topology in place of the machine's own.
    pub topology: Option<TopologyOverride>,
    /// Whether the size of the grid is the default.
    pub has_default_grid: bool,
    /// Warnings for a person to read before the run, one line each.
    pub warnings: Vec<String>,
}

impl Resolved {
    /// Returns the choices with each source of noise at its place, and with warnings about the
    /// workers' sockets.
    pub fn with_noise(mut self, placement: &Placement) -> Result<Self, FrontError> {
        self.config.noise = placement.resolve_noise(&self.noise, self.config.seed)?;
        self.warn_of(&placement.sockets());
        Ok(self)
    }

    /// Returns the mode of Jacobi iteration; multigrid has none.
    pub fn mode(&self) -> Option<Solver> {
        (self.method == Method::Jacobi).then_some(self.solver)
    }

    /// Whether all processes wait for each other's messages, sweep for sweep.
    pub fn is_bulk_synchronous(&self) -> bool {
        self.solver == Solver::Rayon || self.method != Method::Jacobi
    }

    /// Adds the warnings for workers of each node on these sockets.
    pub fn warn_of(&mut self, sockets: &[SocketId]) {
        for warning in self.config.warnings_on(sockets.iter().copied()) {
            let warning = wording::warning(&warning);
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
    }
}
