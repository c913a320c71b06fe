//! Flags of a sparse system in place of a grid.

use std::path::PathBuf;

use clap::Args;
use tresse_core::base::grammar::count32;

/// The ids of the flags that are about grids; a run of a matrix has none of them.
const OF_GRIDS: [&str; 11] = [
    "problem",
    "grid",
    "cells_per_worker",
    "cell_size",
    "imbalance",
    "method",
    "smoothing",
    "coarsest",
    "coarse_cycles",
    "precision",
    "record",
];

/// A sparse system A x = b, and how it is cut.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct MatrixArgs {
    /// A sparse system A x = b in place of a grid: A, square and real, in Matrix Market's form;
    /// each subdomain is a part of its rows, and --tolerance is 1e-8 by default, relative to b
    #[arg(long, value_name = "FILE.mtx", help_heading = "Problem", conflicts_with_all = OF_GRIDS)]
    pub matrix: Option<PathBuf>,

    /// The right-hand side b of --matrix: .mtx (an array, or a matrix of one column) or .npy
    #[arg(long, value_name = "FILE", help_heading = "Problem", requires = "matrix")]
    pub rhs: Option<PathBuf>,

    /// The vector that a run of --matrix starts with: .mtx or .npy [default: zeros]
    #[arg(long, value_name = "FILE", help_heading = "Problem", requires = "matrix")]
    pub start: Option<PathBuf>,

    /// Overlap of subdomains of a matrix: layers of its graph by which their rows are extended
    /// [default: 1]
    #[arg(long, value_name = "LAYERS", help_heading = "Method", value_parser = count32)]
    #[arg(allow_negative_numbers = true, requires = "matrix")]
    pub overlap: Option<u32>,
}

impl MatrixArgs {
    /// Returns the effective number of layers.
    pub fn overlap(&self) -> u32 {
        self.overlap.unwrap_or(1)
    }
}
