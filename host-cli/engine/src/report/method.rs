//! The report of a run of `solve` or `simulate` with its method.

use serde::Serialize;
use tresse_core::field::problem::Problem;
use tresse_core::multigrid::Hierarchy;
use tresse_core::multigrid::weighted::{Size, sizes};
use tresse_core::run::GridSize;

use super::RunReport;
use crate::solution::RunRecord;
use crate::solvers::{Method, MultigridChoices};

/// A report with the method before everything else.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MethodReport<'a> {
    /// Name of the method, as `--method` has it.
    pub method: &'static str,
    /// Cycles of each cell; of multigrid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles: Option<u64>,
    /// Levels, the finest included; of multigrid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levels: Option<usize>,
    /// What was chosen about it; of multigrid.
    #[serde(flatten)]
    pub choices: Option<MultigridChoices>,
    /// The report.
    #[serde(flatten)]
    pub run: &'a RunReport<'a>,
}

impl<'a> MethodReport<'a> {
    /// Returns the report of a run of a problem by this method.
    pub fn new(
        method: Method,
        problem: &Problem,
        record: &RunRecord,
        run: &'a RunReport<'a>,
    ) -> Self {
        let (cycles, levels, choices) = match method {
            Method::Jacobi => (None, None, None),
            Method::Multigrid(choices) => {
                let GridSize { rows, columns } = problem.grid;
                let levels = if problem.terms().faces.is_some() {
                    let finest = Size { rows, columns };
                    Some(sizes(finest, problem.cell_ratio, choices.coarsest).count())
                } else {
                    Hierarchy::new(rows, columns, choices.coarsest)
                        .map(|hierarchy| hierarchy.levels().len())
                };
                (Some(record.progress.most), levels, Some(choices))
            }
        };
        Self { method: method.name(), cycles, levels, choices, run }
    }
}
